//! Scaling groups: their members together, and what leaves a group as it is.

use jiff::SignedDuration;
use reeve_estate::{
    Capacity, Document, Metric, PriceCatalogue, Purchase, Resource, ResourceId, ResourceKind,
    SampleSeries,
};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::{Facts, Fleet, Judgement};
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::RecommendationType;
use serde_json::{Value, json};

use super::estate::{now, resource};
use crate::cost_optimizer::judge;

const DAYS: i64 = 30;

/// A group of `m5.2xlarge` with the CPU of each member; a member without one was not measured.
struct Group {
    group: Resource,
    members: Vec<(Resource, Option<f64>)>,
    document: Value,
}

fn series(member: &ResourceId, metric: Metric, value: f64) -> SampleSeries {
    // Members are measured at seconds of their own.
    let offset = member.as_str().len() as i64;
    let at = |back: i64| now() - SignedDuration::from_secs(back * 300 - offset);
    let points = (1..=DAYS * 288)
        .rev()
        .map(|back| (at(back), value))
        .collect();

    SampleSeries {
        resource: member.clone(),
        metric,
        points,
        period_s: 300,
    }
}

impl Group {
    fn of(cpu: &[Option<f64>]) -> Self {
        let mut group = resource(
            "arn:aws:autoscaling:web",
            ResourceKind::ScalingGroup,
            "autoscaling",
            Some("m5.2xlarge"),
        );
        group.name = "web".to_owned();

        group.state = reeve_estate::ResourceState::Available;
        let desired = cpu.len() as u32;
        group.specification.capacity = Some(Capacity {
            min: 1,
            desired,
            max: desired * 2,
        });

        let member = |(place, cpu): (usize, &Option<f64>)| {
            let id = format!("i-{}", "1".repeat(place + 1));
            let mut member = resource(&id, ResourceKind::VirtualMachine, "ec2", Some("m5.2xlarge"));
            member.group = Some(group.id.clone());
            (member, *cpu)
        };
        let members = cpu.iter().enumerate().map(member).collect();

        let document = json!({ "LaunchTemplate": { "LaunchTemplateId": "lt-1", "Version": "3" } });
        Group {
            group,
            members,
            document,
        }
    }

    fn fleet(&self) -> Fleet {
        let members = self
            .members
            .iter()
            .map(|(member, _)| member.clone())
            .collect();

        let mut fleet = Fleet::new(
            members,
            now() - SignedDuration::from_hours(24 * DAYS),
            now(),
        );

        for (member, cpu) in &self.members {
            let mut all = vec![series(&member.id, Metric::MemoryUtilization, 20.0)];
            let small = [
                Metric::NetworkIn,
                Metric::NetworkOut,
                Metric::DiskRead,
                Metric::DiskWrite,
            ];
            all.extend(small.map(|metric| series(&member.id, metric, 10_000.0)));
            all.extend(
                [Metric::DiskReadOps, Metric::DiskWriteOps]
                    .map(|metric| series(&member.id, metric, 5.0)),
            );
            all.extend(cpu.map(|cpu| series(&member.id, Metric::CpuUtilization, cpu)));
            fleet.add(&all);
        }

        fleet
    }

    fn judge(&self) -> Judgement {
        self.judge_by(&self.fleet())
    }

