//! `reeve analyze compliance`: configurations of resources against the checks of controls.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use reeve_controls::{
    ControlCatalogue, ControlCheck, ControlVerdict, Folder, Framework, PreparedControl,
};
use reeve_recommend::judgement::evidence::CheckAnswer;
use serde::Serialize;
use serde_json::Value;

use super::configurations::{self, Configurations};
use super::file::FileSink;
use crate::cli::ComplianceArgs;

/// Result of a check about a resource.
#[derive(Debug, Serialize)]
struct Line<'a> {
    check: &'a str,
    resource: &'a str,
    result: CheckAnswer,
    why: &'a str,
    values: Value,
}

/// Judges the configurations of files; what cannot be read is said on standard error.
pub(super) fn run(args: &ComplianceArgs) -> Result<ExitCode> {
    let catalogue = catalogue(args.controls.as_deref())?;
    let framework = args
        .framework
        .as_deref()
        .map(|name| framework(&catalogue, name))
        .transpose()?;
    let now = args.now.unwrap_or_else(Timestamp::now);

    let Configurations { inputs, unread } = configurations::read(&args.files)?;

    let mut sink = FileSink::create(args.output.output.as_deref())?;
    let mut failed = 0_u64;
    for input in &inputs {
        let wanted =
            |check: &ControlCheck| framework.is_none_or(|framework| framework.is_proven_by(check));
        let prepared = PreparedControl::new(&input.subject(&inputs), now);
        for (check, verdict) in catalogue.judge(&prepared, wanted) {
            failed += u64::from(verdict.answer == CheckAnswer::Fail);
            if args.failed
                && matches!(
                    verdict.answer,
                    CheckAnswer::Pass | CheckAnswer::NotApplicable
                )
            {
                continue;
            }
            write(&mut sink, &input.id, check, &verdict)?;
        }
    }
    sink.finish()?;

    let is_bad = unread > 0 || (args.fail && failed > 0);
    Ok(ExitCode::from(u8::from(is_bad)))
}

fn write(
    sink: &mut FileSink,
    resource: &str,
    check: &ControlCheck,
    verdict: &ControlVerdict,
) -> Result<()> {
    sink.json_line(&Line {
        check: &check.id,
        resource,
        result: verdict.answer,
        why: &verdict.why,
        values: verdict.values_by_path(),
    })
}

/// The checks of Reeve, and those of a folder.
fn catalogue(folder: Option<&Path>) -> Result<ControlCatalogue> {
    let builtin = ControlCatalogue::builtin();
    let Some(path) = folder else {
        return Ok(builtin.clone());
    };

    let name = path.display();
    let folder = Folder::open(path).with_context(|| format!("{name} cannot be read"))?;
    let catalogue = builtin.with_own(&folder);
    let refused = &catalogue.own().refused;
    if let Some(first) = refused.first() {
        bail!(
            "{name}: {first} ({} faults; `reeve controls test` names all)",
            refused.len()
        );
    }
    Ok(catalogue)
}

fn framework<'c>(catalogue: &'c ControlCatalogue, name: &str) -> Result<&'c Framework> {
    if let Some(found) = catalogue.framework(name) {
        return Ok(found);
    }

    let names: Vec<&str> = catalogue.frameworks().map(|one| one.id.as_str()).collect();
    bail!(
        "there is no framework {name}; there are {}",
        names.join(", ")
    )
}
