//! `reeve controls`: people's own checks against their samples.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_controls::{ControlCatalogue, Folder};

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
    let catalogue = ControlCatalogue::builtin().with_own(&folder);
    let own = catalogue.own();

    let mut out = std::io::stdout().lock();
    for error in &own.refused {
        writeln!(out, "{error}")?;
    }

    let checks: Vec<_> = catalogue
        .checks()
        .filter(|check| catalogue.is_own_check(&check.id))
        .collect();
    let samples: usize = checks.iter().map(|check| check.samples.len()).sum();
    let (files, wrong) = (own.taken.len(), own.refused.len());
    writeln!(
        out,
        "{files} files with {} checks and {samples} samples hold, {wrong} faults",
        checks.len()
    )?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}