    fn judge_by(&self, fleet: &Fleet) -> Judgement {
        let document = Document::kept(self.document.clone());
        judge(&Facts {
            resource: &self.group,
            series: &[],
            maxima: &[],
            charges: &[],
            document: Some(&document),
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &[],
            catalogue: PriceCatalogue::builtin(),
            settings: &AgentSettings::default(),
            guardrails: &Guardrails::default(),
            open: &OpenFacts::default().with(fleet.clone()),
            models: &LearnedModels::default(),
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn code(&self) -> &'static str {
        let judgement = self.judge();
        assert!(judgement.proposals.is_empty(), "{:?}", judgement.proposals);
        judgement.abstentions.last().unwrap().code
    }
}

#[test]
fn members_that_are_all_too_large_get_a_smaller_size_by_their_template() {
    let judgement = Group::of(&[Some(6.0), Some(8.0), Some(7.0)]).judge();
    let found = &judgement.proposals[0];
    assert_eq!(
        (found.kind, found.rule),
        (RecommendationType::RightSize, "downsize_underutilized")
    );
    assert_eq!(
        found.title,
        "Resize the 3 members of web from m5.2xlarge to m5.xlarge"
    );
    assert!(
        found.explanation.factors[0].starts_with("p95 CPU 8"),
        "{:?}",
        found.explanation.factors
    );

    assert_eq!(
        (found.subject.kind, found.subject.id.as_str()),
        (ResourceKind::ScalingGroup, "arn:aws:autoscaling:web")
    );
    // Half of $0.384 an hour, for three members.
    assert_eq!(found.savings_monthly.unwrap().usd_cents(), 420.48);
    assert!(
        found
            .impact
            .cost
            .starts_with("3 x ($0.3840 - $0.1920) an hour x 730 hours"),
        "{}",
        found.impact.cost
    );

    assert!(
        found.impact.performance.ends_with(
            "its 3 members are replaced one at a time while the others serve; no restart"
        )
    );

    let plan = found.plan.as_ref().unwrap();
    let change = plan.change.as_ref().unwrap();
    assert_eq!(
        (change.name.as_str(), plan.reversible, plan.restart_needed),
        ("change_group_size", true, false)
    );

    let parameters = serde_json::to_value(&change.parameters).unwrap();
    let wanted = json!({ "state": "available", "template": "lt-1", "version": "3", "from": "m5.2xlarge", "to": "m5.xlarge", "members": 3 });
    assert_eq!(parameters.to_string(), wanted.to_string());
}

#[test]
fn a_single_member_is_interrupted_and_the_plan_says_so() {
    let judgement = Group::of(&[Some(6.0)]).judge();
    let found = &judgement.proposals[0];
    assert!(found.plan.as_ref().unwrap().restart_needed);
    assert!(
        found
            .impact
            .performance
            .contains("no service until the new one is healthy"),
        "{}",
        found.impact.performance
    );
}

#[test]
fn members_that_are_all_too_small_get_a_larger_size() {
    let judgement = Group::of(&[Some(97.0), Some(95.0)]).judge();
    let found = &judgement.proposals[0];
    assert_eq!(
        (found.kind, found.rule),
        (RecommendationType::InstanceType, "upgrade_throttled")
    );
    assert!(found.savings_monthly.unwrap().usd() < 0.0);
    assert_eq!(
        found.plan.as_ref().unwrap().change.as_ref().unwrap().name,
        "change_group_size"
    );
    assert_eq!(
        Group::of(&[Some(97.0), Some(60.0)]).code(),
        "cpu_not_low",
        "one member is not too small"
    );
}

#[test]
fn one_member_decides_for_all() {
    assert_eq!(Group::of(&[Some(6.0), Some(45.0)]).code(), "cpu_not_low");
    assert_eq!(Group::of(&[Some(6.0), None]).code(), "members_unmeasured");

    let mut missing = Group::of(&[Some(6.0), Some(6.0)]);
    missing.group.specification.capacity = Some(Capacity {
        min: 1,
        desired: 3,
        max: 4,
    });
    assert_eq!(missing.code(), "members_unknown");

    let mut differs = Group::of(&[Some(6.0), Some(6.0)]);
    differs.members[1].0.specification.instance_type = Some("m5.large".to_owned());
    assert_eq!(differs.code(), "members_differ");

    let mut spot = Group::of(&[Some(6.0), Some(6.0)]);
    spot.members[0].0.purchase = Some(Purchase::Spot);
    assert_eq!(spot.code(), "spot");
}

/// The CPU of a member at each period of so many hours until now.
fn cpu_of(member: &Resource, hours: i64, period_s: u32, value: f64) -> SampleSeries {
    let at = |back: i64| now() - SignedDuration::from_secs(back * i64::from(period_s));
    let points = (1..=hours * 3600 / i64::from(period_s))
        .rev()
        .map(|back| (at(back), value))
        .collect();
    SampleSeries {
        resource: member.id.clone(),
        metric: Metric::CpuUtilization,
        points,
        period_s,
    }
}

#[test]
fn a_member_that_was_measured_for_the_last_hours_alone_leaves_the_group_as_it_is() {
    let group = Group::of(&[Some(6.0), None]);
    let mut fleet = group.fleet();
    fleet.add(&[cpu_of(&group.members[1].0, 6, 300, 6.0)]);
    assert_eq!(
        fleet.unmeasured(Metric::CpuUtilization),
        1,
        "it served for 30 days and was measured for six hours"
    );

    let judgement = group.judge_by(&fleet);
    assert_eq!(
        (judgement.proposals.len(), judgement.abstentions[0].code),
        (0, "members_unmeasured")
    );

    let mut young = Group::of(&[Some(6.0), None]);
    young.members[1].0.created_at = Some(now() - SignedDuration::from_hours(6));
    let mut fleet = young.fleet();
    fleet.add(&[cpu_of(&young.members[1].0, 6, 300, 6.0)]);
    assert_eq!(
        fleet.unmeasured(Metric::CpuUtilization),
        0,
        "it was measured for as long as it served"
    );
}

#[test]
fn members_that_are_measured_at_other_periods_are_compared_at_each_time() {
    let group = Group::of(&[None, None]);
    let mut fleet = group.fleet();
    let (busy, half) = (&group.members[0].0, &group.members[1].0);
    fleet.add(&[
        cpu_of(busy, 24 * DAYS, 60, 97.0),
        cpu_of(half, 24 * DAYS, 300, 60.0),
    ]);
    let lowest = fleet
        .lowest(&group.group.id, Metric::CpuUtilization)
        .unwrap();
    assert_eq!(
        (
            lowest.period_s,
            lowest
                .points
                .iter()
                .filter(|(_, value)| *value > 60.0)
                .count()
        ),
        (300, 0)
    );

    let judgement = group.judge_by(&fleet);
    assert!(
        judgement.proposals.is_empty(),
        "one member is not too small: {:?}",
        judgement.proposals
    );
}

#[test]
fn groups_whose_members_cannot_be_replaced_are_left_with_a_reason() {
    let code = |document: Value| {
        Group {
            document,
            ..Group::of(&[Some(6.0), Some(6.0)])
        }
        .code()
    };

    let template = json!({ "LaunchTemplateId": "lt-1", "Version": "3" });
    let with = |name: &str, value: Value| json!({ "LaunchTemplate": template, name: value });
    assert_eq!(
        code(json!({ "LaunchConfigurationName": "old" })),
        "launch_configuration"
    );
    assert_eq!(
        code(json!({ "MixedInstancesPolicy": { "LaunchTemplate": {} } })),
        "mixed_instances"
    );
    assert_eq!(
        code(json!({ "LaunchTemplate": { "LaunchTemplateId": "lt-1", "Version": "$Latest" } })),
        "follows_latest"
    );
    assert_eq!(
        code(with("NewInstancesProtectedFromScaleIn", json!(true))),
        "scale_in_protected"
    );
    assert_eq!(
        code(with(
            "SuspendedProcesses",
            json!([{ "ProcessName": "Launch" }])
        )),
        "suspended"
    );

    let mut managed = Group::of(&[Some(6.0), Some(6.0)]);
    managed
        .group
        .tags
        .insert("eks:nodegroup-name".to_owned(), "workers".to_owned());
    assert_eq!(managed.code(), "managed");

    let scheduled = with(
        "SuspendedProcesses",
        json!([{ "ProcessName": "ScheduledActions" }]),
    );
    let free = Group {
        document: scheduled,
        ..Group::of(&[Some(6.0), Some(6.0)])
    }
    .judge();
    assert_eq!(free.proposals.len(), 1, "no refresh needs that process");
}
