//! Evaluating rules: forecast each resource in scope, keep what was decided, hand on what is foreseen.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Resource, ResourceId, Series};

use super::advice::{Basis, propose};
use super::calendar::{Calendar, CalendarKind, Occurrence};
use super::decide::{Case, decide_resource};
use super::input::RuleInput;
use super::log_entry;
use super::prediction::{Outcome, Prediction};
use super::rule::{Foreseen, ResponseKind, Rule};
use super::scope::Scope;
use super::service::RuleService;
use super::traffic::TrafficSettings;
use reeve_recommend::RuleId;

use reeve_recommend::{Caller, EngineError, Offer};

/// Resources whose series are read at a time.
const CHUNK: usize = 32;
/// Recommendations of one evaluation.
const MOST_FIRED: usize = 50;
/// Predictions kept of one rule.
const KEEP: u64 = 2_000;
/// Days of samples a forecast sees: five weeks, so that a week's shape is seen four times before it counts.
const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 35);

impl RuleService {
    /// Evaluates what is due, one rule after the other. Returns how many were evaluated; what one rule fails with is told and
    /// does not hold up the others.
    ///
    /// # Errors
    /// The rules cannot be read.
    pub async fn evaluate_due(&self, caller: &Caller) -> Result<u64, EngineError> {
        let now = self.now();
        let mut done = 0;
        for rule in self.ports.rules.rule_list().await?.into_iter().filter(|rule| rule.is_due(now)) {
            match self.evaluate_rule(&rule, caller, false).await {
                Ok(_) => done += 1,
                Err(error) => tracing::warn!(rule = rule.name, %error, "a rule could not be evaluated"),
            }
        }
        Ok(done)
    }

    /// Evaluates one rule now, whether it is due or not. Returns what was decided.
    ///
    /// # Errors
    /// The rule does not exist, or a store or the log failed.
    pub async fn evaluate(&self, id: &RuleId, caller: &Caller) -> Result<Vec<Prediction>, EngineError> {
        let rule = self.ports.rules.rule_get(id).await?;
        self.evaluate_rule(&rule, caller, true).await
    }

    /// Returns the decisions that a rule with this input would make now. Nothing is stored, recommended or recorded.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a store failed.
    pub async fn preview(&self, input: RuleInput, caller: &Caller) -> Result<Vec<Prediction>, EngineError> {
        let id = RuleId("preview".to_owned());
        let rule = input.rule(None, &self.agent_types(), id, &caller.name, self.now()).map_err(EngineError::Invalid)?;
        self.known_calendars(&rule).await?;
        // Forecasting takes the processor for seconds: a preview waits its turn like an evaluation.
        let _turn = self.turn.lock().await;
        let scope = Scope::read(&*self.ports.estate, &rule).await?;
        self.decide(&rule, &scope.resources).await
    }

    async fn evaluate_rule(&self, rule: &Rule, caller: &Caller, asked: bool) -> Result<Vec<Prediction>, EngineError> {
        let _turn = self.turn.lock().await;
        let scope = Scope::read(&*self.ports.estate, rule).await?;
        let passed_over = scope.passed_over;
        let mut found = self.decide(rule, &scope.resources).await?;
        self.send_recommendations(rule, &scope, &mut found, caller).await?;
        let count = |outcome| found.iter().filter(|one: &&Prediction| one.outcome == outcome).count() as u64;
        let recommended = found.iter().filter(|one| one.recommendation.is_some()).count() as u64;
        let foreseen = count(Outcome::Foreseen);
        let counts = [
            ("resources", found.len() as u64),
            ("foreseen", foreseen),
            ("abstained", count(Outcome::Abstained)),
            ("recommended", recommended),
        ];
        // The schedule's evaluations without a finding would fill the log with nothing.
        if asked || foreseen > 0 {
            self.record(log_entry::evaluated(rule, counts, caller)).await?;
        }
        self.ports.rules.prediction_insert(&rule.id, &found, KEEP).await?;
        let beyond = if passed_over == 0 { String::new() } else { format!(", {passed_over} more were not looked at") };
        let words = format!(
            "{} resources: {foreseen} expected to reach the limit, {} with too little data, {recommended} recommended{beyond}",
            found.len(),
            counts[2].1
        );
        let evaluated = Rule { evaluated_at: Some(self.now()), last_result: Some(words), ..rule.clone() };
        self.ports.rules.rule_evaluated(&evaluated).await?;
        Ok(found)
    }

