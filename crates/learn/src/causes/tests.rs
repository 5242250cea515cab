//! Made-up incidents.

use super::*;

const MINUTE_MS: i64 = 60_000;
const FAULT: i64 = 240;

/// A metric around 100 that rises to `level` at a minute.
fn metric(node: &str, from: i64, level: f64) -> NodeMetric {
    let value = |minute: i64| {
        let ripple = (minute * 7 % 13) as f64 / 3.0;
        ripple + if minute >= from { level } else { 100.0 }
    };
    NodeMetric {
        node: node.to_owned(),
        metric: "latency".to_owned(),
        points: (0..FAULT + 30)
            .map(|at| (at * MINUTE_MS, value(at)))
            .collect(),
    }
}

fn edges(calls: &[(&str, &str)]) -> Vec<CauseEdge> {
    let edge = |(caller, callee): &(&str, &str)| CauseEdge {
        caller: (*caller).to_owned(),
        callee: (*callee).to_owned(),
    };
    calls.iter().map(edge).collect()
}

fn symptom(node: &str) -> IncidentSymptom {
    IncidentSymptom {
        node: node.to_owned(),
        metric: None,
        start_ms: (FAULT + 4) * MINUTE_MS,
        end_ms: None,
    }
}

/// web calls api and search, api calls database; batch calls database as well.
const CALLS: [(&str, &str); 4] = [
    ("web", "api"),
    ("web", "search"),
    ("api", "database"),
    ("batch", "database"),
];

fn failure() -> Vec<NodeMetric> {
    vec![
        metric("web", FAULT + 4, 260.0),
        metric("api", FAULT + 2, 220.0),
        metric("database", FAULT, 180.0),
        metric("batch", FAULT + 2, 200.0),
        metric("search", 10_000, 0.0),
        metric("mail", 10_000, 0.0),
    ]
}

#[test]
fn a_failure_downstream_is_confirmed_although_the_symptom_is_louder() {
    let found = causes(&failure(), Some(&edges(&CALLS)), &symptom("web"));
    assert_eq!(found[0].node, "database");
    assert_eq!(found[0].grade, CauseGrade::Confirmed, "{:#?}", found[0]);
    assert_eq!(found[0].place, CausePlace::Chain(vec!["api".to_owned()]));
    assert_eq!(found[0].coverage, 1.0);
    assert_eq!(found[0].onset_ms, FAULT * MINUTE_MS);

    let web = found.iter().find(|one| one.node == "web");
    assert_eq!(web.and_then(|web| web.explained_by.as_deref()), Some("api"));
    assert!(
        found[1..]
            .iter()
            .all(|one| one.grade == CauseGrade::Inconclusive)
    );
    assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.score)));
    assert!(
        !found.iter().any(|one| one.node == "search"),
        "it does not deviate"
    );
}

#[test]
fn without_edges_nothing_is_confirmed() {
    let found = causes(&failure(), None, &symptom("web"));
    assert!(found.iter().all(|one| one.grade < CauseGrade::Confirmed));
    assert!(found.iter().all(|one| one.place == CausePlace::Unknown));
}

#[test]
fn a_change_elsewhere_at_the_same_time_is_no_cause() {
    let mut metrics = failure();
    metrics[5] = metric("mail", FAULT - 6, 900.0);
    let found = causes(&metrics, Some(&edges(&CALLS)), &symptom("web"));
    assert_eq!(found[0].node, "database");
    let mail = found.iter().find(|one| one.node == "mail");
    assert!(mail.is_some_and(|mail| mail.place == CausePlace::NotReachable && mail.score < 0.2));
}

#[test]
fn a_callee_that_is_not_measured_leaves_the_cause_open() {
    let mut calls = CALLS.to_vec();
    calls.push(("database", "disk"));
    let found = causes(&failure(), Some(&edges(&calls)), &symptom("web"));
    assert_eq!(found[0].node, "database");
    assert_eq!(found[0].unmeasured.as_deref(), Some("disk"));
    assert_eq!(found[0].grade, CauseGrade::Likely);
}

#[test]
fn a_symptom_that_does_not_show_confirms_nothing() {
    let edges = edges(&CALLS);
    let named = |metric: &str| IncidentSymptom {
        metric: Some(metric.to_owned()),
        ..symptom("web")
    };
    let mut metrics = failure();
    metrics.push(NodeMetric {
        metric: "errors".to_owned(),
        ..metric("web", 10_000, 0.0)
    });
    let grade = |metric: &str| causes(&metrics, Some(&edges), &named(metric))[0].grade;
    assert_eq!(
        (grade("latency"), grade("errors")),
        (CauseGrade::Confirmed, CauseGrade::Likely)
    );
}

#[test]
fn nothing_is_named_where_nothing_deviates() {
    let quiet: Vec<NodeMetric> = ["web", "api"]
        .map(|node| metric(node, 10_000, 0.0))
        .to_vec();
    assert!(causes(&quiet, Some(&edges(&CALLS)), &symptom("web")).is_empty());
    assert!(causes(&[], None, &symptom("web")).is_empty());

    // A single spike is no incident either.
    let mut spike = quiet;
    spike[0].points[FAULT as usize].1 = 900.0;
    assert!(causes(&spike, None, &symptom("web")).is_empty());
}

#[test]
fn cycles_end_and_the_order_of_the_input_says_nothing() {
    let mut calls = CALLS.to_vec();
    calls.push(("database", "web"));
    let edges = edges(&calls);
    let found = causes(&failure(), Some(&edges), &symptom("web"));
    let mut turned = failure();
    turned.reverse();
    assert_eq!(causes(&turned, Some(&edges), &symptom("web")), found);
}
