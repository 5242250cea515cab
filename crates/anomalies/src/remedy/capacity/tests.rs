//! Each metric and each kind of resource: the change and the agent type that owns it, or the reason
//! why there is none.

#![allow(clippy::unwrap_used)]

use reeve_estate::{Capacity, ResourceId};
use reeve_recommend::agent::Impact;
use reeve_recommend::approval::matrix::ApprovalMatrix;

use super::super::fixtures::{anomaly, resource, terms};
use super::*;

/// Costs of the account of the resources, a month.
fn account(all: &[Resource]) -> Option<Money> {
    let costs: Vec<Money> = all.iter().filter_map(|one| one.monthly_cost).collect();
    (!costs.is_empty()).then(|| costs.into_iter().fold(Money::ZERO, |sum, one| sum + one))
}

fn found(metric: Metric, value: f64, expected: f64, all: &[Resource]) -> Result<Remedy, String> {
    let of = anomaly(Some(metric), value, expected);
    capacity(
        &of,
        &all[0],
        all,
        account(all),
        terms(&ApprovalMatrix::default()),
        Timestamp::UNIX_EPOCH,
    )
    .map_err(String::from)
}

fn change(
    metric: Metric,
    value: f64,
    expected: f64,
    all: &[Resource],
) -> (String, AgentType, RecommendationType) {
    let remedy = found(metric, value, expected, all).unwrap();
    let plan = remedy.proposal.plan.as_ref().unwrap();
    assert_eq!(
        plan.change.as_ref().unwrap().resource,
        remedy.resource.id.0,
        "the plan is of the resource"
    );

    assert!(
        remedy.by_hand.is_none()
            && remedy
                .proposal
                .reason_codes
                .contains(&"anomaly:an-1".to_owned())
    );

    (
        plan.change_name().unwrap().to_owned(),
        remedy.agent_type,
        remedy.proposal.kind,
    )
}

