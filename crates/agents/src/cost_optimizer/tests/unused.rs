//! Addresses, NAT gateways and load balancers that nothing uses, and those that only look so.

use jiff::SignedDuration;
use reeve_estate::{Metric, Money, ResourceId, ResourceKind, ResourceState};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ChangeRegistry, Reversal};
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::plan::StepKind;

use super::estate::{Case, now, resource};

fn case(kind: ResourceKind, state: ResourceState, attached_to: &[&str]) -> Case {
    let mut case = Case::machine("m5.large");
    let size = (kind == ResourceKind::LoadBalancer).then_some("application");
    case.resource = resource("one", kind, "ec2", size);
    case.resource.state = state;
    case.resource.attached_to = attached_to.iter().map(|id| ResourceId::new(*id)).collect();

    // EC2 does not say when an address was allocated.
    if kind == ResourceKind::IpAddress {
        case.resource.created_at = None;
    }

    case
}

fn balancer() -> Case {
    case(
        ResourceKind::LoadBalancer,
        ResourceState::Available,
        &["i-1"],
    )
}

fn gateway(routes: &[&str]) -> Case {
    case(ResourceKind::NatGateway, ResourceState::Available, routes)
}

fn only(case: &Case) -> Proposal {
    let mut judgement = case.judge();
    assert_eq!(judgement.proposals.len(), 1, "{judgement:#?}");
    judgement.proposals.remove(0)
}

fn days_ago(days: i64) -> jiff::Timestamp {
    now() - SignedDuration::from_hours(24 * days)
}

/// A bill of thirty whole days.
fn a_dollar_a_day(case: Case) -> Case {
    let mut case = case.billed(1.0, "Standard");
    for charge in &mut case.charges {
        charge.end_ms = charge.start_ms + reeve_learn::DAY_MS;
    }
    case
}

fn cents(proposal: &Proposal) -> Option<f64> {
    proposal.savings_monthly.map(Money::usd_cents)
}

#[test]
fn an_address_that_nothing_has_is_released_with_a_signature() {
    let free = case(ResourceKind::IpAddress, ResourceState::Unattached, &[]);
    let found = only(&free);
    assert_eq!(
        (found.rule, found.savings_monthly),
        ("identify_idle_resources", Some(Money::from_usd(3.65)))
    );
    assert_eq!(
        found.impact_level,
        Impact::Medium,
        "it costs little and cannot be undone"
    );
    assert_eq!(found.explanation.risk, Impact::Medium);
    assert_eq!(found.not_measured, ["since_when_unattached"]);
    assert!(found.reason_codes.contains(&"cannot_be_undone".to_owned()));

    let plan = found.plan.unwrap();
    let kinds: Vec<StepKind> = plan.steps.iter().map(|step| step.kind).collect();
    assert_eq!(
        kinds,
        [StepKind::Precondition, StepKind::Delete, StepKind::Verify]
    );

    let procedure = ChangeRegistry::builtin().procedure(&plan).unwrap();
    assert!(
        matches!(procedure.change().reversal(), Reversal::Impossible(why) if why.contains("cannot be had again"))
    );
}

#[test]
fn an_address_that_lost_its_holder_lately_waits() {
    let mut free = case(ResourceKind::IpAddress, ResourceState::Unattached, &[]);
    free.attachment_changed_at = Some(days_ago(3));
    assert_eq!(free.codes(), ["too_young"]);
    free.attachment_changed_at = Some(days_ago(20));
    let found = only(&free);
    assert_eq!(
        (found.not_measured.len(), found.confidence),
        (0, 40.0),
        "of 20 days, 30 more are 40 %"
    );
    free.attachment_changed_at = Some(days_ago(365));
    let found = only(&free);
    let said = found.explanation.factors.texts().join("\n");
    assert_eq!(
        (found.confidence, found.trust.cap_percent),
        (90.0, Some(90.0)),
        "no trial makes it surer: {said}"
    );

    assert!(
        said.contains("Unattached for 365 days. Confidence 90.0 %") && !said.contains("past day"),
        "{said}"
    );
    assert_eq!(
        found.explanation.confidence_range, None,
        "a range comes from trials"
    );

    let held = case(ResourceKind::IpAddress, ResourceState::Available, &["i-1"]);
    assert_eq!(held.codes(), ["in_use"]);

    let mut kept = free;
    kept.resource
        .tags
        .insert("reeve:ignore".to_owned(), "true".to_owned());
    assert_eq!(kept.codes(), ["opted_out"]);
}

