//! Judgements over a small map: machines behind a load balancer, with a database and a security
//! group that all of them share.

#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;
use reeve_dependencies::{DependencyBounds, DependencyEdge, DependencyNode, Standing};
use reeve_estate::{Resource, ResourceId, ResourceKind};
use reeve_testkit::contract::estate::running;

use super::*;
use crate::related_entry::RelatedEntry;

const MACHINES: [&str; 3] = ["i-1", "i-2", "i-3"];

fn start() -> Timestamp {
    Timestamp::from_second(1_794_787_200).unwrap()
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

fn map() -> DependencyMap {
    let node = |id: &str, kind: &str| DependencyNode {
        id: id.to_owned(),
        kind: NodeKind::Resource,
        resource: Some(Resource {
            name: format!("{id}-name"),
            ..running(id, ResourceKind::named(kind).unwrap(), None)
        }),
        hop: 1,
        members: Vec::new(),
        configured_at: None,
        is_watched: false,
    };
    let edge = |dependent: &str, dependency: &str| DependencyEdge {
        dependent: dependent.to_owned(),
        dependency: dependency.to_owned(),
        standing: Standing::Declared,
        evidence: Vec::new(),
    };
    let mut nodes: Vec<DependencyNode> = MACHINES
        .iter()
        .map(|id| node(id, "virtual_machine"))
        .collect();
    nodes.extend([
        node("db", "database"),
        node("sg", "security_group"),
        node("mail", "virtual_machine"),
        node("lb", "load_balancer"),
        node("tg", "target_group"),
    ]);
    let mut edges = vec![edge("lb", "tg")];
    for machine in MACHINES {
        edges.extend([
            edge(machine, "db"),
            edge(machine, "sg"),
            edge("tg", machine),
        ]);
    }
    DependencyMap {
        center: "i-1".to_owned(),
        nodes,
        edges,
        left_out: 0,
        bounds: DependencyBounds::default(),
        at: start(),
    }
}

/// A day and half an hour of CPU that shifts some minutes after the start of the anomaly.
fn series(id: &str, shifts: Option<i64>) -> SampleSeries {
    let points = (-288..7).map(|index: i64| {
        let at = start() + minutes(5 * index);
        let ripple = (index.rem_euclid(7)) as f64 / 3.0;
        let is_shifted = shifts.is_some_and(|after| 5 * index >= after);
        (at, ripple + if is_shifted { 90.0 } else { 20.0 })
    });
    SampleSeries {
        resource: ResourceId::new(id),
        metric: Metric::CpuUtilization,
        points: points.collect(),
        period_s: 300,
    }
}

fn change(minutes_before: i64) -> CauseChange {
    CauseChange {
        at: start() - minutes(minutes_before),
        text: "its rules were changed".to_owned(),
        link: None,
        entry: None,
    }
}

fn judged(map: &DependencyMap, series: &[SampleSeries], changed: &[(&str, i64)]) -> ProbableCause {
    let changes = changed
        .iter()
        .map(|(id, before)| ((*id).to_owned(), vec![change(*before)]))
        .collect();
    let place = Place {
        id: "i-1".to_owned(),
        kind: "virtual_machine".to_owned(),
        ..Place::default()
    };
    let facts = CauseFacts {
        place: &place,
        metric: Some(Metric::CpuUtilization),
        started_at: start(),
        map,
        series,
        others: &BTreeMap::new(),
        changes: &changes,
        limits: &[],
    };
    judge(&facts, start())
}

fn all_shift(after: i64) -> Vec<SampleSeries> {
    MACHINES.iter().map(|id| series(id, Some(after))).collect()
}

fn named(cause: &ProbableCause) -> (&str, &str) {
    let first = cause.named().map_or("", |one| one.resource.as_str());
    (cause.grade.as_str(), first)
}

fn reason<'a>(cause: &'a ProbableCause, id: &str) -> &'a str {
    let found = cause.ruled_out.iter().find(|one| one.resource == id);
    found.map_or("", |one| one.reason.as_str())
}

#[test]
fn a_changed_group_whose_dependents_shift_after_it_is_likely() {
    let mut series = all_shift(0);
    series.push(self::series("mail", None));
    let cause = judged(&map(), &series, &[("sg", 8), ("mail", 8)]);
    assert_eq!(named(&cause), ("likely", "sg"), "{cause:#?}");
    assert_eq!(
        cause.statement,
        "sg-name: its rules were changed; 3 of 3 other deviating resources depend on it"
    );
    assert!(reason(&cause, "mail").ends_with("the resource does not depend on it"));
    assert_eq!(cause.unmeasured, ["db-name", "lb-name"]);
}

