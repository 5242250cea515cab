//! Commitments: the use of each machine, and the recommendation of its account.

use reeve_estate::{Money, Purchase, ResourceKind};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::Judgement;
use reeve_recommend::recommendation::RecommendationType;

use super::estate::{Case, noise, resource};
use super::{CPU, usd};
use crate::cost_optimizer::commitment::{self, AccountFacts, AccountUse, HourlyUse, Portfolios};
use crate::cost_optimizer::evidence::CostEvidence;
use crate::cost_optimizer::hourly_use;

fn steady(size: &str) -> Case {
    Case::machine(size)
        .with(CPU, 30, |m| Some(45.0 + 5.0 * noise(m)))
        .all_else_small()
}

/// The use of a machine that its commitments could pay for, beside the findings about it.
fn hourly_use(case: &Case) -> Option<HourlyUse> {
    let facts = case.facts();
    hourly_use::measure(&CostEvidence::new(&facts), &case.judge().proposals)
}

fn simulated(machines: &[Case]) -> Option<AccountUse> {
    let mut sums = Portfolios::default();
    machines
        .iter()
        .filter_map(hourly_use)
        .for_each(|machine| sums.add(machine));
    sums.simulate().pop()
}

fn judged(simulated: Option<&AccountUse>, settings: &AgentSettings) -> Judgement {
    let mut account = resource(
        "account/aws/1",
        ResourceKind::VirtualMachine,
        "billing",
        None,
    );
    account.kind = ResourceKind::Account;

    account.name = "111122223333".to_owned();
    let guardrails = Guardrails::default();
    let mut judgement = Judgement::default();
    judgement.take(commitment::judge(&AccountFacts {
        account: &account,
        simulated,
        settings,
        guardrails: &guardrails,
    }));
    judgement
}

fn code(judgement: &Judgement) -> &'static str {
    assert!(judgement.proposals.is_empty(), "{judgement:?}");
    judgement.abstentions[0].code
}

#[test]
fn an_account_whose_machines_always_run_is_worth_a_commitment() {
    let found = simulated(&[steady("m5.large"), steady("m5.large")]).unwrap();
    let judgement = judged(Some(&found), &AgentSettings::default());
    let [one] = judgement.proposals.as_slice() else {
        panic!("{judgement:?}")
    };

    assert_eq!(
        (one.kind, one.plan.is_none()),
        (RecommendationType::ReservedInstances, true)
    );
    assert_eq!(
        (one.subject.kind, one.subject.id.as_str()),
        (ResourceKind::Account, "account/aws/1")
    );

    // The price list's rate of a convertible reservation of an m5.large: 0.071 of 0.096 an hour.
    let share = 1.0 - 0.071 / 0.096;
    let saving = one.savings_monthly.unwrap().usd();
    assert!(
        (saving - 2.0 * usd("m5.large") * 730.0 * share).abs() < 0.05,
        "{saving}"
    );
    assert!(!one.reason_codes.contains(&"discount_assumed".to_owned()));

    let said = one.explanation.factors.texts().join("\n");
    for words in [
        "2 machines on demand were used over ",
        "covers 100.0 % of that use, and 100.0 % of it is used. It saves while more than 74.0 % of it is used",
        "In none of the past weeks it would have cost more. It still saves until the use falls by 26.0 %",
        "(AWS price list of 2025-05-28), about that of a Compute Savings Plan",
        "Instead for m5 in us-east-1: standard reservations",
        "(37.5 % for one year, 57.3 % for three)",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn a_commitment_saves_on_the_basis_of_the_bill() {
    let saving = |machines: &[Case]| {
        let found = simulated(machines).unwrap();
        let judgement = judged(Some(&found), &AgentSettings::default());
        let [one] = judgement.proposals.as_slice() else {
            panic!("{judgement:?}")
        };
        let list = one.savings_monthly.unwrap().usd();
        let paid = one.savings_after_discounts.map(|paid| paid.usd() / list);
        (paid, one.monthly_cost.unwrap().usd(), one.clone())
    };

    let (paid, cost, one) = saving(&[
        steady("m5.large").billed(0.8, "Standard"),
        steady("m5.large").billed(0.8, "Standard"),
    ]);
    assert!((paid.unwrap() - 0.8).abs() < 0.001, "{paid:?}");
    assert!(
        (cost - 2.0 * 0.8 * usd("m5.large") * 730.0).abs() < 0.05,
        "{cost}"
    );
    let said = one.explanation.factors.texts().join("\n");
    assert!(
        said.contains("the use costs 80.0 % of the list price"),
        "{said}"
    );

    // The machine without a bill counts at list price.
    let (paid, _, _) = saving(&[
        steady("m5.large").billed(0.8, "Standard"),
        steady("m5.large"),
    ]);
    assert!((paid.unwrap() - 0.9).abs() < 0.001, "{paid:?}");

    let (paid, cost, _) = saving(&[steady("m5.large"), steady("m5.large")]);
    assert_eq!(paid, None);
    assert!(
        (cost - 2.0 * usd("m5.large") * 730.0).abs() < 0.05,
        "{cost}"
    );
}

#[test]
fn an_account_abstains_with_a_reason() {
    let off = AgentSettings(
        [(
            "suggest_reserved_instances.enabled".to_owned(),
            SettingValue::Flag(false),
        )]
        .into(),
    );

    let even = simulated(&[steady("m5.2xlarge")]).unwrap();
    assert_eq!(code(&judged(Some(&even), &off)), "switched_off");
    assert_eq!(code(&judged(None, &AgentSettings::default())), "thin_data");

    // One of two machines was stopped a week ago: the level of the weeks before would have lost in
    // the last one.
    let stopped = Case::machine("m5.4xlarge").with(CPU, 30, |m| (m > 8 * 1_440).then_some(45.0));
    let shrinking = simulated(&[stopped, steady("m5.2xlarge")]).unwrap();
    assert_eq!(
        code(&judged(Some(&shrinking), &AgentSettings::default())),
        "lost_on_held_out_weeks"
    );

    let small = simulated(&[steady("t3.small")]).unwrap();
    assert_eq!(
        code(&judged(Some(&small), &AgentSettings::default())),
        "no_level_saves"
    );
}

#[test]
fn the_use_of_a_machine_is_that_which_remains() {
    let hourly = hourly_use;
    assert_eq!(hourly(&steady("m5.large")).unwrap().usd, usd("m5.large"));

    let mut reserved = steady("m5.large");
    reserved.resource.purchase = Some(Purchase::Reserved);
    assert!(hourly(&reserved).is_none());

    let paid = hourly(&steady("m5.large").billed(0.6, "Committed")).unwrap();
    assert_eq!(paid.usd, 0.0, "commitments pay for all of it already");

    // Quiet: a smaller size is recommended, and only its price is committed to.
    let quiet = Case::machine("m5.xlarge")
        .flat(CPU, 30, 5.0)
        .all_else_small();
    let smaller = hourly(&quiet).unwrap();
    assert!(
        (smaller.usd - usd("m5.large")).abs() < 1e-6,
        "{}",
        smaller.usd
    );

    let family = smaller.reservation.unwrap();
    assert_eq!(
        (family.family.as_str(), family.region.as_str()),
        ("m5", "us-east-1")
    );

    let mut windows = steady("m5.large");
    windows.resource.specification.platform = Some("windows".to_owned());
    assert_eq!(
        hourly(&windows).unwrap().reservation,
        None,
        "sizes share reservations on Linux alone"
    );
    assert!(Money::from_usd(hourly(&windows).unwrap().usd) > Money::from_usd(usd("m5.large")));
}
