//! `reeve analyze access`: what the principals of an account can reach, or decisions on requests.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_iam::{
    ADMIN, AccountBuilder, AccountPolicies, DecisionOutcome, PathStep, ReachGrade, StatementRef,
    administrators, reach, read_requests,
};
use serde::Serialize;
use serde_json::Value;

use super::file::{FileSink, Input};
use crate::cli::AccessArgs;

/// Decision on a request.
#[derive(Debug, Serialize)]
struct DecisionLine {
    request: Value,
    decision: DecisionOutcome,
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
        let mut input = Input::open(path)?;
        builder
            .add(&input.text()?)
            .with_context(|| input.name.clone())?;
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
    let mut input = Input::open(path)?;
    let requests = read_requests(&input.text()?).with_context(|| input.name.clone())?;

    let mut sink = FileSink::create(args.output.output.as_deref())?;
    for one in requests {
        let decision = account.decide(&one.request, &one.session);
        let line = DecisionLine {
            request: one.value,
            decision: decision.outcome,
            why: decision.why(),
            statements: decision.statements,
        };
        sink.json_line(&line)?;
    }
    sink.finish()
}

fn list(args: &AccessArgs, account: &AccountPolicies) -> Result<()> {
    let mut sink = FileSink::create(args.output.output.as_deref())?;
    if args.admins {
        for (principal, grade) in administrators(account) {
            let line = AdministratorLine {
                principal,
                reaches: ADMIN,
                grade,
                path: Vec::new(),
                blocked_by: Vec::new(),
            };
            sink.json_line(&line)?;
        }
    }
    for way in reach(account) {
        sink.json_line(&way)?;
    }
    sink.finish()
}
