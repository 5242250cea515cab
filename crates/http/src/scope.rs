//! Callers with a scope: the routes that they may use, and the estate as they may see it.
//!
//! A scope is honoured in two places. Entries of the log are narrowed by their `Trail`
//! (`reeve_access::RowFilter`); what connections have is read through `VisibleEstate`. Every other
//! route refuses a caller with a scope, so that a new route shows nothing by mistake.

use axum::http::Method;
use reeve_access::{AuditScope, Principal};
use reeve_anomalies::{Anomaly, AnomalyId};
use reeve_controls::{ControlCatalogue, ControlCheck};
use reeve_estate::{Resource, ResourceId, StoreError, VisibleConnections};
use reeve_recommend::drift::{Drift, DriftId};
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::app::App;
use crate::error::Problem;
use crate::guard::Access;

/// Routes that narrow what they answer to the caller's scope.
pub const WITHIN_SCOPE: &[(&str, &str)] = &[
    ("GET", "/api/v1/audit-logs"),
    ("POST", "/api/v1/audit-logs/search"),
    ("GET", "/api/v1/audit-logs/stats"),
    ("GET", "/api/v1/audit-logs/live"),
    ("GET", "/api/v1/audit-logs/{event_id}"),
    ("GET", "/api/v1/audit-logs/{event_id}/proof"),
    ("GET", "/api/v1/audit-logs/entry"),
    ("GET", "/api/v1/audit-logs/entry/proof"),
    ("GET", "/api/v1/audit-logs/export"),
    ("POST", "/api/v1/audit-logs/export"),
    ("POST", "/api/v1/audit-logs/export/estimate"),
    ("GET", "/api/v1/audit-logs/export/{id}"),
    ("GET", "/api/v1/audit-logs/export/{id}/download"),
    ("GET", "/api/v1/audit-logs/exports/{id}"),
    ("GET", "/api/v1/audit-logs/exports/{id}/download"),
    ("POST", "/api/v1/audit-logs/export/{id}/cancel"),
    ("POST", "/api/v1/audit-logs/exports/{id}/cancel"),
    ("GET", "/api/v1/audit-logs/report-templates"),
    ("GET", "/api/v1/audit-logs/reports"),
    ("GET", "/api/v1/audit-logs/reports/{id}"),
    ("POST", "/api/v1/audit-logs/reports/{id}/run"),
    ("GET", "/api/v1/audit-logs/reports/runs"),
    ("GET", "/api/v1/audit-logs/reports/runs/{id}"),
    ("POST", "/api/v1/audit-logs/reports/runs/{id}/cancel"),
    ("GET", "/api/v1/audit-logs/reports/runs/{id}/download"),
    ("GET", "/api/v1/audit-logs/alerts/firings"),
    ("GET", "/api/v1/audit-logs/alerts/firings/{id}"),
    ("GET", "/api/v1/intelligence/frameworks"),
    ("GET", "/api/v1/intelligence/frameworks/{id}/trend"),
    ("GET", "/api/v1/intelligence/controls"),
    ("GET", "/api/v1/intelligence/controls/{id}"),
    ("GET", "/api/v1/intelligence/controls/{id}/results"),
    ("GET", "/api/v1/intelligence/checks/{id}"),
    ("GET", "/api/v1/intelligence/own-checks"),
    ("GET", "/api/v1/intelligence/exposures"),
    ("GET", "/api/v1/intelligence/privileges"),
    ("GET", "/api/v1/intelligence/security-groups"),
    ("GET", "/api/v1/intelligence/flow-sources"),
    ("GET", "/api/v1/intelligence/dependencies"),
    ("GET", "/api/v1/intelligence/recommendations"),
    ("GET", "/api/v1/intelligence/recommendations/{id}"),
    (
        "GET",
        "/api/v1/intelligence/recommendations/{id}/explanation",
    ),
    ("GET", "/api/v1/intelligence/recommendations/{id}/patch"),
    ("GET", "/api/v1/intelligence/anomalies"),
    ("GET", "/api/v1/intelligence/anomalies/{id}"),
    ("GET", "/api/v1/intelligence/anomalies/{id}/course"),
    ("GET", "/api/v1/intelligence/drift"),
    ("GET", "/api/v1/intelligence/drift/{id}"),
    ("GET", "/api/v1/resources"),
    ("GET", "/api/v1/resources/{id}"),
    ("GET", "/api/v1/resources/{id}/configuration"),
    ("GET", "/api/v1/resources/{id}/versions"),
    ("GET", "/api/v1/resources/{id}/difference"),
    ("GET", "/api/v1/resources/{id}/flows"),
    ("GET", "/api/v1/databases"),
    ("GET", "/api/v1/databases/{id}"),
    ("GET", "/api/v1/databases/{id}/queries"),
    ("GET", "/api/v1/databases/{id}/queries/{statement}/plan"),
    ("GET", "/api/v1/databases/{id}/advice"),
];

