//! `usage`: the hours in which each resource is in use. Judged by which hours of the held-out days
//! are: those that were in use in at least half of the weeks before.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{Metric, Resource, ResourceKind};
use reeve_learn::HOUR_MS;
use reeve_learn::calibrate::Confusion;
use reeve_learn::week::{HOURS, hour_of_week};
use reeve_recommend::models::{
    JoinStates, Material, ModelEvaluation, ModelState as _, ModelType, NotTrained, Profiles,
    Trained, Trainer, Usage as Learned, UsageModel,
};

use super::profiles::{self, ENOUGH_HOURS};
use crate::cost_optimizer::CPU_IN_USE_PERCENT;

/// The trainer of usage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage;

/// The highest point of each hour: a database is in use while somebody is connected, a machine
/// while it computes.
fn in_use(material: &Material, resource: &Resource) -> Option<Vec<(i64, bool)>> {
    let measured = |metric| {
        move || {
            material
                .series
                .iter()
                .find(|s| s.metric == metric && s.resource == resource.id)
        }
    };

    let connections = || {
        let series = measured(Metric::DatabaseConnections)()
            .filter(|_| resource.kind == ResourceKind::Database)?;
        Some((series, f64::MIN_POSITIVE))
    };
    let (series, least) = connections()
        .or_else(|| Some((measured(Metric::CpuUtilization)()?, CPU_IN_USE_PERCENT)))?;

    let mut hours: Vec<(i64, bool)> = Vec::new();
    for (at, value) in series.points.iter().filter(|(_, value)| value.is_finite()) {
        let hour = at.as_millisecond().div_euclid(HOUR_MS);
        match hours.last_mut().filter(|(last, _)| *last == hour) {
            Some((_, used)) => *used |= *value >= least,
            None => hours.push((hour, *value >= least)),
        }
    }

    Some(hours)
}

fn learn(hours: &[(i64, bool)]) -> Option<Learned> {
    let (first, last) = (hours.first()?.0, hours.last()?.0);
    let mut days: BTreeMap<i64, u32> = BTreeMap::new();
    for (hour, _) in hours.iter().filter(|(_, used)| *used) {
        *days.entry(hour.div_euclid(24)).or_default() |= 1 << hour.rem_euclid(24);
    }

    Some(Learned {
        from_day: first.div_euclid(24),
        until_day: last.div_euclid(24) + 1,
        days: days.into_iter().collect(),
    })
}

/// Hours of the week that were in use in at least half of the weeks.
fn usual(learned: &Learned) -> [bool; HOURS] {
    let mut counts = [0i64; HOURS];
    for hour in learned.hours_in_use() {
        counts[hour_of_week(hour * HOUR_MS)] += 1;
    }
    let weeks = (learned.measured_days() / 7).max(1);
    counts.map(|count| count * 2 >= weeks)
}

fn cut(hours: &[(i64, bool)], from: Timestamp, until: Timestamp) -> &[(i64, bool)] {
    let hour = |at: Timestamp| at.as_millisecond().div_euclid(HOUR_MS);
    let (from, until) = (hour(from), hour(until));
    &hours
        [hours.partition_point(|(at, _)| *at < from)..hours.partition_point(|(at, _)| *at < until)]
}

impl Trainer for Usage {
    fn name(&self) -> &'static str {
        UsageModel::NAME
    }

    fn format(&self) -> u32 {
        2
    }

    fn kind(&self) -> ModelType {
        ModelType::Classification
    }

    fn threshold(&self) -> f64 {
        0.6
    }

    fn metrics(&self) -> &'static [Metric] {
        &[Metric::CpuUtilization, Metric::DatabaseConnections]
    }

    fn history_days(&self) -> i64 {
        91
    }

    fn held_out_days(&self) -> i64 {
        7
    }

    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained> {
        let begin = material.days_ago(self.history_days());
        let mut resources = BTreeMap::new();
        let mut samples = 0;

        for resource in &material.resources {
            let Some(hours) = in_use(material, resource) else {
                continue;
            };
            let seen = cut(&hours, begin, until);
            if let Some(learned) = learn(seen).filter(|_| seen.len() >= ENOUGH_HOURS) {
                samples += seen.len() as u64;
                resources.insert(resource.id.0.clone(), learned);
            }
        }

        if resources.is_empty() {
            return Err(NotTrained(format!(
                "no resource was seen for {ENOUGH_HOURS} hours"
            )));
        }

        let state = Profiles::new(resources).text()?;
        Ok(Trained {
            state,
            span_days: material.span_days(Metric::CpuUtilization, until),
            samples,
        })
    }

    fn join(&self) -> Option<JoinStates> {
        Some(profiles::join)
    }

    fn evaluate(
        &self,
        state: &str,
        material: &Material,
        from: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained> {
        let kept = UsageModel::read(state)?;
        let mut counted = Confusion::default();

        for resource in &material.resources {
            let known = kept
                .resources
                .get(&resource.id.0)
                .zip(in_use(material, resource));
            let Some((learned, hours)) = known else {
                continue;
            };
            let usual = usual(learned);
            for (hour, used) in cut(&hours, from, material.now) {
                counted.count(usual[hour_of_week(hour * HOUR_MS)], *used);
            }
        }

        ModelEvaluation::from_counts(counted)
    }

    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64> {
        super::demand::daily_peaks(material, from, until)
    }
}
