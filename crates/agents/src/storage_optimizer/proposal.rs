//! The proposal: cost of both setups, confidence from held-out days, plan and explanation.

use reeve_estate::{Money, PriceCatalogue, Resource};
use reeve_learn::DAY_MS;
use reeve_learn::calibrate::Daily;
use reeve_recommend::change::{ModifyVolume, VolumeSetup};
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Explanation, FactorKind, Factors, ImpactAssessment};
use reeve_recommend::words::{dollars, percent};

use super::demand::StorageDemand;
use super::settings::Thresholds;
use super::{KIND, METRICS, Rule, setup};
use crate::confidence::{Confidence, backtest, confidence, signs};
use crate::discounts;
use crate::load::data_points;

/// Savings a month below which nothing is proposed, US dollars.
const LEAST_SAVINGS_USD: f64 = 1.0;
/// Days that come before the first held-out day.
const TRAINING_DAYS: i64 = 7;

/// Cost of a volume a month, now and after, at list price.
struct Cost {
    now: Money,
    after: Money,
}

impl Cost {
    /// The cost of both setups; `None` where the region has no price.
    fn new(catalogue: &PriceCatalogue, volume: &Resource, to: &VolumeSetup) -> Option<Cost> {
        let mut changed = volume.clone();
        to.apply(&mut changed.specification);
        Some(Cost {
            now: catalogue.monthly_cost(volume)?.cost,
            after: catalogue.monthly_cost(&changed)?.cost,
        })
    }

    fn savings(&self) -> Money {
        self.now - self.after
    }

    /// Change in percent of the cost now; negative saves.
    fn percent(&self) -> f64 {
        if self.now == Money::ZERO {
            0.0
        } else {
            (self.after.usd() / self.now.usd() - 1.0) * 100.0
        }
    }

    fn words(&self) -> String {
        let (now, after, saved) = (
            dollars(self.now),
            dollars(self.after),
            dollars(self.savings()),
        );
        format!(
            "{now} - {after} = {saved} a month at list price, {} less",
            percent(-self.percent())
        )
    }
}

