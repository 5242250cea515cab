//! Rows of simulated commitments, kept with the last run of an agent.

use reeve_estate::{Money, Provider};
use reeve_recommend::portfolio::{Family, Level, Portfolio};
use serde::{Deserialize, Serialize};

use super::{RowError, named};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PortfolioRow {
    provider: String,
    account: String,
    machines: u64,
    hours: u32,
    discount: f64,
    wording: String,
    use_monthly_usd: f64,
    /// Absent in rows of earlier releases, and where no machine has a bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paid_share: Option<f64>,
    levels: Vec<LevelRow>,
    best: LevelRow,
    safe: LevelRow,
    held_out_saving_monthly_usd: f64,
}

/// One level of a commitment; amounts in US dollars an hour.
#[derive(Debug, Serialize, Deserialize)]
struct LevelRow {
    hourly: f64,
    coverage: f64,
    utilisation: f64,
    cost: f64,
    on_demand: f64,
    losing_weeks: f64,
    room: f64,
}

impl From<&Portfolio> for PortfolioRow {
    fn from(portfolio: &Portfolio) -> Self {
        PortfolioRow {
            provider: portfolio.family.provider.as_str().to_owned(),
            account: portfolio.family.account.clone(),
            machines: portfolio.machines,
            hours: portfolio.hours,
            discount: portfolio.discount,
            wording: portfolio.wording.clone(),
            use_monthly_usd: portfolio.use_monthly.usd(),
            paid_share: portfolio.paid_share,
            levels: portfolio.levels.iter().map(LevelRow::from).collect(),
            best: LevelRow::from(&portfolio.best),
            safe: LevelRow::from(&portfolio.safe),
            held_out_saving_monthly_usd: portfolio.held_out_saving_monthly.usd(),
        }
    }
}

impl PortfolioRow {
    pub(super) fn into_portfolio(self) -> Result<Portfolio, RowError> {
        Ok(Portfolio {
            family: Family {
                provider: named("provider", &self.provider, Provider::parse)?,
                account: self.account,
            },
            machines: self.machines,
            hours: self.hours,
            discount: self.discount,
            wording: self.wording,
            use_monthly: Money::from_usd(self.use_monthly_usd),
            paid_share: self.paid_share,
            levels: self.levels.into_iter().map(Level::from).collect(),
            best: self.best.into(),
            safe: self.safe.into(),
            held_out_saving_monthly: Money::from_usd(self.held_out_saving_monthly_usd),
        })
    }
}

impl From<&Level> for LevelRow {
    fn from(level: &Level) -> Self {
        let Level {
            hourly,
            coverage,
            utilisation,
            cost,
            on_demand,
            losing_weeks,
            room,
        } = *level;
        LevelRow {
            hourly,
            coverage,
            utilisation,
            cost,
            on_demand,
            losing_weeks,
            room,
        }
    }
}

impl From<LevelRow> for Level {
    fn from(row: LevelRow) -> Self {
        let LevelRow {
            hourly,
            coverage,
            utilisation,
            cost,
            on_demand,
            losing_weeks,
            room,
        } = row;
        Level {
            hourly,
            coverage,
            utilisation,
            cost,
            on_demand,
            losing_weeks,
            room,
        }
    }
}
