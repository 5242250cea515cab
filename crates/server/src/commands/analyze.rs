//! `reeve analyze`: the judgement that the agents use, on files and databases of one's own. Nothing is
//! served, stored or sent.
//!
//! The same file gives the same answer to the byte. A file that cannot be read as what it is meant
//! to be ends the command with exit code 2 and the file, line and column on stderr, before anything
//! is written.

mod access;
mod anomalies;
mod causes;
mod compliance;
mod configurations;
mod costs;
mod database;
mod entries;
mod exposures;
mod file;
mod forecast;
mod interruptions;
mod scaling;
mod series;
mod sizing;
mod table;

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::AnalyzeCommand;

pub(crate) use costs::bill;

/// Runs one. Computing has a thread of its own; a database is read with the runtime.
pub(crate) async fn run(command: AnalyzeCommand) -> Result<ExitCode> {
    if let AnalyzeCommand::Database(args) = &command {
        return database::run(args).await;
    }
    tokio::task::spawn_blocking(move || match &command {
        AnalyzeCommand::Anomalies(args) => anomalies::run(args),
        AnalyzeCommand::Forecast(args) => forecast::run(args),
        AnalyzeCommand::Costs(args) => costs::run(args),
        AnalyzeCommand::Entries(args) => entries::run(args),
        AnalyzeCommand::Interruptions(args) => interruptions::run(args),
        AnalyzeCommand::Causes(args) => causes::run(args),
        AnalyzeCommand::Scaling(args) => scaling::run(args),
        AnalyzeCommand::Sizing(args) => sizing::run(args),
        AnalyzeCommand::Compliance(args) => compliance::run(args),
        AnalyzeCommand::Exposures(args) => exposures::run(args),
        AnalyzeCommand::Access(args) => access::run(args),
        AnalyzeCommand::Database(_) => Ok(ExitCode::SUCCESS),
    })
    .await?
}
