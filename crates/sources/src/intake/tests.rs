//! Tests of the intake: order, repetition, restarts of counters, gaps, divisions, and bounds.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use reeve_estate::{Metric, Provider, Resource, ResourceKind, ResourceState, Specification};

use super::*;
use crate::index::Needs;
use crate::{preview, ready_mappings};

const STALE_MARK: f64 = f64::from_bits(STALE);

fn machine(id: &str, name: &str) -> Resource {
    Resource {
        id: ResourceId::new(id),
        connection: ConnectionId("c".into()),
        provider: Provider::Aws,
        account: "1234".into(),
        region: "us-east-1".into(),
        service: "ec2".into(),
        kind: ResourceKind::VirtualMachine,
        name: name.into(),
        state: ResourceState::Running,
        specification: Specification::default(),
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: Timestamp::UNIX_EPOCH,
    }
}

fn index() -> Arc<ResourceIndex> {
    let mut index = ResourceIndex::default();
    for (id, name, address) in [
        ("i-1", "web-1", "10.0.0.1"),
        ("i-2", "twin", "10.0.0.2"),
        ("i-3", "twin", "10.0.0.3"),
    ] {
        index.add(&machine(id, name), &[address.to_owned()], &Needs::default());
    }
    Arc::new(index)
}

fn intake() -> Intake {
    let ready = ready_mappings()
        .into_iter()
        .find(|mapping| mapping.name == "node_exporter")
        .unwrap();
    Intake::new(ready.rules.into(), index())
}

fn labels(name: &str, more: &[(&str, &str)]) -> Labels {
    let all = [("__name__", name)].into_iter().chain(more.iter().copied());
    Labels::new(
        all.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    )
    .unwrap()
}

fn series(name: &str, more: &[(&str, &str)], points: &[(i64, f64)]) -> PushedSeries {
    let points = points
        .iter()
        .map(|(second, value)| (second * 1000, *value))
        .collect();
    PushedSeries {
        labels: labels(name, more),
        points,
    }
}

const NODE: (&str, &str) = ("instance", "10.0.0.1:9100");

/// Pushes at a time that is `1000` s after the epoch.
fn push(intake: &mut Intake, pushed: Vec<PushedSeries>) -> Taken {
    intake.take(
        &ConnectionId("p".into()),
        pushed,
        Timestamp::from_second(1000).unwrap(),
    )
}

/// Samples as (metric, second, value).
fn values(taken: &Taken) -> Vec<(Metric, i64, f64)> {
    let value = |sample: &Sample| (sample.metric, sample.timestamp.as_second(), sample.value);
    assert!(
        taken
            .samples
            .iter()
            .all(|sample| sample.resource.as_str() == "i-1" && sample.period_s == PERIOD_S)
    );

    taken.samples.iter().map(value).collect()
}

#[test]
fn memory_in_use_is_what_is_not_available() {
    let mut intake = intake();
    let available = series(
        "node_memory_MemAvailable_bytes",
        &[NODE],
        &[(600, 30.0), (660, 10.0)],
    );
    let taken = push(&mut intake, vec![available]);
    assert_eq!(
        (values(&taken), taken.counts.mapped),
        (Vec::new(), 2),
        "the total is not there yet"
    );

    let taken = push(
        &mut intake,
        vec![series(
            "node_memory_MemTotal_bytes",
            &[NODE],
            &[(600, 100.0), (660, 100.0)],
        )],
    );
    assert_eq!(values(&taken), [(Metric::MemoryUtilization, 600, 80.0)]);

    // The same push again, as after a lost answer, gives the same sample.
    let again = push(
        &mut intake,
        vec![series(
            "node_memory_MemTotal_bytes",
            &[NODE],
            &[(600, 100.0), (660, 100.0)],
        )],
    );
    assert_eq!(again, taken);

    // Order does not matter.
    let late = push(
        &mut intake,
        vec![series(
            "node_memory_MemAvailable_bytes",
            &[NODE],
            &[(630, 20.0)],
        )],
    );

    assert_eq!(values(&late), [(Metric::MemoryUtilization, 600, 80.0)]);
}

#[test]
fn processors_are_averaged_over_their_counters() {
    let mut intake = intake();
    let idle = |cpu: &str, points: &[(i64, f64)]| {
        series(
            "node_cpu_seconds_total",
            &[NODE, ("cpu", cpu), ("mode", "idle")],
            points,
        )
    };

    let busy = series(
        "node_cpu_seconds_total",
        &[NODE, ("cpu", "0"), ("mode", "user")],
        &[(600, 1.0)],
    );

    // One is idle half of the time, the other restarts and is idle all of the time after that.
    let pushed = vec![
        idle("0", &[(600, 1000.0), (660, 1030.0), (720, 1060.0)]),
        idle("1", &[(600, 9000.0), (660, 60.0), (720, 120.0)]),
        busy,
    ];
    let taken = push(&mut intake, pushed);
    assert_eq!(values(&taken), [(Metric::CpuUtilization, 600, 25.0)]);
    assert_eq!((taken.counts.mapped, taken.counts.unselected), (6, 1));

    // The node goes away and returns: the gap is not bridged.
    let gone = push(
        &mut intake,
        vec![
            idle("0", &[(780, STALE_MARK)]),
            idle("1", &[(780, STALE_MARK)]),
        ],
    );
    assert_eq!((gone.counts.stale, values(&gone)), (2, values(&taken)));

    let back = push(
        &mut intake,
        vec![
            idle("0", &[(840, 5.0), (900, 5.0)]),
            idle("1", &[(840, 5.0)]),
        ],
    );

    assert_eq!(
        values(&back),
        [
            (Metric::CpuUtilization, 600, 25.0),
            (Metric::CpuUtilization, 900, 100.0)
        ]
    );
}

