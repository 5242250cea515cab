//! `reeve controls`: people's own checks against their samples.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_controls::{Catalogue, Folder};

use crate::cli::{ControlsCommand, TestControlsArgs};

/// Runs a command.
pub(crate) async fn run(command: ControlsCommand) -> Result<ExitCode> {
    tokio::task::spawn_blocking(move || match &command {
        ControlsCommand::Test(args) => test(args),
    })
    .await?
}

/// Says on standard output what does not hold, and adds up.
fn test(args: &TestControlsArgs) -> Result<ExitCode> {
    let name = args.folder.display();
    let folder = Folder::open(&args.folder).with_context(|| format!("{name} cannot be read"))?;
    anyhow::ensure!(!folder.is_empty(), "{name} has no .toml file");
    let own = folder.ids();
    let (catalogue, errors) = Catalogue::builtin().clone().with(folder);
    let checks: Vec<_> = catalogue
        .checks()
        .filter(|check| own.contains(&check.id))
        .collect();
    let faults: Vec<String> = checks
        .iter()
        .flat_map(|check| check.test())
        .map(|fault| fault.to_string())
        .collect();

    let mut out = std::io::stdout().lock();
    for error in &errors {
        writeln!(out, "{error}")?;
    }
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }

    let samples: usize = checks.iter().map(|check| check.samples.len()).sum();
    let wrong = errors.len() + faults.len();
    writeln!(
        out,
        "{} checks, {samples} samples, {wrong} faults",
        checks.len()
    )?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}
