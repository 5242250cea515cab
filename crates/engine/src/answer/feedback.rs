//! Feedback on recommendations and its immediate effects: "not now" snoozes the recommendation,
//! "not applicable" closes it, and others of its kind are ranked again. Confidence follows at the
//! agent's next run (`learning`).

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, FieldCode, FieldError};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{
    Feedback, FeedbackOutcome, Recommendation, RecommendationId, RecommendationType,
};

use crate::answer::RecommendationService;
use crate::finding::earlier_recommendations::Past;
use crate::log_entry;
use crate::records::{fresh_id, optional};

/// "Not now" without a date sleeps this long.
const NOT_NOW_DAYS: i64 = 14;

/// Feedback as a person gives it.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedbackInput<'a> {
    /// Name of a [`FeedbackOutcome`], as the caller gave it.
    pub outcome: &'a str,
    /// Rating from 1 to 5, the best.
    pub rating: Option<i64>,
    /// Explanation of the problem, of why it does not apply, or of the circumstances; required with
    /// every outcome but the first.
    pub comments: Option<&'a str>,
    /// Until when "not now" holds; two weeks where it is left out.
    pub until: Option<Timestamp>,
}

impl RecommendationService {
    /// Stores feedback and lets it work.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for another outcome, a rating outside 1 to 5, a missing comment
    /// where one is needed, or a date that is not within the coming year.
    pub async fn feedback(
        &self,
        id: &RecommendationId,
        input: FeedbackInput<'_>,
        caller: &Caller,
    ) -> Result<Feedback, EngineError> {
        let (outcome, rating, comments) = checked(&input)?;
        if let Some(until) = input.until {
            self.ahead("until", until, 365)?;
        }

        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let feedback = Feedback {
            id: fresh_id(),
            recommendation: id.clone(),
            outcome,
            rating,
            comments,
            by: caller.name.clone(),
            at: self.records.clock.now(),
        };

        let mut entry = log_entry::about(
            log_entry::RECOMMENDATION,
            "recommendation.feedback",
            ActionStatus::Success,
            &recommendation,
            caller,
        )
        .with_metadata("outcome", outcome.as_str())
        .with_metadata("feedback_id", feedback.id.clone());

        if let Some(stars) = rating {
            entry = entry.with_metadata("rating", u32::from(stars));
        }
        if let Some(words) = &feedback.comments {
            entry = entry.with_metadata("comments", words.clone());
        }

        self.records
            .change(entry, self.records.agents.feedback_insert(&feedback))
            .await?;
        self.follow_feedback(&recommendation, &feedback, input.until, caller)
            .await?;
        Ok(feedback)
    }

    /// Applies an answer to its own recommendation and to the others of its kind.
    async fn follow_feedback(
        &self,
        recommendation: &Recommendation,
        said: &Feedback,
        until: Option<Timestamp>,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let words = said.comments.clone().unwrap_or_default();
        match (said.outcome, recommendation.status) {
            (FeedbackOutcome::NotNow, Status::Open) => {
                let until =
                    until.unwrap_or(said.at + SignedDuration::from_hours(24 * NOT_NOW_DAYS));
                let mut to = self.records.next(recommendation, Status::Snoozed)?;
                to.snoozed_until = Some(until);
                to.status_reason = Some(format!("not now: {words}"));
                to.expires_at = to.expires_at.max(until + SignedDuration::from_hours(48));
                self.records
                    .make_move("recommendation.snooze", recommendation, to, caller)
                    .await?;
            }
            (FeedbackOutcome::NotApplicable, Status::Open | Status::Snoozed) => {
                let mut to = self.records.next(recommendation, Status::Dismissed)?;
                to.snoozed_until = None;
                to.status_reason = Some(format!("not applicable: {words}"));
                self.records
                    .make_move("recommendation.dismiss", recommendation, to, caller)
                    .await?;
            }
            _ => {}
        }

        if said.outcome == FeedbackOutcome::NotNow {
            Ok(())
        } else {
            self.rank_again(recommendation.kind).await
        }
    }

    /// Ranks what waits of a kind by what people say now. The caller holds the turn.
    pub(crate) async fn rank_again(&self, kind: RecommendationType) -> Result<(), EngineError> {
        let past = Past::read(&self.records, &BTreeSet::from([kind])).await?;
        let filter = RecommendationFilter {
            is_open: true,
            kind: Some(kind),
            ..RecommendationFilter::default()
        };
        let (open, _) = self.records.agents.recommendation_list(&filter).await?;

        for recommendation in open {
            let ranking = past.weights.rank(&recommendation);
            if ranking == recommendation.ranking {
                continue;
            }
            let ranked = Recommendation {
                ranking,
                version: recommendation.version + 1,
                ..recommendation
            };
            match self.records.agents.recommendation_update(&ranked).await {
                // It moves right now; its agent's next run ranks it.
                Err(reeve_estate::StoreError::Conflict(_)) => {}
                other => other?,
            }
        }

        Ok(())
    }
}

/// Outcome, rating and comments, or every failing field.
fn checked(
    input: &FeedbackInput<'_>,
) -> Result<(FeedbackOutcome, Option<u8>, Option<String>), EngineError> {
    let mut errors = Vec::new();
    let outcome = FeedbackOutcome::parse(input.outcome);

    if outcome.is_none() {
        let names: Vec<&str> = FeedbackOutcome::ALL
            .iter()
            .map(|outcome| outcome.as_str())
            .collect();
        errors.push(FieldError::new(
            "outcome",
            FieldCode::InvalidValue,
            format!("must be one of {}", names.join(", ")),
        ));
    }

    let rating = match input.rating {
        None => None,
        Some(stars) if (1..=5).contains(&stars) => u8::try_from(stars).ok(),
        Some(_) => {
            errors.push(FieldError::new(
                "rating",
                FieldCode::InvalidValue,
                "must be from 1 to 5",
            ));
            None
        }
    };

    let comments = match optional("comments", input.comments) {
        Ok(None) if outcome.is_some_and(FeedbackOutcome::needs_comment) => {
            let message = format!(
                "is required with {}: describe it or give the reason",
                input.outcome
            );
            errors.push(FieldError::new(
                "comments",
                FieldCode::MissingField,
                message,
            ));
            None
        }
        Ok(comments) => comments,
        Err(EngineError::Invalid(more)) => {
            errors.extend(more);
            None
        }
        Err(other) => return Err(other),
    };

    if input.until.is_some() && outcome != Some(FeedbackOutcome::NotNow) {
        errors.push(FieldError::new(
            "until",
            FieldCode::InvalidValue,
            "goes with not_now alone",
        ));
    }

    match outcome.filter(|_| errors.is_empty()) {
        Some(outcome) => Ok((outcome, rating, comments)),
        None => Err(EngineError::Invalid(errors)),
    }
}
