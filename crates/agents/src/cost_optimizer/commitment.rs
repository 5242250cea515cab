//! `suggest_reserved_instances`: consistent usage, of all machines of an account together. Advice
//! only: Reeve buys nothing.

mod account_use;
mod judge;

use reeve_estate::{Money, Provider};
use reeve_learn::calibrate::Signs;
use reeve_learn::{HOUR_MS, Window};
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::portfolio::Portfolio;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};
use reeve_recommend::words::{dollars, percent, thousands};

#[cfg(test)]
pub(super) use account_use::Portfolios;
pub(super) use account_use::{AccountUse, FamilyUse};
pub(super) use account_use::{HourlyUse, Reservation};
pub(super) use judge::{AccountFacts, CommitmentJudge};

use super::evidence::CostEvidence;
use super::settings::Thresholds;
use crate::confidence::{Confidence, confidence};
use crate::load::Load;

/// Share of the hours that a machine must have run to have run through.
const HOURS_RUNNING: f64 = 0.95;
/// Confidence at most, percent: some weeks say little about a year.
const WEEKS_FOR_A_YEAR: f64 = 80.0;
/// Families that are named in an explanation.
const MOST_FAMILIES: usize = 5;
/// Saving a month below which no commitment is advised: a year cannot be undone.
const LEAST_SAVING_USD: f64 = 25.0;

const KIND: RecommendationType = RecommendationType::ReservedInstances;
/// Effect of a commitment on the machines.
const UNTOUCHED: &str = "none: the machines stay as they are";

/// The reason why one machine gets no finding about commitments.
pub(super) fn left_to_the_account() -> Abstention {
    let detail = "commitments apply to whatever runs in the account and are judged for all of its machines together";
    Abstention::decided(KIND, "judged_by_account", detail)
}

/// Judges the commitments of an account.
pub(super) fn judge(facts: &AccountFacts<'_>) -> Result<Proposal, Abstention> {
    if !Thresholds::from(facts.settings).commitments {
        let detail = "the setting suggest_reserved_instances.enabled is off";
        return Err(Abstention::decided(KIND, "switched_off", detail));
    }

    let too_little = || {
        let detail = "less than three whole weeks of on-demand use with list prices were measured, or too many hours are missing";
        Abstention::unjudged(KIND, "thin_data", detail)
    };
    let account = facts.simulated.ok_or_else(too_little)?;

    let Portfolio {
        safe,
        held_out_saving_monthly,
        ..
    } = account.portfolio;
    let mut path = Path::default();
    let saving = account.portfolio.saving_monthly(&safe);
    let detail = format!("{} a month at ${:.2} an hour", dollars(saving), safe.hourly);
    let question = "Does a level that lost in no week save $25 a month?";
    if !path.ask(question, saving.usd() >= LEAST_SAVING_USD, detail.clone()) {
        return Err(Abstention::decided(KIND, "no_level_saves", detail));
    }

    let detail = format!(
        "{} a month over the last third of the weeks",
        dollars(held_out_saving_monthly)
    );
    let question = "Would the level of the weeks before have saved in the weeks after them?";

    if !path.ask(
        question,
        held_out_saving_monthly > Money::ZERO,
        detail.clone(),
    ) {
        return Err(Abstention::decided(KIND, "lost_on_held_out_weeks", detail));
    }

    Ok(propose(facts, account, saving, path))
}

