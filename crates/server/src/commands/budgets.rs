//! `reeve budgets`: budgets of a running service, their standing and the thresholds that they
//! reached.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use super::collection::{Collection, answer, items, print, read, text};
use super::target::Remote;
use crate::cli::{BudgetAlertsArgs, BudgetsCommand};

const BUDGETS: Collection = Collection {
    path: "budgets",
    filter: "",
    noun: "budget",
    list: "reeve budgets list",
    line,
};

pub(super) async fn run(command: BudgetsCommand) -> Result<ExitCode> {
    match command {
        BudgetsCommand::List(args) => list(&Remote::new(&args.service)?, args.json).await,
        BudgetsCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            print(&BUDGETS.find(&service, &args.name).await?)?;
            Ok(ExitCode::SUCCESS)
        }
        BudgetsCommand::Create(args) => {
            BUDGETS
                .create(&Remote::new(&args.service)?, &args.file, args.json)
                .await
        }
        BudgetsCommand::Update(args) => {
            let service = Remote::new(&args.file.service)?;
            update(&service, &args.budget, &args.file.file, args.file.json).await
        }
        BudgetsCommand::Delete(args) => delete(&Remote::new(&args.service)?, &args.name).await,
        BudgetsCommand::Alerts(args) => alerts(&Remote::new(&args.service)?, &args).await,
    }
}

async fn list(service: &Remote, json: bool) -> Result<ExitCode> {
    let all = answer(service, service.get("budgets")).await?;
    if json {
        print(&all)?;
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = std::io::stdout().lock();
    for budget in items(&all) {
        line(&mut out, budget)?;
    }

    Ok(ExitCode::SUCCESS)
}

/// A budget on one line: identifier, amount, charges so far, forecast, name.
fn line(out: &mut dyn Write, budget: &Value) -> Result<()> {
    let (standing, currency) = (&budget["standing"], text(budget, "currency"));
    let amount = format!(
        "{} {currency} a {}",
        money(&budget["amount"]),
        text(budget, "period")
    );

    let share = |value: &str, percent: &str| match &standing[percent] {
        Value::Null => "-".to_owned(),
        found => format!("{} ({found} %)", money(&standing[value])),
    };

    let (spent, forecast) = (
        share("spent", "spent_percent"),
        share("forecast", "forecast_percent"),
    );
    let (id, name) = (text(budget, "id"), text(budget, "name"));
    Ok(writeln!(
        out,
        "{id:<36}  {amount:<26}  spent {spent:<22}  forecast {forecast:<22}  {name}"
    )?)
}

fn money(amount: &Value) -> String {
    amount
        .as_f64()
        .map_or_else(|| "-".to_owned(), |amount| format!("{amount:.2}"))
}

async fn update(service: &Remote, name: &str, file: &Path, json: bool) -> Result<ExitCode> {
    let request = service
        .put(&BUDGETS.place(service, name).await?)
        .json(&read(file)?);
    BUDGETS.show(&answer(service, request).await?, json)
}

async fn delete(service: &Remote, name: &str) -> Result<ExitCode> {
    answer(
        service,
        service.delete(&BUDGETS.place(service, name).await?),
    )
    .await?;
    Ok(ExitCode::SUCCESS)
}

async fn alerts(service: &Remote, args: &BudgetAlertsArgs) -> Result<ExitCode> {
    let mut reached = answer(service, service.get("budgets/alerts")).await?;
    if let Some(name) = &args.budget {
        let id = BUDGETS.find(service, name).await?["id"].clone();
        if let Some(items) = reached["items"].as_array_mut() {
            items.retain(|alert| alert["budget_id"] == id);
            reached["total"] = items.len().into();
        }
    }

    let none = items(&reached).next().is_none();
    if args.json {
        print(&reached)?;
        return Ok(if none {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        });
    }

    let mut out = std::io::stdout().lock();
    for alert in items(&reached) {
        let threshold = &alert["threshold"];
        let reached = format!("{} % {}", threshold["percent"], text(threshold, "basis"));
        let value = format!(
            "{} of {} {}",
            money(&alert["value"]),
            money(&alert["amount"]),
            text(alert, "currency")
        );
        let (at, start, name) = (
            text(alert, "raised_at"),
            text(alert, "period_start"),
            text(alert, "budget_name"),
        );
        writeln!(out, "{at}  {start}  {reached:<14}  {value:<30}  {name}")?;
    }

    Ok(if none {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}
