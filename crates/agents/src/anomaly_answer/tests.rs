//! Each capacity and each kind of resource: the change and the agent type that owns it, or the
//! reason why there is none.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use reeve_estate::{
    Capacity, Money, PriceCatalogue, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::judgement::event::AnomalyReport;
use reeve_recommend::observation::{
    AnswerTerms, Observation, ObservationAnswer, ShortCapacity, Shortage,
};
use reeve_recommend::recommendation::origin::AnomalyId;
use reeve_recommend::recommendation::{Priority, RecommendationType};
use reeve_testkit::contract::estate::running;

/// Anomaly that the tests answer.
pub(crate) fn report() -> AnomalyReport {
    AnomalyReport {
        anomaly: AnomalyId("an-1".to_owned()),
        title: "something rose".to_owned(),
        severity: Priority::High,
        score: 0.9,
        evidence: Vec::new(),
        readings: 1,
    }
}

pub(crate) fn terms(matrix: &ApprovalMatrix) -> AnswerTerms<'_> {
    AnswerTerms {
        catalogue: PriceCatalogue::builtin(),
        matrix,
        now: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn resource(id: &str, kind: ResourceKind, size: Option<&str>) -> Resource {
    let mut made = running(id, kind, size);
    let is_machine = matches!(
        kind,
        ResourceKind::VirtualMachine | ResourceKind::ScalingGroup
    );
    made.state = if is_machine {
        ResourceState::Running
    } else {
        ResourceState::Available
    };
    made.name = id.to_owned();
    made.specification.storage_gib = Some(100.0);

    made
}

/// Costs of the account of the resources, a month.
fn account(all: &[Resource]) -> Option<Money> {
    let costs: Vec<Money> = all.iter().filter_map(|one| one.monthly_cost).collect();
    (!costs.is_empty()).then(|| costs.into_iter().fold(Money::ZERO, |sum, one| sum + one))
}

fn found(
    capacity: ShortCapacity,
    value: f64,
    expected: f64,
    all: &[Resource],
) -> Result<(AgentType, ObservationAnswer), String> {
    let shortage = Shortage {
        anomaly: &report(),
        capacity,
        times: Some(value / expected),
        evidence: "it rose",
        resource: &all[0],
        around: all,
        account_cost: account(all),
    };
    crate::registry()
        .answer(
            Observation::Shortage(&shortage),
            terms(&ApprovalMatrix::default()),
        )
        .map_err(String::from)
}

fn change(
    capacity: ShortCapacity,
    value: f64,
    expected: f64,
    all: &[Resource],
) -> (String, AgentType, RecommendationType) {
    let (agent_type, remedy) = found(capacity, value, expected, all).unwrap();
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
        agent_type,
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

    for (capacity, value, all, name, agent_type, kind) in [
        (
            ShortCapacity::Processors,
            97.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            ShortCapacity::Memory,
            97.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            ShortCapacity::Processors,
            1.0,
            &machine,
            "resize_machine",
            performance,
            InstanceType,
        ),
        (
            ShortCapacity::Processors,
            97.0,
            &database,
            "resize_database",
            performance,
            InstanceType,
        ),
        (
            ShortCapacity::Connections,
            97.0,
            &database,
            "replicate",
            AgentType::DB_OPTIMIZER,
            DatabaseTuning,
        ),
        (
            ShortCapacity::Storage,
            1.0,
            &database,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
        (
            ShortCapacity::Storage,
            1.0,
            &volume,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
        (
            ShortCapacity::Storage,
            97.0,
            &volume,
            "grow_storage",
            AgentType::OPS_INTELLIGENCE,
            StorageExpansion,
        ),
    ] {
        assert_eq!(
            change(capacity, value, 30.0, all),
            (name.to_owned(), agent_type, kind),
            "{capacity:?}"
        );
    }

    let larger = found(ShortCapacity::Processors, 97.0, 30.0, &machine)
        .unwrap()
        .1
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
        change(ShortCapacity::Processors, 90.0, 60.0, &by_member),
        expected
    );

    let by_balancer = [balancer.clone(), member.clone(), group.clone()];
    assert_eq!(
        change(ShortCapacity::Requests, 90.0, 60.0, &by_balancer),
        expected
    );

    let (_, remedy) = found(ShortCapacity::Processors, 90.0, 60.0, &by_member).unwrap();
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

    let alone = found(ShortCapacity::Requests, 90.0, 60.0, &[balancer]).unwrap_err();
    assert_eq!(
        alone,
        "the machines behind it do not belong to one scaling group"
    );
}

#[test]
fn where_no_change_fits_the_reason_is_said() {
    let machine = resource("i-1", ResourceKind::VirtualMachine, Some("m5.large"));
    let why = |capacity, of: Resource| found(capacity, 90.0, 30.0, &[of]).unwrap_err();

    let bucket = resource("b-1", ResourceKind::Bucket, None);
    assert_eq!(
        why(ShortCapacity::Processors, bucket),
        "Reeve cannot enlarge a bucket"
    );

    let largest = Resource {
        specification: reeve_estate::Specification {
            instance_type: Some("nothing.large".to_owned()),
            ..machine.specification.clone()
        },
        ..machine
    };
    assert!(why(ShortCapacity::Processors, largest).contains("no larger size"));
}

#[test]
fn a_change_without_a_plan_is_advice_with_its_reason() {
    let mut database = resource("db-1", ResourceKind::Database, Some("db-n1-standard-1"));
    database.provider = reeve_estate::Provider::Gcp;
    let (_, remedy) = found(ShortCapacity::Connections, 90.0, 30.0, &[database]).unwrap();
    assert!(remedy.proposal.plan.is_none());
    assert_eq!(
        remedy.by_hand.as_deref(),
        Some("Reeve makes replicas on RDS alone")
    );
}