fn propose(facts: &AccountFacts<'_>, account: &AccountUse, saving: Money, path: Path) -> Proposal {
    let portfolio = &account.portfolio;
    let trust = confidence(account.tried, &Vec::new(), 0.0, Some(WEEKS_FOR_A_YEAR));
    let signs = Signs {
        margins: Vec::new(),
        tried: account.tried.windows,
        unmeasured: 0.0,
        production: None,
        age_days: None,
    };

    let hazards = Hazards::default();
    let (name, hourly) = (&facts.account.name, portfolio.safe.hourly);
    let share = saving.usd() / portfolio.use_monthly.usd().max(f64::MIN_POSITIVE) * 100.0;
    let mut cost = format!(
        "{} a month of {} at on-demand list prices. {}",
        dollars(saving),
        dollars(portfolio.use_monthly),
        portfolio.wording
    );
    // On the basis of every other saving of the page: by the bill where there is one.
    let paid = portfolio.paid_share;
    let after = |amount: Money| paid.map(|share| Money::from_usd(amount.usd() * share));
    if let (Some(share), Some(saved)) = (paid, after(saving)) {
        cost += &format!(
            ". By the bills of its machines the use costs {} of the list price, and the commitment saves {} a month of it",
            percent(share * 100.0),
            dollars(saved)
        );
    }

    let matrix = &facts.guardrails.approval_matrix;
    let mut reason_codes = vec!["consistent_usage".to_owned(), "advice_only".to_owned()];
    if portfolio.wording.starts_with("Assumed") {
        reason_codes.push("discount_assumed".to_owned());
    }

    let action = format!(
        "Buy a one-year commitment of ${hourly:.2} an hour for account {name}, as {}; Reeve buys nothing",
        product(portfolio.family.provider)
    );
    let explanation = Explanation::new(action, risk(facts.account, hazards))
        .with_data_points(u64::from(portfolio.hours) * portfolio.machines)
        .with_confidence_range(trust.range)
        .with_cost_reduction(format!("{} a month ({})", dollars(saving), percent(share)))
        .with_performance_impact(UNTOUCHED)
        .with_decision_path(path.into_decisions())
        .with_factors(factors(account, &trust, cost.clone()));

    Proposal::new(
        KIND,
        "suggest_reserved_instances",
        title(
            &format!("Commit ${hourly:.2} an hour for a year in account "),
            name,
            "",
        ),
        subject(facts.account, None),
        ImpactAssessment {
            cost_percent: Some(-share),
            cost,
            performance_degradation_percent: Some(0.0),
            performance: UNTOUCHED.to_owned(),
            security: UNTOUCHED.to_owned(),
        },
        explanation,
    )
    .with_priority(priority_by_savings(Some(saving)))
    .with_confidence(
        trust.percent,
        Trust::new(trust.raw, Some(WEEKS_FOR_A_YEAR), &signs),
    )
    .with_impact_level(impact_level(
        matrix,
        facts.account,
        Some(saving),
        Some(portfolio.use_monthly),
        hazards,
    ))
    .with_effort(Effort::High)
    .with_savings(saving)
    .with_savings_after_discounts(after(saving))
    .with_monthly_cost(after(portfolio.use_monthly).unwrap_or(portfolio.use_monthly))
    .with_reason_codes(reason_codes)
    .with_not_measured(vec!["usage_beyond_30_days".to_owned()])
}

/// Commitment of a cloud that applies to whatever runs in an account.
fn product(provider: Provider) -> &'static str {
    match provider {
        Provider::Aws => "a Compute Savings Plan or as reservations",
        Provider::Azure => "a savings plan or as reservations",
        Provider::Gcp => "committed use contracts",
        // Databases of one's own have no price, and so no commitment.
        Provider::Database => "nothing",
    }
}

/// Sentences with the figures of coverage, utilization, break-even and risk.
fn factors(account: &AccountUse, trust: &Confidence, cost: String) -> Factors {
    let Portfolio {
        machines,
        hours,
        discount,
        best,
        safe,
        ..
    } = account.portfolio;

    let used = format!(
        "{} machines on demand were used over {} hours",
        thousands(machines),
        thousands(u64::from(hours))
    );

    let pays = format!(
        "${:.2} an hour covers {} of that use, and {} of it is used. It saves while more than {} of it is used",
        safe.hourly,
        percent(safe.coverage * 100.0),
        percent(safe.utilisation * 100.0),
        percent((1.0 - discount) * 100.0)
    );

    let room = format!(
        "In none of the past weeks it would have cost more. It still saves until the use falls by {}; {} weeks say little about a year",
        percent(safe.room * 100.0),
        hours / 168
    );

    let most = format!(
        "The level that would have saved most is ${:.2} an hour: {} a month, and a loss in {} of the weeks",
        best.hourly,
        dollars(account.portfolio.saving_monthly(&best)),
        percent(best.losing_weeks * 100.0)
    );

    let mut factors = Factors::from([
        (FactorKind::Measured, used),
        (FactorKind::Price, cost),
        (FactorKind::Consequence, pays),
        (FactorKind::Consequence, room),
        (FactorKind::Consequence, most),
        (FactorKind::Confidence, trust.words_by("week")),
    ]);

    let families = account.families.iter().take(MOST_FAMILIES);
    factors.extend(families.map(|family| (FactorKind::Consequence, reserved(family))));
    factors
}

/// The reservation of one family, in place of the part of the commitment that pays for its use.
fn reserved(found: &FamilyUse) -> String {
    let reservation = &found.reservation;
    let three = reservation.three_years.map_or(String::new(), |share| {
        format!(", {} for three", percent(share * 100.0))
    });
    format!(
        "Instead for {} in {}: standard reservations of ${:.2} an hour save {} a month ({} for one year{three}), and apply to that family alone",
        reservation.family,
        reservation.region,
        found.safe.hourly,
        dollars(found.saving_monthly),
        percent(reservation.discount * 100.0)
    )
}

fn ran(cpu: &Load, window: Window) -> bool {
    let hours = window.blocks(HOUR_MS);
    let with_points = hours
        .iter()
        .filter(|hour| !hour.select(&cpu.points).is_empty())
        .count();
    !hours.is_empty() && with_points as f64 >= HOURS_RUNNING * hours.len() as f64
}

/// Returns `true` if the resource ran for the whole window; `None` if it was never measured.
/// Findings about single machines, which earlier versions made, are judged by it.
pub(super) fn ran_through(evidence: &CostEvidence<'_>, window: Window) -> Option<bool> {
    evidence.cpu.as_ref().map(|cpu| ran(cpu, window))
}