    async fn decide(&self, rule: &Rule, resources: &[Resource]) -> Result<Vec<Prediction>, EngineError> {
        let now = self.now();
        let traffic = self.ports.rules.traffic_settings_get().await?;
        let events = Arc::new(self.events(rule, &traffic, now).await?);
        let mut found = Vec::with_capacity(resources.len());
        // A chunk is of one connection: what two connections call alike are two resources.
        let mut resources = resources.to_vec();
        resources.sort_by(|a, b| a.connection.cmp(&b.connection));
        let of_one = resources.chunk_by(|a, b| a.connection == b.connection);
        for chunk in of_one.flat_map(|same| same.chunks(CHUNK)) {
            let mut series: HashMap<ResourceId, Series> = HashMap::new();
            if let Some(signal) = rule.condition.signal {
                let ids: Vec<ResourceId> = chunk.iter().map(|resource| resource.id.clone()).collect();
                let (connection, metric) = (&chunk[0].connection, [signal.metric()]);
                let read = self.ports.samples.sample_series(connection, &ids, &metric, now - HISTORY, now).await?;
                series.extend(read.into_iter().map(|one| (one.resource.clone(), one)));
            }
            // A metric that a kind of resource does not have is no prediction that failed; a named resource is told of.
            let measured = |resource: &&Resource| {
                rule.condition.signal.is_none() || !rule.resources.is_empty() || series.contains_key(&resource.id)
            };
            let chunk: Vec<Resource> = chunk.iter().filter(measured).cloned().collect();
            let (rule, events, catalogue) = (rule.clone(), Arc::clone(&events), Arc::clone(&self.ports.catalogue));
            let judged = tokio::task::spawn_blocking(move || {
                let judge = |resource: &Resource| {
                    let series = series.get(&resource.id);
                    decide_resource(&Case {
                        rule: &rule,
                        resource,
                        series,
                        events: &events,
                        catalogue: &catalogue,
                        traffic,
                        now,
                    })
                };
                chunk.iter().map(judge).collect::<Vec<_>>()
            });
            let judged = judged.await.map_err(|error| EngineError::Store(format!("forecasting stopped: {error}")))?;
            found.extend(judged);
        }
        Ok(found)
    }

    /// Occurrences of the rule's calendars around now.
    async fn events(
        &self,
        rule: &Rule,
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
        let of_rule =
            |calendar: &Calendar| if named.is_empty() { calendar.kind == kind } else { named.contains(&calendar.id) };
        let all = self.ports.rules.calendar_list().await?;
        let calendars: Vec<Calendar> = all.into_iter().filter(of_rule).collect();
        let ahead = SignedDuration::from_secs(rule.condition.horizon_s).max(SignedDuration::from_hours(24 * 31));
        let expanded = tokio::task::spawn_blocking(move || {
            let mut found = Vec::new();
            for calendar in &calendars {
                match calendar.occurrences(now - HISTORY, now + ahead) {
                    Ok(more) => found.extend(more),
                    Err(error) => tracing::warn!(calendar = calendar.name, %error, "a calendar could not be expanded"),
                }
            }
            found.sort_by_key(|event| event.start);
            found
        });
        expanded.await.map_err(|error| EngineError::Store(format!("expanding calendars stopped: {error}")))
    }

    /// Sends the predictions to the engine as recommendations, and withdraws those that are no longer predicted.
    async fn send_recommendations(
        &self,
        rule: &Rule,
        scope: &Scope,
        found: &mut [Prediction],
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let at = |one: &Prediction| {
            scope.resources.iter().find(|known| known.id == one.resource && known.connection == one.connection)
        };
        let target = |measured| scope.target(rule, measured);
        let not_foreseen = found.iter().filter(|one| one.outcome == Outcome::NotForeseen);
        let gone: Vec<ResourceId> = not_foreseen.filter_map(|one| Some(target(at(one)?).resource.id.clone())).collect();
        if !gone.is_empty() {
            self.ports.responses.withdraw(&rule.cause(), Some(&gone), "it is no longer predicted", caller).await?;
        }
        if !rule.enabled {
            return Ok(());
        }
        let mut fired: Vec<&mut Prediction> = found.iter_mut().filter(|one| one.outcome == Outcome::Foreseen).collect();
        // The likeliest and soonest first, where there are more than may be told.
        fired.sort_by(|a, b| {
            b.probability_percent
                .unwrap_or(0.0)
                .total_cmp(&a.probability_percent.unwrap_or(0.0))
                .then_with(|| a.expected_at.cmp(&b.expected_at))
        });
        for late in fired.iter_mut().skip(MOST_FIRED) {
            late.not_recommended = Some(format!("this evaluation already created {MOST_FIRED} recommendations"));
        }
        fired.truncate(MOST_FIRED);
        let matrix = self.ports.responses.approval_matrix().await?;
        let by = Basis { catalogue: &self.ports.catalogue, matrix: &matrix };
        let offers: Vec<Offer> = fired
            .iter()
            .filter_map(|one| {
                let on = target(at(one)?);
                let proposal = propose(rule, &on, one, by);
                Some(Offer { resource: on.resource.clone(), proposal, cause: rule.cause() })
            })
            .collect();
        let answers = self.ports.responses.offer(rule.agent_type, offers).await?;
        for (one, answer) in fired.into_iter().zip(answers) {
            match answer {
                Ok(id) => one.recommendation = Some(id),
                Err(why) => one.not_recommended = Some(why),
            }
        }
        Ok(())
    }
}
