//! Limits of the emergency lane: changes an hour, and the share of a group. They are counted from
//! the stored actions, so that a restart resets none of them.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Resource, ResourceFilter, ResourceId};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::agent::emergency::EmergencyTerms;
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;

use super::EmergencyService;

/// Time over which changes are counted.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Time over which the share of a group is counted.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Group of a resource.
pub(super) struct LimitGroup {
    /// Name in marks of actions.
    pub(super) name: String,
    /// Resources that it has now.
    size: u64,
}

impl EmergencyService {
    /// Group of the resource of a recommendation: its scaling group, or the resources of its kind
    /// in its connection. `None` if the inventory does not have the resource any more.
    pub(super) async fn group_of(
        &self,
        recommendation: &Recommendation,
    ) -> Result<Option<LimitGroup>, EngineError> {
        let subject = &recommendation.subject;
        let mut filter = ResourceFilter {
            connection: Some(subject.connection.clone()),
            ids: vec![subject.id.clone()],
            ..ResourceFilter::default()
        };
        let (found, _) = self.ports.estate.resource_list(&filter).await?;
        let Some(resource) = found.into_iter().next() else {
            return Ok(None);
        };

        filter.ids = Vec::new();
        filter.limit = 1;
        let name = match &resource.group {
            Some(group) => {
                filter.group = Some(group.clone());
                format!("group {group}")
            }
            None => {
                filter.kind = Some(resource.kind);
                kind_group(&resource)
            }
        };
        let (_, size) = self.ports.estate.resource_list(&filter).await?;
        Ok(Some(LimitGroup { name, size }))
    }

    /// Emergency changes of an agent since a time, newest first.
    pub(super) async fn lately(
        &self,
        agent: &AgentId,
        since: Timestamp,
    ) -> Result<Vec<Action>, EngineError> {
        let mut actions = self.records.agents.action_list(None, Some(since)).await?;
        actions.retain(|action| {
            action.emergency.is_some()
                && action.agent_id.as_ref() == Some(agent)
                && action.purpose == Purpose::Apply
                && action.status != ActionStatus::Aborted
        });
        Ok(actions)
    }

    /// The limit of the lane that a further change would exceed, in words.
    pub(super) async fn limit_reached(
        &self,
        agent: &Agent,
        recommendation: &Recommendation,
        group: &LimitGroup,
    ) -> Result<Option<String>, EngineError> {
        let terms = EmergencyTerms::of_agent(agent);
        let now = self.records.clock.now();
        let limit = terms.resources_of_group(group.size);
        // Where all changes together are fewer than the limits, none of them needs to be read: in a
        // storm of notices there are many.
        let begun = self.records.agents.action_counts(now - DAY).await?.begun;
        if begun < terms.acts_per_hour.min(limit) {
            return Ok(None);
        }

        let lately = self.lately(&agent.id, now - DAY).await?;
        let in_hour = in_last_hour(&lately, now);
        if in_hour >= terms.acts_per_hour {
            return Ok(Some(format!(
                "emergency limit reached: {in_hour} emergency changes of the agent began within an hour, limit {}",
                terms.acts_per_hour
            )));
        }

        // What was taken back is as before.
        let reached: BTreeSet<&ResourceId> = lately
            .iter()
            .filter(|action| action.status != ActionStatus::RolledBack)
            .filter(|action| action.connection == recommendation.subject.connection)
            .filter(|action| {
                let mark = action.emergency.as_ref();
                mark.is_some_and(|mark| mark.group == group.name)
            })
            .map(|action| &action.resource)
            .filter(|resource| **resource != recommendation.subject.id)
            .collect();
        if reached.len() as u64 >= limit {
            return Ok(Some(format!(
                "emergency limit reached: emergency changes reached {} of the {} resources of {} within 24 hours, limit {limit} ({:.0} %)",
                reached.len(),
                group.size,
                group.name,
                terms.share_of_group
            )));
        }
        Ok(None)
    }
}

/// Number of changes that began within an hour.
pub(super) fn in_last_hour(actions: &[Action], now: Timestamp) -> u64 {
    let began = actions
        .iter()
        .filter(|action| now.duration_since(action.started_at) < HOUR);
    began.count() as u64
}

fn kind_group(resource: &Resource) -> String {
    format!("kind {}", resource.kind.as_str())
}
