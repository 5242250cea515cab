//! Successors of machines: what a replacement saves is the cost of both, and it lasts as long as the
//! successor does.

use reeve_estate::{Resource, ResourceFilter, ResourceKind, ResourceState, SUCCEEDS_TAG};
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;

use crate::execution::ExecutionService;

/// Change that gives a machine a successor.
const REPLACEMENT: &str = "replace_machine";

/// Successor of a recommendation's machine.
pub(super) enum Succession {
    /// The change makes none.
    None,
    /// The inventory does not have it yet.
    Unknown,
    /// It has it, as it is now.
    Known(Box<Resource>),
}

impl Succession {
    /// Returns the successor as far as it is known.
    pub(super) fn known(&self) -> Option<&Resource> {
        match self {
            Succession::Known(successor) => Some(successor),
            _ => None,
        }
    }

    /// Reason why nothing is saved by the successor any more; `None` while it serves.
    pub(super) fn departure(&self) -> Option<String> {
        let successor = self.known()?;
        let id = &successor.id;
        match successor.state {
            ResourceState::Running | ResourceState::Changing => None,
            state => Some(format!("its successor {id} is {state}")),
        }
    }
}

impl ExecutionService {
    /// Finds the successor of a recommendation's machine in the inventory, by the tag that names
    /// the machine. One that is gone for less than a day is found as well.
    pub(super) async fn succession(
        &self,
        recommendation: &Recommendation,
    ) -> Result<Succession, EngineError> {
        let plan = recommendation.plan.as_ref();
        if plan.and_then(|plan| plan.change_name()) != Some(REPLACEMENT) {
            return Ok(Succession::None);
        }
        let subject = &recommendation.subject;
        let filter = ResourceFilter {
            connection: Some(subject.connection.clone()),
            kind: Some(ResourceKind::VirtualMachine),
            text: Some(subject.id.0.clone()),
            ended_since: Some(recommendation.created_at),
            ..ResourceFilter::default()
        };
        let (found, _) = self.ports.estate.resource_list(&filter).await?;
        let own = found
            .into_iter()
            .filter(|one| one.tag(SUCCEEDS_TAG) == Some(subject.id.as_str()))
            .max_by_key(|one| one.created_at);
        Ok(own.map_or(Succession::Unknown, |one| Succession::Known(Box::new(one))))
    }
}
