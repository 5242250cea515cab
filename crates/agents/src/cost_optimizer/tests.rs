//! Tables of the judgement: what each rule finds, what it leaves alone and why, and the arithmetic
//! of savings.
#![allow(clippy::unwrap_used)]

mod commitment;
pub(crate) mod estate;
mod groups;
mod learned;
mod machines;
mod real;
mod tags;
mod unused;

use jiff::SignedDuration;
use reeve_estate::{
    Metric, Money, PriceCatalogue, Provider, Purchase, ResourceId, ResourceKind, ResourceState,
};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::plan::StepKind;
use reeve_recommend::recommendation::{Priority, RecommendationDecision, RecommendationType};

use estate::{Case, noise, now, resource};

const CPU: Metric = Metric::CpuUtilization;

fn only(case: &Case) -> Proposal {
    let judgement = case.judge();
    assert_eq!(judgement.proposals.len(), 1, "{:?}", judgement.abstentions);
    judgement.proposals.into_iter().next().unwrap()
}

fn usd(name: &str) -> f64 {
    PriceCatalogue::builtin()
        .hourly_usd(Provider::Aws, "us-east-1", name, Some("linux"))
        .unwrap()
        .usd_per_hour
}

fn kinds(plan: &reeve_recommend::plan::Plan) -> Vec<StepKind> {
    plan.steps.iter().map(|step| step.kind).collect()
}

#[test]
fn a_large_quiet_machine_is_resized_and_the_saving_is_the_price_difference() {
    let found = only(
        &Case::machine("m5.xlarge")
            .with(CPU, 30, |m| Some(5.0 + 4.0 * noise(m)))
            .all_else_small(),
    );

    assert_eq!(
        (found.kind, found.rule),
        (RecommendationType::RightSize, "downsize_underutilized")
    );
    assert_eq!(found.subject.target_type.as_deref(), Some("m5.large"));
    assert_eq!(
        found.savings_monthly,
        Some(Money::from_usd(
            (usd("m5.xlarge") - usd("m5.large")) * 730.0
        ))
    );

    assert_eq!(found.savings_monthly.unwrap().usd_cents(), 70.08);
    assert_eq!(found.monthly_cost.unwrap().usd_cents(), 140.16);
    assert_eq!(
        found.impact_level,
        Impact::Medium,
        "the machine costs more than 100 a month"
    );
    assert!((found.impact.cost_percent.unwrap() + 50.0).abs() < 1e-9);
    assert_eq!(found.impact.performance_degradation_percent, Some(0.0));
    assert!(found.not_measured.is_empty(), "{:?}", found.not_measured);

    // 23 held-out days, all held: (1 + 23) / (2 + 23 + what the margins leave to doubt).
    assert_eq!(found.confidence, 94.1);

    let order = [
        StepKind::Precondition,
        StepKind::Snapshot,
        StepKind::Stop,
        StepKind::Modify,
        StepKind::Start,
        StepKind::Verify,
    ];
    assert_eq!(kinds(found.plan.as_ref().unwrap()), order);

    assert!(
        found.explanation.factors[0].contains("4,032 points, limit 20 %"),
        "{:?}",
        found.explanation.factors
    );
    assert!(found.explanation.decision_path.len() >= 8);
    assert_eq!(found.explanation.data_points, 8 * 30 * 288);
}

#[test]
fn unmeasured_memory_is_said_and_limits_the_confidence() {
    let found = only(&Case::machine("m5.xlarge").flat(CPU, 30, 5.0));
    assert_eq!(
        found.not_measured,
        ["memory", "network", "disk_throughput", "disk_operations"]
    );
    assert!(found.confidence <= 80.0);
    assert_eq!(found.impact.performance_degradation_percent, None);
    assert!(
        found
            .explanation
            .decision_path
            .iter()
            .any(|d| d.answer.is_none() && d.check.contains("memory"))
    );
}

