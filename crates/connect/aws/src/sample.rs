//! Samples: raw CloudWatch points, oldest first, in windows and pages.
//!
//! CloudWatch keeps points of five minutes for 63 days and points of an hour for 455 days (Amazon
//! CloudWatch user guide, "Metrics retention"); what is older than 63 days is therefore asked for
//! by the hour, and nothing is asked for beyond 455. Windows go from old to new, so that a sync
//! that broke off leaves no gap before its newest point.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws_ec2::{AwsEc2Fault, Cursor, FaultKind, Place};
use reeve_estate::{Metric, ResourceKind, Sample, SampleBatch, SampleQuery};

use crate::cloudwatch::{
    self, CloudWatch, CloudwatchDimension, GetMetricData, ListMetrics, MetricDataQuery,
    MetricDataResult, MetricStat,
};
use crate::metric::{
    AGENT_DISK, AGENT_MEMORY, AGENT_NAMESPACE, AgentMetrics, AwsMetricSource, MetricReading,
    NO_DISK, SourceUse, source_use, sources,
};
use crate::session::AwsConnection;

/// Length of a recent point's period: that of EC2's basic monitoring.
const FINE_S: i64 = 300;
/// Length of an old point's period.
const COARSE_S: i64 = 3600;
/// Retention of five-minute points in CloudWatch.
const FINE_KEPT: SignedDuration = SignedDuration::from_hours(63 * 24);
/// Retention of hourly points in CloudWatch.
const COARSE_KEPT: SignedDuration = SignedDuration::from_hours(455 * 24);
/// Metrics in one GetMetricData call, the most there may be.
const METRICS_A_CALL: usize = 500;

/// One metric of one query, and one of the places it may come from.
struct Wanted<'a> {
    query: &'a SampleQuery,
    metric: Metric,
    source: AwsMetricSource,
    /// 0 for the best source.
    rank: usize,
    points: Vec<Sample>,
    /// `true` if CloudWatch refused the query: a missing point then means nothing.
    refused: bool,
}

/// A stretch of time asked for at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    start: Timestamp,
    end: Timestamp,
    period_s: i64,
}

impl AwsConnection {
    pub(crate) async fn read_samples(
        &self,
        queries: &[SampleQuery],
    ) -> Result<SampleBatch, AwsEc2Fault> {
        let mut by_region: BTreeMap<String, Vec<&SampleQuery>> = BTreeMap::new();
        for query in queries {
            by_region
                .entry(self.region_for(&query.resource))
                .or_default()
                .push(query);
        }

        let mut work: Vec<BoxFuture<'_, (Vec<Sample>, Vec<AwsEc2Fault>)>> = Vec::new();
        for (region, queries) in &by_region {
            work.push(Box::pin(self.read_region(region, queries.clone())));
        }

        let answers: Vec<_> = stream::iter(work)
            .buffer_unordered(self.tuning.parallel)
            .collect()
            .await;
        let mut batch = SampleBatch::default();
        let mut failure = None;

        for (samples, faults) in answers {
            batch.samples.extend(samples);
            for fault in faults {
                if fault.kind == FaultKind::Denied {
                    batch.denied.push(fault.denied());
                } else {
                    batch.problems.push(fault.message.clone());
                    failure.get_or_insert(fault);
                }
            }
        }

        match failure {
            Some(fault) if batch.samples.is_empty() && batch.denied.is_empty() => Err(fault),
            _ => Ok(batch),
        }
    }

