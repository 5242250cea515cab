//! `reeve audit alerts`: alert rules and firings of a running service.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, PAGE, answer, contents, items, print, text};
use crate::cli::{AlertImportArgs, AlertsCommand, FiringsArgs};
use crate::commands::show::clean;
use crate::commands::target::Remote;

const RULES: Collection = Collection {
    path: "audit-logs/alerts",
    filter: "",
    noun: "alert rule",
    list: "reeve audit alerts list",
    line: |out, rule| line(out, rule, "id"),
};

pub(super) async fn run(command: AlertsCommand) -> Result<ExitCode> {
    match command {
        AlertsCommand::List(args) => list(&Remote::new(&args.service)?, args.json).await,
        AlertsCommand::Show(args) => {
            show(&Remote::new(&args.service)?, &args.name, args.json).await
        }
        AlertsCommand::Create(args) => {
            RULES
                .create(&Remote::new(&args.service)?, &args.file, args.json)
                .await
        }
        AlertsCommand::Import(args) => import(&Remote::new(&args.service)?, &args).await,
        AlertsCommand::Enable(args) => {
            enable(&Remote::new(&args.service)?, &args.name, args.json).await
        }
        AlertsCommand::Disable(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/disable", RULES.place(&service, &args.name).await?);
            RULES.show(
                &answer(&service, service.post(&path).json(&json!({}))).await?,
                args.json,
            )
        }
        AlertsCommand::Test(args) => {
            test(&Remote::new(&args.service)?, &args.name, args.json).await
        }
        AlertsCommand::Firings(args) => firings(&Remote::new(&args.service)?, &args).await,
    }
}

async fn list(service: &Remote, json: bool) -> Result<ExitCode> {
    let rules = RULES.all(service).await?;
    let ready = answer(
        service,
        service.get(&format!("audit-logs/alerts/ready?limit={PAGE}")),
    )
    .await?;

    let unused: Vec<_> = items(&ready)
        .filter(|rule| rule["rule_id"].is_null())
        .collect();
    if json {
        print(&json!({ "items": rules, "ready": unused }))?;
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = std::io::stdout().lock();
    for rule in &rules {
        line(&mut out, rule, "id")?;
    }

    for rule in &unused {
        line(&mut out, rule, "key")?;
    }

    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut dyn Write, rule: &Value, id: &str) -> Result<()> {
    let threshold = &rule["threshold"];
    let reached = format!("{} in {}", threshold["count"], text(threshold, "window"));

    // A rule that counts only in part is said to be so at first sight; `show` has the reason.
    let state = if rule["degraded"].is_null() {
        text(rule, "state")
    } else {
        "degraded".to_owned()
    };

    let severity = text(rule, "severity");
    Ok(writeln!(
        out,
        "{:<36}  {state:<8}  {severity:<8}  {reached:<12}  {}",
        text(rule, id),
        text(rule, "name")
    )?)
}

async fn show(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let path = RULES.place(service, name).await?;
    let rule = answer(service, service.get(&path)).await?;
    let diagnosis = answer(service, service.get(&format!("{path}/diagnosis"))).await?;
    if json {
        print(&json!({ "rule": rule, "diagnosis": diagnosis }))?;
        return Ok(ExitCode::SUCCESS);
    }

    print(&rule)?;
    let mut out = std::io::stdout().lock();

    for check in diagnosis["checks"].as_array().into_iter().flatten() {
        let mark = if check["ok"] == true { "ok" } else { "NO" };
        writeln!(
            out,
            "{mark}  {:<10} {}",
            text(check, "check"),
            text(check, "detail")
        )?;
    }

    Ok(ExitCode::SUCCESS)
}

async fn import(service: &Remote, args: &AlertImportArgs) -> Result<ExitCode> {
    let (mut imported, mut refused) = (0, 0);
    for file in &args.files {
        let given = json!({ "format": "sigma", "text": contents(file)? });
        let outcome = answer(
            service,
            service.post("audit-logs/alerts/import").json(&given),
        )
        .await?;
        if args.json {
            print(&outcome)?;
        }
        for rule in outcome["imported"].as_array().into_iter().flatten() {
            imported += 1;
            if !args.json {
                line(&mut std::io::stdout().lock(), rule, "id")?;
            }
        }
        for rule in outcome["refused"].as_array().into_iter().flatten() {
            refused += 1;
            for problem in rule["problems"].as_array().into_iter().flatten() {
                eprintln!(
                    "{}:{}: {}",
                    file.display(),
                    problem["line"],
                    text(problem, "message")
                );
            }
        }
    }

    eprintln!("{imported} imported as drafts, {refused} refused");
    Ok(if refused == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn enable(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let ready = answer(
        service,
        service.get(&format!("audit-logs/alerts/ready?limit={PAGE}")),
    )
    .await?;

    let path = match items(&ready).find(|rule| rule["key"] == name) {
        Some(_) => format!("audit-logs/alerts/ready/{name}/enable"),
        None => format!("{}/enable", RULES.place(service, name).await?),
    };
    RULES.show(
        &answer(service, service.post(&path).json(&json!({}))).await?,
        json,
    )
}

async fn test(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let path = format!("{}/test", RULES.place(service, name).await?);
    let tested = answer(service, service.post(&path).json(&json!({}))).await?;

    if json {
        print(&tested)?;
    } else {
        let targets = tested["targets"].as_array().cloned().unwrap_or_default();
        if targets.is_empty() {
            eprintln!("The rule names no channel.");
        }
        for target in &targets {
            let outcome = if target["delivered"] == true {
                "delivered".to_owned()
            } else {
                text(target, "error")
            };
            writeln!(std::io::stdout(), "{}  {outcome}", text(target, "name"))?;
        }
    }

    Ok(if tested["ok"] == true {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn firings(service: &Remote, args: &FiringsArgs) -> Result<ExitCode> {
    let mut path = format!("audit-logs/alerts/firings?limit={}", args.limit);
    if let Some(rule) = &args.rule {
        path.push_str(&format!(
            "&rule_id={}",
            text(&RULES.find(service, rule).await?, "id")
        ));
    }

    if let Some(status) = &args.status {
        path.push_str(&format!("&status={status}"));
    }

    let page = answer(service, service.get(&path)).await?;
    let found: Vec<_> = items(&page).collect();

    if args.json {
        print(&page)?;
    } else {
        let mut out = std::io::stdout().lock();
        for firing in &found {
            let group = firing["group"].as_object().into_iter().flatten();
            let group: Vec<_> = group
                .map(|(_, value)| clean(value.as_str().unwrap_or("-")))
                .collect();
            let (at, status) = (text(firing, "detected_at"), text(firing, "status"));
            let (severity, name) = (text(firing, "severity"), text(firing, "rule_name"));
            writeln!(
                out,
                "{at}  {status:<12}  {severity:<8}  {:>6}  {name}  {}",
                firing["count"],
                group.join(" ")
            )?;
        }
    }

    Ok(if found.is_empty() {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}
