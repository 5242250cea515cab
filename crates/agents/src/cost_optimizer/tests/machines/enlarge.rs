//! Machines that are short of something: what brings more of it, at the lowest price, in whichever
//! family.

use reeve_estate::Metric;

use super::super::estate::{Case, noise};
use super::load::{CPU, in_region, instead};
use super::{Costs, Row, Saves, Unknown, Upgrade, left, row};

fn full(size: &str, level: f64) -> Case {
    Case::machine(size)
        .with(CPU, 30, |back| Some(level + 2.0 * (noise(back) - 0.5)))
        .all_else_small()
}

fn drained(size: &str, baseline: f64) -> Case {
    Case::machine(size)
        .with(CPU, 30, |back| Some(baseline - 0.2 * noise(back)))
        .flat(Metric::CpuCreditBalance, 30, 0.1)
        .all_else_small()
}

pub(super) fn rows() -> Vec<Row> {
    let mut arm = full("m6g.large", 97.0);
    arm.resource.specification.architecture = Some("arm64".to_owned());
    let lately = Case::machine("m5.large")
        .with(CPU, 30, |back| Some(if back < 1440 { 97.0 } else { 40.0 }))
        .all_else_small();
    let rds = |class: &str| {
        let load = full(class, 96.0);
        Case {
            series: load.series,
            ..Case::database(class)
        }
    };
    let mut database = rds("db.t3.medium");

    for series in &mut database.series {
        series.resource = database.resource.id.clone();
    }

    vec![
        row(
            "t2.micro at its limit",
            full("t2.micro", 96.0),
            Upgrade("c6a.large"),
            Costs,
            &["48.0 %"],
        ),
        row(
            "t3.medium at its limit",
            full("t3.medium", 96.0),
            Upgrade("c6a.xlarge"),
            Costs,
            &["48.0 %"],
        ),
        row(
            "m5.large at its limit",
            full("m5.large", 97.0),
            Upgrade("c6a.xlarge"),
            Costs,
            &[],
        ),
        row(
            "the same with its memory in use",
            instead(full("m5.large", 97.0), Metric::MemoryUtilization, |_| {
                Some(85.0)
            }),
            Upgrade("c6a.xlarge"),
            Costs,
            &[],
        ),
        row(
            "r5.large at its limit with its memory in use",
            instead(full("r5.large", 96.0), Metric::MemoryUtilization, |_| {
                Some(85.0)
            }),
            Upgrade("m5a.xlarge"),
            Costs,
            &[],
        ),
        row("ARM at its limit", arm, Upgrade("c6g.xlarge"), Costs, &[]),
        row(
            "out of credits at 30 %",
            drained("t3.large", 30.0),
            Upgrade("c6a.large"),
            Saves,
            &["credits"],
        ),
        row(
            "out of credits at 40 %, better and cheaper",
            drained("t3.xlarge", 40.0),
            Upgrade("c6a.xlarge"),
            Saves,
            &["credits"],
        ),
        row(
            "at its limit, region without prices",
            in_region(full("c5.large", 96.0), "nowhere-1"),
            Upgrade("c5.xlarge"),
            Unknown,
            &["no list price"],
        ),
        row(
            "an RDS database at its limit",
            database,
            Upgrade("db.t3.2xlarge"),
            Unknown,
            &[],
        ),
        left("at its limit for a day", lately, "cpu_not_throttled", &[]),
    ]
}
