//! Edges between resources whose metrics change together.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::SampleSeries;
use reeve_learn::correlation::daily_change_correlation;

use crate::edge::{DependencyEdge, EdgeEvidence, EdgeSource, EdgeStrength, Standing};
use crate::map::DependencyMap;

/// Correlations of strong, moderate and weak evidence.
const STRONG: f64 = 0.9;
const MODERATE: f64 = 0.8;
const WEAK: f64 = 0.7;

/// Adds the correlation of the middle's metrics with those of its neighbors: to the edge between
/// the two, or as an edge of its own.
pub(crate) fn add_comovements(map: &mut DependencyMap, series: &[SampleSeries]) {
    let mut by_node: BTreeMap<&str, Vec<&SampleSeries>> = BTreeMap::new();
    for one in series {
        by_node.entry(one.resource.as_str()).or_default().push(one);
    }
    let Some(own) = by_node.remove(map.center.as_str()) else {
        return;
    };

    let mut found: Vec<(String, EdgeEvidence)> = Vec::new();
    for (node, theirs) in by_node {
        found.extend(strongest(&own, &theirs).map(|evidence| (node.to_owned(), evidence)));
    }
    for (node, evidence) in found {
        add(map, &node, evidence);
    }
}

fn add(map: &mut DependencyMap, node: &str, evidence: EdgeEvidence) {
    let center = map.center.clone();
    let joins = |edge: &&mut DependencyEdge| {
        (edge.dependent == center && edge.dependency == node)
            || (edge.dependency == center && edge.dependent == node)
    };
    if let Some(edge) = map.edges.iter_mut().find(joins) {
        edge.evidence.push(evidence);
        return;
    }
    // Without an edge between the two only a strong correlation is no chance.
    if evidence.strength == EdgeStrength::Strong {
        map.edges.push(DependencyEdge {
            dependent: center,
            dependency: node.to_owned(),
            standing: Standing::Correlated,
            evidence: vec![evidence],
        });
    }
}

/// The strongest correlation between the metrics of two resources.
fn strongest(own: &[&SampleSeries], theirs: &[&SampleSeries]) -> Option<EdgeEvidence> {
    let points = |series: &SampleSeries| -> Vec<(i64, f64)> {
        let points = series.points.iter();
        points
            .map(|(at, value)| (at.as_millisecond(), *value))
            .collect()
    };
    let theirs: Vec<(&SampleSeries, Vec<(i64, f64)>)> = theirs
        .iter()
        .map(|series| (*series, points(series)))
        .collect();

    let mut best: Option<(f64, &SampleSeries, &SampleSeries)> = None;
    for mine in own {
        let mine_points = points(mine);
        for (other, other_points) in &theirs {
            let found = daily_change_correlation(&mine_points, other_points);
            if let Some(found) = found.filter(|found| found.abs() >= WEAK)
                && best.is_none_or(|(known, _, _)| found.abs() > known.abs())
            {
                best = Some((found, mine, other));
            }
        }
    }

    let (correlation, mine, other) = best?;
    let size = correlation.abs();
    let strength = if size >= STRONG {
        EdgeStrength::Strong
    } else if size >= MODERATE {
        EdgeStrength::Moderate
    } else {
        EdgeStrength::Weak
    };
    let last = |series: &SampleSeries| series.points.last().map(|(at, _)| *at);
    let last_at: Option<Timestamp> = last(mine).min(last(other));
    let words = |series: &SampleSeries| series.metric.as_str().replace('_', " ");
    Some(EdgeEvidence {
        source: EdgeSource::Metrics,
        strength,
        detail: format!(
            "{} changes with its {} (correlation {correlation:.2})",
            words(mine),
            words(other)
        ),
        last_at,
    })
}