#[test]
fn every_dimension_of_the_smaller_size_can_refuse() {
    let quiet = |metric: Metric, value: f64| {
        let mut case = Case::machine("m5.xlarge")
            .flat(CPU, 30, 5.0)
            .all_else_small();
        case.series.retain(|s| s.metric != metric);
        // Without prices no other family is looked at.
        case.resource.specification.platform = Some("windows_byol".to_owned());
        case.flat(metric, 30, value)
    };

    let check = |case: Case, code: &str| {
        assert!(case.codes().contains(&code), "{code}: {:?}", case.judge())
    };
    check(quiet(Metric::MemoryUtilization, 45.0), "memory_bound");

    // m5.large sustains 0.75 Gbit/s: 80 % of it are 75 MB/s.
    check(quiet(Metric::NetworkOut, 80e6), "network_bound");
    check(quiet(Metric::DiskWrite, 70e6), "disk_bound");
    check(quiet(Metric::DiskReadOps, 3_500.0), "disk_ops_bound");
}

#[test]
fn where_memory_sizes_are_unknown_a_full_memory_still_refuses() {
    let azure = |memory: f64| {
        let mut case = Case::machine("Standard_E8s_v5").flat(CPU, 30, 8.0).flat(
            Metric::MemoryUtilization,
            30,
            memory,
        );
        case.resource.provider = Provider::Azure;
        case.resource.region = "westeurope".to_owned();
        case
    };

    assert!(
        azure(85.0).codes().contains(&"memory_bound"),
        "{:?}",
        azure(85.0).codes()
    );

    let found = only(&azure(20.0));
    assert_eq!(
        found.subject.target_type.as_deref(),
        Some("Standard_E4s_v5")
    );
    assert_eq!(
        found.not_measured,
        ["network", "disk_throughput", "disk_operations"]
    );

    let measured = azure(20.0)
        .flat(Metric::NetworkIn, 30, 1e5)
        .flat(Metric::NetworkOut, 30, 1e5);
    assert_eq!(
        only(&measured).not_measured,
        ["network_baseline", "disk_throughput", "disk_operations"]
    );
}

#[test]
fn a_peak_that_a_percentile_hides_refuses_too() {
    // Two hours once in thirty days: 0.3 % of the points, invisible at p95 and p99.
    let monthly = |m: i64| {
        Some(if (20 * 1440..20 * 1440 + 120).contains(&m) {
            85.0
        } else {
            5.0
        })
    };

    assert!(
        Case::machine("m5.xlarge")
            .with(CPU, 30, monthly)
            .all_else_small()
            .codes()
            .contains(&"cpu_peak_bound")
    );

    // A batch of 90 minutes a day: 6 % of the points.
    let daily = |m: i64| Some(if m % 1440 < 60 { 70.0 } else { 5.0 });
    assert!(
        Case::machine("m5.xlarge")
            .with(CPU, 30, daily)
            .all_else_small()
            .codes()
            .contains(&"cpu_bound")
    );
}

#[test]
fn cpu_of_twenty_percent_and_more_is_left_alone() {
    let codes = |value: f64| Case::machine("m5.xlarge").flat(CPU, 30, value).codes();
    assert!(codes(20.0).contains(&"cpu_not_low"));
    assert!(!codes(19.9).contains(&"cpu_not_low"));
}

#[test]
fn thin_data_is_a_reason_to_abstain() {
    let half = Case::machine("m5.xlarge").with(CPU, 30, |m| (m % 10 == 0).then_some(5.0));
    assert!(half.codes().contains(&"thin_data"));
    assert!(
        !half
            .judge()
            .abstentions
            .iter()
            .find(|a| a.code == "thin_data")
            .unwrap()
            .decisive
    );

    assert!(
        Case::machine("m5.xlarge")
            .flat(CPU, 12, 5.0)
            .codes()
            .contains(&"thin_data")
    );

    assert_eq!(
        Case::machine("m5.xlarge").codes(),
        [
            "not_measured",
            "no_cpu_samples",
            "no_cpu_samples",
            "judged_by_account"
        ]
    );
}

