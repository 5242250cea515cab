//! Containment of incidents by the engine, and firings of alert rules as members of incidents.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;
use reeve_alerts::{AlertStore, Firing, FiringFilter, FiringId};
use reeve_anomalies::AttackKeys;
use reeve_engine::{Execution, ExecutionService};
use reeve_estate::StoreError;
use reeve_incidents::{Containment, IncidentMember, MemberKind, MemberSource};
use reeve_notify::sources::store_error;
use reeve_recommend::action::ActionId;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::ResponseRemedy;
use reeve_recommend::recommendation::RecommendationId;

/// Firings that are looked at, the newest ones.
const MOST_FIRINGS: u64 = 200;

/// The engine's execution, as playbooks use it.
pub(crate) struct EngineContainment(pub(crate) Arc<ExecutionService>);

#[async_trait]
impl Containment for EngineContainment {
    async fn apply(
        &self,
        id: &RecommendationId,
        comment: &str,
        caller: &Caller,
    ) -> Result<ResponseRemedy, EngineError> {
        let execution = self.0.execute(id, None, Some(comment), caller).await?;
        Ok(match execution {
            Execution::Started(action) => ResponseRemedy::Began(action.id),
            Execution::PendingApproval(approval) => ResponseRemedy::Asked(approval.id),
        })
    }

    async fn take_back(&self, action: &ActionId, caller: &Caller) -> Result<(), EngineError> {
        self.0.rollback(action, caller).await.map(drop)
    }
}

/// Firings of alert rules, as incidents know them.
pub(crate) struct Firings(pub(crate) Arc<dyn AlertStore>);

#[async_trait]
impl MemberSource for Firings {
    async fn recent(&self, since: Timestamp) -> Result<Vec<IncidentMember>, StoreError> {
        let filter = FiringFilter {
            limit: MOST_FIRINGS,
            ..FiringFilter::default()
        };
        let (newest, _) = self.0.firing_list(&filter).await.map_err(store_error)?;
        let recent = newest.iter().filter(|firing| firing.last_at >= since);
        Ok(recent.map(member).collect())
    }

    async fn member(
        &self,
        kind: MemberKind,
        id: &str,
    ) -> Result<Option<IncidentMember>, StoreError> {
        if kind != MemberKind::Alert {
            return Ok(None);
        }
        match self.0.firing_get(&FiringId(id.to_owned())).await {
            Ok(firing) => Ok(Some(member(&firing))),
            Err(AccessError::NotFound { .. }) => Ok(None),
            Err(error) => Err(store_error(error)),
        }
    }
}

/// A firing is known by what its rule groups by: the actor, the address or the resource.
fn member(firing: &Firing) -> IncidentMember {
    let values = serde_json::from_str::<Vec<Option<String>>>(&firing.group.0).unwrap_or_default();
    let mut keys = AttackKeys::default();
    let mut subject = ("rule", firing.rule.0.clone());
    for (field, value) in firing.group_by.iter().zip(values) {
        let Some(value) = value else { continue };
        match field.as_str() {
            "actor.id" | "actor.email" => {
                keys.principals.insert(value.clone());
                subject = ("principal", value);
            }
            "actor.ip_address" => {
                keys.addresses.extend(value.parse::<std::net::IpAddr>());
                subject = ("address", value);
            }
            "resource.id" => {
                keys.resources.insert(value);
            }
            _ => {}
        }
    }

    IncidentMember {
        kind: MemberKind::Alert,
        id: firing.id.0.clone(),
        title: format!("Alert rule \"{}\" fired", firing.rule_name),
        severity: firing.severity.into(),
        source: "alerts".to_owned(),
        subject: subject.0.to_owned(),
        subject_id: subject.1,
        account: None,
        started_at: firing.first_at,
        last_at: firing.last_at,
        keys,
        techniques: BTreeSet::new(),
        entries: firing
            .entries
            .iter()
            .take(20)
            .map(|entry| entry.event_id.clone())
            .collect(),
        because: None,
    }
}
