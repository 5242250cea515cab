//! Evaluating rules: forecast each resource in scope, keep what was decided, hand on what is
//! foreseen.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, Metric, Money, Resource, ResourceId, SampleSeries};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::observation::{AnswerTerms, ForeseenCondition, Observation};
use reeve_recommend::ports::responses::ResponseOffer;
use reeve_recommend::predictive::{Foreseen, Outcome, Prediction, PredictiveRule, ResponseKind};
use reeve_recommend::recommendation::origin::RuleId;

use super::calendar::{Calendar, CalendarKind, Occurrence};
use super::decide::{PredictionCase, decide_resource};
use super::findings::PredictionFindings;
use super::input::RuleInput;
use super::log_entry;
use super::scope::{ScopePage, ScopePages};
use super::service::RuleService;
use super::traffic::TrafficSettings;
use super::unpredictable::Unpredictable;

/// Resources whose series are read at a time.
const CHUNK: usize = 32;
/// Predictions kept of one rule.
const KEEP: u64 = 2_000;
/// Days of samples a forecast sees: five weeks, so that a week's shape is seen four times before it
/// counts.
const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 35);

/// Settings and events that one evaluation judges by.
struct Moment {
    now: Timestamp,
    traffic: TrafficSettings,
    events: Arc<Vec<Occurrence>>,
}

/// A resource of an evaluation with its series.
struct Subject {
    resource: Resource,
    target: Resource,
    /// `None` where nothing was measured; the error is the reason why no series can tell.
    series: Result<Option<SampleSeries>, Unpredictable>,
}

impl RuleService {
    /// Evaluates what is due, one rule after the other. Returns how many were evaluated; what one
    /// rule fails with is told and does not hold up the others.
    ///
    /// # Errors
    /// The rules cannot be read.
    pub async fn evaluate_due(&self, caller: &Caller) -> Result<u64, EngineError> {
        let now = self.now();
        let mut done = 0;

        for rule in self
            .ports
            .rules
            .rule_list()
            .await?
            .into_iter()
            .filter(|rule| rule.is_due(now))
        {
            match self.evaluate_rule(&rule, caller, false).await {
                Ok(_) => done += 1,
                Err(error) => {
                    tracing::warn!(rule = rule.name, %error, "a rule could not be evaluated")
                }
            }
        }

        Ok(done)
    }

    /// Evaluates one rule now, whether it is due or not. Returns what was decided.
    ///
    /// # Errors
    /// The rule does not exist, or a store or the log failed.
    pub async fn evaluate(
        &self,
        id: &RuleId,
        caller: &Caller,
    ) -> Result<Vec<Prediction>, EngineError> {
        let rule = self.ports.rules.rule_get(id).await?;
        self.evaluate_rule(&rule, caller, true).await
    }

    /// Returns the decisions that a rule with this input would make now. Nothing is stored,
    /// recommended or recorded.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a store failed.
    pub async fn preview(
        &self,
        input: RuleInput,
        caller: &Caller,
    ) -> Result<Vec<Prediction>, EngineError> {
        let id = RuleId("preview".to_owned());
        let rule = input
            .rule(None, &self.agent_types(), id, &caller.name, self.now())
            .map_err(EngineError::Invalid)?;
        self.known_calendars(&rule).await?;

        // Forecasting takes the processor for seconds: a preview waits its turn like an evaluation.
        let _turn = self.turn.lock().await;
        let moment = self.moment(&rule).await?;
        let mut scope = ScopePages::new(&*self.ports.estate, &rule).await?;
        let mut found = PredictionFindings::default();
        while let Some(page) = scope.next(&*self.ports.estate).await? {
            found.add(&rule, &page, self.decide(&rule, &page, &moment).await?);
        }

        Ok(found.into_predictions())
    }