    async fn read_region(
        &self,
        region: &str,
        queries: Vec<&SampleQuery>,
    ) -> (Vec<Sample>, Vec<AwsEc2Fault>) {
        let account = queries.first().map_or("", |q| q.resource.account.as_str());
        let place = self.place(account, region);
        let client = CloudWatch::new(self.config(region));
        let mut faults = Vec::new();
        let agents = if queries.iter().any(|q| wants_agent(q)) {
            agent_metrics(&client, &place)
                .await
                .unwrap_or_else(|fault| {
                    faults.push(fault);
                    AgentMetrics::default()
                })
        } else {
            AgentMetrics::default()
        };

        let mut wanted: Vec<Wanted<'_>> = queries
            .into_iter()
            .flat_map(|query| wanted_of(query, &agents))
            .collect();
        let span = wanted
            .iter()
            .map(|w| (w.query.start, w.query.end))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));

        if let Some((start, end)) = span {
            for window in windows(start, end, Timestamp::now(), self.tuning.sample_window) {
                if let Err(fault) =
                    read_window(&client, &place, window, &mut wanted, &mut faults).await
                {
                    faults.push(fault);
                    break;
                }
            }
        }

        (best(wanted), faults)
    }
}

fn wants_agent(query: &SampleQuery) -> bool {
    let sent = [Metric::MemoryUtilization, Metric::DiskUtilization];
    query.resource.kind == ResourceKind::VirtualMachine
        && sent.iter().any(|metric| query.metrics.contains(metric))
}

fn wanted_of<'a>(query: &'a SampleQuery, agents: &AgentMetrics) -> Vec<Wanted<'a>> {
    let mut wanted = Vec::new();
    for metric in &query.metrics {
        for (rank, source) in sources(&query.resource, *metric, agents)
            .into_iter()
            .enumerate()
        {
            wanted.push(Wanted {
                query,
                metric: *metric,
                source,
                rank,
                points: Vec::new(),
                refused: false,
            });
        }
    }

    wanted
}

/// The metrics that agents send, by instance, with the dimensions they send them under. The agent
/// may send a machine's memory several times under more or fewer dimensions; the fewest are taken.
async fn agent_metrics(client: &CloudWatch, place: &Place) -> Result<AgentMetrics, AwsEc2Fault> {
    let call = place.call("cloudwatch:ListMetrics");
    let mut found = AgentMetrics::default();

    for name in AGENT_MEMORY.into_iter().chain([AGENT_DISK]) {
        let mut cursor = Cursor::new();
        loop {
            let request = ListMetrics {
                namespace: AGENT_NAMESPACE,
                metric_name: name,
                dimensions: vec![CloudwatchDimension {
                    name: "InstanceId".to_owned(),
                    value: None,
                }],
                next_token: cursor.token(),
            };
            let page = client.list_metrics(call, &request).await?;
            for metric in page.metrics {
                keep_agent(&mut found, name, metric);
            }
            if !cursor.advance(call, page.next_token.as_deref())? {
                break;
            }
        }
    }

    Ok(found)
}

fn keep_agent(found: &mut AgentMetrics, name: &'static str, metric: cloudwatch::CloudwatchMetric) {
    let pairs = metric
        .dimensions
        .into_iter()
        .map(|d| (d.name, d.value.unwrap_or_default()));
    let dimensions: Vec<(String, String)> = pairs.collect();
    let Some((_, id)) = dimensions
        .iter()
        .find(|(key, _)| key == "InstanceId")
        .cloned()
    else {
        return;
    };

    let source = AwsMetricSource {
        namespace: AGENT_NAMESPACE,
        name,
        dimensions,
        reading: MetricReading::Average,
    };

    if name == AGENT_DISK {
        keep_disk(&mut found.disk, id, source);
    } else if found
        .memory
        .get(&id)
        .is_none_or(|known| source.dimensions.len() < known.dimensions.len())
    {
        found.memory.insert(id, source);
    }
}

/// Keeps the file system of a machine. One that is sent without its path is a mean of several; two
/// paths cannot be told apart.
fn keep_disk(
    found: &mut BTreeMap<String, Option<AwsMetricSource>>,
    id: String,
    source: AwsMetricSource,
) {
    let of = |source: &AwsMetricSource, name: &str| {
        source
            .dimensions
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    };

    let Some(path) = of(&source, "path") else {
        return;
    };

    if of(&source, "fstype").is_some_and(|kind| NO_DISK.contains(&kind.as_str())) {
        return;
    }

    match found.get(&id) {
        None => _ = found.insert(id, Some(source)),
        Some(Some(known)) if of(known, "path").is_some_and(|own| own == path) => {}
        Some(_) => _ = found.insert(id, None),
    }
}