#[test]
fn a_volume_that_was_detached_lately_waits_too() {
    let mut volume = case(ResourceKind::Volume, ResourceState::Unattached, &[]);
    assert_eq!(volume.judge().proposals.len(), 1);
    volume.attachment_changed_at = Some(days_ago(2));
    assert_eq!(volume.codes(), ["too_young"]);
}

#[test]
fn a_gateway_without_traffic_is_deleted_and_one_that_nobody_measured_is_not() {
    assert_eq!(
        gateway(&[]).codes(),
        ["not_measured"],
        "a gateway without routes may still be measured"
    );

    let silent = gateway(&["rtb-1"]).flat(Metric::NetworkOut, 30, 0.0);
    let found = only(&silent);
    assert_eq!(
        found.savings_monthly,
        Some(Money::from_usd(32.85)),
        "730 hours at $0.045"
    );
    assert!(found.confidence > 90.0, "{}", found.confidence);

    let factors = found.explanation.factors.texts().join("\n");
    assert!(
        factors.contains("rtb-1") && factors.contains("at list price"),
        "{factors}"
    );
    assert_eq!(
        only(&gateway(&[]).flat(Metric::NetworkOut, 30, 0.0)).reason_codes[0],
        "nothing_behind_it"
    );

    let young = gateway(&[]).flat(Metric::NetworkOut, 3, 0.0);
    assert_eq!(young.codes(), ["thin_data"]);

    let used = gateway(&[]).with(Metric::NetworkOut, 30, |back| {
        Some(if back < 60 { 1_200.0 } else { 0.0 })
    });
    assert_eq!(used.codes(), ["in_use"], "an hour of use is use");
}

#[test]
fn a_balancer_without_points_of_requests_is_idle_only_where_its_units_say_so() {
    assert_eq!(balancer().codes(), ["not_measured"]);

    let idle = only(&balancer().flat(Metric::CapacityUnits, 30, 0.0));
    assert_eq!(idle.savings_monthly, Some(Money::from_usd(16.425)));
    assert!(
        idle.explanation
            .factors
            .iter()
            .any(|factor| factor.contains("not one request")),
        "{idle:#?}"
    );

    // Long connections without new requests: a chat, a stream.
    let streams = balancer().flat(Metric::CapacityUnits, 30, 0.2);
    assert_eq!(streams.codes(), ["in_use"]);

    let scanned = |a_day: f64| {
        let rate = a_day / 86_400.0;
        balancer()
            .flat(Metric::CapacityUnits, 30, 0.000_1)
            .flat(Metric::RequestRate, 30, rate)
    };
    assert_eq!(only(&scanned(40.0)).reason_codes[0], "no_traffic");

    assert_eq!(scanned(400.0).codes(), ["in_use"]);
}

#[test]
fn a_region_without_list_prices_takes_the_cost_of_the_bill() {
    let mut elsewhere = gateway(&[]).flat(Metric::NetworkOut, 30, 0.0);
    elsewhere.resource.region = "eu-west-1".to_owned();
    let unknown = only(&elsewhere);
    assert_eq!(
        (unknown.savings_monthly, unknown.not_measured.as_slice()),
        (None, &["price".to_owned()][..])
    );

    let billed = only(&a_dollar_a_day(elsewhere));
    assert_eq!(cents(&billed), Some(30.42));
    assert_eq!(billed.savings_after_discounts, billed.savings_monthly);
    assert!(
        billed
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains("by its bill"))
    );
}

#[test]
fn an_idle_database_saves_what_its_bill_charges_by_the_hour() {
    let idle = || Case::database("db.m5.large").flat(Metric::DatabaseConnections, 30, 0.0);
    assert_eq!(
        only(&idle()).savings_monthly,
        None,
        "an engine without a list price"
    );

    let mut billed = a_dollar_a_day(idle());
    for charge in &mut billed.charges {
        charge.unit = Some("Hrs".into());
    }

    let storage = billed.charges[0].clone();
    billed.charges.push(reeve_estate::Charge {
        unit: Some("GB-Mo".into()),
        ..storage
    });
    let found = only(&billed);
    assert_eq!(
        cents(&found),
        Some(30.42),
        "a dollar a day for 730 hours, without its storage"
    );
    assert_eq!(found.savings_after_discounts, found.savings_monthly);
}
