//! From simulated commitments to the wire.

use reeve_estate::Money;
use reeve_recommend::judgement::portfolio::{Level, Portfolio};

use crate::routes::intelligence::bodies::tenths;
use crate::wire::agent::portfolio::{CommitmentLevelBody, PortfolioBody};

/// A simulated commitment with its levels.
pub(super) fn body(portfolio: &Portfolio) -> PortfolioBody {
    let level = |level: &Level| CommitmentLevelBody {
        hourly: thousandths(level.hourly),
        coverage_percent: tenths(level.coverage * 100.0),
        utilisation_percent: tenths(level.utilisation * 100.0),
        savings_monthly: portfolio.saving_monthly(level).usd_cents(),
        on_demand_monthly: Money::per_month(level.on_demand).usd_cents(),
        losing_weeks_percent: tenths(level.losing_weeks * 100.0),
        room_percent: tenths(level.room * 100.0),
    };
    PortfolioBody {
        provider: portfolio.family.provider.as_str().to_owned(),
        account: portfolio.family.account.clone(),
        machines: portfolio.machines,
        hours: portfolio.hours,
        discount_percent: tenths(portfolio.discount * 100.0),
        discount: portfolio.wording.clone(),
        break_even_percent: tenths((1.0 - portfolio.discount) * 100.0),
        use_monthly: portfolio.use_monthly.usd_cents(),
        levels: portfolio.levels.iter().map(level).collect(),
        best: level(&portfolio.best),
        safe: level(&portfolio.safe),
        held_out_savings_monthly: portfolio.held_out_saving_monthly.usd_cents(),
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
