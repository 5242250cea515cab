//! Watching metrics and behaviour. State is in memory alone: after a restart the last two weeks are read again, and what
//! was told before is recognised by its place and time.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;
use reeve_estate::{EstateStore, Metric, Resource, ResourceFilter, ResourceId, SampleStore, Series, StoreError};
use reeve_learn::anomaly::{Detector, Judgement, Sign};

use super::desk::Finding;
use super::record::{AnomalyClass, Place, Reading};
use super::settings::{AnomalySettings, Sensitivity};
use crate::behaviour::EntryWatch;
use crate::recommendation::Priority;

/// What a detector is brought up with.
const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 14);
/// What is older is no news any more.
const NEWS: SignedDuration = SignedDuration::from_hours(24);
/// Resources whose series are read at a time.
const CHUNK: usize = 64;
/// Series that are watched at most: a detector has a few kilobytes.
const MOST_SERIES: usize = 50_000;
/// Metrics watched where the settings name none.
const METRICS: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::MemoryUtilization,
    Metric::RequestRate,
    Metric::NetworkOut,
    Metric::DatabaseConnections,
    Metric::FreeStorage,
];

struct Watched {
    detector: Detector,
    last: Timestamp,
}

/// The watch over metrics.
#[derive(Default)]
pub struct MetricWatch {
    series: HashMap<(ResourceId, Metric), Watched>,
}

impl MetricWatch {
    /// Reads what is new and judges it: what is strange, resource by resource.
    ///
    /// # Errors
    /// When the stores fail; what was read before stays judged.
    pub async fn look(
        &mut self,
        estate: &dyn EstateStore,
        samples: &dyn SampleStore,
        settings: &AnomalySettings,
        now: Timestamp,
    ) -> Result<Vec<Finding>, StoreError> {
        let metrics =
            if settings.performance.metrics.is_empty() { METRICS } else { settings.performance.metrics.as_slice() };
        let (resources, _) = estate.resource_list(&ResourceFilter::default()).await?;
        let mut found = Vec::new();
        for chunk in resources.chunks(CHUNK) {
            let back = now - HISTORY;
            // Apart, or one without samples would have two weeks of all the others read at every look.
            let (mut known, mut fresh, mut from) = (Vec::new(), Vec::new(), now);
            for id in chunk.iter().map(|resource| &resource.id) {
                match self.last(id, metrics) {
                    Some(last) => {
                        from = from.min(last);
                        known.push(id.clone());
                    }
                    None => fresh.push(id.clone()),
                }
            }
            let mut read = Vec::new();
            for (ids, from) in [(known, from.max(back)), (fresh, back)] {
                if !ids.is_empty() {
                    read.extend(samples.sample_series(&ids, metrics, from, now).await?);
                }
            }
            let mut strange: HashMap<ResourceId, Vec<Reading>> = HashMap::new();
            for series in read {
                let readings = self.judge(&series, settings.performance.sensitivity, now);
                strange.entry(series.resource).or_default().extend(readings);
                // Thousands of points were judged without a pause.
                tokio::task::yield_now().await;
            }
            for resource in chunk {
                let readings = strange.remove(&resource.id).unwrap_or_default();
                found.extend(finding(resource, readings));
            }
        }
        Ok(found)
    }

    /// Up to when all of a resource's series have been judged; `None` for one without any.
    fn last(&self, id: &ResourceId, metrics: &[Metric]) -> Option<Timestamp> {
        let last = |metric: &Metric| self.series.get(&(id.clone(), *metric)).map(|watched| watched.last);
        metrics.iter().filter_map(last).min()
    }

    /// Feeds new points of a series; those that are news and strange enough come back.
    fn judge(&mut self, series: &Series, sensitivity: Sensitivity, now: Timestamp) -> Vec<Reading> {
        let key = (series.resource.clone(), series.metric);
        if !self.series.contains_key(&key) && self.series.len() >= MOST_SERIES {
            return Vec::new();
        }
        let fresh = || Watched { detector: Detector::new(), last: Timestamp::MIN };
        let watched = self.series.entry(key).or_insert_with(fresh);
        let mut strange = Vec::new();
        for (at, value) in &series.points {
            if *at <= watched.last {
                continue;
            }
            watched.last = *at;
            let judged = watched.detector.observe(at.as_millisecond(), *value);
            if judged.score >= sensitivity.least_score() && now.duration_since(*at) <= NEWS {
                strange.push(reading(series.metric, *at, *value, &judged));
            }
        }
        strange
    }
}

