//! Probable causes of an incident at a node of a dependency graph.
//!
//! A node is a better cause the larger its deviation is (robust, `deviation`), the earlier it began,
//! and the surer the symptom depends on it: a failure moves from a callee to its callers, so causes
//! are sought downstream of the node of the incident, along calls whose nodes deviate as well. A
//! node whose own callee deviated no later is explained by it, and a node whose failure would
//! explain the other deviations, because they lie upstream and began later, is a better cause than
//! one whose callers hardly notice.
//!
//! "Confirmed" takes a measured chain of deviations from the symptom to the cause, a
//! large deviation, four in five other deviations upstream and no earlier, no callee that is not
//! measured, and a clear lead over every other node. Without edges nothing is
//! confirmed; where nothing deviates nothing is named.

mod deviation;
mod graph;
mod reasons;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::window::{HOUR_MS, Point, median_step_ms, upper_median};
pub use deviation::CauseDeviation;
use deviation::{DeviationSpan, MOST_SIZE, deviation};
pub use graph::CauseEdge;
use graph::{CauseGraph, CauseReach};
pub use reasons::{Naming, figure, reasons};

/// Time after the start that is judged where the incident has no end.
const USUAL_LENGTH_MS: i64 = HOUR_MS / 2;
/// Longest time before the start in which a cause may have begun: alarms lag behind.
const MOST_LAG_MS: i64 = HOUR_MS / 2;
/// Weights of nodes by their place: on a chain of deviations, behind a node that does not deviate,
/// not reachable at all.
const BROKEN: f64 = 0.5;
const UNREACHABLE: f64 = 0.1;
/// Steps of the measurements within which the weight of an onset falls by two thirds, and the
/// least weight.
const ONSET_STEPS: f64 = 12.0;
const LEAST_ONSET: f64 = 0.4;
/// Share of a node's score that a deviating callee takes away, and the least that is left.
const EXPLAINED: f64 = 0.6;
const LEAST_EXPLAINED: f64 = 0.3;
/// Share of the score that is left of a node whose failure would explain no other deviation, and of
/// one none of whose measured callers deviates.
const ALONE: f64 = 0.1;
const UNFELT: f64 = 0.4;
/// Share of the other deviations that a confirmed cause explains.
const CONFIRMED_COVERAGE: f64 = 0.8;
/// Size of a deviation, and lead over the next node, that a confirmed cause has.
const CONFIRMED_SIZE: f64 = 8.0;
const CONFIRMED_LEAD: f64 = 1.8;
/// Size of a deviation and lead over the next node of a likely cause.
const LIKELY_SIZE: f64 = 5.0;
const LIKELY_LEAD: f64 = 1.15;
/// Lead where no edges are known, and the steps by which a node that began before every other is
/// alone: in generated incidents 1 of 70 of those was the cause, the rest were coincidences.
const LIKELY_LEAD_BLIND: f64 = 1.3;
const BLIND_STEPS: i64 = 2;

/// Measurements of one metric of one node, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMetric {
    /// Name of the node.
    pub node: String,
    /// Name of the metric; a node may have several.
    pub metric: String,
    /// Times in milliseconds since the epoch, with values.
    pub points: Vec<Point>,
}

/// An incident that was noticed at a node.
#[derive(Debug, Clone, PartialEq)]
pub struct IncidentSymptom {
    /// Node of the symptom.
    pub node: String,
    /// Metric of the symptom, where it is known: nothing is confirmed unless it deviates.
    pub metric: Option<String>,
    /// Time at which it was noticed, in milliseconds since the epoch.
    pub start_ms: i64,
    /// End, where it is over.
    pub end_ms: Option<i64>,
}

/// Certainty that a node is the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseGrade {
    /// Nothing can be said.
    Inconclusive,
    /// More probable than every other node.
    Likely,
    /// Order, dependency and size agree.
    Confirmed,
}

impl CauseGrade {
    /// Every grade, the least certain first.
    pub const ALL: &'static [CauseGrade] = &[
        CauseGrade::Inconclusive,
        CauseGrade::Likely,
        CauseGrade::Confirmed,
    ];

    /// Returns the name as it is written in files and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inconclusive => "inconclusive",
            Self::Likely => "likely",
            Self::Confirmed => "confirmed",
        }
    }
}

/// Place of a node, as seen from the node of the incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CausePlace {
    /// The node of the incident.
    Symptom,
    /// Downstream by these nodes, each of which deviates.
    Chain(Vec<String>),
    /// Downstream by these nodes, not all of which deviate or are measured.
    BrokenChain(Vec<String>),
    /// The node of the incident does not depend on it.
    NotReachable,
    /// No edges are known.
    Unknown,
}

