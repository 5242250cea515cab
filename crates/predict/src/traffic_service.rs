//! Traffic intelligence as people read and change it. Lead times go into the rules that prepare;
//! each change is recorded.

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::TimeSpan;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::predictive::PredictiveRule;

use super::input::RuleInput;
use super::log_entry;
use super::preset::presets;
use super::service::{RuleService, same_version};
use super::traffic::{Preparation, TrafficInput, TrafficIntelligence, TrafficSettings};

/// Longest lead time, seconds.
const FURTHEST_S: i64 = 7 * 86_400;

impl RuleService {
    /// Returns traffic intelligence as it stands.
    ///
    /// # Errors
    /// The store failed.
    pub async fn traffic(&self) -> Result<TrafficIntelligence, EngineError> {
        let settings = self.ports.rules.traffic_settings_get().await?;
        let all = self.ports.rules.rule_list().await?;
        let rules = Preparation::ALL.map(|preparation| {
            let id = preparation.rule_id();
            all.iter().find(|rule| rule.id == id).cloned()
        });
        Ok(TrafficIntelligence { settings, rules })
    }

    /// Changes traffic intelligence. A preparation whose rule was removed gets it back as it came
    /// with Reeve.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict if it changed since it was
    /// read.
    pub async fn traffic_put(
        &self,
        input: TrafficInput,
        caller: &Caller,
    ) -> Result<TrafficIntelligence, EngineError> {
        let errors = unsound(&input);
        if !errors.is_empty() {
            return Err(EngineError::Invalid(errors));
        }

        let before = self.traffic().await?;
        same_version(
            "traffic intelligence",
            before.settings.version,
            input.version,
        )?;

        for (preparation, lead_s) in Preparation::ALL.into_iter().zip(input.leads_s) {
            if let Some(lead_s) = lead_s {
                self.prepare(
                    preparation,
                    before.rules[preparation as usize].as_ref(),
                    lead_s,
                    caller,
                )
                .await?;
            }
        }

        let TrafficSettings {
            learn_patterns,
            seasonal_adjustments,
            event_awareness,
            version,
        } = before.settings;

        let after = TrafficSettings {
            learn_patterns: input.learn_patterns.unwrap_or(learn_patterns),
            seasonal_adjustments: input.seasonal_adjustments.unwrap_or(seasonal_adjustments),
            event_awareness: input.event_awareness.unwrap_or(event_awareness),
            version,
        };

        if after != before.settings {
            let after = TrafficSettings {
                version: version + 1,
                ..after
            };
            self.recorded(
                log_entry::traffic(&before.settings, &after, caller),
                self.ports.rules.traffic_settings_put(&after),
            )
            .await?;
        }

        self.traffic().await
    }

    /// Gives the rule of a preparation its lead time, or switches it off.
    async fn prepare(
        &self,
        preparation: Preparation,
        rule: Option<&PredictiveRule>,
        lead_s: Option<i64>,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let id = preparation.rule_id();
        let span = |seconds: i64| TimeSpan::from_seconds(seconds.unsigned_abs()).to_string();
        let input = RuleInput {
            enabled: Some(lead_s.is_some()),
            horizon: lead_s.map(span),
            ..RuleInput::default()
        };

        let same = |rule: &PredictiveRule| match lead_s {
            Some(seconds) => rule.enabled && rule.condition.horizon_s == seconds,
            None => !rule.enabled,
        };

        match (rule, lead_s) {
            (Some(rule), _) if same(rule) => Ok(()),
            (Some(rule), _) => self
                .change(&id, Some(rule.version), input, caller)
                .await
                .map(drop),
            (None, None) => Ok(()),
            (None, Some(seconds)) => {
                let Some(mut made) = presets(self.now())
                    .into_iter()
                    .find(|preset| preset.id == id)
                else {
                    return Ok(());
                };
                made.condition.horizon_s = seconds;
                made.created_by.clone_from(&caller.name);
                let entry = log_entry::rule("predictive_rule.create", None, Some(&made), caller);
                self.recorded(entry, self.ports.rules.rule_insert(&made))
                    .await
            }
        }
    }
}

fn unsound(input: &TrafficInput) -> Vec<FieldError> {
    let names = ["pre_scale", "warm_cache", "prepare_failover"];
    let wrong = |(name, lead): (&str, Option<Option<i64>>)| {
        let seconds = lead.flatten()?;
        let fits = (60..=FURTHEST_S).contains(&seconds);
        (!fits).then(|| {
            FieldError::new(
                name,
                FieldCode::InvalidValue,
                "must be from 1m to 7d, such as 15m",
            )
        })
    };

    names
        .into_iter()
        .zip(input.leads_s)
        .filter_map(wrong)
        .collect()
}
