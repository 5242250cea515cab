//! Commands of the command line, one file each.

mod admin;
mod alerts;
mod analyze;
mod backup;
mod bills;
mod budgets;
mod collection;
mod connections;
mod controls;
mod export;
mod import;
mod keys;
mod lists;
mod log_sources;
mod metrics;
mod openapi;
mod prices;
mod reading;
mod reports;
mod retention;
mod search;
pub(crate) mod serve;
mod show;
mod streams;
mod tail;
mod target;
mod when;

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;

use crate::cli::{AuditCommand, Cli, Command, KeysCommand};

/// Runs a command; the exit code is the program's.
pub(crate) async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Serve(args) => serve::run(&args).await.map(|()| ExitCode::SUCCESS),
        Command::Demo(args) => crate::demo::run(&args).await.map(|()| ExitCode::SUCCESS),
        Command::Audit(AuditCommand::Import(args)) => import::run(&args).await,
        Command::Audit(AuditCommand::Search(args)) => unless_nobody_reads(search::run(&args).await),
        Command::Audit(AuditCommand::Tail(args)) => unless_nobody_reads(tail::run(&args).await),
        Command::Audit(AuditCommand::Export(args)) => unless_nobody_reads(export::run(&args).await),
        Command::Audit(AuditCommand::Alerts(command)) => {
            unless_nobody_reads(alerts::run(command).await)
        }
        Command::Audit(AuditCommand::Lists(command)) => {
            unless_nobody_reads(lists::run(command).await)
        }
        Command::Audit(AuditCommand::Sources(command)) => {
            unless_nobody_reads(log_sources::run(command).await)
        }
        Command::Audit(AuditCommand::Reports(command)) => {
            unless_nobody_reads(reports::run(command).await)
        }
        Command::Audit(AuditCommand::Retention(command)) => {
            unless_nobody_reads(retention::run(command).await)
        }
        Command::Audit(AuditCommand::Holds(command)) => {
            unless_nobody_reads(retention::holds(command).await)
        }
        Command::Audit(AuditCommand::Erasures(command)) => {
            unless_nobody_reads(retention::erasures(command).await)
        }
        Command::Audit(AuditCommand::Restores(command)) => {
            unless_nobody_reads(retention::restores(command).await)
        }
        Command::Audit(AuditCommand::Streams(command)) => {
            unless_nobody_reads(streams::run(command).await)
        }
        Command::Analyze(command) => unless_nobody_reads(analyze::run(command).await),
        Command::Metrics(command) => unless_nobody_reads(metrics::run(command).await),
        Command::Bills(command) => unless_nobody_reads(bills::run(command).await),
        Command::Prices(command) => unless_nobody_reads(prices::run(command).await),
        Command::Budgets(command) => unless_nobody_reads(budgets::run(command).await),
        Command::Backup(command) => backup::run(command).await,
        Command::Keys(KeysCommand::Rotate(args)) => keys::rotate(&args).await,
        Command::Connections(command) => unless_nobody_reads(connections::run(command).await),
        Command::Controls(command) => unless_nobody_reads(controls::run(command).await),
        Command::Openapi => openapi::run().await.map(|()| ExitCode::SUCCESS),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "reeve", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A reader that has read enough closes the pipe: that is no failure.
fn unless_nobody_reads(result: Result<ExitCode>) -> Result<ExitCode> {
    match result {
        Err(error) if error.chain().any(is_closed_pipe) => Ok(ExitCode::SUCCESS),
        result => result,
    }
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

pub(crate) use admin::{first_administrator, first_rules, token_from_environment};
pub(crate) use analyze::bill;