/// A node that may be the cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    pub node: String,
    /// Score, 0 to 1.
    pub score: f64,
    /// Confirmed or likely for one node at most.
    pub grade: CauseGrade,
    /// Metric with the largest deviation.
    pub metric: String,
    /// Deviation of this metric.
    pub deviation: CauseDeviation,
    /// Onset of the node's earliest large deviation.
    pub onset_ms: i64,
    /// Place in the graph, as seen from the node of the incident.
    pub place: CausePlace,
    /// Callee whose deviation explains that of the node.
    pub explained_by: Option<String>,
    /// Deviating nodes that began earlier, of those that count.
    pub earlier: usize,
    /// Share of the other deviations that lie upstream and began no earlier, 0 to 1; 1 without
    /// edges.
    pub coverage: f64,
    /// A callee that nothing was measured of: it may be the cause instead.
    pub unmeasured: Option<String>,
}

/// Deviation of a node: that of its metric with the largest, and the earliest onset.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeDeviation {
    /// Metric with the largest deviation.
    pub metric: String,
    /// Deviation of this metric, the largest of the node.
    pub largest: CauseDeviation,
    /// Earliest onset of the node's large deviations.
    pub onset_ms: i64,
}

/// Span in which deviations are sought.
fn span(incident: &IncidentSymptom) -> DeviationSpan {
    let end_ms = incident
        .end_ms
        .unwrap_or(incident.start_ms.saturating_add(USUAL_LENGTH_MS));
    DeviationSpan {
        from_ms: incident.start_ms.saturating_sub(MOST_LAG_MS),
        until_ms: end_ms.max(incident.start_ms.saturating_add(1)),
    }
}

/// Returns the deviating nodes.
#[must_use]
pub fn deviations(
    metrics: &[NodeMetric],
    incident: &IncidentSymptom,
) -> BTreeMap<String, NodeDeviation> {
    let span = span(incident);

    let mut nodes: BTreeMap<String, Vec<(String, CauseDeviation)>> = BTreeMap::new();
    for one in metrics {
        if let Some(found) = deviation(&one.points, span) {
            let metrics = nodes.entry(one.node.clone()).or_default();
            metrics.push((one.metric.clone(), found));
        }
    }

    nodes
        .into_iter()
        .filter_map(|(node, metrics)| {
            let (metric, largest) = metrics
                .iter()
                .max_by(|a, b| a.1.size.total_cmp(&b.1.size))
                .cloned()?;
            // A metric that hardly deviates says little about when it began.
            let large = metrics
                .iter()
                .filter(|(_, one)| one.size >= 0.4 * largest.size);
            let onset_ms = large.map(|(_, one)| one.onset_ms).min()?;
            let node_deviation = NodeDeviation {
                metric,
                largest,
                onset_ms,
            };
            Some((node, node_deviation))
        })
        .collect()
}

/// Ranks the deviating nodes as causes, best first. `edges` are `None` where no dependency is
/// known.
#[must_use]
pub fn causes(
    metrics: &[NodeMetric],
    edges: Option<&[CauseEdge]>,
    incident: &IncidentSymptom,
) -> Vec<Cause> {
    let deviating = deviations(metrics, incident);
    let step_ms = step_ms(metrics);
    let graph = edges.map(CauseGraph::new);
    let reached = graph
        .as_ref()
        .map(|graph| graph.reach(&incident.node, |node| deviating.contains_key(node)));

    let place = |node: &str| match &reached {
        None => CausePlace::Unknown,
        Some(_) if node == incident.node => CausePlace::Symptom,
        Some(reached) => match reached.get(node) {
            Some(CauseReach {
                path,
                broken: false,
            }) => CausePlace::Chain(path.clone()),
            Some(CauseReach { path, broken: true }) => CausePlace::BrokenChain(path.clone()),
            None => CausePlace::NotReachable,
        },
    };
    let counts = |node: &str| place(node) != CausePlace::NotReachable;
    let onsets: Vec<i64> = deviating
        .iter()
        .filter(|(node, _)| counts(node))
        .map(|(_, one)| one.onset_ms)
        .collect();
    let earliest = onsets.iter().copied().min().unwrap_or(incident.start_ms);

    let measured: BTreeSet<&str> = metrics.iter().map(|one| one.node.as_str()).collect();
    let upstream = |node: &str, one: &NodeDeviation| {
        let graph = graph.as_ref()?;
        let follows = |caller: &str| {
            deviating
                .get(caller)
                .is_some_and(|other| other.onset_ms + step_ms >= one.onset_ms)
        };
        Some(Upstream {
            covered: graph.upstream(node, follows),
            felt: graph.share_of_callers(node, |caller| {
                measured.contains(caller).then(|| follows(caller))
            }),
        })
    };

    let mut found: Vec<Cause> = deviating
        .iter()
        .map(|(node, one)| {
            let place = place(node);
            let explained = graph
                .as_ref()
                .and_then(|graph| explanation(graph, &deviating, node, one, step_ms));
            let late = (one.onset_ms - earliest).max(0) as f64 / step_ms as f64;
            let onset = (-late / ONSET_STEPS).exp().max(LEAST_ONSET);
            let reach = match place {
                CausePlace::BrokenChain(_) => BROKEN,
                CausePlace::NotReachable => UNREACHABLE,
                CausePlace::Symptom | CausePlace::Chain(_) | CausePlace::Unknown => 1.0,
            };
            let left = explained.as_ref().map_or(1.0, |(_, share)| {
                (1.0 - EXPLAINED * share).max(LEAST_EXPLAINED)
            });
            let upstream = upstream(node, one);
            let others = deviating.len().saturating_sub(1).max(1) as f64;
            let coverage = upstream
                .as_ref()
                .map_or(1.0, |upstream| upstream.covered as f64 / others);
            let felt = upstream.map_or(1.0, |upstream| upstream.felt);
            let explains = (ALONE + (1.0 - ALONE) * coverage) * (UNFELT + (1.0 - UNFELT) * felt);
            let unmeasured = graph.as_ref().and_then(|graph| {
                let mut callees = graph.callees(node);
                callees.find(|callee| !measured.contains(callee))
            });
            Cause {
                node: node.clone(),
                score: weight(one.largest.size) * onset * reach * left * explains,
                coverage,
                unmeasured: unmeasured.map(str::to_owned),
                grade: CauseGrade::Inconclusive,
                metric: one.metric.clone(),
                deviation: one.largest,
                onset_ms: one.onset_ms,
                place,
                explained_by: explained.map(|(callee, _)| callee),
                earlier: onsets
                    .iter()
                    .filter(|onset| **onset + step_ms < one.onset_ms)
                    .count(),
            }
        })
        .collect();

    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.node.cmp(&b.node))
    });
    let symptom_deviates = match &incident.metric {
        None => deviating.contains_key(&incident.node),
        Some(metric) => metrics.iter().any(|one| {
            one.node == incident.node
                && one.metric == *metric
                && deviation(&one.points, span(incident)).is_some()
        }),
    };
    grade(&mut found, symptom_deviates, step_ms);
    found
}