/// The windows that cover a span: coarse ones for what is old, fine ones for the rest, all on whole
/// periods.
fn windows(
    start: Timestamp,
    end: Timestamp,
    now: Timestamp,
    length: SignedDuration,
) -> Vec<Window> {
    // One hour less than is kept, so that the edge does not move away while we ask.
    let hour = SignedDuration::from_secs(COARSE_S);
    let oldest = floor(now - COARSE_KEPT + hour + hour, COARSE_S);
    let fine_from = floor(now - FINE_KEPT + hour + hour, COARSE_S);
    let mut windows = Vec::new();
    let mut push = |from: Timestamp, to: Timestamp, period_s: i64, length: SignedDuration| {
        let step = SignedDuration::from_secs((length.as_secs() / period_s).max(1) * period_s);
        let mut start = floor(from, period_s);
        // CloudWatch is asked in whole seconds and refuses an empty span.
        while start.as_second() < to.as_second() {
            let end = (start + step).min(to);
            windows.push(Window {
                start,
                end,
                period_s,
            });
            start = end;
        }
    };

    push(
        start.max(oldest),
        end.min(fine_from),
        COARSE_S,
        length * i32::try_from(COARSE_S / FINE_S).unwrap_or(1),
    );

    push(start.max(fine_from), end, FINE_S, length);
    windows
}

fn floor(time: Timestamp, period_s: i64) -> Timestamp {
    Timestamp::from_second(time.as_second().div_euclid(period_s) * period_s).unwrap_or(time)
}

