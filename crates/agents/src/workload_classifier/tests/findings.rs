//! Findings that follow from each class.

use reeve_estate::{Capacity, Mutation, Provider};
use reeve_recommend::agent::contract::AgentDefinition as _;
use reeve_recommend::change::{Change as _, ResizeGroup, Work};
use reeve_recommend::recommendation::RecommendationType as Type;

use super::*;
use crate::workload_classifier::WorkloadClassifier;

fn change(found: &Proposal) -> &str {
    let name = found
        .plan
        .as_ref()
        .and_then(|plan| plan.change_name())
        .unwrap_or("none");
    let known = crate::changes(WorkloadClassifier.info().agent_type);
    assert!(
        name == "none" || known.contains(&name),
        "a policy for the agent type would lack {name}"
    );

    name
}

#[test]
fn a_production_database_gets_a_standby() {
    let found = Case::database().only();
    assert_eq!(
        (found.kind, found.rule, change(&found)),
        (
            Type::HighAvailability,
            "apply_best_practices",
            "add_standby"
        )
    );

    assert_eq!(
        found.impact.cost_percent,
        Some(100.0),
        "and the guardrail of 5 % asks for an exception"
    );
    assert!(found.plan.unwrap().reversible);
    assert_eq!(found.reason_codes, ["production_single_zone"]);

    let mut standby = Case::database();
    standby.resource.specification.multi_az = Some(true);
    assert_eq!(standby.code(), "has_standby");

    let mut azure = Case::database();
    azure.resource.provider = Provider::Azure;
    let advice = azure.only();
    assert_eq!(
        (advice.rule, advice.plan.clone()),
        ("recommend_architectures", None)
    );
    assert!(
        advice
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("apply it manually")),
        "{advice:?}"
    );
}

#[test]
fn a_production_group_keeps_two_members() {
    let group = |min, desired, max| {
        let mut case = Case::of(ResourceKind::ScalingGroup, "autoscaling", Some("m5.large"))
            .tagged("env", "prod");
        case.resource.state = ResourceState::Available;
        case.resource.specification.capacity = Some(Capacity { min, desired, max });
        case
    };
    let found = group(1, 3, 6).only();

    assert_eq!(
        (found.kind, change(&found)),
        (Type::HighAvailability, "resize_group")
    );
    assert_eq!(found.impact.cost_percent, Some(0.0), "three run already");
    assert_eq!(group(1, 1, 6).only().impact.cost_percent, Some(100.0));
    assert_eq!(group(2, 2, 6).code(), "enough_members");
    assert_eq!(group(1, 1, 1).only().plan, None, "its own maximum is one");
}

#[test]
fn a_group_goes_back_to_what_it_had_where_nobody_moved_it() {
    let group = |min, desired| {
        let mut group = Case::of(ResourceKind::ScalingGroup, "autoscaling", None).resource;
        group.specification.capacity = Some(Capacity {
            min,
            desired,
            max: 6,
        });
        group
    };

    let change = ResizeGroup {
        state: ResourceState::Available,
        from: 1,
        to: 2,
    };

    let asked = |prior: &Resource, seen: &Resource| {
        let task = change.undo(prior, seen)?;
        let Work::Change(goal) = &task.work else {
            panic!("{task:?}")
        };
        match goal.operation(seen).downcast_ref() {
            Some(Mutation::Scale { min, desired }) => Some((*min, *desired)),
            _ => None,
        }
    };

    assert_eq!(
        asked(&group(1, 1), &group(2, 2)),
        Some((1, 1)),
        "the member that the change added"
    );

    assert_eq!(
        asked(&group(1, 1), &group(2, 5)),
        Some((1, 5)),
        "its policies have scaled it since"
    );
    assert_eq!(asked(&group(1, 3), &group(2, 3)), Some((1, 3)));
    assert_eq!(asked(&group(1, 3), &group(1, 3)), None, "it is what it was");
}

#[test]
fn a_production_machine_that_serves_alone_is_an_architecture() {
    let serving = |name: &str| {
        Case::machine(name)
            .tagged("env", "production")
            .busy(30, 20_000.0, SERVING)
    };
    let found = serving("checkout").only();

    assert_eq!(
        (found.rule, found.plan.clone()),
        ("recommend_architectures", None)
    );
    assert_eq!(
        found.reason_codes,
        ["production_single_machine", "advice_only"]
    );
    assert_eq!(serving("checkout-2").code(), "one_of_several");
    assert_eq!(
        serving("checkout")
            .off("recommend_architectures.enabled")
            .code(),
        "switched_off"
    );
}

#[test]
fn a_development_machine_is_off_at_nights() {
    let office = || {
        Case::machine("lab")
            .tagged("env", "development")
            .busy(30, 5_000.0, OFFICE)
    };
    let advice = office().only();

    assert_eq!(
        (advice.kind, advice.rule),
        (Type::IdleResourceCleanup, "recommend_architectures")
    );
    assert!(
        advice
            .explanation
            .decision_path
            .iter()
            .any(|asked| asked.detail.contains("schedule_tag is not set"))
    );

    // M5.xlarge at $0.192 an hour, for 108 of 168 hours.
    assert!((advice.savings_monthly.unwrap().usd() - 0.192 * 730.0 * 108.0 / 168.0).abs() < 1e-3);

    let tag = SettingValue::Names(vec!["Schedule=office-hours".to_owned()]);
    let found = office()
        .set("apply_best_practices.schedule_tag", tag.clone())
        .only();
    assert_eq!(
        (found.rule, change(&found)),
        ("apply_best_practices", "tag_resource")
    );
    assert!(
        found.confidence > 60.0,
        "{} {:?}",
        found.confidence,
        found.explanation.factors
    );

    assert!(
        found
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("UTC")),
        "{:?}",
        found.explanation.factors
    );

    let scheduled = office().tagged("schedule", "always");
    assert_eq!(
        scheduled
            .set("apply_best_practices.schedule_tag", tag)
            .code(),
        "scheduled"
    );

    let all_day: Load = |_, _, step| 40.0 + f64::from((step % 7) as i32);
    assert_eq!(
        Case::machine("lab")
            .tagged("env", "dev")
            .busy(30, 5_000.0, all_day)
            .corrected(Development)
            .code(),
        "works_at_night"
    );

    let asked = Case::machine("lab")
        .tagged("env", "dev")
        .busy(30, 90_000.0, OFFICE)
        .corrected(Development);
    assert_eq!(asked.code(), "asked_at_night");
    assert_eq!(
        office()
            .off("classifications.development.cost_optimized")
            .code(),
        "other_class"
    );
}

