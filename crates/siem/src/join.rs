//! Surroundings of an alert: its asset in the estate, and the incidents that it may join.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_anomalies::AttackKeys;
use reeve_estate::{EstateStore, ResourceFilter, ResourceId, StoreError};
use reeve_incidents::{IncidentMember, MemberKind, MemberSource};

use crate::alert::{AlertStatus, InboundAlert, InboundAlertId};
use crate::port::{AlertSourceStore, InboundAlertFilter, InboundAlertStore};
use crate::report::AlertReport;
use crate::weight::AssetPresence;

/// Resources that are looked at for one with the same name.
const MOST_NAMED: u64 = 50;
/// Alerts that are offered to incidents at once, the newest ones.
const MOST_OFFERED: u64 = 300;

/// Returns an alert as a member of incidents.
pub(crate) fn member(alert: &InboundAlert, source: &str) -> IncidentMember {
    let report = &alert.report;
    let address = report.address.map(|address| address.to_string());
    let subjects = [
        ("principal", report.principal.as_ref()),
        ("address", address.as_ref()),
        ("resource", report.resource.as_ref()),
    ];
    let named = subjects
        .into_iter()
        .find_map(|(kind, id)| Some((kind, id?)));
    let (subject, subject_id) = named.map_or(("alert", alert.id.0.clone()), |(kind, id)| {
        (kind, id.clone())
    });

    IncidentMember {
        kind: MemberKind::ExternalAlert,
        id: alert.id.0.clone(),
        title: report.title.clone(),
        severity: alert.weight.severity.into(),
        source: source.to_owned(),
        subject: subject.to_owned(),
        subject_id,
        account: report.account.clone(),
        started_at: report.at,
        last_at: report.at.max(alert.last_report_at()),
        keys: AttackKeys {
            principals: report.principal.iter().cloned().collect(),
            addresses: report.address.into_iter().collect(),
            resources: report.resource.iter().cloned().collect(),
        },
        techniques: report.techniques.iter().cloned().collect::<BTreeSet<_>>(),
        entries: Vec::new(),
        because: None,
    }
}

/// Open alerts of other tools as members, for incidents that are opened after an alert arrived.
pub struct InboundAlertMembers {
    sources: Arc<dyn AlertSourceStore>,
    alerts: Arc<dyn InboundAlertStore>,
}

impl InboundAlertMembers {
    /// Reads alerts and the names of their sources from these stores.
    #[must_use]
    pub fn new(sources: Arc<dyn AlertSourceStore>, alerts: Arc<dyn InboundAlertStore>) -> Self {
        InboundAlertMembers { sources, alerts }
    }
}

#[async_trait]
impl MemberSource for InboundAlertMembers {
    async fn recent(&self, since: Timestamp) -> Result<Vec<IncidentMember>, StoreError> {
        let filter = InboundAlertFilter {
            status: Some(AlertStatus::Open),
            limit: MOST_OFFERED,
            ..InboundAlertFilter::default()
        };
        let (alerts, _) = self.alerts.inbound_alert_list(&filter).await?;
        let sources = self.sources.alert_source_list().await?;
        let names: BTreeMap<_, _> = sources
            .iter()
            .map(|source| (&source.id, source.name.as_str()))
            .collect();

        let recent = alerts.iter().filter(|alert| alert.last_at >= since);
        let named = |alert: &InboundAlert| {
            let name = names.get(&alert.source).copied().unwrap_or_default();
            member(alert, name)
        };
        Ok(recent.map(named).collect())
    }

    async fn member(
        &self,
        kind: MemberKind,
        id: &str,
    ) -> Result<Option<IncidentMember>, StoreError> {
        if kind != MemberKind::ExternalAlert {
            return Ok(None);
        }
        let id = InboundAlertId(id.to_owned());
        let alert = match self.alerts.inbound_alert_get(&id).await {
            Err(StoreError::NotFound { .. }) => return Ok(None),
            found => found?,
        };
        let source = self.sources.alert_source_get(&alert.source).await?;
        Ok(Some(member(&alert, &source.name)))
    }
}

/// Looks the asset of an alert up: its resource, or else its account.
pub(crate) async fn asset(
    estate: &dyn EstateStore,
    report: &AlertReport,
) -> Result<AssetPresence, StoreError> {
    if let Some(resource) = &report.resource {
        let known = is_resource(estate, resource).await?;
        return Ok(presence(known, resource.clone()));
    }

    let Some(account) = &report.account else {
        return Ok(AssetPresence::NotNamed);
    };
    let connections = estate.connection_list().await?;
    let known = connections
        .iter()
        .any(|connection| connection.account == *account);
    Ok(presence(known, format!("Account {account}")))
}

fn presence(known: bool, name: String) -> AssetPresence {
    if known {
        AssetPresence::Known(name)
    } else {
        AssetPresence::Unknown(name)
    }
}

/// Returns `true` if a resource has this identifier, or its name without regard to case.
async fn is_resource(estate: &dyn EstateStore, name: &str) -> Result<bool, StoreError> {
    let by_id = ResourceFilter {
        ids: vec![ResourceId(name.to_owned())],
        limit: 1,
        ..ResourceFilter::default()
    };
    if estate.resource_list(&by_id).await?.1 > 0 {
        return Ok(true);
    }

    let by_name = ResourceFilter {
        text: Some(name.to_owned()),
        limit: MOST_NAMED,
        ..ResourceFilter::default()
    };
    let (found, _) = estate.resource_list(&by_name).await?;
    Ok(found
        .iter()
        .any(|resource| resource.name.to_lowercase() == name.to_lowercase()))
}
