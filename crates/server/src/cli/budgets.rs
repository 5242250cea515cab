//! `reeve budgets`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::audit::ServiceTarget;

/// `reeve budgets`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BudgetsCommand {
    /// List the budgets, and how each stands.
    List(BudgetsArgs),
    /// Print a budget with its standing.
    Show(BudgetArgs),
    /// Add the budgets of a file: one JSON object, or an array of them.
    Create(BudgetFileArgs),
    /// Replace a budget by the JSON object of a file.
    Update(BudgetUpdateArgs),
    /// Remove a budget with its alerts. The log keeps its entries.
    Delete(BudgetArgs),
    /// List the thresholds that were reached, the latest first.
    Alerts(BudgetAlertsArgs),
}

/// A command on all budgets.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetsArgs {
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// A command on one budget.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetArgs {
    /// Identifier or name of the budget.
    pub(crate) budget: String,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// Budgets out of a file.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetFileArgs {
    /// The file; - is stdin.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve budgets update`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BudgetUpdateArgs {
    /// Identifier or name of the budget.
    pub(crate) budget: String,
    /// The file and the form of the answer.
    #[command(flatten)]
    pub(crate) file: BudgetFileArgs,
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
