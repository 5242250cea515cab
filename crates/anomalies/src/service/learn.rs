//! Learning: answers of people and outcomes of remedies move the threshold of an anomaly's kind at
//! its place.

use reeve_audit::Json;
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::words::figures;

use super::super::lesson::{
    Lesson, LessonKind, LessonThreshold, LessonThresholds, ThresholdKey, excess,
};
use super::super::log_entry;
use super::super::record::{Anomaly, AnomalyClass, FeedbackKind, Response, Stage};
use super::AnomalyService;

/// Deviations beyond this many usual bands count as so many.
const MOST_EXCESS: f64 = 100.0;

impl AnomalyService {
    /// Returns the thresholds that were moved, in the order of class, metric and place.
    ///
    /// # Errors
    /// The store failed.
    pub async fn thresholds(&self) -> Result<LessonThresholds, EngineError> {
        let lessons = self.ports.anomalies.anomaly_lessons().await?;
        Ok(LessonThresholds::from_lessons(
            lessons,
            self.ports.clock.now(),
        ))
    }

    /// Returns the thresholds of an anomaly's readings, those that nothing moved included.
    ///
    /// # Errors
    /// The store failed.
    pub async fn thresholds_of(
        &self,
        anomaly: &Anomaly,
    ) -> Result<Vec<LessonThreshold>, EngineError> {
        let all = self.thresholds().await?;
        let mut found: Vec<LessonThreshold> = Vec::new();

        for reading in &anomaly.readings {
            let key = ThresholdKey::new(anomaly.class, &anomaly.place.id, reading);
            if found.iter().any(|one| one.key == key) {
                continue;
            }
            let known = all.list().into_iter().find(|one| one.key == key).cloned();
            found.push(known.unwrap_or_else(|| {
                LessonThreshold::from_lessons(key, Vec::new(), self.ports.clock.now())
            }));
        }

        Ok(found)
    }

    /// Takes every lesson of a threshold back, so that it is as configured again. The lessons stay
    /// on record.
    ///
    /// # Errors
    /// A threshold that nothing moved does not exist; the store or the log failed.
    pub async fn threshold_reset(
        &self,
        id: &str,
        caller: &Caller,
    ) -> Result<LessonThreshold, EngineError> {
        let all = self.thresholds().await?;
        let Some(before) = all
            .list()
            .into_iter()
            .find(|one| one.key.id() == id)
            .cloned()
        else {
            return Err(StoreError::NotFound {
                what: "anomaly threshold",
                id: id.to_owned(),
            }
            .into());
        };

        let now = self.ports.clock.now();
        let after = LessonThreshold::from_lessons(before.key.clone(), Vec::new(), now);
        let entry = log_entry::threshold("anomaly_threshold.reset", &before, &after, caller);
        let withdraw = async {
            for lesson in &before.lessons {
                let lesson = Lesson {
                    withdrawn: Some((now, caller.name.clone())),
                    ..lesson.clone()
                };
                self.ports.anomalies.anomaly_lesson_put(&lesson).await?;
            }
            Ok(())
        };
        self.change(entry, withdraw).await?;

        Ok(after)
    }

    /// Keeps the lesson of an answer; `None` takes the one before back. Returns the effect in
    /// words.
    pub(super) async fn learn_from_answer(
        &self,
        anomaly: &Anomaly,
        answer: Option<FeedbackKind>,
        caller: &Caller,
    ) -> Result<Option<String>, EngineError> {
        let kind = match answer {
            Some(FeedbackKind::Real) => Some(LessonKind::Confirmed),
            Some(FeedbackKind::False) => Some(LessonKind::FalseAlarm),
            Some(FeedbackKind::NewNormal) => Some(LessonKind::NewNormal),
            Some(FeedbackKind::Planned) | None => None,
        };
        match kind {
            Some(kind) => self.learn(anomaly, kind, caller).await,
            None => self.unlearn(anomaly, caller).await.map(|()| None),
        }
    }

