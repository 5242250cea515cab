//! Machines that nothing works on, and those that only seem so.

use reeve_estate::{Metric, Provider, ResourceKind};

use super::super::estate::{Case, noise, resource};
use super::load::{
    CPU, days_ago, in_region, instead, minute_of_day, on_platform, resting, silent_rest, weekday,
    within, without,
};
use super::{Delete, Row, Saves, Saving, Schedule, Stop, Unknown, left, row};

fn idle(size: &str) -> Case {
    resting(size, |_| None)
}

fn sunday_job(size: &str) -> Case {
    resting(size, |back| within(back, 6..=6, 120, 130).then_some(40.0))
}

pub(super) fn rows() -> Vec<Row> {
    nothing_works()
        .into_iter()
        .chain(works_sometimes())
        .chain(other_kinds())
        .collect()
}

fn nothing_works() -> Vec<Row> {
    let blind = without(
        idle("m5.large"),
        &[
            Metric::DiskRead,
            Metric::DiskWrite,
            Metric::DiskReadOps,
            Metric::DiskWriteOps,
            Metric::MemoryUtilization,
        ],
    );
    vec![
        row(
            "silent for a month",
            idle("m5.large"),
            Stop,
            Saves,
            &["30 days"],
        ),
        row("silent, disks not measured", blind, Stop, Saves, &[]),
        row(
            "silent, Windows",
            on_platform(idle("m5.large"), "windows"),
            Stop,
            Saves,
            &["$0.1880 an hour"],
        ),
        row(
            "silent, in a region without prices",
            in_region(idle("m5.large"), "nowhere-1"),
            Stop,
            Unknown,
            &["price"],
        ),
        row(
            "silent, production",
            idle("c5.xlarge").tag("env", "prod"),
            Stop,
            Saves,
            &[],
        ),
        row(
            "silent, by Terraform",
            idle("c5.xlarge").tag("managed-by", "terraform"),
            Stop,
            Saves,
            &["terraform"],
        ),
        row("silent, with a GPU", idle("g5g.xlarge"), Stop, Saves, &[]),
        left(
            "CPU silent, network not measured",
            without(idle("m5.large"), &[Metric::NetworkIn]),
            "not_measured",
            &[],
        ),
    ]
}

fn works_sometimes() -> Vec<Row> {
    let night_copy = |metric, value| {
        instead(idle("m5.large"), metric, move |back| {
            Some(if within(back, 5..=5, 60, 80) {
                value
            } else {
                90.0
            })
        })
    };

    let closing = resting("m5.2xlarge", |back| {
        (days_ago(back) == 15 && minute_of_day(back) < 300).then_some(70.0)
    });
    let now_and_then = resting("m5.2xlarge", |back| {
        [(2, 600), (9, 60), (13, 1200), (21, 900), (26, 200)]
            .iter()
            .any(|(day, from)| {
                days_ago(back) == *day && (*from..from + 90).contains(&minute_of_day(back))
            })
            .then_some(60.0)
    });

    let given_up = resting("m5.large", |back| {
        (days_ago(back) > 10).then(|| 35.0 + 5.0 * noise(back))
    });
    let just_left = resting("m5.large", |back| {
        (days_ago(back) > 5).then(|| 35.0 + 5.0 * noise(back))
    });
    let office = resting("m5.2xlarge", |back| {
        within(back, 0..=4, 480, 1080).then(|| 45.0 + 20.0 * noise(back))
    });
    let nightly = resting("c5.2xlarge", |back| {
        within(back, 0..=6, 60, 230).then(|| 70.0 + 20.0 * noise(back))
    });

    vec![
        row(
            "ten minutes every Sunday",
            sunday_job("m5.large"),
            Schedule,
            Saves,
            &["Sunday 02:00"],
        ),
        row(
            "the same on Windows",
            on_platform(sunday_job("m5.large"), "windows"),
            Schedule,
            Saves,
            &["$0.1880 an hour"],
        ),
        row(
            "a copy every Saturday night",
            night_copy(Metric::NetworkOut, 2e7),
            Schedule,
            Saves,
            &["Saturday 01:00"],
        ),
        row(
            "a backup to disk every Saturday",
            night_copy(Metric::DiskWrite, 4e7),
            Schedule,
            Saves,
            &["Saturday"],
        ),
        row(
            "office hours, development",
            office.tag("env", "dev"),
            Schedule,
            Saves,
            &["Monday to Friday"],
        ),
        row(
            "a batch every night",
            nightly,
            Schedule,
            Saves,
            &["every day 01:00"],
        ),
        row(
            "25 minutes a day",
            resting("m5.large", |back| {
                within(back, 0..=6, 300, 325).then_some(80.0)
            }),
            Schedule,
            Saves,
            &["every day 05:00"],
        ),
        left("a job at the month's end", closing, "rare_work", &[]),
        left("work now and then", now_and_then, "irregular_work", &[]),
        row(
            "in use until eleven days ago",
            given_up,
            Stop,
            Saves,
            &["idle since 2026-11-", "It was in use until"],
        ),
        left("in use until five days ago", just_left, "cpu_in_use", &[]),
    ]
}

fn other_kinds() -> Vec<Row> {
    let database = |connections: fn(i64) -> f64| {
        Case::database("db.m5.large")
            .flat(CPU, 30, 2.0)
            .flat(Metric::MemoryUtilization, 30, 40.0)
            .with(Metric::DatabaseConnections, 30, move |back| {
                Some(connections(back))
            })
    };

    let office = |back| {
        if within(back, 0..=4, 420, 1140) {
            6.0
        } else {
            0.0
        }
    };

    let mut volume = Case::machine("x");
    volume.resource = resource("vol-9", ResourceKind::Volume, "ebs", None);
    volume.resource.specification.storage_gib = Some(500.0);
    volume.resource.specification.storage_type = Some("gp3".to_owned());
    let mut azure = idle("Standard_D4s_v5");
    azure.resource.provider = Provider::Azure;
    azure.resource.region = "westeurope".to_owned();
    let weekday_connections = |back: i64| {
        if weekday(back) == 2 && minute_of_day(back) < 60 {
            1.0
        } else {
            0.0
        }
    };

    vec![
        row(
            "a database without connections",
            database(|_| 0.0),
            Stop,
            Unknown,
            &["price"],
        ),
        row(
            "a database in office hours",
            database(office),
            Schedule,
            Unknown,
            &["Monday to Friday"],
        ),
        row(
            "a database asked once a week",
            database(weekday_connections),
            Schedule,
            Unknown,
            &["Wednesday 00:00"],
        ),
        row(
            "a volume attached to nothing",
            volume,
            Delete,
            Saves,
            &["$40.00"],
        ),
        row("silent, on Azure", azure, Stop, Saves, &[]),
        row(
            "a database with three connections",
            database(|_| 3.0),
            super::Nothing("connections_in_use"),
            Saving::None,
            &[],
        ),
        left("silent for four days only", thin(), "thin_data", &[]),
    ]
}

fn thin() -> Case {
    silent_rest(Case::machine("m5.large").flat(CPU, 4, 0.1))
}