/// Reads one window of every metric whose own span meets it.
async fn read_window(
    client: &CloudWatch,
    place: &Place,
    window: Window,
    wanted: &mut [Wanted<'_>],
    faults: &mut Vec<AwsEc2Fault>,
) -> Result<(), AwsEc2Fault> {
    let meets = |w: &Wanted<'_>| w.query.start < window.end && window.start < w.query.end;
    let indices: Vec<usize> = wanted
        .iter()
        .enumerate()
        .filter(|(_, w)| meets(w))
        .map(|(n, _)| n)
        .collect();

    for batch in indices.chunks(METRICS_A_CALL) {
        let asked: Vec<MetricDataQuery> = batch
            .iter()
            .map(|n| asked(*n, &wanted[*n].source, window.period_s))
            .collect();
        let call = place.call("cloudwatch:GetMetricData");
        let mut cursor = Cursor::new();
        loop {
            let request = GetMetricData {
                metric_data_queries: &asked,
                start_time: window.start.as_second(),
                end_time: window.end.as_second(),
                scan_by: "TimestampAscending",
                next_token: cursor.token(),
            };
            let page = client.get_metric_data(call, &request).await?;
            for result in &page.metric_data_results {
                take(result, window.period_s, wanted, |message| {
                    faults.push(call.fault(FaultKind::Other, None, message))
                });
            }
            if !cursor.advance(call, page.next_token.as_deref())? {
                break;
            }
        }
    }

    Ok(())
}

fn asked(index: usize, source: &AwsMetricSource, period_s: i64) -> MetricDataQuery {
    let dimensions = source
        .dimensions
        .iter()
        .map(|(k, v)| CloudwatchDimension {
            name: k.clone(),
            value: Some(v.clone()),
        })
        .collect();

    let metric = cloudwatch::CloudwatchMetric {
        namespace: source.namespace.to_owned(),
        metric_name: source.name.to_owned(),
        dimensions,
    };

    let metric_stat = MetricStat {
        metric,
        period: period_s,
        stat: source.reading.statistic(),
    };

    MetricDataQuery {
        id: format!("m{index}"),
        metric_stat,
        return_data: true,
    }
}

/// Takes over the points of one result that lie in its query's own span.
fn take(
    result: &MetricDataResult,
    period_s: i64,
    wanted: &mut [Wanted<'_>],
    mut note: impl FnMut(&str),
) {
    let index = result
        .id
        .strip_prefix('m')
        .and_then(|n| n.parse::<usize>().ok());
    let Some(wanted) = index.and_then(|n| wanted.get_mut(n)) else {
        return;
    };

    if matches!(result.status_code.as_str(), "Forbidden" | "InternalError") {
        wanted.refused = true;
        let why = result
            .messages
            .iter()
            .map(|m| m.value.as_str())
            .collect::<Vec<_>>()
            .join("; ");
        note(&format!(
            "no points of {} of {}: {why}",
            wanted.metric, wanted.query.resource.id
        ));
    }

    for (time, value) in result.timestamps.iter().zip(&result.values) {
        let time = Timestamp::from_second(*time as i64).ok();
        let Some(time) = time.filter(|t| (wanted.query.start..wanted.query.end).contains(t)) else {
            continue;
        };
        wanted.points.push(Sample {
            connection: wanted.query.resource.connection.clone(),
            resource: wanted.query.resource.id.clone(),
            metric: wanted.metric,
            timestamp: time,
            value: wanted.source.reading.read(*value, period_s),
            period_s: u32::try_from(period_s).unwrap_or(u32::MAX),
        });
    }
}

/// Returns the points of the best source that has any.
fn best(wanted: Vec<Wanted<'_>>) -> Vec<Sample> {
    let (parts, wanted): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|w| w.use_of_sources() != SourceUse::Alternatives);
    let mut chosen: BTreeMap<(&str, Metric), (usize, Vec<Sample>)> = BTreeMap::new();

    for wanted in wanted.into_iter().filter(|w| !w.points.is_empty()) {
        let key = (wanted.query.resource.id.as_str(), wanted.metric);
        match chosen.get_mut(&key) {
            // The same metric of the same resource over two spans: both are kept.
            Some((rank, points)) if *rank == wanted.rank => points.extend(wanted.points),
            Some((rank, _)) if *rank < wanted.rank => {}
            _ => {
                chosen.insert(key, (wanted.rank, wanted.points));
            }
        }
    }

    let mut samples: Vec<Sample> = chosen
        .into_values()
        .flat_map(|(_, points)| points)
        .collect();
    // Requests before the shares of them.
    samples.extend(sums(&parts));
    samples.extend(shares(&parts, &samples));

    samples
}

/// Sums of the sources of each metric that is one, at the times that any of them has. CloudWatch may
/// keep no point of what did not happen; a source that it refused leaves the metric without points.
fn sums(parts: &[Wanted<'_>]) -> Vec<Sample> {
    let mut sums = Vec::new();
    for (first, total) in totals(parts, SourceUse::Summands) {
        let period_s = first.points_of(parts).map(|point| point.period_s).max();
        sums.extend(total.into_iter().map(|(timestamp, value)| Sample {
            connection: first.query.resource.connection.clone(),
            resource: first.query.resource.id.clone(),
            metric: first.metric,
            timestamp,
            value,
            period_s: period_s.unwrap_or_default(),
        }));
    }
    sums
}

/// Sums of the sources as a share of the requests: errors, or hits of a cache. CloudWatch keeps no
/// point where nothing failed, so a period with requests and without errors had none; one without
/// requests says nothing, and neither does a count that could not be read.
fn shares(parts: &[Wanted<'_>], samples: &[Sample]) -> Vec<Sample> {
    let mut shares = Vec::new();
    for (first, total) in totals(parts, SourceUse::ShareOfRequests) {
        let id = &first.query.resource.id;
        let span = first.query.start..first.query.end;
        let answered = |s: &&Sample| {
            s.metric == Metric::RequestRate
                && s.resource == *id
                && s.value > 0.0
                && span.contains(&s.timestamp)
        };
        shares.extend(samples.iter().filter(answered).map(|requests| {
            let counted = total.get(&requests.timestamp).copied().unwrap_or(0.0);
            Sample {
                metric: first.metric,
                value: (100.0 * counted / requests.value).min(100.0),
                ..requests.clone()
            }
        }));
    }

    shares
}

/// Returns the first source of each metric of a use, with the sum of all its sources by time.
fn totals<'p, 'a>(
    parts: &'p [Wanted<'a>],
    wanted_use: SourceUse,
) -> Vec<(&'p Wanted<'a>, BTreeMap<Timestamp, f64>)> {
    let mut found = Vec::new();
    let firsts = parts
        .iter()
        .filter(|part| part.rank == 0 && part.use_of_sources() == wanted_use);
    for first in firsts {
        if first.all_sources(parts).any(|part| part.refused) {
            continue;
        }
        let mut total: BTreeMap<Timestamp, f64> = BTreeMap::new();
        for point in first.points_of(parts) {
            *total.entry(point.timestamp).or_default() += point.value;
        }
        found.push((first, total));
    }
    found
}

impl<'a> Wanted<'a> {
    fn use_of_sources(&self) -> SourceUse {
        source_use(self.query.resource.kind, self.metric)
    }

    /// All sources of the same metric of the same query.
    fn all_sources<'p>(&'p self, parts: &'p [Wanted<'a>]) -> impl Iterator<Item = &'p Wanted<'a>> {
        parts
            .iter()
            .filter(move |part| std::ptr::eq(part.query, self.query) && part.metric == self.metric)
    }

    fn points_of<'p>(&'p self, parts: &'p [Wanted<'a>]) -> impl Iterator<Item = &'p Sample> {
        self.all_sources(parts).flat_map(|part| &part.points)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn windows_cover_the_span_on_whole_periods() {
        let now = at("2026-11-20T10:02:00Z");
        let found = windows(
            at("2026-11-20T08:03:00Z"),
            now,
            now,
            SignedDuration::from_hours(1),
        );

        let spans: Vec<_> = found
            .iter()
            .map(|w| (w.start.to_string(), w.end.to_string(), w.period_s))
            .collect();
        let expected = [
            ("08:00:00", "09:00:00"),
            ("09:00:00", "10:00:00"),
            ("10:00:00", "10:02:00"),
        ]
        .map(|(a, b)| (format!("2026-11-20T{a}Z"), format!("2026-11-20T{b}Z"), 300));

        assert_eq!(spans, expected);
    }

    #[test]
    fn old_points_are_asked_for_by_the_hour_and_never_beyond_what_is_kept() {
        let now = at("2026-11-20T10:00:00Z");
        let found = windows(
            at("2020-01-01T00:00:00Z"),
            now,
            now,
            SignedDuration::from_hours(240),
        );
        assert!(found.first().unwrap().start >= now - COARSE_KEPT);

        assert!(
            found
                .windows(2)
                .all(|w| w[0].end == w[1].start && w[0].period_s >= w[1].period_s)
        );

        let fine = found.iter().find(|w| w.period_s == FINE_S).unwrap();
        assert!(
            fine.start >= now - FINE_KEPT
                && fine.start <= now - FINE_KEPT + SignedDuration::from_hours(2)
        );
        assert_eq!(found.last().unwrap().end, now);
        assert!(windows(now, now, now, SignedDuration::from_hours(1)).is_empty());

        let within = at("2026-11-20T09:00:00.4Z");
        let found = windows(
            at("2026-11-20T08:00:00Z"),
            within,
            within,
            SignedDuration::from_hours(1),
        );

        assert_eq!(
            found.len(),
            1,
            "half a second more is no span of its own: {found:?}"
        );
    }
}