#[test]
fn samples_from_before_the_last_change_tell_of_another_machine() {
    let mut case = Case::machine("m5.xlarge")
        .flat(CPU, 30, 5.0)
        .all_else_small();
    case.unchanged_since = Some(now() - SignedDuration::from_hours(24 * 5));
    assert!(case.codes().contains(&"thin_data"));
}

#[test]
fn the_step_stays_within_the_cost_guardrail() {
    let mut case = Case::machine("m5.4xlarge")
        .flat(CPU, 30, 2.0)
        .all_else_small();
    assert_eq!(
        only(&case).subject.target_type.as_deref(),
        Some("m5.2xlarge")
    );
    case.guardrails.max_cost_decrease_percent = 80.0;
    assert_eq!(
        only(&case).subject.target_type.as_deref(),
        Some("m5.xlarge")
    );
    case.guardrails.max_cost_decrease_percent = 20.0;
    assert!(case.codes().contains(&"guardrail_max_decrease"));
}

#[test]
fn burstable_machines_are_held_against_their_baseline() {
    // t3.medium to t3.small: both 2 vCPU, baseline 20 %.
    let steady = Case::machine("t3.small")
        .flat(CPU, 30, 15.0)
        .all_else_small();
    assert!(
        steady.codes().contains(&"cpu_credit_bound"),
        "micro sustains 10 %: {:?}",
        steady.codes()
    );

    let calm = Case::machine("t3.medium")
        .flat(CPU, 30, 15.0)
        .all_else_small();
    assert_eq!(only(&calm).subject.target_type.as_deref(), Some("t3.small"));
}

#[test]
fn who_is_left_alone() {
    let quiet = || {
        Case::machine("m5.xlarge")
            .flat(CPU, 30, 5.0)
            .all_else_small()
    };

    let check = |case: &Case, code: &str| {
        assert!(case.judge().proposals.is_empty(), "{code}");
        assert_eq!(case.codes(), [code]);
    };

    let mut member = quiet();
    member.resource.group = Some(ResourceId::new("asg-web"));
    check(&member, "group_member");

    let mut spot = quiet();
    spot.resource.purchase = Some(Purchase::Spot);
    check(&spot, "spot");

    let mut stopped = quiet();
    stopped.resource.state = ResourceState::Stopped;
    check(&stopped, "not_running");
    check(&quiet().tag("reeve:ignore", "true"), "opted_out");
    check(&quiet().tag("Reeve-Ignore", "TRUE"), "opted_out");
    assert_eq!(
        quiet().tag("reeve:ignore", "false").judge().proposals.len(),
        1
    );

    let mut bucket = quiet();
    bucket.resource.kind = ResourceKind::Bucket;
    check(&bucket, "kind_not_covered");
}

#[test]
fn infrastructure_as_code_is_flagged_and_asked_for() {
    for (key, value) in [
        ("aws:cloudformation:stack-name", "web"),
        ("managed-by", "Terraform"),
        ("terraform", "true"),
    ] {
        let found = only(
            &Case::machine("t3.large")
                .flat(CPU, 30, 5.0)
                .all_else_small()
                .tag(key, value),
        );
        assert!(
            found.reason_codes.contains(&"iac_managed".to_owned()),
            "{key}"
        );
        assert!(found.impact_level >= Impact::Medium && found.plan.is_some());
    }

    let plain = only(
        &Case::machine("t3.large")
            .flat(CPU, 30, 5.0)
            .all_else_small(),
    );
    assert_eq!(plain.impact_level, Impact::Low);
}

#[test]
fn risk_raises_the_impact_level() {
    let production = only(
        &Case::machine("t3.large")
            .flat(CPU, 30, 5.0)
            .all_else_small()
            .tag("env", "prod"),
    );
    assert_eq!(production.impact_level, Impact::Medium);

    let blind = only(
        &Case::machine("t3.large")
            .flat(CPU, 30, 5.0)
            .tag("env", "prod")
            .tag("terraform", "x"),
    );
    assert_eq!(blind.impact_level, Impact::High);

    let costly = only(
        &Case::machine("m5.8xlarge")
            .flat(CPU, 30, 5.0)
            .all_else_small(),
    );

    assert_eq!(
        costly.impact_level,
        Impact::High,
        "{:?}",
        costly.monthly_cost
    );

    let risks = [&production, &blind, &costly].map(|found| found.explanation.risk);
    assert_eq!(
        risks,
        [Impact::Medium, Impact::High, Impact::Low],
        "what it costs is not what it risks"
    );
}

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.replace(',', "");
    let parts = parts
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|part| part.trim_matches('.'));
    parts.filter_map(|part| part.parse().ok()).collect()
}

