//! Querying a Prometheus server: from where the last query ended, in five-minute steps, rule by
//! rule.
//!
//! A sync says what it saw: series that belong to no resource, denied credentials, a server that
//! asked to wait. What was read of one rule stays if another one fails, and the next sync begins
//! where all rules had been read.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;
use reeve_audit::Obstacle;
use reeve_connect_prometheus::{Prometheus, QueryAnswer, QueryError, QueryErrorKind};
use reeve_estate::{Sample, StoreError};
use reeve_sources::{
    MappingRule, MetricSource, MetricSourceId, PERIOD_S, Preview, ResourceIndex, RulePreview,
    SourceSync, SyncState, range_expression, series_expression,
};
use serde_json::json;

use super::MetricTaker;
use crate::adapters::sync_entry::{Synced, sync_entry};

/// Reach of the first query.
const HISTORY: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Time before the end of the last query that is read again: servers take late samples too.
const OVERLAP: SignedDuration = SignedDuration::from_mins(15);
/// Age of the newest step: a server has scraped everything before it.
const SETTLED: SignedDuration = SignedDuration::from_secs(60);
/// Time of one query at most; a server refuses more than 11,000 steps.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);
/// Time of one query at least, where answers are too large.
const SHORTEST: SignedDuration = SignedDuration::from_mins(30);
/// Wait after a throttled query for which the server gave no time, seconds.
const WAIT_S: u64 = 300;
/// Problems of a sync that are kept.
const MOST_PROBLEMS: usize = 20;

impl MetricTaker {
    /// Returns `true` while a source is being queried.
    pub(crate) fn is_running(&self, id: &MetricSourceId) -> bool {
        self.running.contains(id)
    }

    /// Queries a source and waits for it, unless that is going on already.
    pub(crate) async fn sync_now(&self, id: &MetricSourceId, by: &str) {
        let Some(_turn) = self.running.begin(id) else {
            return;
        };
        if let Err(error) = self.sync_source(id, by).await {
            tracing::warn!(source = %id, %error, "a metric source was not synced");
        }
    }

    async fn sync_source(&self, id: &MetricSourceId, by: &str) -> Result<(), StoreError> {
        let source = self.ports.sources.metric_source_get(id).await?;
        let before = self.ports.sources.metric_source_state(id).await?;
        let started_at = Timestamp::now();
        let mut pull = Pull {
            taker: self,
            source: &source,
            sync: SourceSync {
                started_at,
                finished_at: started_at,
                samples: 0,
                mapped: 0,
                unmapped: 0,
                newest_at: before.last.as_ref().and_then(|last| last.newest_at),
                denied: false,
                throttled: false,
                problems: Vec::new(),
            },
            wait_s: None,
        };
        let read_until = pull.run(before.read_until).await?;

        let Pull {
            mut sync, wait_s, ..
        } = pull;
        sync.finished_at = Timestamp::now();
        sync.problems.truncate(MOST_PROBLEMS);
        let wait = wait_s.map(|seconds| {
            SignedDuration::from_secs(i64::try_from(seconds.min(3600)).unwrap_or(3600))
        });
        let wait_until = wait.and_then(|wait| sync.finished_at.checked_add(wait).ok());
        let entry = entry(&source, by, &sync);
        let state = SyncState {
            read_until,
            wait_until,
            last: Some(sync),
        };

        self.ports
            .sources
            .metric_source_state_put(id, source.version, &state)
            .await?;
        if let Err(error) = self.ports.recorder.record(vec![entry]).await {
            tracing::warn!(%error, "a sync of a metric source was not recorded");
        }

        Ok(())
    }

    async fn prometheus(&self, source: &MetricSource) -> Result<Prometheus, Obstacle> {
        let credentials = self
            .ports
            .sources
            .metric_source_credentials(&source.id)
            .await;
        let credentials = credentials.map_err(Obstacle::of)?;
        let url = source.url.as_deref().unwrap_or_default();
        Prometheus::new(self.outbound.clone(), url, credentials)
            .map_err(|error| error.message.into())
    }

    /// Asks the server for the series of rules as they are now.
    pub(super) async fn queried_preview(
        &self,
        source: &MetricSource,
        rules: &[MappingRule],
        index: &ResourceIndex,
    ) -> Result<Preview, Obstacle> {
        let prometheus = self.prometheus(source).await?;
        let mut preview = Preview {
            complete: true,
            ..Preview::default()
        };

        for rule in rules {
            let answer = prometheus
                .query(&series_expression(rule), Timestamp::now())
                .await;
            let answer = answer.map_err(|error| error.message)?;
            preview.complete &= answer.warnings.is_empty();
            let value = |series: reeve_connect_prometheus::QueriedSeries| {
                series
                    .points
                    .last()
                    .map(|(_, value)| (series.labels.clone(), *value))
            };
            let series = answer.series.into_iter().filter_map(value).collect();
            preview.rules.push(RulePreview::over(rule, series, index));
        }

        Ok(preview)
    }
}

/// One sync under way.
struct Pull<'t> {
    taker: &'t MetricTaker,
    source: &'t MetricSource,
    sync: SourceSync,
    wait_s: Option<u64>,
}

