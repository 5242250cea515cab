//! Members of scaling groups with their measurements, as runs load them for agent types that judge
//! groups by them.

use std::collections::HashMap;

use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Metric, Resource, ResourceId, ResourceKind, ResourceState, SampleStore,
};
use reeve_recommend::agent::contract::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Fleet;

use crate::agent::scope::ScopeService;

/// Members whose series are loaded at a time.
const AT_ONCE: usize = 16;

type Key = (ConnectionId, ResourceId);

/// Machines of groups that serve, by their group.
#[derive(Debug, Default)]
pub(crate) struct Members(HashMap<Key, Vec<Resource>>);

impl Members {
    /// The members of every group; none where the agent type or its scope has no use for them.
    pub(crate) async fn load(
        scopes: &ScopeService,
        needs: &Needs,
        scope: &[Resource],
    ) -> Result<Members, EngineError> {
        let mut members: HashMap<Key, Vec<Resource>> = HashMap::new();
        if needs.members
            && scope
                .iter()
                .any(|resource| resource.kind == ResourceKind::ScalingGroup)
        {
            for machine in scopes.of_kinds(&[ResourceKind::VirtualMachine]).await? {
                let serves = matches!(
                    machine.state,
                    ResourceState::Running | ResourceState::Changing
                );
                if let Some(group) = machine.group.clone().filter(|_| serves) {
                    members
                        .entry((machine.connection.clone(), group))
                        .or_default()
                        .push(machine);
                }
            }
        }

        Ok(Members(members))
    }

    /// The members of a group with their measurements; `None` for any other resource, and for a
    /// group without known members.
    pub(crate) async fn fleet(
        &self,
        group: &Resource,
        samples: &dyn SampleStore,
        metrics: &[Metric],
        (start, now): (Timestamp, Timestamp),
    ) -> Result<Option<Fleet>, EngineError> {
        let Some(members) = self.0.get(&(group.connection.clone(), group.id.clone())) else {
            return Ok(None);
        };

        let mut fleet = Fleet::new(members.clone(), start, now);
        for some in members.chunks(AT_ONCE) {
            let ids: Vec<ResourceId> = some.iter().map(|member| member.id.clone()).collect();
            fleet.add(
                &samples
                    .sample_series(&group.connection, &ids, metrics, start, now)
                    .await?,
            );
        }

        Ok(Some(fleet))
    }
}