#[test]
fn factors_and_decision_path_are_made_of_the_numbers_that_decided() {
    // Whatever the load, what stands in the explanation is what a reader computes from the samples.
    for level in [2.0, 7.5, 11.0] {
        let load = |back: i64| Some(level + noise(back) * 4.0);
        let case = Case::machine("m5.xlarge")
            .with(CPU, 30, load)
            .all_else_small();
        let found = only(&case);
        let mut fortnight: Vec<f64> = (1..=14 * 288).filter_map(|n| load(n * 5)).collect();
        fortnight.sort_by(f64::total_cmp);
        let p95 = fortnight[(fortnight.len() as f64 * 0.95) as usize];
        let (mean, highest) = (
            fortnight.iter().sum::<f64>() / fortnight.len() as f64,
            fortnight[fortnight.len() - 1],
        );
        let why = &found.explanation;
        let stated = numbers(&why.factors[0]);
        // "p95 CPU 10.8 % over 14 days (mean 9.5 %, highest 11.5 %), 4,032 points, limit 20 %"
        for (place, wanted) in [
            (1, p95),
            (2, 14.0),
            (3, mean),
            (4, highest),
            (5, 4032.0),
            (6, 20.0),
        ] {
            assert!(
                (stated[place] - wanted).abs() < 0.11,
                "{}: {} is not {wanted}",
                &why.factors[0],
                stated[place]
            );
        }
        let low = why
            .decision_path
            .iter()
            .find(|step| step.check.starts_with("Is p95 CPU below 20 %"))
            .unwrap();
        assert_eq!(
            (low.answer, low.detail.as_str()),
            (Some(true), &why.factors[0])
        );
        let halves = why
            .decision_path
            .iter()
            .find(|step| step.check.contains("highest CPU point"))
            .unwrap();
        let becomes = numbers(&halves.detail)[1];
        assert!(
            (becomes - highest * 2.0).abs() < 0.11,
            "half the processors, twice the load: {}",
            halves.detail
        );
        let tried = why.decision_path.last().unwrap();
        let share = numbers(&tried.detail);
        // "Safe on 23 of 23 past days ... 90 % range 87 to 100 %, confidence 94.1 %"
        assert_eq!((share[0], share[1]), (23.0, 23.0), "{}", tried.detail);
        let [.., low, high, confidence] = share[..] else {
            panic!("{}", tried.detail)
        };
        assert!(low < confidence && confidence < high, "{}", tried.detail);
        assert_eq!(
            found.confidence, confidence,
            "the confidence is the one that the path ends with"
        );
        let saved = numbers(&why.cost_reduction)[0];
        assert!(
            (saved - found.savings_monthly.unwrap().usd()).abs() < 0.01,
            "{}",
            why.cost_reduction
        );
    }
}

#[test]
fn data_points_count_what_was_looked_at() {
    let mut case = Case::machine("m5.xlarge")
        .flat(CPU, 30, 5.0)
        .all_else_small();
    case.series[0].points[7].1 = f64::NAN;
    let all = 8 * 30 * 288;
    assert_eq!(
        only(&case).explanation.data_points,
        all - 1,
        "what is no number is not looked at"
    );
    case.unchanged_since = Some(now() - SignedDuration::from_hours(24 * 20));
    assert_eq!(
        only(&case).explanation.data_points,
        8 * 20 * 288,
        "nor is what another size did"
    );

    let mut volume = Case::machine("m5.xlarge");
    volume.resource = resource("vol-1", ResourceKind::Volume, "ebs", None);
    let volume = volume.flat(Metric::DiskReadOps, 7, 0.0);
    assert_eq!(only(&volume).explanation.data_points, 7 * 288);
}

