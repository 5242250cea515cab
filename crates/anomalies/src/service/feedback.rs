//! Feedback on an anomaly, and its withdrawal.

use reeve_audit::{FieldCode, FieldError, Json};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::origin::{AnomalyId, OriginCause};

use super::super::log_entry;
use super::super::record::{
    Anomaly, AnomalyFeedback, AnomalyStatus, FeedbackKind, Response, Stage,
};
use super::AnomalyService;

impl AnomalyService {
    /// Takes in what a person says. "False" keeps the like of it, up to this strangeness, quiet for
    /// thirty days; "planned" ends it without a lesson, since the next one may be none.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for another kind or endless comments.
    pub async fn feedback(
        &self,
        id: &AnomalyId,
        kind: &str,
        comments: Option<&str>,
        caller: &Caller,
    ) -> Result<Anomaly, EngineError> {
        let Some(kind) = FeedbackKind::parse(kind) else {
            let message = "must be one of real, false, planned, new_normal";
            return Err(EngineError::Invalid(vec![FieldError::new(
                "kind",
                FieldCode::InvalidValue,
                message,
            )]));
        };

        let comments = comments
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned);
        if comments
            .as_ref()
            .is_some_and(|text| text.chars().count() > 2000)
        {
            let message = "must have at most 2000 characters";
            return Err(EngineError::Invalid(vec![FieldError::new(
                "comments",
                FieldCode::InvalidValue,
                message,
            )]));
        }

        let anomaly = self.ports.anomalies.anomaly_get(id).await?;
        let now = self.ports.clock.now();
        let mut next = Anomaly {
            version: anomaly.version + 1,
            ..anomaly
        };
        next.feedback.push(AnomalyFeedback {
            kind,
            comments,
            by: caller.name.clone(),
            at: now,
            withdrawn: None,
        });

        let lesson = match kind {
            FeedbackKind::Real => "it counts as a true positive".to_owned(),
            FeedbackKind::Planned => {
                "it was planned, so detection does not learn from it".to_owned()
            }
            FeedbackKind::NewNormal => {
                format!(
                    "the current level of {} is the new normal; the baseline restarts",
                    next.place.name
                )
            }
            FeedbackKind::False => {
                format!(
                    "{} is not reported again for 30 days unless its score is higher",
                    next.place.name
                )
            }
        };

        if kind != FeedbackKind::Real && next.status != AnomalyStatus::Resolved {
            next.status = AnomalyStatus::Resolved;
            next.resolved_at = Some(now);
        }

        let effect = self.learn_from_answer(&next, Some(kind), caller).await?;
        let lesson = effect.map_or(lesson.clone(), |effect| format!("{lesson}; {effect}"));
        self.record(
            log_entry::stage(Stage::Learn, &next, &lesson, caller)
                .with_metadata("feedback", kind.as_str()),
        )
        .await?;

        next.responses.push(Response {
            stage: Stage::Learn,
            at: now,
            detail: lesson,
        });
        self.ports.anomalies.anomaly_update(&next).await?;

        if kind != FeedbackKind::Real {
            // Nobody is to cut a machine off for what was no threat.
            let reason = format!("the anomaly it was for was called {kind}");
            self.ports
                .responses
                .withdraw(&OriginCause::Anomaly(id.clone()), None, &reason, caller)
                .await?;
        }

        Ok(next)
    }

    /// Takes back what was said last, or that somebody looks after it, and opens what is over: it
    /// counts as if it had not been said, and stays on record. What goes quiet again is over again
    /// after the usual time.
    ///
    /// # Errors
    /// A conflict when there is nothing to take back.
    pub async fn reopen(&self, id: &AnomalyId, caller: &Caller) -> Result<Anomaly, EngineError> {
        let anomaly = self.ports.anomalies.anomaly_get(id).await?;
        let said = anomaly
            .feedback
            .iter()
            .rposition(|said| said.withdrawn.is_none());

        if anomaly.status == AnomalyStatus::Open && said.is_none() {
            return Err(EngineError::Conflict(
                "the anomaly is open and has no feedback to withdraw".to_owned(),
            ));
        }

        let now = self.ports.clock.now();
        let before = anomaly.status;
        let mut next = Anomaly {
            status: AnomalyStatus::Open,
            resolved_at: None,
            reopened_at: Some(now),
            version: anomaly.version + 1,
            ..anomaly
        };

        let mut entry = log_entry::about("anomaly.reopen", &next, caller)
            .before(Json::object([("status", Json::from(before.as_str()))]))
            .after(Json::object([("status", Json::from(next.status.as_str()))]));
        if let Some(said) = said.and_then(|at| next.feedback.get_mut(at)) {
            entry = entry.with_metadata("withdrawn_feedback", said.kind.as_str());
            said.withdrawn = Some((now, caller.name.clone()));
            let detail = format!(
                "\"{}\" was withdrawn, so detection does not learn from it",
                said.kind
            );
            next.responses.push(Response {
                stage: Stage::Learn,
                at: now,
                detail,
            });
        }

        self.record(entry).await?;
        self.ports.anomalies.anomaly_update(&next).await?;
        self.learn_from_answer(&next, next.current_feedback().map(|said| said.kind), caller)
            .await?;

        Ok(next)
    }
}
