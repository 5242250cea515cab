//! Stored form of the models that judged a recommendation.

use jiff::Timestamp;
use reeve_estate::finite;
use reeve_recommend::models::TrustNote;
use reeve_recommend::recommendation::RecommendationId;
use serde::{Deserialize, Serialize};

/// Input of the confidence of a recommendation, whose identifier is a column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrustNoteRow {
    group: String,
    at: Timestamp,
    #[serde(serialize_with = "finite")]
    raw: f64,
    features: Vec<f64>,
}

impl From<&TrustNote> for TrustNoteRow {
    fn from(note: &TrustNote) -> Self {
        TrustNoteRow {
            group: note.group.clone(),
            at: note.at,
            raw: note.raw,
            features: note.features.clone(),
        }
    }
}

impl TrustNoteRow {
    pub(crate) fn into_note(self, recommendation: RecommendationId) -> TrustNote {
        TrustNote {
            recommendation,
            group: self.group,
            at: self.at,
            raw: self.raw,
            features: self.features,
        }
    }
}