#[test]
fn a_throttled_machine_gets_the_next_size() {
    let case =
        Case::machine("m5.large").with(CPU, 30, |m| Some(if m <= 10 * 1440 { 97.0 } else { 60.0 }));
    let found = only(&case);
    assert_eq!(
        (found.kind, found.rule),
        (RecommendationType::InstanceType, "upgrade_throttled")
    );
    assert_eq!(
        found.subject.target_type.as_deref(),
        Some("c6a.xlarge"),
        "the cheapest with twice the processors"
    );

    assert_eq!(
        found.savings_monthly,
        Some(-Money::from_usd(
            (usd("c6a.xlarge") - usd("m5.large")) * 730.0
        ))
    );

    assert_eq!(
        found.impact.cost,
        "($0.1530 - $0.0960) an hour x 730 hours = $41.61 a month more, 59.4 % of $70.08"
    );
    assert!(
        found
            .reason_codes
            .contains(&"guardrail_max_increase".to_owned())
    );
    assert_eq!(found.priority, Priority::High);

    // Days 4 to 10 of the saturation follow three saturated days.
    let last = found.explanation.factors.iter().last().unwrap();
    assert!(
        last.contains("Safe on 7 of 7 past days"),
        "the confidence comes last: {:?}",
        found.explanation.factors
    );

    assert!(
        Case::machine("m5.large")
            .with(CPU, 30, |m| Some(if m <= 1440 { 97.0 } else { 60.0 }))
            .judge()
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::InstanceType)
    );
}

#[test]
fn a_burstable_machine_without_credits_is_throttled_at_its_baseline() {
    let case =
        Case::machine("t3.large")
            .flat(CPU, 30, 30.0)
            .flat(Metric::CpuCreditBalance, 30, 0.2);
    let found = only(&case);
    assert_eq!(found.kind, RecommendationType::InstanceType);

    let factors = &found.explanation.factors;
    assert_eq!(
        &factors[0], "Out of CPU credits: held at 30.0 % of its CPU",
        "{factors:?}"
    );
    assert!(
        found
            .reason_codes
            .contains(&"cpu_credits_exhausted".to_owned())
    );

    assert_eq!(
        found.confidence, 94.9,
        "27 of 27 days that followed three days without credits"
    );

    let rich =
        Case::machine("t3.large")
            .flat(CPU, 30, 30.0)
            .flat(Metric::CpuCreditBalance, 30, 400.0);
    assert!(
        rich.judge()
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::InstanceType)
    );
}

#[test]
fn an_idle_machine_is_stopped_after_its_volumes_are_kept() {
    let mut case = Case::machine("m5.large")
        .with(CPU, 30, |m| Some(0.1 + 0.1 * noise(m)))
        .flat(Metric::NetworkIn, 30, 120.0)
        .flat(Metric::NetworkOut, 30, 80.0);
    let mut volume = resource("vol-1", ResourceKind::Volume, "ebs", None);
    volume.state = ResourceState::Available;
    volume.attached_to = vec![case.resource.id.clone()];
    volume.specification.storage_gib = Some(100.0);
    volume.monthly_cost = Some(Money::from_usd(8.0));
    case.volumes = vec![volume];
    let found = only(&case);
    assert_eq!(
        (found.kind, found.rule),
        (
            RecommendationType::IdleResourceCleanup,
            "identify_idle_resources"
        )
    );

    assert_eq!(
        found.savings_monthly,
        Some(Money::per_month(usd("m5.large"))),
        "compute alone: the disk stays billed"
    );

    assert!(
        found.impact.cost.contains("($8.00 a month)"),
        "{}",
        found.impact.cost
    );

    let plan = found.plan.unwrap();
    let order = [
        StepKind::Precondition,
        StepKind::Snapshot,
        StepKind::Snapshot,
        StepKind::Stop,
        StepKind::Verify,
    ];
    assert_eq!(kinds(&plan), order);

    assert_eq!(plan.steps[2].resource, "vol-1");
    assert_eq!(found.confidence, 94.8);
}

