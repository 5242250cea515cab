//! A store of rules in memory.

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::StoreError;
use reeve_predict::calendar::{Calendar, CalendarId, Refresh};
use reeve_predict::{
    Prediction, PredictionFilter, PredictiveRule, RuleId, RuleStore, TrafficSettings,
};

/// A store of rules, predictions and calendars in memory.
#[derive(Default)]
pub(crate) struct Rules {
    rules: Mutex<Vec<PredictiveRule>>,
    predictions: Mutex<Vec<Prediction>>,
    calendars: Mutex<Vec<Calendar>>,
    traffic: Mutex<TrafficSettings>,
}

fn missing(what: &'static str, id: &str) -> StoreError {
    StoreError::NotFound {
        what,
        id: id.to_owned(),
    }
}

fn put<T: Clone>(
    all: &Mutex<Vec<T>>,
    next: &T,
    same: impl Fn(&T) -> bool,
    version: impl Fn(&T) -> u64,
) -> Result<(), StoreError> {
    let mut all = all.lock();
    let stored = all
        .iter_mut()
        .find(|one| same(one))
        .ok_or_else(|| missing("record", ""))?;
    if version(stored) + 1 != version(next) {
        return Err(StoreError::Conflict("changed in between".to_owned()));
    }
    *stored = next.clone();

    Ok(())
}

#[async_trait]
impl RuleStore for Rules {
    async fn rule_insert(&self, rule: &PredictiveRule) -> Result<(), StoreError> {
        self.rules.lock().push(rule.clone());
        Ok(())
    }
    async fn rule_update(&self, rule: &PredictiveRule) -> Result<(), StoreError> {
        put(
            &self.rules,
            rule,
            |one| one.id == rule.id,
            |one| one.version,
        )
    }
    async fn rule_evaluated(&self, rule: &PredictiveRule) -> Result<(), StoreError> {
        for one in self.rules.lock().iter_mut().filter(|one| one.id == rule.id) {
            (one.evaluated_at, one.last_result) = (rule.evaluated_at, rule.last_result.clone());
        }
        Ok(())
    }
    async fn rule_delete(&self, id: &RuleId) -> Result<(), StoreError> {
        self.rules.lock().retain(|one| one.id != *id);
        self.predictions.lock().retain(|one| one.rule != *id);
        Ok(())
    }
    async fn rule_get(&self, id: &RuleId) -> Result<PredictiveRule, StoreError> {
        self.rules
            .lock()
            .iter()
            .find(|one| one.id == *id)
            .cloned()
            .ok_or_else(|| missing("predictive rule", &id.0))
    }
    async fn rule_list(&self) -> Result<Vec<PredictiveRule>, StoreError> {
        Ok(self.rules.lock().clone())
    }
    async fn traffic_settings_get(&self) -> Result<TrafficSettings, StoreError> {
        Ok(*self.traffic.lock())
    }
    async fn traffic_settings_put(&self, settings: &TrafficSettings) -> Result<(), StoreError> {
        *self.traffic.lock() = *settings;
        Ok(())
    }
    async fn prediction_insert(
        &self,
        _: &RuleId,
        predictions: &[Prediction],
        _: u64,
    ) -> Result<(), StoreError> {
        self.predictions.lock().extend_from_slice(predictions);
        Ok(())
    }
    async fn prediction_list(
        &self,
        filter: &PredictionFilter,
    ) -> Result<(Vec<Prediction>, u64), StoreError> {
        let fits = |one: &&Prediction| filter.rule.as_ref().is_none_or(|rule| one.rule == *rule);
        let found: Vec<Prediction> = self
            .predictions
            .lock()
            .iter()
            .rev()
            .filter(fits)
            .cloned()
            .collect();
        let total = found.len() as u64;

        Ok((found, total))
    }
    async fn calendar_insert(&self, calendar: &Calendar) -> Result<(), StoreError> {
        self.calendars.lock().push(calendar.clone());
        Ok(())
    }
    async fn calendar_update(&self, calendar: &Calendar) -> Result<(), StoreError> {
        put(
            &self.calendars,
            calendar,
            |one| one.id == calendar.id,
            |one| one.version,
        )
    }
    async fn calendar_refreshed(
        &self,
        id: &CalendarId,
        refresh: &Refresh,
    ) -> Result<(), StoreError> {
        let mut calendars = self.calendars.lock();
        let kept = calendars
            .iter_mut()
            .find(|one| one.id == *id)
            .and_then(|one| one.subscription.as_mut());
        kept.into_iter()
            .for_each(|subscription| subscription.refresh = refresh.clone());
        Ok(())
    }
    async fn calendar_delete(&self, id: &CalendarId) -> Result<(), StoreError> {
        self.calendars.lock().retain(|one| one.id != *id);
        Ok(())
    }
    async fn calendar_get(&self, id: &CalendarId) -> Result<Calendar, StoreError> {
        self.calendars
            .lock()
            .iter()
            .find(|one| one.id == *id)
            .cloned()
            .ok_or_else(|| missing("calendar", &id.0))
    }
    async fn calendar_list(&self) -> Result<Vec<Calendar>, StoreError> {
        Ok(self.calendars.lock().clone())
    }
}
