//! Judgement of a probable cause, from the map, the measurements and the changes around an anomaly.
//! Pure.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use reeve_dependencies::{DependencyMap, NodeKind};
use reeve_estate::{Metric, SampleSeries};
use reeve_learn::causes::{
    Cause, CauseGrade, CausePlace as Position, IncidentSymptom, Naming, NodeMetric, causes, reasons,
};
use reeve_recommend::words::minute;

use super::super::cause::SHORTLY;
use super::super::pace::POINT;
use super::super::record::Place;
use super::season::{DAYS, without_season};
use super::step::{edges, has_metrics};
use super::{CauseCandidate, CauseChange, ProbableCause, RuledOut};

/// Candidates, resources that are ruled out and unmeasured ones that are kept.
const MOST_CANDIDATES: usize = 5;
const MOST_NAMED: usize = 20;
/// Share of the deviating resources that depend on a changed one for it to be named, and their
/// least number: one dependent may deviate by chance.
const EXPLAINED: f64 = 0.8;
const LEAST_DEPENDENTS: usize = 2;

/// Past that deviations are measured against.
const PAST: SignedDuration = SignedDuration::from_hours(24);
/// Time before an anomaly from which measurements are needed: the past, and its days before.
pub(crate) const NEEDED: SignedDuration = SignedDuration::from_hours(24 * (DAYS + 1));

/// Facts that a probable cause is judged by.
#[derive(Clone, Copy)]
pub(crate) struct CauseFacts<'a> {
    pub(crate) place: &'a Place,
    /// Most anomalous metric.
    pub(crate) metric: Option<Metric>,
    pub(crate) started_at: Timestamp,
    /// Map around the place, with the dependents of what was changed.
    pub(crate) map: &'a DependencyMap,
    /// Metrics of its resources, and of others that became anomalous at the time.
    pub(crate) series: &'a [SampleSeries],
    /// Names and kinds of resources outside the map.
    pub(crate) others: &'a BTreeMap<String, (String, String)>,
    /// Changes shortly before, by resource, oldest first.
    pub(crate) changes: &'a BTreeMap<String, Vec<CauseChange>>,
    /// Limits that reading met, each a clause.
    pub(crate) limits: &'a [String],
}

/// Judges the probable cause at a time.
pub(crate) fn judge(facts: &CauseFacts<'_>, at: Timestamp) -> ProbableCause {
    let metrics: Vec<NodeMetric> = facts.node_metrics();
    let calls = edges(facts.map, |id| facts.changes.contains_key(id));
    let symptom = IncidentSymptom {
        node: facts.place.id.clone(),
        metric: facts.metric.map(|metric| metric.as_str().to_owned()),
        start_ms: facts.started_at.as_millisecond(),
        end_ms: None,
    };
    let ranked = causes(&metrics, (!calls.is_empty()).then_some(&calls), &symptom);
    let view = View {
        facts,
        symptom: &symptom,
        ranked: &ranked,
    };

    let mut ruled_out = Vec::new();
    let mut candidates = Vec::new();
    for cause in &ranked {
        match view.refusal(cause) {
            Some(reason) => ruled_out.push(view.ruled_out(&cause.node, reason)),
            None => candidates.push(view.deviating(cause)),
        }
    }
    for (id, changes) in facts.changes {
        if ranked.iter().any(|cause| cause.node == *id) {
            continue;
        }
        match view.changed(id, changes) {
            Ok(candidate) => candidates.push(candidate),
            Err(out) => ruled_out.push(out),
        }
    }
    rank(&mut candidates);

    let measured: BTreeSet<&str> = metrics.iter().map(|one| one.node.as_str()).collect();
    let (quiet, unmeasured) = view.silent(&measured);
    ruled_out.extend(quiet);
    let ruled_out_total = ruled_out.len() as u64;
    ruled_out.truncate(MOST_NAMED);
    candidates.truncate(MOST_CANDIDATES);

    let mut limits = facts.limits.to_vec();
    if calls.is_empty() {
        limits.push(
            "no dependency of the resource is known, so time and changes alone were compared"
                .to_owned(),
        );
    }
    if facts.map.left_out > 0 {
        limits.push(format!(
            "{} further neighbors are beyond the bounds of the map",
            facts.map.left_out
        ));
    }

    let resources = facts.map.nodes.iter();
    ProbableCause {
        at,
        grade: candidates
            .first()
            .map_or(CauseGrade::Inconclusive, |one| one.grade),
        statement: view.statement(&candidates),
        ruled_out,
        ruled_out_total,
        unmeasured,
        resources: resources
            .filter(|node| node.kind == NodeKind::Resource)
            .count() as u64,
        dependencies: facts.map.edges.len() as u64,
        measured: measured.len() as u64,
        limits,
        candidates,
        with_entries: None,
    }
}