#[test]
fn what_is_not_measured_is_not_idle() {
    let silent = Case::machine("m5.large").flat(CPU, 30, 0.1);
    assert_eq!(silent.codes()[0], "not_measured");
    assert!(
        silent
            .judge()
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::IdleResourceCleanup)
    );

    let one_way = Case::machine("m5.large")
        .flat(CPU, 30, 0.1)
        .flat(Metric::NetworkIn, 30, 0.0);
    assert_eq!(one_way.codes()[0], "not_measured");

    let talking = Case::machine("m5.large")
        .flat(CPU, 30, 0.1)
        .flat(Metric::NetworkIn, 30, 40_000.0)
        .flat(Metric::NetworkOut, 30, 100.0);
    assert_eq!(talking.codes()[0], "network_in_use");
    assert!(
        talking
            .judge()
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::IdleResourceCleanup)
    );
}

#[test]
fn databases_are_idle_when_nobody_connects() {
    let found = only(&Case::database("db.m5.large").flat(CPU, 30, 4.0).flat(
        Metric::DatabaseConnections,
        30,
        0.0,
    ));
    assert_eq!(found.kind, RecommendationType::IdleResourceCleanup);
    assert!(found.not_measured.contains(&"price".to_owned()));
    assert_eq!(found.savings_monthly, None);
    assert!(
        found
            .reason_codes
            .contains(&"restarts_after_seven_days".to_owned())
    );

    assert_eq!(
        kinds(&found.plan.unwrap()),
        [
            StepKind::Precondition,
            StepKind::Snapshot,
            StepKind::Stop,
            StepKind::Verify
        ]
    );

    let used = Case::database("db.m5.large").flat(CPU, 30, 30.0).flat(
        Metric::DatabaseConnections,
        30,
        1.0,
    );
    assert_eq!(used.codes()[0], "connections_in_use");
}

#[test]
fn a_quiet_database_goes_one_class_down_without_a_claimed_price() {
    let found = only(&Case::database("db.m5.2xlarge").flat(CPU, 30, 5.0).flat(
        Metric::DatabaseConnections,
        30,
        12.0,
    ));
    assert_eq!(found.subject.target_type.as_deref(), Some("db.m5.xlarge"));
    assert_eq!(
        (found.savings_monthly, found.impact.cost_percent),
        (None, None)
    );
    assert_eq!(
        kinds(found.plan.as_ref().unwrap()),
        [
            StepKind::Precondition,
            StepKind::Snapshot,
            StepKind::Modify,
            StepKind::Verify
        ]
    );

    assert!(found.impact_level >= Impact::Medium);
}

#[test]
fn a_database_of_a_known_engine_saves_at_list_price() {
    let postgres = |multi_az| {
        let mut case = Case::database("db.m5.2xlarge").flat(CPU, 30, 5.0).flat(
            Metric::DatabaseConnections,
            30,
            12.0,
        );
        case.resource.region = "eu-west-1".to_owned();
        case.resource.specification.platform = Some("postgres".to_owned());
        case.resource.specification.multi_az = Some(multi_az);
        only(&case)
    };
    let (single, standby) = (postgres(false), postgres(true));

    assert_eq!(single.subject.target_type.as_deref(), Some("db.m5.xlarge"));
    // db.m5.2xlarge and db.m5.xlarge of PostgreSQL in Ireland.
    assert_eq!(single.savings_monthly.unwrap().usd_cents(), 0.394 * 730.0);
    assert_eq!(
        standby.savings_monthly.unwrap().usd_cents(),
        2.0 * 0.394 * 730.0
    );

    let list =
        "Prices are list prices (AWS price list of 2025-05-28): no bill of this resource is known";
    assert!(
        single
            .explanation
            .factors
            .iter()
            .any(|factor| factor == list),
        "{:?}",
        single.explanation.factors
    );
}