#[test]
fn every_shortage_of_a_machine_or_database_has_its_change() {
    use RecommendationType::{DatabaseTuning, InstanceType, StorageExpansion};

    let machine = [resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    )];

    let database = [resource(
        "db-1",
        ResourceKind::Database,
        Some("db.m5.large"),
    )];
    let volume = [resource("vol-1", ResourceKind::Volume, None)];
    let performance = AgentType::PERFORMANCE_OPTIMIZER;

    for (metric, value, all, name, agent_type, kind) in [
        (
            Metric::CpuUtilization,
            97.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            Metric::MemoryUtilization,
            97.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            Metric::CpuCreditBalance,
            1.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            Metric::CpuUtilization,
            97.0,
            &database,
            "resize_database",
            performance,
            InstanceType,
        ),
        (
            Metric::DatabaseConnections,
            97.0,
            &database,
            "replicate",
            AgentType::DB_OPTIMIZER,
            DatabaseTuning,
        ),
        (
            Metric::FreeStorage,
            1.0,
            &database,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
        (
            Metric::FreeStorage,
            1.0,
            &volume,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
        (
            Metric::DiskUtilization,
            97.0,
            &volume,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
    ] {
        assert_eq!(
            change(metric, value, 30.0, all),
            (name.to_owned(), agent_type, kind),
            "{metric}"
        );
    }

    let larger = found(Metric::CpuUtilization, 97.0, 30.0, &machine)
        .unwrap()
        .proposal;
    assert_eq!(larger.subject.target_type.as_deref(), Some("m5.xlarge"));
    assert!(larger.savings_monthly.unwrap().usd() < 0.0 && larger.impact_level >= Impact::Low);
    assert_eq!(larger.title, "Resize i-1 from m5.large to m5.xlarge");
    assert_eq!(
        larger.explanation.factors.first(),
        Some("something rose"),
        "the title leaves the reason to the factors"
    );
}

#[test]
fn members_of_a_group_and_balancers_scale_the_group() {
    let mut group = resource("asg-1", ResourceKind::ScalingGroup, Some("m5.large"));
    group.specification.capacity = Some(Capacity {
        min: 2,
        desired: 2,
        max: 6,
    });
    let mut member = resource("i-1", ResourceKind::VirtualMachine, Some("m5.large"));
    member.group = Some(ResourceId::new("asg-1"));
    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.attached_to = vec![ResourceId::new("i-1")];
    let expected = (
        "scale_group".to_owned(),
        AgentType::PERFORMANCE_OPTIMIZER,
        RecommendationType::AutoScaling,
    );
    let by_member = [member.clone(), group.clone(), balancer.clone()];
    assert_eq!(
        change(Metric::CpuUtilization, 90.0, 60.0, &by_member),
        expected
    );

    for metric in [Metric::RequestRate, Metric::ResponseTime] {
        assert_eq!(
            change(
                metric,
                90.0,
                60.0,
                &[balancer.clone(), member.clone(), group.clone()]
            ),
            expected
        );
    }

    let remedy = found(Metric::CpuUtilization, 90.0, 60.0, &by_member).unwrap();
    assert!(
        remedy.proposal.title.starts_with("Scale asg-1"),
        "{}",
        remedy.proposal.title
    );

    assert!(
        remedy.proposal.title.ends_with(" from 2 to 3 members"),
        "{}",
        remedy.proposal.title
    );

    let action = &remedy.proposal.explanation.action;
    assert!(
        action.contains(" from 2 to 3 members until 1970-01-01 06:00 UTC"),
        "{action}"
    );

    let alone = found(Metric::RequestRate, 90.0, 60.0, &[balancer]).unwrap_err();
    assert_eq!(
        alone,
        "the machines behind it do not belong to one scaling group"
    );
}

#[test]
fn where_no_change_fits_the_reason_is_said() {
    let machine = resource("i-1", ResourceKind::VirtualMachine, Some("m5.large"));
    let why =
        |metric: Metric, value: f64, of: Resource| found(metric, value, 30.0, &[of]).unwrap_err();
    assert_eq!(
        why(Metric::CpuUtilization, 2.0, machine.clone()),
        "CPU fell, so no capacity runs short"
    );
    assert!(
        why(Metric::ErrorRate, 90.0, machine.clone())
            .starts_with("errors come from what runs on it")
    );
    assert!(
        why(Metric::NetworkOut, 90.0, machine.clone()).contains("no limit that Reeve could raise")
    );

    let bucket = resource("b-1", ResourceKind::Bucket, None);
    assert_eq!(
        why(Metric::CpuUtilization, 90.0, bucket),
        "Reeve cannot enlarge a bucket"
    );

    let mut ignored = machine.clone();
    ignored
        .tags
        .insert("reeve:ignore".to_owned(), "true".to_owned());
    assert!(why(Metric::CpuUtilization, 90.0, ignored).contains("a tag excludes the resource"));

    let largest = Resource {
        specification: reeve_estate::Specification {
            instance_type: Some("nothing.large".to_owned()),
            ..machine.specification.clone()
        },
        ..machine
    };
    assert!(why(Metric::CpuUtilization, 90.0, largest).contains("no larger size"));

    // A second metric of the same anomaly may have the change that the first one lacks.
    let mut of = anomaly(Some(Metric::ErrorRate), 9.0, 1.0);
    of.readings
        .extend(anomaly(Some(Metric::CpuUtilization), 97.0, 30.0).readings);
    let machine = [resource(
        "i-1",
        ResourceKind::VirtualMachine,
        Some("m5.large"),
    )];

    let remedy = capacity(
        &of,
        &machine[0],
        &machine,
        None,
        terms(&ApprovalMatrix::default()),
        Timestamp::UNIX_EPOCH,
    )
    .unwrap();

    assert_eq!(
        remedy.proposal.plan.unwrap().change_name(),
        Some("resize_machine")
    );
}

#[test]
fn a_change_without_a_plan_is_advice_with_its_reason() {
    let mut database = resource("db-1", ResourceKind::Database, Some("db-n1-standard-1"));
    database.provider = reeve_estate::Provider::Gcp;
    let remedy = found(Metric::DatabaseConnections, 90.0, 30.0, &[database]).unwrap();
    assert!(remedy.proposal.plan.is_none());
    assert_eq!(
        remedy.by_hand.as_deref(),
        Some("Reeve makes replicas on RDS alone")
    );
}
