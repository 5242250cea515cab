//! Reviews of exceptions.

use reeve_reports::Review;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;

/// A review to record.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportReviewCreate {
    /// Identifier of the exception within the run, such as `CC6.1.exception.1`.
    pub question: String,
    /// Result of the review, 1 to 2,000 characters.
    pub comment: String,
}

/// A review of an exception.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReportReviewBody {
    pub id: String,
    /// Run whose entries were looked at.
    pub run_id: String,
    /// Identifier of the exception.
    pub question: String,
    /// Entries that the run found for it.
    pub entries: u64,
    /// Result of the review.
    pub comment: String,
    /// E-mail address of the user who reviewed.
    pub reviewed_by: String,
    pub reviewed_at: String,
}

impl ReportReviewBody {
    /// As it goes over the wire.
    #[must_use]
    pub fn new(review: &Review) -> Self {
        ReportReviewBody {
            id: review.id.clone(),
            run_id: review.run.0.clone(),
            question: review.question.clone(),
            entries: review.entries,
            comment: review.comment.clone(),
            reviewed_by: review.user_email.clone(),
            reviewed_at: time::text(review.created_at),
        }
    }
}