#[test]
fn an_idle_database_saves_its_list_price() {
    let mut idle = Case::database("db.m5.large").flat(Metric::DatabaseConnections, 30, 0.0);
    idle.resource.specification.platform = Some("mysql".to_owned());
    let found = only(&idle);
    assert_eq!(
        found.savings_monthly.unwrap().usd_cents(),
        124.83,
        "0.171 an hour"
    );
}

#[test]
fn unattached_volumes_are_deleted_after_a_snapshot() {
    let mut case = Case::machine("x");
    case.resource = resource("vol-9", ResourceKind::Volume, "ebs", None);
    case.resource.specification.storage_gib = Some(500.0);
    case.resource.specification.storage_type = Some("gp3".to_owned());
    let found = only(&case);
    let order = [
        StepKind::Precondition,
        StepKind::Snapshot,
        StepKind::Precondition,
        StepKind::Delete,
        StepKind::Verify,
    ];

    let plan = found.plan.as_ref().unwrap();
    assert_eq!((kinds(plan), plan.reversible), (order.to_vec(), false));
    assert!(found.reason_codes.contains(&"cannot_be_undone".to_owned()));
    assert!(found.impact_level >= Impact::Medium, "it needs a signature");
    assert_eq!(
        found.savings_monthly.unwrap().usd_cents(),
        15.0,
        "$40 for the volume less at most $25 for its snapshot"
    );

    assert!(
        found.impact.cost.contains("saves at least $15.00"),
        "{}",
        found.impact.cost
    );
    assert_eq!(found.confidence, 50.0, "nothing to try it on");
    case.resource.specification.storage_type = Some("sc1".to_owned());
    assert_eq!(
        case.codes(),
        ["not_cheaper"],
        "a snapshot may cost more than a cold volume"
    );
    case.resource.created_at = Some(now() - SignedDuration::from_hours(48));
    assert_eq!(case.codes(), ["too_young"]);
    case.resource.state = ResourceState::Available;
    assert_eq!(case.codes(), ["in_use"]);
}

#[test]
fn savings_after_discounts_are_claimed_only_where_they_are_known() {
    let quiet = || {
        Case::machine("m5.xlarge")
            .flat(CPU, 30, 5.0)
            .all_else_small()
    };
    assert_eq!(only(&quiet()).savings_after_discounts, None);

    let mut discounted = quiet();
    discounted.resource.monthly_cost = Some(Money::from_usd(usd("m5.xlarge") * 730.0 * 0.6));
    assert_eq!(
        only(&discounted)
            .savings_after_discounts
            .unwrap()
            .usd_cents(),
        42.05
    );

    let mut reserved = quiet();
    reserved.resource.purchase = Some(Purchase::Reserved);
    assert_eq!(
        only(&reserved).savings_after_discounts,
        Some(Money::ZERO),
        "it is paid for whether used or not"
    );
}

#[test]
fn a_bill_decides_what_is_saved_before_what_the_cloud_says() {
    let quiet = || {
        Case::machine("m5.xlarge")
            .flat(CPU, 30, 5.0)
            .all_else_small()
    };
    let list = only(&quiet());

    assert!(
        list.explanation
            .factors
            .iter()
            .any(|factor| factor.starts_with("Prices are list prices (AWS price list of 20")),
        "{list:?}"
    );

    let billed = only(&quiet().billed(0.7, "Standard"));
    let share =
        billed.savings_after_discounts.unwrap().usd() / billed.savings_monthly.unwrap().usd();
    assert!((share - 0.7).abs() < 1e-6, "{share}");
    assert!(
        billed
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("70.0 % of the list price")),
        "{billed:?}"
    );

    let committed = only(&quiet().billed(0.6, "Committed"));
    assert_eq!(
        committed.savings_after_discounts,
        Some(Money::ZERO),
        "the commitment is paid whether it is used or not"
    );

    assert_eq!(
        only(&quiet().billed(1.0, "Standard")).savings_after_discounts,
        None,
        "the list price is what is paid"
    );
}