/// Returns `true` if a route answers callers with a scope: it narrows what it answers, or answers
/// what concerns the caller alone.
#[must_use]
pub fn is_within(access: Access, method: &str, path: &str) -> bool {
    matches!(access, Access::Public | Access::SignedIn)
        || WITHIN_SCOPE
            .iter()
            .any(|(verb, route)| *verb == method && *route == path)
}

/// [`is_within`] of a request.
pub(crate) fn refuses(
    principal: &Principal,
    access: Access,
    method: &Method,
    path: Option<&str>,
) -> bool {
    principal.scope.is_some() && !path.is_some_and(|path| is_within(access, method.as_str(), path))
}

/// The estate as one caller may see it. Objects of other connections are not found.
pub(crate) struct VisibleEstate<'a> {
    app: &'a App,
    scope: Option<&'a AuditScope>,
    connections: VisibleConnections,
}

impl App {
    /// Returns the estate that a principal may see.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn visible<'a>(
        &'a self,
        principal: &'a Principal,
    ) -> Result<VisibleEstate<'a>, StoreError> {
        let scope = principal.scope.as_deref();
        let connections = match scope {
            Some(scope) if !scope.accounts.is_empty() => {
                let all = self.estate.connection_list().await?.into_iter();
                let among = all.filter(|one| scope.has_account(&one.account));
                VisibleConnections::only(among.map(|one| one.id))
            }
            Some(_) | None => VisibleConnections::default(),
        };
        Ok(VisibleEstate {
            app: self,
            scope,
            connections,
        })
    }
}

impl VisibleEstate<'_> {
    /// Connections that a filter is narrowed to.
    pub(crate) fn connections(&self) -> VisibleConnections {
        self.connections.clone()
    }

    pub(crate) async fn resource(&self, id: &ResourceId) -> Result<Resource, Problem> {
        let found = self.app.estate.resource_get(id).await?;
        if self.connections.contains(&found.connection) {
            Ok(found)
        } else {
            Err(Problem::not_found("resource", &id.0))
        }
    }

    pub(crate) async fn recommendation(
        &self,
        id: &RecommendationId,
    ) -> Result<Recommendation, Problem> {
        let found = self.app.agents.recommendation_get(id).await?;
        if self.connections.contains(&found.subject.connection) {
            Ok(found)
        } else {
            Err(Problem::not_found("recommendation", &id.0))
        }
    }

    pub(crate) async fn drift(&self, id: &DriftId) -> Result<Drift, Problem> {
        let found = self.app.drifts.drift_get(id).await?;
        if self.connections.contains(&found.subject.connection) {
            Ok(found)
        } else {
            Err(Problem::not_found("drift", &id.0))
        }
    }

    /// Accounts that a filter of anomalies is narrowed to; empty is no limit.
    pub(crate) fn accounts(&self) -> Vec<String> {
        let limited = self.scope.map(|scope| &scope.accounts);
        limited.into_iter().flatten().cloned().collect()
    }

    pub(crate) async fn anomaly(&self, id: &AnomalyId) -> Result<Anomaly, Problem> {
        let found = self.app.anomalies.anomaly_get(id).await?;
        let has_account = |scope: &AuditScope| match &found.place.account {
            Some(account) => scope.has_account(account),
            None => scope.accounts.is_empty(),
        };
        if self.scope.is_none_or(has_account) {
            Ok(self.narrowed(found))
        } else {
            Err(Problem::not_found("anomaly", &id.0))
        }
    }

    /// Returns an anomaly as the caller may see it: within a scope, without what its context tells
    /// of other places.
    pub(crate) fn narrowed(&self, anomaly: Anomaly) -> Anomaly {
        match self.scope {
            Some(_) => anomaly.without_context(),
            None => anomaly,
        }
    }

    /// Returns `true` if the caller sees the estate and the log without a limit.
    pub(crate) const fn is_whole(&self) -> bool {
        self.scope.is_none()
    }

    /// Returns `true` if the caller may see a framework.
    pub(crate) fn has_framework(&self, framework: &str) -> bool {
        self.scope
            .is_none_or(|scope| scope.has_framework(framework))
    }

    /// Returns `true` if the caller may see a check: it proves a control of a visible framework.
    pub(crate) fn has_check(&self, catalogue: &ControlCatalogue, check: &ControlCheck) -> bool {
        self.scope.is_none_or(|scope| {
            scope.frameworks.is_empty() || catalogue.is_of(check, &scope.frameworks)
        })
    }
}
