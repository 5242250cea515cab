//! Commitments as a portfolio: what each level of a commitment would have cost on the hourly use of
//! all machines that share it. One machine says little: commitments apply to whatever runs in the
//! account.

use reeve_estate::{Money, Provider};
use serde::{Deserialize, Serialize};

use crate::agent::RunReportDetail;

pub use reeve_learn::commitment::Level;

/// Commitments simulated on the use of a scope, one for each account that was measured for three
/// weeks at least.
pub const PORTFOLIOS: RunReportDetail<Vec<Portfolio>> = RunReportDetail::named("portfolios");

/// Machines that share commitments: those of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Family {
    pub provider: Provider,
    /// Account, subscription or project.
    pub account: String,
}

/// Levels of a commitment for a family, simulated on its use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Portfolio {
    /// Machines that share the commitment.
    #[serde(flatten)]
    pub family: Family,
    /// Number of machines whose use it would pay for.
    pub machines: u64,
    /// Hours that were simulated, whole weeks.
    pub hours: u32,
    /// Discount, 0 to 1: the mean over the use.
    pub discount: f64,
    /// Kind and origin of the discount, as a sentence for people.
    pub wording: String,
    /// Use a month at on-demand list prices.
    #[serde(rename = "use_monthly_usd", with = "in_usd")]
    pub use_monthly: Money,
    /// Share of the list price that this use costs by the bills, 0 to 1, the mean over it: what has
    /// no bill counts in full. `None` where no machine has a bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_share: Option<f64>,
    /// Levels from no commitment to the highest hour, ascending; amounts in US dollars an hour.
    pub levels: Vec<Level>,
    /// Level that would have saved most.
    pub best: Level,
    /// Highest level that would have lost in no week.
    pub safe: Level,
    /// Saving a month, over the last third of the weeks, of the safe level that the weeks before
    /// would have led to.
    #[serde(rename = "held_out_saving_monthly_usd", with = "in_usd")]
    pub held_out_saving_monthly: Money,
}

/// Stored form of an amount of a portfolio: US dollars.
mod in_usd {
    use reeve_estate::Money;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
    pub(crate) fn serialize<S: Serializer>(money: &Money, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(money.usd())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Money, D::Error> {
        f64::deserialize(from).map(Money::from_usd)
    }
}

impl Portfolio {
    /// Saving a month of a level against use on demand.
    #[must_use]
    pub fn saving_monthly(&self, level: &Level) -> Money {
        self.use_monthly - Money::per_month(level.cost)
    }
}