impl Pull<'_> {
    /// Reads all rules; returns the time up to which all of them were read.
    async fn run(
        &mut self,
        read_until: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, StoreError> {
        let now = self.sync.started_at;
        let end = whole_period(now.saturating_sub(SETTLED).unwrap_or(now));
        let start = read_until
            .map(|at| at.saturating_sub(OVERLAP))
            .unwrap_or_else(|| now.saturating_sub(HISTORY));
        let start = whole_period(start.unwrap_or(end));
        let prometheus = match self.taker.prometheus(self.source).await {
            Ok(prometheus) => prometheus,
            Err(message) => {
                self.sync.problems.push(message.into());
                return Ok(read_until);
            }
        };

        let index = self.taker.index_of(&self.source.rules).await?;
        for rule in &self.source.rules {
            if !self
                .read_rule(&prometheus, rule, &index, start, end)
                .await?
            {
                return Ok(read_until);
            }
        }

        Ok(Some(end))
    }

    /// Reads a rule; `false` if it was not read to its end.
    async fn read_rule(
        &mut self,
        prometheus: &Prometheus,
        rule: &MappingRule,
        index: &ResourceIndex,
        start: Timestamp,
        end: Timestamp,
    ) -> Result<bool, StoreError> {
        let (mut from, mut length) = (start, LONGEST);
        let (mut mapped, mut unmapped) = (0, 0);

        while from < end {
            let to = from.saturating_add(length).map_or(end, |to| to.min(end));
            match prometheus
                .query_range(&range_expression(rule), from, to, PERIOD_S)
                .await
            {
                Ok(answer) => {
                    let found = self.store(rule, index, answer).await?;
                    (mapped, unmapped) = (found.0.max(mapped), found.1.max(unmapped));
                    from = to;
                }
                Err(error) if error.kind == QueryErrorKind::TooLarge && length > SHORTEST => {
                    length =
                        SignedDuration::from_secs((length.as_secs() / 2).max(SHORTEST.as_secs()));
                    length = SignedDuration::from_secs(
                        length.as_secs() / i64::from(PERIOD_S) * i64::from(PERIOD_S),
                    );
                }
                Err(error) => {
                    self.failed(rule, error);
                    return Ok(false);
                }
            }
        }

        self.sync.mapped += mapped;
        self.sync.unmapped += unmapped;
        Ok(true)
    }

    fn failed(&mut self, rule: &MappingRule, error: QueryError) {
        self.sync.denied |= error.kind == QueryErrorKind::Denied;
        if error.kind == QueryErrorKind::Throttled {
            self.sync.throttled = true;
            self.wait_s = Some(error.retry_after_s.unwrap_or(WAIT_S));
        }
        self.sync.problems.push(format!(
            "{} ({}): {}",
            rule.metric, rule.series, error.message
        ));
    }

    /// Stores the samples of an answer; returns the numbers of series with and without a resource.
    async fn store(
        &mut self,
        rule: &MappingRule,
        index: &ResourceIndex,
        answer: QueryAnswer,
    ) -> Result<(u64, u64), StoreError> {
        for warning in answer.warnings {
            if !self.sync.problems.contains(&warning) {
                self.sync.problems.push(warning);
            }
        }

        let (mut samples, mut mapped, mut unmapped) = (Vec::new(), 0, 0);
        for series in answer.series {
            let Ok(resource) = index.locate(rule, &series.labels) else {
                unmapped += 1;
                continue;
            };
            mapped += 1;
            for (at_ms, value) in series.points {
                // A step stands at the end of what it averages, a sample at its start.
                let start = Timestamp::from_millisecond(at_ms - i64::from(PERIOD_S) * 1000);
                let (Some(value), Ok(timestamp)) = (rule.stored(value), start) else {
                    continue;
                };
                let (connection, resource) = (self.source.connection(), resource.id.clone());
                samples.push(Sample {
                    connection,
                    resource,
                    metric: rule.metric,
                    timestamp,
                    value,
                    period_s: PERIOD_S,
                });
            }
        }

        self.taker
            .ports
            .samples
            .sample_sources(&[self.source.connection()]);
        self.taker.ports.samples.sample_insert(&samples).await?;
        self.sync.samples += samples.len() as u64;
        self.sync.newest_at = samples
            .iter()
            .map(|sample| sample.timestamp)
            .max()
            .max(self.sync.newest_at);

        Ok((mapped, unmapped))
    }
}

/// Start of the period that a time is in.
fn whole_period(at: Timestamp) -> Timestamp {
    let period = i64::from(PERIOD_S);
    Timestamp::from_second(at.as_second().div_euclid(period) * period).unwrap_or(at)
}

fn entry(source: &MetricSource, by: &str, sync: &SourceSync) -> Entry {
    let synced = Synced {
        kind: "metric_source",
        id: &source.id.0,
        name: &source.name,
        by,
    };

    let report = json!({
        "samples": sync.samples,
        "mapped": sync.mapped,
        "unmapped": sync.unmapped,
        "denied": sync.denied,
        "throttled": sync.throttled,
        "problems": sync.problems,
    });

    sync_entry(&synced, report, &sync.problems)
}