#[test]
fn what_is_not_stored_is_counted() {
    let mut intake = intake();
    let total = |more: &[(&str, &str)], points: &[(i64, f64)]| {
        series("node_memory_MemTotal_bytes", more, points)
    };

    let taken = push(
        &mut intake,
        vec![
            series("up", &[NODE], &[(600, 1.0)]),
            total(&[("instance", "10.9.9.9:9100")], &[(600, 1.0)]),
            total(&[], &[(600, 1.0)]),
            total(
                &[NODE],
                &[
                    (600, f64::INFINITY),
                    (600, f64::NAN),
                    (1700, 1.0),
                    (-4_000_000, 1.0),
                    (900, 1.0),
                ],
            ),
            total(&[NODE], &[(200, 1.0)]),
            series("node_memory_MemAvailable_bytes", &[NODE], &[(900, 3.0)]),
        ],
    );

    let expected = IntakeCounts {
        received: 10,
        mapped: 2,
        unselected: 1,
        unmatched: 2,
        not_finite: 2,
        in_future: 1,
        too_old: 2,
        out_of_range: 1,
        ..IntakeCounts::default()
    };

    assert_eq!(
        (taken.counts, taken.samples),
        (expected, Vec::new()),
        "available memory is above the total"
    );
}

#[test]
fn a_machine_that_appears_later_is_found() {
    let mut intake = intake();
    let node: &[(&str, &str)] = &[("instance", "10.0.0.9:9100")];
    let pushed = || {
        vec![
            series("node_memory_MemAvailable_bytes", node, &[(600, 50.0)]),
            series("node_memory_MemTotal_bytes", node, &[(600, 100.0)]),
        ]
    };
    assert_eq!(push(&mut intake, pushed()).counts.unmatched, 2);

    let mut grown = ResourceIndex::clone(intake.index());
    grown.add(
        &machine("i-9", "new"),
        &["10.0.0.9".to_owned()],
        &Needs::default(),
    );
    intake.set_index(Arc::new(grown));
    let taken = push(&mut intake, pushed());
    assert_eq!((taken.samples.len(), taken.samples[0].value), (1, 50.0));
}

#[test]
fn a_preview_says_what_matches_and_why_the_rest_does_not() {
    let mut intake = intake();
    let memory = |more: &[(&str, &str)]| {
        let (available, total) = (
            "node_memory_MemAvailable_bytes",
            "node_memory_MemTotal_bytes",
        );
        vec![
            series(available, more, &[(600, 25.0)]),
            series(total, more, &[(600, 100.0)]),
        ]
    };
    let mut pushed = memory(&[NODE]);
    pushed.extend(memory(&[("instance", "10.7.7.7:9100")]));

    pushed.push(series(
        "node_memory_MemAvailable_bytes",
        &[("instance", "10.0.0.2:9100")],
        &[(600, 1.0)],
    ));
    pushed.push(series("up", &[NODE], &[(600, 1.0)]));
    push(&mut intake, pushed);
    let seen = preview(&intake, intake.index(), intake.rules());
    let memory = &seen.rules[0];
    assert_eq!((memory.series, memory.mapped, seen.complete), (3, 1, true));

    let outcomes: Vec<String> = memory
        .matches
        .iter()
        .map(|found| match &found.outcome {
            Ok(resource) => format!("{} {:?}", resource.id, found.value),
            Err(why) => why.to_string(),
        })
        .collect();

    assert_eq!(
        outcomes,
        [
            "i-1 Some(75.0)",
            "no series of node_memory_MemTotal_bytes has the same labels",
            "no resource has the private address 10.7.7.7:9100",
        ]
    );

    assert_eq!(seen.unselected, [("up".to_owned(), 1)]);

    // Rules that are not stored yet are tried on the same series.
    let mut by_name = intake.rules()[0].draft();
    by_name.locate_by = "name".into();
    by_name.label = Some("nodename".into());
    let tried = preview(
        &intake,
        intake.index(),
        &crate::read_rules(vec![by_name]).unwrap(),
    );
    assert_eq!(tried.rules[0].mapped, 0);

    let why = tried.rules[0].matches[0].outcome.as_ref().unwrap_err();
    assert_eq!(why.to_string(), "the series has no label nodename");
}

#[test]
fn a_name_that_two_resources_have_names_none() {
    let mut rule = intake().rules()[0].draft();
    rule.locate_by = "name".into();
    let rules = crate::read_rules(vec![rule]).unwrap();
    let index = index();
    let at = |value: &str| {
        index
            .locate(&rules[0], &labels("a", &[("instance", value)]))
            .map(|one| one.id.clone())
    };
    assert_eq!(at("web-1:9100"), Ok(ResourceId::new("i-1")));

    assert_eq!(
        at("twin").unwrap_err().to_string(),
        "2 resources have the name twin"
    );
}

#[test]
fn times_that_no_clock_shows_are_counted_and_left_out() {
    let mut intake = intake();
    let name = "node_memory_MemAvailable_bytes";
    let points = vec![
        (i64::MIN, 30.0),
        (i64::MIN + 1, 30.0),
        (i64::MAX, 30.0),
        (i64::MAX - 300_000, 30.0),
    ];

    let taken = push(
        &mut intake,
        vec![PushedSeries {
            labels: labels(name, &[NODE]),
            points,
        }],
    );

    assert_eq!(
        (
            taken.samples.len(),
            taken.counts.too_old,
            taken.counts.in_future
        ),
        (0, 2, 2)
    );
}