#[test]
fn a_change_after_the_onset_or_hours_before_names_nothing() {
    for before in [-20, 180] {
        let cause = judged(&map(), &all_shift(0), &[("sg", before)]);
        assert_eq!(
            cause.grade,
            CauseGrade::Inconclusive,
            "{before}: {cause:#?}"
        );
        assert!(
            reason(&cause, "sg").ends_with("no effect on its dependents was measured"),
            "{cause:#?}"
        );
    }
}

#[test]
fn one_dependent_of_many_is_no_effect_of_a_change() {
    let mut series = vec![series("i-1", Some(0))];
    series.extend(["i-2", "i-3", "mail"].map(|id| self::series(id, None)));
    let cause = judged(&map(), &series, &[("sg", 8)]);
    assert_eq!(cause.grade, CauseGrade::Inconclusive, "{cause:#?}");
    assert_eq!(
        reason(&cause, "i-2"),
        "it was measured, and did not deviate"
    );
}

#[test]
fn of_two_changes_that_both_fit_neither_is_named() {
    let cause = judged(&map(), &all_shift(0), &[("sg", 8), ("db", 6)]);
    assert_eq!(cause.grade, CauseGrade::Inconclusive, "{cause:#?}");
    let candidates: Vec<&str> = cause
        .candidates
        .iter()
        .map(|one| one.resource.as_str())
        .collect();
    assert!(
        candidates.contains(&"sg") && candidates.contains(&"db"),
        "{candidates:?}"
    );
}

#[test]
fn a_database_that_deviates_first_is_confirmed_and_rules_its_callers_out() {
    let mut series = all_shift(10);
    series.push(self::series("db", Some(0)));
    let cause = judged(&map(), &series, &[("db", 4)]);
    assert_eq!(named(&cause), ("confirmed", "db"), "{cause:#?}");
    assert_eq!(cause.candidates[0].changes.len(), 1);
    assert!(
        reason(&cause, "i-2").contains("does not depend on it")
            || reason(&cause, "i-2").contains("follows db-name"),
        "{cause:#?}"
    );
    assert!(cause.limits.is_empty(), "{cause:#?}");
}

#[test]
fn the_place_of_the_anomaly_explains_itself_by_a_change_alone() {
    let alone = DependencyMap {
        nodes: map().nodes.into_iter().take(1).collect(),
        edges: Vec::new(),
        ..map()
    };
    let series = [series("i-1", Some(0))];
    let nothing = judged(&alone, &series, &[]);
    assert_eq!(nothing.grade, CauseGrade::Inconclusive, "{nothing:#?}");
    assert_eq!(nothing.limits.len(), 1, "{nothing:#?}");
    let changed = judged(&alone, &series, &[("i-1", 8)]);
    assert_eq!(named(&changed), ("likely", "i-1"), "{changed:#?}");
    assert_eq!(
        changed.statement,
        "the resource itself: its rules were changed"
    );

    let quiet = judged(&map(), &[], &[]);
    assert_eq!(
        quiet.statement,
        "nothing around the resource deviates, and no change is known"
    );
}

#[test]
fn a_judgement_with_entries_is_for_readers_of_all_of_them() {
    let entry = |sequence: u64| RelatedEntry {
        sequence,
        event_id: sequence.to_string(),
        at: start(),
        actor_id: None,
        actor_email: None,
        operation: String::new(),
    };
    let base = judged(&map(), &all_shift(0), &[]);
    let mut full = judged(&map(), &all_shift(0), &[("sg", 8)]);
    let changes = &mut full.candidates[0].changes;
    changes[0].entry = Some(entry(1));
    changes.push(CauseChange {
        entry: Some(entry(2)),
        ..change(7)
    });
    let cause = ProbableCause {
        with_entries: Some(Box::new(full)),
        ..base
    };
    assert_eq!(cause.seen_by(|_| true).grade, CauseGrade::Likely);
    assert_eq!(
        cause.seen_by(|entry| entry.sequence == 1).grade,
        CauseGrade::Inconclusive
    );
}
