//! A new, an enlarged, a forgotten and a used resource: the change that makes it cost less, or the
//! reason why there is none.

#![allow(clippy::unwrap_used)]

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, ResourceId, SampleSeries};
use reeve_recommend::approval::matrix::ApprovalMatrix;

use super::*;
use crate::anomaly_answer::tests::{report, resource, terms};

fn usage(cpu: f64) -> Option<CpuUse> {
    let at = |step: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_mins(step * 5);
    let points = (0..48).map(|step| (at(step), cpu)).collect();
    CpuUse::from_series(&SampleSeries {
        resource: ResourceId::new("i-1"),
        metric: Metric::CpuUtilization,
        points,
        period_s: 300,
    })
}

fn reduced(
    resource: &Resource,
    volumes: &[Resource],
    expected: f64,
    cpu: Option<CpuUse>,
    former_size: Option<&str>,
) -> Result<ObservationAnswer, String> {
    let increase = CostIncrease {
        anomaly: &report(),
        resource,
        observed: 160.0,
        expected,
        cpu,
        former_size,
        volumes,
    };
    reduce(&increase, terms(&ApprovalMatrix::default())).map_err(String::from)
}

fn found(
    expected: f64,
    usage: Option<CpuUse>,
    before: Option<&str>,
) -> Result<(String, Option<String>, ObservationAnswer), String> {
    let machine = resource("i-1", ResourceKind::VirtualMachine, Some("m5.4xlarge"));
    let volume = resource("vol-1", ResourceKind::Volume, None);
    let remedy = reduced(&machine, &[volume], expected, usage, before)?;

    assert!(
        remedy.proposal.savings_monthly.unwrap().usd() > 0.0,
        "{:?}",
        remedy.proposal.savings_monthly
    );

    let name = remedy
        .proposal
        .plan
        .as_ref()
        .unwrap()
        .change_name()
        .unwrap()
        .to_owned();

    Ok((name, remedy.proposal.subject.target_type.clone(), remedy))
}

#[test]
fn new_and_forgotten_machines_are_stopped_and_large_ones_made_smaller() {
    let name =
        |expected, usage, before| found(expected, usage, before).map(|(name, to, _)| (name, to));
    let stop = ("stop_machine".to_owned(), None);
    assert_eq!(
        name(0.0, usage(0.4), None),
        Ok(stop.clone()),
        "new, and nobody uses it"
    );
    assert_eq!(name(80.0, usage(0.4), None), Ok(stop.clone()), "forgotten");
    assert_eq!(
        name(0.0, None, None),
        Ok(stop),
        "new, and its use is not measured"
    );

    let smaller = ("resize_machine".to_owned(), Some("m5.2xlarge".to_owned()));
    assert_eq!(name(80.0, usage(20.0), None), Ok(smaller), "too large");

    let back = ("resize_machine".to_owned(), Some("m5.xlarge".to_owned()));
    assert_eq!(
        name(80.0, usage(10.0), Some("m5.xlarge")),
        Ok(back),
        "somebody enlarged it"
    );

    let (_, _, unmeasured) = found(0.0, None, None).unwrap();
    assert_eq!(
        unmeasured.proposal.impact.performance_degradation_percent, None,
        "no agent applies it by itself"
    );
    assert_eq!(unmeasured.proposal.not_measured, ["cpu_utilization"]);
}

#[test]
fn what_is_in_use_is_left_to_people() {
    let why = |expected, usage, before| found(expected, usage, before).map(|_| ()).unwrap_err();
    assert_eq!(
        why(0.0, usage(80.0), None),
        "i-1 is in use: decide manually whether it is needed"
    );
    assert_eq!(
        why(80.0, usage(80.0), Some("m5.large")),
        "i-1 is in use: decide manually whether it is needed"
    );
    assert_eq!(why(80.0, None, None), "the use of i-1 is not measured");

    let refuse = |change: fn(&mut Resource)| {
        let mut machine = resource("i-1", ResourceKind::VirtualMachine, Some("m5.4xlarge"));
        change(&mut machine);
        reduced(&machine, &[], 0.0, usage(0.1), None).unwrap_err()
    };
    assert!(refuse(|of| of.state = ResourceState::Stopped).contains("does not run any more"));

    assert!(refuse(|of| of.group = Some(ResourceId::new("asg-1"))).contains("belongs to a group"));
    assert!(
        refuse(|of| of.kind = ResourceKind::Bucket).contains("cannot reduce the cost of a bucket")
    );
}
