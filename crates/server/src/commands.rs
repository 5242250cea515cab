//! What the command line does, one file a command.

mod admin;
mod import;
mod openapi;
mod search;
mod serve;
mod target;

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;

use crate::cli::{AuditCommand, Cli, Command};

/// Runs a command; the exit code is the program's.
pub(crate) async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Serve(args) => serve::run(&args).await.map(|()| ExitCode::SUCCESS),
        Command::Demo(args) => crate::demo::run(&args).await.map(|()| ExitCode::SUCCESS),
        Command::Audit(AuditCommand::Import(args)) => import::run(&args).await,
        Command::Audit(AuditCommand::Search(args)) => search::run(&args).await,
        Command::Openapi => openapi::run().await.map(|()| ExitCode::SUCCESS),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "reeve", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    }
}

pub(crate) use admin::first_administrator;