/// Deviations that a node's failure would explain.
struct Upstream {
    /// Deviating nodes upstream of it.
    covered: usize,
    /// Share of its measured callers that deviate.
    felt: f64,
}

/// Weight of a size, 0 to 1: a deviation ten times as large is no ten times better cause.
fn weight(size: f64) -> f64 {
    (size.ln_1p() / MOST_SIZE.ln_1p()).clamp(0.0, 1.0)
}

/// The callee that explains a node's deviation best, and the share that it explains.
fn explanation(
    graph: &CauseGraph,
    deviating: &BTreeMap<String, NodeDeviation>,
    node: &str,
    one: &NodeDeviation,
    step_ms: i64,
) -> Option<(String, f64)> {
    graph
        .callees(node)
        .filter(|callee| *callee != node)
        .filter_map(|callee| {
            let other = deviating.get(callee)?;
            let earlier = other.onset_ms <= one.onset_ms + step_ms;
            let share = (weight(other.largest.size) / weight(one.largest.size)).min(1.0);
            earlier.then(|| (callee.to_owned(), share))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Grades the causes, which are sorted. One node at most is confirmed or likely.
fn grade(found: &mut [Cause], symptom_deviates: bool, step_ms: i64) {
    let second = found.get(1).map_or(0.0, |one| one.score);
    let next_onset = found.iter().skip(1).map(|one| one.onset_ms).min();
    let alone_first = found.first().is_some_and(|first| {
        next_onset.is_none_or(|next| first.onset_ms + BLIND_STEPS * step_ms <= next)
    });
    let Some(first) = found.first_mut() else {
        return;
    };
    let lead = first.score / second.max(f64::MIN_POSITIVE);
    let size = first.deviation.size;
    let on_chain = matches!(first.place, CausePlace::Chain(_) | CausePlace::Symptom);

    let confirmed = on_chain
        && symptom_deviates
        && first.explained_by.is_none()
        && first.unmeasured.is_none()
        && first.coverage >= CONFIRMED_COVERAGE
        && size >= CONFIRMED_SIZE
        && lead >= CONFIRMED_LEAD;
    let likely = size >= LIKELY_SIZE
        && match first.place {
            CausePlace::NotReachable => false,
            CausePlace::Unknown => lead >= LIKELY_LEAD_BLIND && !alone_first,
            _ => lead >= LIKELY_LEAD,
        };
    first.grade = match (confirmed, likely) {
        (true, _) => CauseGrade::Confirmed,
        (false, true) => CauseGrade::Likely,
        (false, false) => CauseGrade::Inconclusive,
    };
}

/// Usual distance of measurements: the median over series of their median.
fn step_ms(metrics: &[NodeMetric]) -> i64 {
    let steps = metrics
        .iter()
        .filter_map(|one| median_step_ms(one.points.iter().map(|(at_ms, _)| *at_ms)));
    upper_median(steps).unwrap_or(60_000)
}
