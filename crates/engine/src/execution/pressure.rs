//! Pressure: how often a resource, or the members of a group, were at a limit before a change and
//! after it.
//!
//! What counts as worse is pressure, not use: a smaller machine is meant to be busier. A group has
//! no metrics of its own, so that a fleet-wide change of size would go unwatched: its members are
//! compared, those that a refresh replaced with those that serve now.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    EstateStore, Metric, Resource, ResourceFilter, ResourceId, ResourceKind, SampleSeries,
    SampleStore,
};
use reeve_learn::compare::{Bar, Comparison, Worse, compare};
use reeve_recommend::error::EngineError;

/// Length of the history before a change that it is compared with.
const BEFORE: SignedDuration = SignedDuration::from_hours(24 * 14);
/// The first minutes after a restart are left out; programs warm up.
const WARM_UP: SignedDuration = SignedDuration::from_mins(10);
const DAY_S: i64 = 86_400;
/// Members of a group that are compared, evenly chosen: a group's members share its load, and a
/// look reads two weeks of each.
const MEMBERS: usize = 40;
/// Members whose series are loaded at a time.
const AT_ONCE: usize = 16;
/// Metrics, and the value from which (or below which) a sample counts as pressed.
const PRESSED: &[(Metric, Worse, f64)] = &[
    (Metric::CpuUtilization, Worse::Higher, 90.0),
    (Metric::MemoryUtilization, Worse::Higher, 95.0),
    (Metric::CpuCreditBalance, Worse::Lower, 1.0),
];

/// The time of a change and of the look at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PressureSpan {
    /// Begin of the change.
    pub(super) began: Timestamp,
    /// End of the change.
    pub(super) changed: Timestamp,
    /// Time of the look.
    pub(super) now: Timestamp,
}

/// Comparison of one metric before and after a change.
pub(super) struct PressureComparison {
    pub(super) metric: Metric,
    pub(super) found: Comparison,
}

/// A sample: 1 where it is at its limit, 0 elsewhere.
type Pressed = (Timestamp, f64);

/// Compares every metric of a resource that was measured.
pub(super) async fn compare_pressure(
    (estate, samples): (&dyn EstateStore, &dyn SampleStore),
    resource: &Resource,
    span: PressureSpan,
    bar: Bar,
) -> Result<Vec<PressureComparison>, EngineError> {
    let ids = measured(estate, resource, span).await?;
    let metrics: Vec<Metric> = PRESSED.iter().map(|(metric, ..)| *metric).collect();
    let mut pressed: Vec<Vec<Pressed>> = vec![Vec::new(); PRESSED.len()];

    for some in ids.chunks(AT_ONCE) {
        let series = samples
            .sample_series(
                &resource.connection,
                some,
                &metrics,
                span.changed - BEFORE,
                span.now,
            )
            .await?;
        for one in &series {
            if let Some(at) = PRESSED
                .iter()
                .position(|(metric, ..)| *metric == one.metric)
            {
                pressed[at].extend(indicators(one, PRESSED[at].1, PRESSED[at].2));
            }
        }
    }

    let one = |(points, (metric, ..)): (Vec<Pressed>, &(Metric, Worse, f64))| {
        let (before, after) = parted(points, span)?;
        // Already an indicator of pressure: more of it is worse.
        Some(PressureComparison {
            metric: *metric,
            found: compare(&before, &after, Worse::Higher, bar),
        })
    };

    Ok(pressed.into_iter().zip(PRESSED).filter_map(one).collect())
}

/// Identifiers of what is measured: the resource's own, or those of a group's members, gone ones
/// included.
async fn measured(
    estate: &dyn EstateStore,
    resource: &Resource,
    span: PressureSpan,
) -> Result<Vec<ResourceId>, EngineError> {
    if resource.kind != ResourceKind::ScalingGroup {
        return Ok(vec![resource.id.clone()]);
    }

    let filter = ResourceFilter {
        connection: Some(resource.connection.clone()),
        group: Some(resource.id.clone()),
        ended_since: Some(span.changed - BEFORE),
        ..ResourceFilter::default()
    };
    let (members, _) = estate.resource_list(&filter).await?;

    let is_new = |member: &&Resource| {
        member
            .created_at
            .is_some_and(|created| created >= span.began)
    };
    let (new, old): (Vec<&Resource>, Vec<&Resource>) = members.iter().partition(is_new);

    let chosen = |of: &[&Resource]| -> Vec<ResourceId> {
        of.iter()
            .step_by(of.len().div_ceil(MEMBERS).max(1))
            .map(|member| member.id.clone())
            .collect()
    };

    Ok([chosen(&new), chosen(&old)].concat())
}

fn indicators(series: &SampleSeries, worse: Worse, limit: f64) -> impl Iterator<Item = Pressed> {
    let at_limit = move |value: f64| match worse {
        Worse::Higher => f64::from(u8::from(value >= limit)),
        Worse::Lower => f64::from(u8::from(value < limit)),
    };
    series
        .points
        .iter()
        .filter(|(_, value)| value.is_finite())
        .map(move |(at, value)| (*at, at_limit(*value)))
}

/// Samples before the change in the same hours of the day, and after it; `None` where nothing was
/// measured.
fn parted(mut points: Vec<Pressed>, span: PressureSpan) -> Option<(Vec<f64>, Vec<f64>)> {
    // In order of time, members of one time beside each other: the comparison discounts neighbours
    // that resemble each other.
    points.sort_by_key(|(at, _)| *at);
    let last = points.last()?.0;
    let length = last.duration_since(span.changed).as_secs().max(0);
    let same_hours = |at: Timestamp| {
        length >= DAY_S - 3600
            || (at.as_second() - span.changed.as_second()).rem_euclid(DAY_S) <= length
    };

    let later = points
        .iter()
        .filter(|(at, _)| *at >= span.changed + WARM_UP);
    let earlier = points
        .iter()
        .filter(|(at, _)| *at < span.began && same_hours(*at));
    let values = |(_, value): &Pressed| *value;

    Some((earlier.map(values).collect(), later.map(values).collect()))
}