/// A machine that idles at 4 % but for one hour of noon on one day.
fn with_one_peak(days_ago: i64, height: f64) -> Case {
    Case::machine("m5.xlarge")
        .with(CPU, 30, move |m| {
            let is_peak = m / 1_440 == days_ago && (660..720).contains(&(m % 1_440));
            Some(if is_peak { height } else { 4.0 })
        })
        .all_else_small()
}

#[test]
fn a_peak_that_was_seen_once_asks_for_two_months() {
    let once = with_one_peak(11, 42.0);
    assert!(once.codes().contains(&"seen_once"), "{:?}", once.judge());
    let judged = once.judge();
    let said = judged
        .abstentions
        .iter()
        .find(|abstention| abstention.code == "seen_once")
        .unwrap();
    assert!(
        said.detail
            .contains("was 42.0 % on one day 11 days ago (84.0 % of m5.large)"),
        "{said:?}"
    );

    // Half as much again still fits into half of the size.
    let small = with_one_peak(11, 20.0);
    assert!(!small.codes().contains(&"seen_once"));

    // Eleven months of maxima show the job each month, and that it never differs.
    let known = with_one_peak(11, 42.0).with_maxima(CPU, (380, 31), |back| {
        if back % 30 == 11 { 42.0 } else { 4.0 }
    });
    assert!(!known.codes().contains(&"seen_once"), "{:?}", known.judge());
    only(&known);
}

#[test]
fn a_size_must_hold_the_peaks_of_thirteen_months() {
    let quiet = || {
        Case::machine("m5.xlarge")
            .flat(CPU, 30, 4.0)
            .all_else_small()
    };
    only(&quiet());

    // The work of each quarter's end, which thirty days do not show.
    let quarterly = quiet().with_maxima(
        CPU,
        (380, 31),
        |back| {
            if back % 91 == 40 { 78.0 } else { 4.0 }
        },
    );
    assert!(
        quarterly.codes().contains(&"year_peak"),
        "{:?}",
        quarterly.judge()
    );

    // Measured at another size, they say nothing of this one.
    let mut resized = quarterly;
    resized.unchanged_since = Some(now() - SignedDuration::from_hours(24 * 31));
    only(&resized);
}

#[test]
fn a_size_must_hold_what_the_next_week_may_need() {
    // One reading a day is a peak, which no percentile shows. Half the size would just hold the
    // highest of them.
    let peaks = |high: fn(i64) -> f64| {
        move |m: i64| {
            Some(if m % 1_440 == 720 {
                high(m / 1_440)
            } else {
                4.0
            })
        }
    };

    let quiet = |high| {
        Case::machine("m5.xlarge")
            .with(CPU, 30, peaks(high))
            .all_else_small()
    };
    let even = only(&quiet(|_| 40.0));

    let asked =
        |decision: &&RecommendationDecision| decision.check.contains("next 7 days may need");
    assert_eq!(
        even.explanation
            .decision_path
            .iter()
            .find(asked)
            .unwrap()
            .answer,
        Some(true)
    );

    // The same highest peak, but weeks differ by a factor of four: the next one may be higher.
    let restless = quiet(|day| if (day / 7) % 2 == 0 { 40.0 } else { 10.0 });
    assert!(
        restless.codes().contains(&"next_week"),
        "{:?}",
        restless.judge()
    );
}

#[test]
fn a_load_that_does_not_hold_on_held_out_days_is_trusted_less() {
    // An hour a week at 40 %: 80 % of the smaller size, in 0.6 % of the points. On those days it is
    // too tight.
    let weekly = |m: i64| {
        Some(if (m / 1440) % 7 == 3 && m % 1440 < 60 {
            40.0
        } else {
            3.0
        })
    };

    let found = only(
        &Case::machine("m5.xlarge")
            .with(CPU, 30, weekly)
            .all_else_small(),
    );

    assert_eq!(
        found.confidence, 78.1,
        "20 of 23 days: {:?}",
        found.explanation.factors
    );

    assert!(
        found
            .explanation
            .decision_path
            .iter()
            .any(|d| d.answer == Some(false) && d.detail.contains("20 of 23"))
    );
}
