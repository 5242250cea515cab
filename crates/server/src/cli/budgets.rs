//! `reeve budgets`: its commands and their flags.

use clap::{Args, Subcommand};

use super::collection::{FileArgs, ListArgs, NamedArgs};
use super::target::ServiceTarget;

/// `reeve budgets`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BudgetsCommand {
    /// List the budgets, and how each stands.
    List(ListArgs),
    /// Print a budget with its standing.
    Show(NamedArgs),
    /// Add the budgets of a file: one JSON object, or an array of them.
    Create(FileArgs),
    /// Replace a budget by the JSON object of a file.
    Update(BudgetUpdateArgs),
    /// Remove a budget with its alerts. The log keeps its entries.
    Delete(NamedArgs),
    /// List the thresholds that were reached, the latest first.
    Alerts(BudgetAlertsArgs),
}

/// `reeve budgets update`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetUpdateArgs {
    /// Identifier or name of the budget.
    pub(crate) budget: String,
    /// The file and the form of the answer.
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

/// `reeve budgets alerts`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 thresholds were reached, 1 none was, 2 could not run.")]
pub(crate) struct BudgetAlertsArgs {
    /// Of the budget of this identifier or name.
    #[arg(long)]
    pub(crate) budget: Option<String>,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}
