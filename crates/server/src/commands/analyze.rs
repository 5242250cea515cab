//! `reeve analyze`: the judgement that the agents use, on files of one's own. Nothing is served,
//! stored or sent.
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

/// Runs one. What it does is computing, so it has a thread of its own.
pub(crate) async fn run(command: AnalyzeCommand) -> Result<ExitCode> {
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
    })
    .await?
}