#[test]
fn batch_belongs_on_spot_capacity() {
    let jobs = || {
        Case::machine("settlement")
            .tagged("role", "batch")
            .busy(30, 6_000.0, JOBS)
    };
    let found = jobs().only();

    assert_eq!(
        (found.kind, found.rule, found.plan.clone()),
        (Type::SpotInstances, "recommend_architectures", None)
    );
    assert_eq!(
        (found.savings_monthly, found.not_measured),
        (None, vec!["price".to_owned()]),
        "nothing is made up"
    );

    assert!(
        found
            .impact
            .cost
            .contains("average spot price of its region (AWS price list of"),
        "{}",
        found.impact.cost
    );

    let bought = |purchase| {
        let mut case = jobs();
        case.resource.purchase = purchase;
        case.code()
    };
    assert_eq!(bought(Some(Purchase::Spot)), "spot_already");

    assert_eq!(bought(Some(Purchase::Reserved)), "reserved");
    assert_eq!(bought(None), "purchase_not_known");

    let long: Load = |hour, _, _| {
        if (2.0..20.0).contains(&hour) {
            92.0
        } else {
            1.0
        }
    };

    assert_eq!(
        Case::machine("m")
            .busy(30, 6_000.0, long)
            .corrected(Batch)
            .code(),
        "long_jobs"
    );
}

#[test]
fn analytics_gets_a_size_for_bursts() {
    let asked = |load: Load| {
        Case::machine("reporting")
            .busy(30, 8_000.0, load)
            .corrected(Analytics)
    };
    let found = asked(QUESTIONS).only();

    assert_eq!(
        (found.kind, found.rule, change(&found)),
        (Type::RightSize, "apply_best_practices", "resize_machine")
    );
    assert!(found.savings_monthly.unwrap().usd() > 1.0, "{found:?}");

    let steady: Load = |_, _, _| 30.0;
    assert_eq!(asked(steady).code(), "steady");

    // A day of work at full load outlasts the credits of every burstable size.
    let long: Load = |_, day, _| if day == 2 { 90.0 } else { 3.0 };
    let advice = asked(long).only();
    assert_eq!((advice.kind, advice.plan), (Type::AutoScaling, None));
}

#[test]
fn what_cost_optimizer_finds_is_left_to_it() {
    let idle: Load = |_, _, _| 0.2;
    let case = Case::machine("lab")
        .tagged("env", "development")
        .busy(30, 100.0, idle)
        .corrected(Development);
    assert_eq!(case.code(), "left_to_cost_optimizer");

    let detail = case.judge().abstentions.remove(0).detail;
    assert!(
        detail.starts_with("identify_idle_resources of cost_optimizer"),
        "{detail}"
    );
}

#[test]
fn what_may_not_be_touched_is_classified_and_left_alone() {
    let check = |bend: fn(&mut Resource), code: &str| {
        let mut case = Case::database();
        bend(&mut case.resource);
        assert_eq!((case.code(), case.class()), (code, Some(Production)));
    };

    check(
        |db| _ = db.tags.insert("reeve:ignore".to_owned(), "true".to_owned()),
        "opted_out",
    );
    check(|db| db.state = ResourceState::Changing, "changing");
    check(|db| db.state = ResourceState::Stopped, "not_running");
    assert_eq!(
        Case::database()
            .off("optimization_opportunities.enabled")
            .code(),
        "switched_off"
    );

    assert_eq!(
        Case::database().off("apply_best_practices.enabled").code(),
        "switched_off"
    );
}

#[test]
fn a_finding_of_an_earlier_class_ends() {
    let judgement = Case::machine("settlement")
        .tagged("role", "batch")
        .busy(30, 6_000.0, JOBS)
        .judge();
    let ends = |kind| {
        judgement
            .abstentions
            .iter()
            .any(|one| one.kind == Some(kind) && one.decisive)
    };

    assert!(
        ends(Type::IdleResourceCleanup)
            && ends(Type::HighAvailability)
            && !ends(Type::SpotInstances)
    );
}

#[test]
fn earlier_findings_are_labelled_by_the_class_that_came_after_them() {
    let at = [now() - SignedDuration::from_hours(24 * 16)];
    let labels = |load: Load| {
        let case = Case::machine("checkout").busy(60, 20_000.0, load);
        let examples = case.with(|facts| WorkloadClassifier.backtest(facts, &at));
        examples
            .iter()
            .map(|example| example.held)
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(SERVING), [true]);

    // It serves until the time of the judgement, and runs jobs from then on.
    let turns: Load = |hour, day, step| match step < (1_794_787_200 - 16 * 86_400) / 300 {
        true => SERVING(hour, day, step),
        false => JOBS(hour, day, step),
    };
    assert_eq!(labels(turns), [false]);
}
