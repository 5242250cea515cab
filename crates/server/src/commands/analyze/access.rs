//! `reeve analyze access`: what the principals of an account can reach, or decisions on requests.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_iam::{
    ADMIN, AccountBuilder, AccountPolicies, Outcome, PathStep, ReachGrade, StatementRef,
    administrators, reach, read_requests,
};
use serde::Serialize;
use serde_json::Value;

use super::file;
use crate::cli::AccessArgs;

/// Decision on a request.
#[derive(Debug, Serialize)]
struct DecisionLine {
    request: Value,
    decision: Outcome,
    why: String,
    statements: Vec<StatementRef>,
}

/// Principal that is an administrator by its own policies.
#[derive(Debug, Serialize)]
struct AdministratorLine {
    principal: String,
    reaches: &'static str,
    grade: ReachGrade,
    path: Vec<PathStep>,
    blocked_by: Vec<String>,
}

/// Reads the account of all files and answers about it.
pub(super) fn run(args: &AccessArgs) -> Result<ExitCode> {
    let mut builder = AccountBuilder::default();
    for path in &args.files {
        let (name, text) = read(path)?;
        builder.add(&text).with_context(|| name)?;
    }
    let account = builder
        .build()
        .context("the authorization details cannot be used")?;
    for note in &account.notes {
        eprintln!("{note}");
    }

    match &args.requests {
        Some(path) => decide(args, &account, path)?,
        None => list(args, &account)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn decide(args: &AccessArgs, account: &AccountPolicies, path: &Path) -> Result<()> {
    let (name, text) = read(path)?;
    let requests = read_requests(&text).with_context(|| name)?;

    let mut sink = file::Sink::create(args.output.output.as_deref())?;
    for one in requests {
        let decision = account.decide(&one.request, &one.session);
        let line = DecisionLine {
            request: one.value,
            decision: decision.outcome,
            why: decision.why(),
            statements: decision.statements,
        };
        write(&mut sink, &line)?;
    }
    sink.finish()
}

fn list(args: &AccessArgs, account: &AccountPolicies) -> Result<()> {
    let mut sink = file::Sink::create(args.output.output.as_deref())?;
    if args.admins {
        for (principal, grade) in administrators(account) {
            let line = AdministratorLine {
                principal,
                reaches: ADMIN,
                grade,
                path: Vec::new(),
                blocked_by: Vec::new(),
            };
            write(&mut sink, &line)?;
        }
    }
    for way in reach(account) {
        write(&mut sink, &way)?;
    }
    sink.finish()
}

fn read(path: &Path) -> Result<(String, String)> {
    let mut input = file::Input::open(path)?;
    let mut text = String::new();
    input
        .read_to_string(&mut text)
        .with_context(|| format!("{} cannot be read", input.name))?;
    Ok((input.name, text))
}

fn write(sink: &mut file::Sink, line: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *sink, line).context("the results cannot be written")?;
    writeln!(sink)?;
    Ok(())
}