impl CauseFacts<'_> {
    /// Measurements of the last day and since, without their season.
    fn node_metrics(&self) -> Vec<NodeMetric> {
        let from = self.started_at.checked_sub(PAST).unwrap_or(Timestamp::MIN);
        let metric = |series: &SampleSeries| {
            let points: Vec<(i64, f64)> = series
                .points
                .iter()
                .map(|(at, value)| (at.as_millisecond(), *value))
                .collect();
            NodeMetric {
                node: series.resource.0.clone(),
                metric: series.metric.as_str().to_owned(),
                points: without_season(&points, from.as_millisecond()),
            }
        };
        self.series.iter().map(metric).collect()
    }
}

/// The best grade first, then what was changed, in the order of the ranking otherwise. One candidate
/// at most is more than inconclusive: of two that both fit, neither is named.
fn rank(candidates: &mut [CauseCandidate]) {
    let is_changed_alone = |one: &CauseCandidate| one.onset.is_none();
    let likely_changes = candidates
        .iter()
        .filter(|one| one.grade == CauseGrade::Likely && is_changed_alone(one))
        .count();
    if likely_changes > 1 {
        for one in candidates.iter_mut().filter(|one| is_changed_alone(one)) {
            one.grade = CauseGrade::Inconclusive;
            one.reasons
                .push("several resources with the same dependents were changed".to_owned());
        }
    }

    candidates.sort_by_key(|one| (std::cmp::Reverse(one.grade), one.changes.is_empty()));
    for one in candidates.iter_mut().skip(1) {
        one.grade = CauseGrade::Inconclusive;
    }
}

struct View<'a> {
    facts: &'a CauseFacts<'a>,
    symptom: &'a IncidentSymptom,
    ranked: &'a [Cause],
}

