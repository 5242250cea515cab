//! Watching metrics. State is in memory alone: after a restart the last four weeks are read again
//! for their lesson, so that the week is known, and only what came since the watch last looked is
//! news.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    ConnectionId, EstateStore, Metric, Resource, ResourceFilter, ResourceId, SampleSeries,
    SampleStore, StoreError,
};
use reeve_learn::anomaly::{AnomalyJudgement, Detector, Sign};

use super::bands::{Hours, TrainedBands};
use super::changes::{ChangeView, Changes, Lens};
use super::finding::Finding;
use super::lesson::LessonThresholds;
use super::pace::{Averaged, averaged};
use super::record::{AnomalyClass, Place, Reading};
use super::settings::{AnomalySettings, Sensitivity};
use super::words;
use reeve_recommend::action::Action;
use reeve_recommend::recommendation::Priority;

mod unread;

use unread::Unread;

pub use super::behavior_watch::BehaviorWatch;

/// History that a new detector learns from: three weeks make weekends known.
pub(super) const HISTORY: SignedDuration = SignedDuration::from_hours(24 * 28);
/// Age beyond which an anomaly is not reported any more.
const NEWS: SignedDuration = SignedDuration::from_hours(24);
/// Samples come late: after a restart what is this much older than the last look is news still.
const LATE: SignedDuration = SignedDuration::from_mins(30);
/// A change is kept once the inventory that showed it is whole, which may take this long.
const LATE_CHANGES: SignedDuration = SignedDuration::from_hours(1);
/// Series that are watched at most: a detector has a few kilobytes.
const MOST_SERIES: usize = 50_000;
/// Evidence, in nats, by which a learned factor of 0 would lower the alarm threshold. At a factor of
/// 0.7, `medium` alarms as early as `high`.
const BIAS_NATS: f64 = 2.0;

struct Watched {
    detector: Detector,
    /// Start of the level that people called usual, as it was when the series was read.
    baseline_from: Option<Timestamp>,
    hours: Hours,
    last: Timestamp,
}

/// State of a connection at the last look that read it.
#[derive(Debug, Clone, Copy)]
struct LastRead {
    /// Revision of its samples.
    revision: u64,
    /// Time of the look: changes that inventories showed are read from about there on.
    at: Timestamp,
}

/// Sources, settings and times of one look.
#[derive(Clone, Copy)]
struct Look<'a> {
    estate: &'a dyn EstateStore,
    samples: &'a dyn SampleStore,
    settings: &'a AnomalySettings,
    /// Changes of resources from here on were not learned yet.
    changed_since: Timestamp,
    now: Timestamp,
}

/// The watch over metrics.
#[derive(Default)]
pub struct MetricWatch {
    series: HashMap<(ResourceId, Metric), Watched>,
    /// Time at which the watch of the earlier process last read samples.
    looked: Option<Timestamp>,
    /// Connections as they were last read. One whose samples are the same since is not read again.
    last_read: HashMap<ConnectionId, LastRead>,
    /// Sources of samples beside the connections.
    sources: Vec<ConnectionId>,
    /// Metrics of the last look.
    metrics: Vec<Metric>,
    changes: Changes,
    bands: TrainedBands,
    thresholds: LessonThresholds,
}

/// A reading that is news, with what gave it away.
type Strange = (Reading, Option<Sign>);

impl MetricWatch {
    /// A watch that takes over from one that last looked then: what that one saw is judged for its
    /// lesson alone. Detectors with another past judge otherwise, and would call what the one
    /// before let pass.
    #[must_use]
    pub fn after(looked: Option<Timestamp>) -> Self {
        MetricWatch {
            looked,
            ..MetricWatch::default()
        }
    }

    /// The trained bands in use.
    #[must_use]
    pub fn bands(&self) -> &TrainedBands {
        &self.bands
    }

    /// Takes other trained bands from the next look on.
    pub fn set_bands(&mut self, bands: TrainedBands) {
        self.bands = bands;
    }

    /// Takes sources of samples beside the connections, such as Prometheus servers, from the next
    /// look on.
    pub fn set_sources(&mut self, sources: Vec<ConnectionId>) {
        self.sources = sources;
    }

    /// Takes other learned thresholds from the next look on. A series whose baseline was moved is
    /// read anew.
    pub fn set_thresholds(&mut self, thresholds: LessonThresholds) {
        self.thresholds = thresholds;
        let of = |(id, metric): &(ResourceId, Metric)| {
            self.thresholds.baseline_from(
                AnomalyClass::of_metric(*metric),
                Some(*metric),
                id.as_str(),
            )
        };

        let before = self.series.len();
        self.series
            .retain(|key, watched| watched.baseline_from == of(key));
        if self.series.len() < before {
            self.last_read.clear();
        }
    }