    async fn learn(
        &self,
        anomaly: &Anomaly,
        kind: LessonKind,
        caller: &Caller,
    ) -> Result<Option<String>, EngineError> {
        let Some(reading) = anomaly.readings.first() else {
            return Ok(None);
        };

        let key = ThresholdKey::new(anomaly.class, &anomaly.place.id, reading);
        let before = self.thresholds().await?.factor(&key);
        let lesson = Lesson {
            anomaly: anomaly.id.clone(),
            key: key.clone(),
            kind,
            excess: excess(reading).min(MOST_EXCESS),
            started_at: anomaly.started_at,
            at: self.ports.clock.now(),
            by: caller.name.clone(),
            withdrawn: None,
        };
        self.ports.anomalies.anomaly_lesson_put(&lesson).await?;

        let after = self.thresholds().await?.factor(&key);
        Ok(Some(moved(before, after)))
    }

    async fn unlearn(&self, anomaly: &Anomaly, caller: &Caller) -> Result<(), EngineError> {
        let lessons = self.ports.anomalies.anomaly_lessons().await?;
        let own = lessons
            .into_iter()
            .find(|one| one.anomaly == anomaly.id && one.withdrawn.is_none());

        if let Some(lesson) = own {
            let withdrawn = Some((self.ports.clock.now(), caller.name.clone()));
            self.ports
                .anomalies
                .anomaly_lesson_put(&Lesson {
                    withdrawn,
                    ..lesson
                })
                .await?;
        }

        Ok(())
    }

    /// Learns from the outcome of an anomaly's remedy once it is known. Returns the anomaly if it
    /// learned.
    pub(super) async fn learn_from_outcome(
        &self,
        anomaly: &Anomaly,
        caller: &Caller,
    ) -> Result<Option<Anomaly>, EngineError> {
        let Some(id) = anomaly
            .remediation
            .as_ref()
            .and_then(|one| one.recommendation.as_ref())
        else {
            return Ok(None);
        };

        if anomaly.current_feedback().is_some()
            || anomaly
                .responses
                .iter()
                .any(|one| one.stage == Stage::Learn)
        {
            return Ok(None);
        }

        let recommendation = match self.ports.agents.recommendation_get(id).await {
            Ok(found) => found,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };

        let (kind, outcome) = match recommendation.status {
            Status::Succeeded => (
                LessonKind::RemedyHeld,
                "the remedy worked, so it counts as a true positive",
            ),
            Status::RolledBack | Status::Failed => {
                (LessonKind::RemedyFailed, "the remedy did not work")
            }
            _ => return Ok(None),
        };

        let effect = self.learn(anomaly, kind, caller).await?.unwrap_or_default();
        let detail = format!(
            "{outcome}: recommendation {} is {}; {effect}",
            id.0, recommendation.status
        );
        let mut next = Anomaly {
            version: anomaly.version + 1,
            ..anomaly.clone()
        };
        let entry = log_entry::stage(Stage::Learn, &next, &detail, caller)
            .with_metadata("outcome", kind.as_str());
        self.record(entry.with_metadata("recommendation_id", Json::from(id.0.clone())))
            .await?;
        next.responses.push(Response {
            stage: Stage::Learn,
            at: self.ports.clock.now(),
            detail,
        });

        match self.ports.anomalies.anomaly_update(&next).await {
            Ok(()) => Ok(Some(next)),
            // Somebody answers it at this moment, and an answer counts for more.
            Err(StoreError::Conflict(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the recommendation of an anomaly that is over: what was short is no longer. Threats
    /// outlast their anomaly.
    pub(super) async fn withdraw_remedy(
        &self,
        anomaly: &Anomaly,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if anomaly.class == AnomalyClass::Security || anomaly.remediation.is_none() {
            return Ok(());
        }

        let cause = OriginCause::Anomaly(anomaly.id.clone());
        self.ports
            .responses
            .withdraw(&cause, None, "the anomaly it was for is over", caller)
            .await
    }
}

fn moved(before: f64, after: f64) -> String {
    let bands = |factor: f64| format!("{} of the usual band", figures(factor));
    if (before - after).abs() < f64::EPSILON {
        return format!("the threshold stays at {}", bands(after));
    }
    format!(
        "the threshold moved from {} to {}",
        bands(before),
        bands(after)
    )
}