    async fn evaluate_rule(
        &self,
        rule: &PredictiveRule,
        caller: &Caller,
        asked: bool,
    ) -> Result<Vec<Prediction>, EngineError> {
        let _turn = self.turn.lock().await;
        let moment = self.moment(rule).await?;
        let mut scope = ScopePages::new(&*self.ports.estate, rule).await?;
        let mut found = PredictionFindings::default();

        while let Some(page) = scope.next(&*self.ports.estate).await? {
            let decided = self.decide(rule, &page, &moment).await?;
            self.withdraw(rule, &page, &decided, caller).await?;
            found.add(rule, &page, decided);
        }

        if rule.enabled {
            self.send_recommendations(rule, &scope.bills, &mut found)
                .await?;
        }

        let (counts, words) = (found.counts(), found.words());
        // The schedule's evaluations without a finding would fill the log with nothing.
        if asked || found.foreseen > 0 {
            self.record(log_entry::evaluated(rule, counts, caller))
                .await?;
        }

        let found = found.into_predictions();
        self.ports
            .rules
            .prediction_insert(&rule.id, &found, KEEP)
            .await?;
        let evaluated = PredictiveRule {
            evaluated_at: Some(self.now()),
            last_result: Some(words),
            ..rule.clone()
        };
        self.ports.rules.rule_evaluated(&evaluated).await?;

        Ok(found)
    }

    /// Reads the settings and events that every resource of an evaluation is judged by.
    async fn moment(&self, rule: &PredictiveRule) -> Result<Moment, EngineError> {
        let now = self.now();
        let traffic = self.ports.rules.traffic_settings_get().await?;
        let events = Arc::new(self.events(rule, &traffic, now).await?);
        Ok(Moment {
            now,
            traffic,
            events,
        })
    }

    async fn decide(
        &self,
        rule: &PredictiveRule,
        page: &ScopePage,
        moment: &Moment,
    ) -> Result<Vec<Prediction>, EngineError> {
        let mut found = Vec::new();
        // A chunk is of one connection: what two connections call alike are two resources.
        let of_one = page.resources.chunk_by(|a, b| a.connection == b.connection);

        for chunk in of_one.flat_map(|same| same.chunks(CHUNK)) {
            let subjects = self.subjects(rule, page, chunk, moment.now).await?;
            let (rule, catalogue) = (rule.clone(), Arc::clone(&self.ports.catalogue));
            let (now, traffic, events) = (moment.now, moment.traffic, Arc::clone(&moment.events));
            let judged = tokio::task::spawn_blocking(move || {
                let judge = |subject: &Subject| {
                    decide_resource(&PredictionCase {
                        rule: &rule,
                        resource: &subject.resource,
                        target: &subject.target,
                        series: subject.series.as_ref().map(Option::as_ref),
                        events: &events,
                        catalogue: &catalogue,
                        traffic,
                        now,
                    })
                };
                subjects.iter().map(judge).collect::<Vec<_>>()
            });
            let judged = judged
                .await
                .map_err(|error| EngineError::Store(format!("forecasting stopped: {error}")))?;
            found.extend(judged);
        }

        Ok(found)
    }

    /// Reads the series of some resources. A metric that a kind of resource does not have is no
    /// prediction that failed, so that one without a series is left out; a resource that the rule
    /// names is told of.
    async fn subjects(
        &self,
        rule: &PredictiveRule,
        page: &ScopePage,
        chunk: &[Resource],
        now: Timestamp,
    ) -> Result<Vec<Subject>, EngineError> {
        let Some(signal) = rule.condition.signal else {
            let subject = |resource: &Resource| Subject {
                target: page.target(rule, resource).clone(),
                resource: resource.clone(),
                series: Ok(None),
            };
            return Ok(chunk.iter().map(subject).collect());
        };

        let measured: Vec<_> = chunk
            .iter()
            .map(|resource| page.measured(signal, resource))
            .collect();
        let mut metrics: Vec<Metric> = chunk
            .iter()
            .map(|resource| signal.metric(resource.kind))
            .collect();
        metrics.sort_unstable();
        metrics.dedup();
        let ids: Vec<ResourceId> = measured
            .iter()
            .flatten()
            .map(|resource| resource.id.clone())
            .collect();

        let Some(connection) = chunk.first().map(|resource| &resource.connection) else {
            return Ok(Vec::new());
        };

        let read = self
            .ports
            .samples
            .sample_series(connection, &ids, &metrics, now - HISTORY, now)
            .await?;

        let series: HashMap<(ResourceId, Metric), SampleSeries> = read
            .into_iter()
            .map(|one| ((one.resource.clone(), one.metric), one))
            .collect();
        let subject =
            |(resource, measured): (&Resource, Result<&Resource, Unpredictable>)| Subject {
                target: page.target(rule, resource).clone(),
                resource: resource.clone(),
                series: measured.map(|one| {
                    series
                        .get(&(one.id.clone(), signal.metric(resource.kind)))
                        .cloned()
                }),
            };

        let is_told =
            |subject: &Subject| !rule.resources.is_empty() || matches!(subject.series, Ok(Some(_)));
        Ok(chunk
            .iter()
            .zip(measured)
            .map(subject)
            .filter(is_told)
            .collect())
    }

