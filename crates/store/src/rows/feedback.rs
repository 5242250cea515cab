//! Feedback of a person.

use reeve_recommend::recommendation::FeedbackOutcome;
use reeve_recommend::{Feedback, RecommendationId};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

/// Feedback, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FeedbackRow {
    id: String,
    recommendation: String,
    outcome: String,
    rating: Option<u8>,
    comments: Option<String>,
    by: String,
    at: String,
}

impl From<&Feedback> for FeedbackRow {
    fn from(feedback: &Feedback) -> Self {
        FeedbackRow {
            id: feedback.id.clone(),
            recommendation: feedback.recommendation.0.clone(),
            outcome: feedback.outcome.as_str().to_owned(),
            rating: feedback.rating,
            comments: feedback.comments.clone(),
            by: feedback.by.clone(),
            at: feedback.at.to_string(),
        }
    }
}

impl FeedbackRow {
    pub(crate) fn into_feedback(self) -> Result<Feedback, RowError> {
        Ok(Feedback {
            id: self.id,
            recommendation: RecommendationId(self.recommendation),
            outcome: named("outcome", &self.outcome, FeedbackOutcome::parse)?,
            rating: self.rating,
            comments: self.comments,
            by: self.by,
            at: time(&self.at)?,
        })
    }
}
