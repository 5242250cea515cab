//! Commitments simulated on hourly use, as runs report them.

use serde::Serialize;
use utoipa::ToSchema;

/// Levels of a one-year commitment for an account, simulated on the use of its machines by the
/// hour. Nothing is bought.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PortfolioBody {
    pub provider: String,
    /// Account, subscription or project.
    pub account: String,
    /// Machines whose use it would pay for: on demand, with a list price.
    pub machines: u64,
    /// Hours that were simulated, whole weeks.
    pub hours: u32,
    /// Discount, percent of the on-demand price.
    pub discount_percent: f64,
    /// Kind and origin of the discount.
    pub discount: String,
    /// Share of its hours that a commitment must be used to save anything, percent.
    pub break_even_percent: f64,
    /// Use a month at on-demand list prices, US dollars.
    pub use_monthly: f64,
    /// Levels from no commitment to one for the highest hour, ascending.
    pub levels: Vec<CommitmentLevelBody>,
    /// Level that would have saved most.
    pub best: CommitmentLevelBody,
    /// Highest level that would have lost in no week: the one to begin with.
    pub safe: CommitmentLevelBody,
    /// Saving a month over the last third of the weeks, of the safe level that the weeks before
    /// would have led to, US dollars.
    pub held_out_savings_monthly: f64,
}

/// One level of a commitment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CommitmentLevelBody {
    /// Paid an hour, used or not, US dollars.
    pub hourly: f64,
    /// Share of the use that it pays for, percent.
    pub coverage_percent: f64,
    /// Share of the commitment that is used, percent.
    pub utilisation_percent: f64,
    /// Saving a month against use on demand, US dollars; negative where it costs more.
    pub savings_monthly: f64,
    /// Cost a month of the use that stays on demand, US dollars.
    pub on_demand_monthly: f64,
    /// Share of the weeks in which it would have cost more than it saved, percent.
    pub losing_weeks_percent: f64,
    /// Share by which the use may fall before it costs more than it saves, percent; negative where
    /// it does already.
    pub room_percent: f64,
}
