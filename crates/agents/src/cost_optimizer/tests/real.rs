//! The judgement on real CloudWatch traces (Numenta Anomaly Benchmark, realAWSCloudwatch), moved to
//! end now.
//!
//! Where the folder is missing (`REEVE_TEST_DATA`, default `../shared/data` beside the workspace)
//! the cases are skipped and named; the tables above run on generated series in either case.

use std::path::PathBuf;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reeve_estate::{Metric, SampleSeries};

use super::estate::{Case, now};
use reeve_recommend::recommendation::RecommendationType;

fn trace(name: &str) -> Option<Vec<f64>> {
    let root = std::env::var("REEVE_TEST_DATA").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = root.join("nab/realAWSCloudwatch").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped {name}: {} is not there", path.display());
        return None;
    };

    let values = text.lines().skip(1).filter_map(|line| {
        let (at, value) = line.split_once(',')?;
        let at: DateTime = at.replace(' ', "T").parse().ok()?;
        at.to_zoned(TimeZone::UTC).ok()?;
        value.trim().parse::<f64>().ok()
    });

    Some(values.collect())
}

fn machine(size: &str, values: &[f64]) -> Case {
    let mut case = Case::machine(size);
    let first = now() - SignedDuration::from_mins(values.len() as i64 * 5);
    let points = values
        .iter()
        .enumerate()
        .map(|(i, v)| (first + SignedDuration::from_mins(i as i64 * 5), *v))
        .collect();
    let resource = case.resource.id.clone();
    case.series.push(SampleSeries {
        resource,
        metric: Metric::CpuUtilization,
        points,
        period_s: 300,
    });

    case
}

fn found(case: &Case) -> Vec<RecommendationType> {
    case.judge()
        .proposals
        .iter()
        .map(|proposal| proposal.kind)
        .collect()
}

#[test]
fn machines_that_do_next_to_nothing_are_idle_or_too_large() {
    for name in [
        "ec2_cpu_utilization_24ae8d.csv",
        "ec2_cpu_utilization_c6585a.csv",
    ] {
        let Some(values) = trace(name) else { continue };
        assert_eq!(
            found(&machine("m5.xlarge", &values)),
            [RecommendationType::RightSize],
            "{name}: no network, no idle"
        );
        let silent = machine("m5.xlarge", &values)
            .flat(Metric::NetworkIn, 14, 90.0)
            .flat(Metric::NetworkOut, 14, 60.0);
        assert_eq!(
            found(&silent),
            [RecommendationType::IdleResourceCleanup],
            "{name}"
        );
    }
}

#[test]
fn a_machine_at_work_is_not_shrunk() {
    for name in [
        "ec2_cpu_utilization_5f5533.csv",
        "ec2_cpu_utilization_ac20cd.csv",
        "ec2_cpu_utilization_825cc2.csv",
    ] {
        let Some(values) = trace(name) else { continue };
        let kinds = found(&machine("m5.xlarge", &values));
        assert!(
            !kinds.contains(&RecommendationType::RightSize),
            "{name}: {kinds:?}"
        );
        assert!(
            !kinds.contains(&RecommendationType::IdleResourceCleanup),
            "{name}: {kinds:?}"
        );
    }
}