    /// Reads what is new and judges it: what is strange, resource by resource. `actions` are
    /// Reeve's own of the last four weeks; their plain effects, and those of what inventories
    /// showed to have changed, are no news (`changes`).
    ///
    /// # Errors
    /// A store failed; samples read before stay judged.
    pub async fn look(
        &mut self,
        estate: &dyn EstateStore,
        samples: &dyn SampleStore,
        actions: &[Action],
        settings: &AnomalySettings,
        now: Timestamp,
    ) -> Result<Vec<Finding>, StoreError> {
        self.changes.learn(actions, now);
        let metrics = if settings.performance.metrics.is_empty() {
            Metric::all()
        } else {
            settings.performance.metrics.clone()
        };

        if self.metrics != metrics {
            self.metrics = metrics;
            self.last_read.clear();
        }

        let mut connections: Vec<ConnectionId> = estate
            .connection_list()
            .await?
            .into_iter()
            .map(|connection| connection.id)
            .collect();
        connections.extend(self.sources.iter().cloned());

        self.last_read.retain(|id, _| connections.contains(id));
        let (mut unread, mut read) = (Unread::default(), Vec::new());
        let mut changed_since = now;

        for connection in connections {
            // Before anything is read: what is inserted meanwhile is of the next look.
            let revision = samples.sample_revision(&connection);
            let last = self.last_read.get(&connection).copied();
            if last.is_some_and(|last| last.revision == revision) {
                continue;
            }
            changed_since =
                changed_since.min(last.map_or(now - HISTORY, |last| last.at - LATE_CHANGES));
            for (resource, metric, newest) in samples.sample_newest(&connection).await? {
                if let Some(judged) = self
                    .judged(&resource, metric, now)
                    .filter(|judged| newest > *judged)
                {
                    unread.add(resource, judged);
                }
            }
            read.push((connection, LastRead { revision, at: now }));
        }

        let look = Look {
            estate,
            samples,
            settings,
            changed_since,
            now,
        };

        let mut found = Vec::new();
        for (ids, from) in unread.chunks(now) {
            found.extend(self.look_at(look, ids, from).await?);
        }

        self.last_read.extend(read);
        Ok(found)
    }

    /// Time up to which a series has been judged, four weeks ago at the earliest; `None` for a
    /// metric that is not watched, or a new series where no more can be watched.
    fn judged(&self, id: &ResourceId, metric: Metric, now: Timestamp) -> Option<Timestamp> {
        if !self.metrics.contains(&metric) {
            return None;
        }
        match self.series.get(&(id.clone(), metric)) {
            Some(watched) => Some(watched.last.max(now - HISTORY)),
            None => (self.series.len() < MOST_SERIES).then_some(now - HISTORY),
        }
    }

    /// Reads the samples of these resources from a time on and judges what is new of them.
    async fn look_at(
        &mut self,
        look: Look<'_>,
        ids: Vec<ResourceId>,
        from: Timestamp,
    ) -> Result<Vec<Finding>, StoreError> {
        let Look {
            estate,
            samples,
            settings,
            changed_since,
            now,
        } = look;

        // Samples outlive their resources. Of a resource that two connections see the first record
        // counts, with its samples alone.
        let (mut resources, _) = estate
            .resource_list(&ResourceFilter {
                ids,
                ..ResourceFilter::default()
            })
            .await?;

        resources.dedup_by(|a, b| a.id == b.id);
        resources.sort_by(|a, b| {
            a.connection
                .cmp(&b.connection)
                .then_with(|| a.id.cmp(&b.id))
        });
        let mut strange: HashMap<ResourceId, Vec<Strange>> = HashMap::new();

        for of_one in resources.chunk_by(|a, b| a.connection == b.connection) {
            let ids: Vec<ResourceId> = of_one.iter().map(|resource| resource.id.clone()).collect();
            let Some(connection) = of_one.first().map(|resource| &resource.connection) else {
                continue;
            };
            let read = samples
                .sample_series(connection, &ids, &self.metrics, from, now)
                .await?;
            // After the samples: a sync keeps what changed before what was measured since.
            self.changes.learn_seen(
                &estate
                    .resource_changes(connection, &ids, changed_since)
                    .await?,
            );
            for series in read {
                let readings = self.judge(&series, settings.performance.sensitivity, now);
                strange.entry(series.resource).or_default().extend(readings);
                // Thousands of points were judged without a pause.
                tokio::task::yield_now().await;
            }
        }

        let found = |resource: &Resource| {
            finding(resource, strange.remove(&resource.id).unwrap_or_default())
        };

        Ok(resources.iter().filter_map(found).collect())
    }

