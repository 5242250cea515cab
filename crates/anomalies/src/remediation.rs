//! Remediation of an anomaly, as it is kept with it: the recommendation or the rollback that would
//! relieve it, or the reason why no change does.

use reeve_recommend::action::ActionId;
use reeve_recommend::recommendation::RecommendationId;
use serde::{Deserialize, Serialize};

/// Recommended remedy of an anomaly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remediation {
    /// One line for people.
    pub description: String,
    /// Recommendation that carries the change; `None` where there is none.
    pub recommendation: Option<RecommendationId>,
    /// Change by Reeve that is to be rolled back.
    pub action: Option<ActionId>,
    /// `true` if Reeve can carry it out.
    pub has_plan: bool,
    /// Reason why Reeve has no change, or none that it can carry out.
    pub by_hand: Option<String>,
}

impl Remediation {
    /// Advice alone: no change of Reeve's relieves it.
    pub(crate) fn none(why: impl Into<String>) -> Self {
        let why = why.into();
        Remediation {
            description: format!("Reeve has no remedy: {why}"),
            recommendation: None,
            action: None,
            has_plan: false,
            by_hand: Some(why),
        }
    }

    /// Rollback of a change by Reeve.
    pub(crate) fn rollback(action: ActionId) -> Self {
        Remediation {
            description: format!("Roll back action {}", action.0),
            recommendation: None,
            action: Some(action),
            has_plan: true,
            by_hand: None,
        }
    }
}
