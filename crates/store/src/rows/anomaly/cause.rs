//! Likely cause of an anomaly.

use reeve_anomalies::{HypothesisKind, LikelyCause};
use reeve_recommend::action::ActionId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum LikelyCauseRow {
    Unknown,
    ChangeByReeve {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<ActionId>,
    },
    Hypothesis {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hypothesis: Option<HypothesisKind>,
        statement: String,
    },
}

impl From<&LikelyCause> for LikelyCauseRow {
    fn from(cause: &LikelyCause) -> Self {
        match cause {
            LikelyCause::Unknown => LikelyCauseRow::Unknown,
            LikelyCause::ChangeByReeve(action) => LikelyCauseRow::ChangeByReeve {
                action: action.clone(),
            },
            LikelyCause::Hypothesis { kind, statement } => LikelyCauseRow::Hypothesis {
                hypothesis: *kind,
                statement: statement.clone(),
            },
        }
    }
}

impl LikelyCauseRow {
    pub(super) fn into_cause(self) -> LikelyCause {
        match self {
            LikelyCauseRow::Unknown => LikelyCause::Unknown,
            LikelyCauseRow::ChangeByReeve { action } => LikelyCause::ChangeByReeve(action),
            LikelyCauseRow::Hypothesis {
                hypothesis,
                statement,
            } => LikelyCause::Hypothesis {
                kind: hypothesis,
                statement,
            },
        }
    }
}