    /// Feeds new points of a series; those that are news and give an alarm come back.
    fn judge(
        &mut self,
        series: &SampleSeries,
        sensitivity: Sensitivity,
        now: Timestamp,
    ) -> Vec<Strange> {
        let key = (series.resource.clone(), series.metric);
        let is_new = !self.series.contains_key(&key);
        if is_new && self.series.len() >= MOST_SERIES {
            return Vec::new();
        }

        let taken_over = self.looked.filter(|_| is_new).map(|looked| looked - LATE);
        let news = taken_over.map_or(now - NEWS, |looked| looked.max(now - NEWS));
        let class = AnomalyClass::of_metric(series.metric);
        let baseline_from =
            self.thresholds
                .baseline_from(class, Some(series.metric), series.resource.as_str());
        let factor =
            self.thresholds
                .sensitivity(class, Some(series.metric), series.resource.as_str());
        let fresh = || Watched {
            detector: Detector::new(),
            baseline_from,
            hours: Hours::default(),
            last: Timestamp::MIN,
        };
        let watched = self.series.entry(key).or_insert_with(fresh);
        watched.detector.set_sensitivity(sensitivity.of_detector());

        watched.detector.set_bias((factor - 1.0) * BIAS_NATS);
        let lens = self.changes.lens(&series.resource, series.metric);
        let trained = self.bands.get(&series.resource, series.metric);
        let mut strange = Vec::new();

        for point in averaged(&series.points, series.period_s, watched.last, now) {
            let before = std::mem::replace(&mut watched.last, point.last);
            if baseline_from.is_some_and(|from| before < from && point.last >= from) {
                watched.detector.restart();
            }
            let Some((judged, view)) = observe(&mut watched.detector, &lens, &point, before) else {
                continue;
            };
            // A band was learned at the size the resource has now, or not at all.
            let trained = trained.filter(|_| view.is_first());
            let is_usual = trained
                .is_some_and(|band| band.explains(point.at, point.value, judged.sign, sensitivity));
            if judged.alarm && !is_usual && point.at >= news {
                strange.push((reading(series.metric, &point, &judged, view), judged.sign));
            }
            let beside = trained.and_then(|band| {
                watched
                    .hours
                    .observe(&band, series.metric, (point.at, point.value), sensitivity)
            });
            strange.extend(
                beside
                    .filter(|_| point.at >= news)
                    .map(|reading| (reading, None)),
            );
        }

        strange
    }
}

/// A point judged as if the resource had kept its first size; `None` while it is being changed.
/// `before` is the point before it.
pub(super) fn observe(
    detector: &mut Detector,
    lens: &Lens,
    point: &Averaged,
    before: Timestamp,
) -> Option<(AnomalyJudgement, ChangeView)> {
    if lens.hides(point.at) {
        return None;
    }

    let view = lens.view(point.at);
    if view.since > before {
        detector.restart();
    }

    Some((
        detector.observe(point.at.as_millisecond(), view.at_first(point.value)),
        view,
    ))
}

fn reading(
    metric: Metric,
    point: &Averaged,
    judged: &AnomalyJudgement,
    view: ChangeView,
) -> Reading {
    Reading {
        metric: Some(metric),
        at: point.at,
        value: point.value,
        expected: view.as_is(judged.expected),
        low: view.as_is(judged.low),
        high: view.as_is(judged.high),
        score: judged.score,
        indication: words::sign(judged.sign, point.value >= view.as_is(judged.expected)).into(),
    }
}

/// One finding of all that is strange about a resource.
fn finding(resource: &Resource, mut strange: Vec<Strange>) -> Option<Finding> {
    strange.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.at.cmp(&b.at)));
    let started_at = strange.iter().map(|(reading, _)| reading.at).min()?;
    let last_at = strange.iter().map(|(reading, _)| reading.at).max()?;
    let mut seen = Vec::new();
    strange.retain(|(reading, _)| {
        let first = !seen.contains(&reading.metric);
        seen.push(reading.metric);
        first
    });
    let (strangest, sign) = strange.first()?;
    let metric = strangest.metric?;
    let class = AnomalyClass::of_metric(metric);
    let called = if resource.name.is_empty() {
        resource.id.as_str()
    } else {
        resource.name.as_str()
    };
    let title = words::title(metric, called, *sign, strangest);

    let severity = severity(strangest.score);
    Some(Finding {
        class,
        severity,
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
        contributions: Vec::new(),
        activity: None,
        readings: strange.into_iter().map(|(reading, _)| reading).collect(),
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