fn reading(metric: Metric, at: Timestamp, value: f64, judged: &Judgement) -> Reading {
    Reading {
        metric: Some(metric),
        at,
        value,
        expected: judged.expected,
        low: judged.low,
        high: judged.high,
        score: judged.score,
        sign: judged.sign.map_or("unusual", words).to_owned(),
    }
}

const fn words(sign: Sign) -> &'static str {
    match sign {
        Sign::Spike => "a spike",
        Sign::Jump => "a jump",
        Sign::Flatline => "a signal that froze",
        Sign::Pattern => "a course not seen before",
        Sign::Variance => "more scatter than usual",
        Sign::Range => "outside everything seen",
        Sign::Shift => "another level",
        Sign::Density => "many deviations close together",
        Sign::Factor => "a fall or rise by a factor",
        Sign::Season => "unusual at this time of day",
        Sign::Drift => "a drift",
        Sign::Unrest => "unrest",
    }
}

/// One finding of all that is strange about a resource.
fn finding(resource: &Resource, mut readings: Vec<Reading>) -> Option<Finding> {
    readings.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.at.cmp(&b.at)));
    let started_at = readings.iter().map(|reading| reading.at).min()?;
    let last_at = readings.iter().map(|reading| reading.at).max()?;
    let mut seen = Vec::new();
    readings.retain(|reading| {
        let first = !seen.contains(&reading.metric);
        seen.push(reading.metric);
        first
    });
    let strangest = readings.first()?;
    let metric = strangest.metric?;
    let class = match metric {
        Metric::DatabaseConnections | Metric::FreeStorage | Metric::CpuCreditBalance => AnomalyClass::Operational,
        _ => AnomalyClass::Performance,
    };
    let title = format!(
        "{} of {} is {:.4}, expected {:.4} ({})",
        metric, resource.name, strangest.value, strangest.expected, strangest.sign
    );
    Some(Finding {
        class,
        severity: severity(strangest.score),
        title,
        place: Place {
            id: resource.id.0.clone(),
            name: resource.name.clone(),
            kind: resource.kind.as_str().to_owned(),
            provider: Some(resource.provider.as_str().to_owned()),
            account: Some(resource.account.clone()),
            region: Some(resource.region.clone()),
            service: Some(resource.service.clone()),
        },
        evidence: Vec::new(),
        readings,
        started_at,
        last_at,
    })
}

fn severity(score: f64) -> Priority {
    match score {
        s if s >= 0.95 => Priority::High,
        s if s >= 0.75 => Priority::Medium,
        _ => Priority::Low,
    }
}

/// The watch over behaviour in the audit log.
#[derive(Default)]
pub struct BehaviourWatch {
    watch: EntryWatch,
}

impl BehaviourWatch {
    /// Judges an entry by those before it; a finding where it is strange enough.
    pub fn observe(&mut self, entry: &Entry, recorded_at: Timestamp, settings: &AnomalySettings) -> Option<Finding> {
        // Reeve's own agents and schedule act as they are configured; their entries would only teach what is known.
        if entry.actor.kind.is_none() || entry.metadata.tags.iter().any(|tag| tag == "intelligence") {
            return None;
        }
        let judged = self.watch.observe(entry);
        let least = settings.security.sensitivity.least_score();
        if !settings.security.behavioral_analysis || judged.score < least {
            return None;
        }
        let who = entry.actor.email.clone().or_else(|| entry.actor.id.clone()).unwrap_or_else(|| "unknown".to_owned());
        let operation = entry.action.operation.clone().unwrap_or_else(|| entry.event_type.as_str().to_owned());
        let reasons: Vec<String> = judged.reasons().take(5).map(str::to_owned).collect();
        Some(Finding {
            class: AnomalyClass::Security,
            severity: if judged.score >= 0.9 { Priority::High } else { Priority::Medium },
            title: format!("{who} did {operation}: {}", reasons.first().map_or("unusual for them", String::as_str)),
            place: Place {
                id: who.clone(),
                name: who,
                kind: "principal".to_owned(),
                provider: entry.resource.cloud_provider.clone(),
                account: entry.resource.account_id.clone(),
                region: entry.resource.region.clone(),
                service: None,
            },
            readings: vec![Reading {
                metric: None,
                at: recorded_at,
                value: judged.score,
                expected: 0.0,
                low: 0.0,
                high: least,
                score: judged.score,
                sign: reasons.first().cloned().unwrap_or_default(),
            }],
            evidence: reasons,
            started_at: recorded_at,
            last_at: recorded_at,
        })
    }
}
