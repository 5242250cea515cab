//! An exclusion.

use reeve_recommend::{Exclusion, ExclusionId, RecommendationType};
use serde::{Deserialize, Serialize};

use super::{RowError, time, time_or_none};

/// An exclusion, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExclusionRow {
    id: String,
    resource: Option<String>,
    account: Option<String>,
    kind: Option<String>,
    reason: String,
    until: Option<String>,
    by: String,
    at: String,
}

impl From<&Exclusion> for ExclusionRow {
    fn from(from: &Exclusion) -> Self {
        ExclusionRow {
            id: from.id.0.clone(),
            resource: from.resource.clone(),
            account: from.account.clone(),
            kind: from.kind.map(|kind| kind.as_str().to_owned()),
            reason: from.reason.clone(),
            until: from.until.map(|until| until.to_string()),
            by: from.by.clone(),
            at: from.at.to_string(),
        }
    }
}

impl ExclusionRow {
    pub(crate) fn into_exclusion(self) -> Result<Exclusion, RowError> {
        let kind = |text: String| {
            RecommendationType::parse(&text).ok_or(RowError::Unknown {
                field: "kind",
                value: text.clone(),
            })
        };
        Ok(Exclusion {
            id: ExclusionId(self.id),
            resource: self.resource,
            account: self.account,
            kind: self.kind.map(kind).transpose()?,
            reason: self.reason,
            until: time_or_none(self.until.as_deref())?,
            by: self.by,
            at: time(&self.at)?,
        })
    }
}
