//! Likely cause of an anomaly.

use reeve_anomalies::{HypothesisKind, LikelyCause};
use reeve_recommend::ActionId;
use serde::{Deserialize, Serialize};

use crate::rows::{RowError, named};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum LikelyCauseRow {
    Unknown,
    ChangeByReeve {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<String>,
    },
    Hypothesis {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hypothesis: Option<String>,
        statement: String,
    },
}

impl From<&LikelyCause> for LikelyCauseRow {
    fn from(cause: &LikelyCause) -> Self {
        match cause {
            LikelyCause::Unknown => LikelyCauseRow::Unknown,
            LikelyCause::ChangeByReeve(action) => LikelyCauseRow::ChangeByReeve {
                action: action.as_ref().map(|id| id.0.clone()),
            },
            LikelyCause::Hypothesis { kind, statement } => LikelyCauseRow::Hypothesis {
                hypothesis: kind.map(|kind| kind.as_str().to_owned()),
                statement: statement.clone(),
            },
        }
    }
}

impl LikelyCauseRow {
    pub(super) fn into_cause(self) -> Result<LikelyCause, RowError> {
        Ok(match self {
            LikelyCauseRow::Unknown => LikelyCause::Unknown,
            LikelyCauseRow::ChangeByReeve { action } => {
                LikelyCause::ChangeByReeve(action.map(ActionId))
            }
            LikelyCauseRow::Hypothesis {
                hypothesis,
                statement,
            } => {
                let kind = hypothesis
                    .map(|text| named("hypothesis", &text, HypothesisKind::parse))
                    .transpose()?;
                LikelyCause::Hypothesis { kind, statement }
            }
        })
    }
}