    /// Occurrences of the rule's calendars around now.
    async fn events(
        &self,
        rule: &PredictiveRule,
        traffic: &TrafficSettings,
        now: Timestamp,
    ) -> Result<Vec<Occurrence>, EngineError> {
        let aware = match rule.condition.foreseen {
            Foreseen::Event => true,
            Foreseen::Spike => traffic.event_awareness,
            _ => false,
        };

        if !aware {
            return Ok(Vec::new());
        }

        let kind = match rule.response.kind {
            ResponseKind::PrepareFailover => CalendarKind::Maintenance,
            _ => CalendarKind::Traffic,
        };
        let named = &rule.condition.calendars;
        let of_rule = |calendar: &Calendar| {
            if named.is_empty() {
                calendar.kind == kind
            } else {
                named.contains(&calendar.id)
            }
        };

        let all = self.ports.rules.calendar_list().await?;
        let calendars: Vec<Calendar> = all.into_iter().filter(of_rule).collect();
        let ahead = SignedDuration::from_secs(rule.condition.horizon_s)
            .max(SignedDuration::from_hours(24 * 31));
        let expanded = tokio::task::spawn_blocking(move || {
            let mut found = Vec::new();
            for calendar in &calendars {
                match calendar.occurrences(now - HISTORY, now + ahead) {
                    Ok(more) => found.extend(more),
                    Err(error) => {
                        tracing::warn!(calendar = calendar.name, %error, "a calendar could not be expanded")
                    }
                }
            }
            found.sort_by_key(|event| event.start);
            found
        });

        expanded
            .await
            .map_err(|error| EngineError::Store(format!("expanding calendars stopped: {error}")))
    }

    /// Withdraws what the rule recommended and no longer predicts.
    async fn withdraw(
        &self,
        rule: &PredictiveRule,
        page: &ScopePage,
        decided: &[Prediction],
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let over = decided
            .iter()
            .filter(|one| one.outcome == Outcome::NotForeseen);
        let over = over.filter_map(|one| Some(page.target(rule, page.subject_of(one)?).id.clone()));
        let over: Vec<ResourceId> = over.collect();
        if over.is_empty() {
            return Ok(());
        }

        self.ports
            .responses
            .withdraw(
                &rule.cause(),
                Some(&over),
                "it is no longer predicted",
                caller,
            )
            .await
    }

    /// Sends the likeliest predictions to the engine as recommendations.
    async fn send_recommendations(
        &self,
        rule: &PredictiveRule,
        bills: &HashMap<ConnectionId, Money>,
        found: &mut PredictionFindings,
    ) -> Result<(), EngineError> {
        let matrix = self.ports.responses.approval_matrix().await?;
        let terms = AnswerTerms {
            catalogue: &self.ports.catalogue,
            matrix: &matrix,
            now: self.now(),
        };
        let mut offers = Vec::new();
        let mut answered = Vec::new();

        for one in &mut found.fired {
            let foreseen = ForeseenCondition {
                rule,
                prediction: &one.prediction,
                measured: &one.measured,
                target: &one.target,
                account_cost: bills.get(&one.target.connection).copied(),
            };
            let observation = Observation::Foreseen(&foreseen);
            match self.ports.agent_types.answer(observation, terms) {
                Ok((_, answer)) => {
                    offers.push(ResponseOffer {
                        resource: answer.resource,
                        proposal: answer.proposal,
                        cause: rule.cause(),
                    });
                    answered.push(one);
                }
                Err(obstacle) => one.prediction.not_recommended = Some(obstacle.into()),
            }
        }

        let kept = self.ports.responses.offer(rule.agent_type, offers).await?;
        for (one, kept) in answered.into_iter().zip(kept) {
            match kept {
                Ok(id) => one.prediction.recommendation = Some(id),
                Err(obstacle) => one.prediction.not_recommended = Some(obstacle.into()),
            }
        }

        Ok(())
    }
}