/// Proposes a setup, or abstains where it is not cheaper or its price is not known.
pub(super) fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    rule: Rule,
    from: &VolumeSetup,
    to: &VolumeSetup,
    demand: &StorageDemand,
    mut path: Path,
) -> Result<Proposal, Abstention> {
    let volume = facts.resource;
    let cost = Cost::new(facts.catalogue, volume, to).ok_or_else(|| {
        Abstention::unjudged(
            KIND,
            "price_not_known",
            format!("the catalogue has no volume prices of {}", volume.region),
        )
    })?;

    if cost.savings().usd() < LEAST_SAVINGS_USD {
        let detail = format!(
            "{to} would cost {} a month, {from} costs {}",
            dollars(cost.after),
            dollars(cost.now)
        );
        return Err(Abstention::decided(KIND, "not_cheaper", detail));
    }

    path.ask("Is it cheaper?", true, cost.words());
    let trust = trust(facts, settings, demand, to);
    let iac = owned_by_code(volume);
    let hazards = hazards(volume);
    let savings = Some(cost.savings());
    let (matrix, monthly) = (
        &facts.guardrails.approval_matrix,
        volume.monthly_cost.or(Some(cost.now)),
    );
    let performance = performance(rule, demand, to);
    let change = ModifyVolume {
        state: volume.state,
        from: from.clone(),
        to: to.clone(),
    };

    let mut proposal = Proposal::new(
        KIND,
        rule.name(),
        title_of(rule, volume, from, to),
        subject(volume, None),
        ImpactAssessment {
            cost_percent: Some(cost.percent()),
            cost: cost.words(),
            performance_degradation_percent: Some(0.0),
            performance: performance.clone(),
            security: "none: encryption and access stay as they are".to_owned(),
        },
        explanation(
            facts,
            settings,
            (from, to),
            demand,
            &trust.0,
            &cost,
            performance,
            path,
        ),
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(trust.0.percent, trust.1)
    .with_impact_level(impact_level(matrix, volume, savings, monthly, hazards))
    .with_savings(savings)
    .with_monthly_cost(monthly)
    .with_plan(Plan::new(&change, volume.id.as_str()))
    .with_reason_codes(vec![rule.name().to_owned()]);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    discounts::apply(facts, Some(cost.now), &mut proposal);
    Ok(proposal)
}

#[allow(clippy::too_many_arguments)]
fn explanation(
    facts: &Facts<'_>,
    settings: &Thresholds,
    (from, to): (&VolumeSetup, &VolumeSetup),
    demand: &StorageDemand,
    trust: &Confidence,
    cost: &Cost,
    performance_impact: String,
    path: Path,
) -> Explanation {
    let volume = facts.resource;
    let hazards = hazards(volume);
    let later = "EBS takes the next change of the volume after six hours, so that it cannot be undone before";
    let factors = Factors::from([
        (
            FactorKind::Measured,
            format!("On {} measured days {}", demand.days, demand.peak),
        ),
        (FactorKind::Price, cost.words()),
        (
            FactorKind::Consequence,
            format!(
                "{to} exceeds that by {:.0} % or has what it has now",
                settings.headroom_percent
            ),
        ),
        (FactorKind::Consequence, later.to_owned()),
        (FactorKind::Confidence, trust.words()),
    ]);

    Explanation::new(
        format!("Modify {} ({}) from {from} to {to}", volume.name, volume.id),
        risk(volume, hazards),
    )
    .with_factors(factors)
    .with_data_points(data_points(facts, METRICS))
    .with_confidence_range(trust.range)
    .with_cost_reduction(cost.words())
    .with_performance_impact(performance_impact)
    .with_decision_path(path.into_decisions())
}

/// Properties of the volume that raise the risk of a change.
fn hazards(volume: &Resource) -> Hazards {
    Hazards {
        iac: owned_by_code(volume).is_some(),
        ..Hazards::default()
    }
}

fn title_of(rule: Rule, volume: &Resource, from: &VolumeSetup, to: &VolumeSetup) -> String {
    let gib = volume.specification.storage_gib.unwrap_or_default();
    match rule {
        Rule::ConvertGp2 | Rule::ConvertProvisioned => {
            let types = format!(
                " ({gib:.0} GiB) from {} to {}",
                from.storage_type, to.storage_type
            );
            title("Convert ", &volume.name, &types)
        }
        Rule::ReduceProvisioned => title("Reduce ", &volume.name, &format!(" to {to}")),
    }
}

fn performance(rule: Rule, demand: &StorageDemand, to: &VolumeSetup) -> String {
    let used = percent(setup::share(to, &demand.peak) * 100.0);
    let holds = format!("its highest use takes {used} of what {to} offers");

    match rule {
        Rule::ConvertProvisioned => {
            format!("{holds}; gp3 keeps its IOPS 99 % of the time, provisioned types 99.9 %")
        }
        Rule::ConvertGp2 | Rule::ReduceProvisioned => holds,
    }
}

/// The confidence that the setup holds: on each held-out day, whether the setup chosen from the
/// days before held its peak.
fn trust(
    facts: &Facts<'_>,
    settings: &Thresholds,
    demand: &StorageDemand,
    to: &VolumeSetup,
) -> (Confidence, Trust) {
    let counted = backtest(
        demand.history,
        demand.operations(),
        TRAINING_DAYS,
        |before, day| {
            let chosen = setup::gp3(
                facts.resource,
                &demand.peak_in(before)?,
                settings.headroom_percent,
            )
            .ok()?;
            Some(setup::holds(&chosen, &demand.peak_of_day(day)?))
        },
    );

    let margin = |day| {
        demand
            .peak_of_day(day)
            .map(|peak| 1.0 - setup::share(to, &peak))
    };

    let margins: Daily = demand
        .history
        .blocks(DAY_MS)
        .into_iter()
        .map(margin)
        .collect();
    let found = confidence(counted, &margins, 0.0, None);

    let signs = signs(facts, margins, counted.windows, 0.0);
    let trust = Trust::new(found.raw, None, &signs);
    (found, trust)
}