impl View<'_> {
    fn name(&self, id: &str) -> String {
        self.described(id).0
    }

    /// Name and kind of a resource.
    fn described(&self, id: &str) -> (String, String) {
        let node = self
            .facts
            .map
            .node(id)
            .and_then(|node| node.resource.as_ref());
        if let Some(resource) = node {
            return (resource.name.clone(), resource.kind.as_str().to_owned());
        }
        let other = self.facts.others.get(id).cloned();
        other.unwrap_or_else(|| (id.to_owned(), String::new()))
    }

    fn ruled_out(&self, id: &str, reason: String) -> RuledOut {
        RuledOut {
            resource: id.to_owned(),
            name: self.name(id),
            reason,
        }
    }

    /// Reason why a deviating resource is not the cause.
    fn refusal(&self, cause: &Cause) -> Option<String> {
        if cause.place == Position::NotReachable {
            return Some("it deviates, and the resource does not depend on it".to_owned());
        }
        let callee = cause.explained_by.as_ref()?;
        let is_symptom = cause.node == self.symptom.node;
        (!is_symptom).then(|| {
            format!(
                "it deviates, and follows {}, which it depends on",
                self.name(callee)
            )
        })
    }

    /// A candidate that deviates itself.
    fn deviating(&self, cause: &Cause) -> CauseCandidate {
        let onset = Timestamp::from_millisecond(cause.onset_ms).ok();
        let changes: Vec<CauseChange> = self
            .facts
            .changes
            .get(&cause.node)
            .into_iter()
            .flatten()
            .filter(|change| onset.is_none_or(|onset| is_before(change.at, onset)))
            .cloned()
            .collect();
        let name = |id: &str| self.name(id);
        let time = |at_ms: i64| {
            let at = Timestamp::from_millisecond(at_ms);
            at.map_or_else(|_| at_ms.to_string(), minute)
        };
        let naming = Naming {
            node: &name,
            time: &time,
        };
        let mut reasons = reasons(cause, self.symptom, &naming);
        let grade = self.grade(cause, &changes);
        if !changes.is_empty() {
            reasons.push("it was changed shortly before it began to deviate".to_owned());
        } else if cause.node == self.symptom.node && grade == CauseGrade::Inconclusive {
            reasons.push("the anomaly shows here, which does not explain it".to_owned());
        }

        let (name, kind) = self.described(&cause.node);
        CauseCandidate {
            resource: cause.node.clone(),
            name,
            kind,
            grade,
            onset,
            reasons,
            changes,
        }
    }

    /// Grade of a deviating resource. The resource of the anomaly explains nothing by deviating
    /// alone; a recorded change makes likely what comes first in time and place.
    fn grade(&self, cause: &Cause, changes: &[CauseChange]) -> CauseGrade {
        let is_symptom = cause.node == self.symptom.node;
        let is_origin =
            self.ranked.len() > 1 && cause.coverage > 0.0 && cause.place != Position::Unknown;
        if is_symptom && changes.is_empty() && !is_origin {
            return CauseGrade::Inconclusive;
        }

        let is_first = cause.explained_by.is_none()
            && cause.earlier == 0
            && cause.place != Position::NotReachable;
        let explains = is_symptom || cause.coverage >= EXPLAINED;
        match (cause.grade, changes.is_empty()) {
            (CauseGrade::Inconclusive, false) if is_first && explains => CauseGrade::Likely,
            (grade, _) => grade,
        }
    }

    /// A candidate that was changed and does not deviate itself, such as a security group; or the
    /// resource with the reason why it is not the cause.
    fn changed(&self, id: &str, changes: &[CauseChange]) -> Result<CauseCandidate, RuledOut> {
        let dependents = self.facts.map.dependents(id);
        let symptom_deviates = self.ranked.iter().any(|one| one.node == self.symptom.node);
        let last = changes.iter().map(|change| change.at).max();
        let when = last.map(minute).unwrap_or_default();
        if !dependents.contains(self.symptom.node.as_str()) {
            let reason =
                format!("it was changed at {when}, and the resource does not depend on it");
            return Err(self.ruled_out(id, reason));
        }

        let after: Vec<&Cause> = self
            .ranked
            .iter()
            .filter(|one| dependents.contains(one.node.as_str()))
            .filter(|one| {
                let onset = Timestamp::from_millisecond(one.onset_ms).ok();
                let before = changes.iter().map(|change| change.at).min();
                onset
                    .zip(before)
                    .is_some_and(|(onset, before)| is_before(before, onset))
            })
            .collect();
        if after.is_empty() || !symptom_deviates {
            let reason =
                format!("it was changed at {when}, and no effect on its dependents was measured");
            return Err(self.ruled_out(id, reason));
        }

        let share = after.len() as f64 / self.ranked.len() as f64;
        let is_likely = after.len() >= LEAST_DEPENDENTS && share >= EXPLAINED;
        let (name, kind) = self.described(id);
        Ok(CauseCandidate {
            resource: id.to_owned(),
            name,
            kind,
            grade: if is_likely {
                CauseGrade::Likely
            } else {
                CauseGrade::Inconclusive
            },
            onset: None,
            reasons: vec![
                format!(
                    "{} of {} deviating resources depend on it and began to deviate after its change",
                    after.len(),
                    self.ranked.len()
                ),
                "its own metrics show no deviation".to_owned(),
            ],
            changes: changes.to_vec(),
        })
    }

    /// Resources that were measured and do not deviate, as ruled out, and those that could have
    /// been measured and were not.
    fn silent(&self, measured: &BTreeSet<&str>) -> (Vec<RuledOut>, Vec<String>) {
        let (mut quiet, mut unmeasured) = (Vec::new(), Vec::new());
        for node in &self.facts.map.nodes {
            let is_judged = self.ranked.iter().any(|cause| cause.node == node.id)
                || self.facts.changes.contains_key(&node.id);
            if is_judged || !has_metrics(node) {
                continue;
            }
            if measured.contains(node.id.as_str()) {
                let reason = "it was measured, and did not deviate".to_owned();
                quiet.push(self.ruled_out(&node.id, reason));
            } else if unmeasured.len() < MOST_NAMED {
                unmeasured.push(self.name(&node.id));
            }
        }
        (quiet, unmeasured)
    }

    fn statement(&self, candidates: &[CauseCandidate]) -> String {
        let first = candidates.first();
        let Some(first) = first.filter(|one| one.grade > CauseGrade::Inconclusive) else {
            return match (self.ranked.len(), candidates.len()) {
                (0, 0) => "nothing around the resource deviates, and no change is known".to_owned(),
                (_, 0 | 1) => {
                    "nothing that the resource depends on explains it, and no change is known"
                        .to_owned()
                }
                (_, several) => format!("none of {several} candidates stands out"),
            };
        };

        let dependents = self.facts.map.dependents(&first.resource);
        let others = self.ranked.iter().filter(|one| one.node != first.resource);
        let deviating = others.clone().count();
        let depend = others
            .filter(|one| dependents.contains(one.node.as_str()))
            .count();
        let subject = match first.resource == self.symptom.node {
            true => "the resource itself".to_owned(),
            false => first.name.clone(),
        };
        let change = first
            .changes
            .last()
            .map(|change| format!(": {}", change.text));
        let change = change.unwrap_or_default();
        match deviating {
            0 => format!("{subject}{change}"),
            _ => format!(
                "{subject}{change}; {depend} of {deviating} other deviating resources depend on it"
            ),
        }
    }
}

/// Returns `true` if a change came shortly before an onset. A point is dated by its beginning, and
/// the change may lie within it.
fn is_before(change: Timestamp, onset: Timestamp) -> bool {
    change <= onset + POINT && onset.duration_since(change) <= SHORTLY
}
