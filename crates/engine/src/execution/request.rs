//! A request for an execution: the caller, the name in which it runs, and the resource that is to
//! change.

use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::agent::emergency::EmergencyMark;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::Recommendation;

/// Request for an execution: the caller and its options.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub(crate) caller: &'a Caller,
    /// In whose name it runs.
    pub(crate) by: &'a str,
    pub(crate) comment: Option<&'a str>,
    pub(crate) run_id: Option<&'a str>,
    pub(crate) automatic: bool,
    /// The permission was given in advance, so that no signature is requested.
    pub(crate) preapproved: bool,
    /// Set for an emergency by a standing approval: cool-down, maintenance windows and the limits a
    /// run and a day do not bind it.
    pub(crate) emergency: Option<&'a EmergencyMark>,
}

impl<'a> Wish<'a> {
    /// Creates the request of a person.
    pub(crate) fn new(caller: &'a Caller, comment: Option<&'a str>) -> Self {
        Wish {
            caller,
            by: &caller.name,
            comment,
            run_id: None,
            automatic: false,
            preapproved: false,
            emergency: None,
        }
    }
}

/// The resource that is to change: the recommendation's own, or a twin.
#[derive(Clone, Copy)]
pub(crate) struct ActionTarget<'a> {
    pub(crate) connection: &'a ConnectionId,
    pub(crate) resource: &'a ResourceId,
}

impl<'a> ActionTarget<'a> {
    /// Creates the request that a recommendation's schedule makes.
    pub(crate) fn from_recommendation(recommendation: &'a Recommendation) -> Self {
        ActionTarget {
            connection: &recommendation.subject.connection,
            resource: &recommendation.subject.id,
        }
    }
}

/// The plan, or the reason why there is none to run.
pub(crate) fn planned(recommendation: &Recommendation) -> Result<&Plan, EngineError> {
    recommendation.plan.as_ref().ok_or_else(|| {
        EngineError::Conflict(
            "this is advice: Reeve cannot apply it, so apply it manually".to_owned(),
        )
    })
}

/// Request to end an action early that only waits.
#[derive(Debug, Clone)]
pub(crate) struct ActionEnding {
    pub(crate) reason: String,
    /// Person who asked; `None` where Reeve did.
    pub(crate) by: Option<String>,
}
