//! `reeve budgets`: its commands and their flags.

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve budgets`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BudgetsCommand {
    /// List budgets with spending and forecast.
    List(ListArgs),
    /// Print a budget with spending and forecast.
    Show(NamedArgs),
    /// Create budgets from a JSON file (an object, or an array of objects).
    Create(FileArgs),
    /// Replace a budget with the JSON object in a file.
    Update(BudgetUpdateArgs),
    /// Delete a budget and its alerts. Their audit log entries are kept.
    Delete(NamedArgs),
    /// List reached thresholds, newest first.
    Alerts(BudgetAlertsArgs),
}

/// `reeve budgets update`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetUpdateArgs {
    /// Identifier or name of the budget.
    pub(crate) budget: String,
    /// File, and the output format.
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

/// `reeve budgets alerts`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 thresholds reached, 1 none reached, 2 could not run.")]
pub(crate) struct BudgetAlertsArgs {
    /// Only alerts of this budget (name or identifier).
    #[arg(long)]
    pub(crate) budget: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
