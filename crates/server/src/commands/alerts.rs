//! `reeve audit alerts`: alert rules and firings of a running service.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::cli::{AlertImportArgs, AlertsCommand, FiringsArgs};
use crate::commands::show::clean;
use crate::commands::target::{Remote, Reply};

/// Longest answer that is read, bytes.
const MOST: usize = 64 * 1024 * 1024;
/// Rules of a page.
const PAGE: u32 = 1000;

/// Runs a command.
pub(super) async fn run(command: AlertsCommand) -> Result<ExitCode> {
    match command {
        AlertsCommand::List(args) => list(&Remote::of(&args.service)?, args.json).await,
        AlertsCommand::Show(args) => show(&Remote::of(&args.service)?, &args.rule, args.json).await,
        AlertsCommand::Create(args) => create(&Remote::of(&args.service)?, &args.file, args.json).await,
        AlertsCommand::Import(args) => import(&Remote::of(&args.service)?, &args).await,
        AlertsCommand::Enable(args) => enable(&Remote::of(&args.service)?, &args.rule, args.json).await,
        AlertsCommand::Disable(args) => {
            let service = Remote::of(&args.service)?;
            let path = format!("audit-logs/alerts/{}/disable", find(&service, &args.rule).await?);
            changed(answer(&service, service.post(&path).json(&json!({}))).await?, args.json)
        }
        AlertsCommand::Test(args) => test(&Remote::of(&args.service)?, &args.rule, args.json).await,
        AlertsCommand::Firings(args) => firings(&Remote::of(&args.service)?, &args).await,
    }
}

/// The answer to a request; a refusal names the fields that are wrong.
pub(super) async fn answer(service: &Remote, request: RequestBuilder) -> Result<Value> {
    match service.ask(request, MOST).await? {
        Reply::Done(body) if body.is_empty() => Ok(Value::Null),
        Reply::Done(body) => serde_json::from_slice(&body).context("the answer is not JSON"),
        Reply::Refused(problem) | Reply::Failed(problem) => {
            let fields = problem["errors"].as_array().into_iter().flatten();
            let fields = fields.map(|field| format!("\n  {}: {}", text(field, "field"), text(field, "message")));
            bail!("{}{}", service.words(&problem), fields.collect::<String>())
        }
        Reply::Busy(_) => bail!("{} is busy", service.base()),
        Reply::TooMuch => bail!("the answer has more than {MOST} bytes"),
    }
}

pub(super) fn text(value: &Value, name: &str) -> String {
    clean(value[name].as_str().unwrap_or("-"))
}

pub(super) fn print(value: &Value) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{value:#}")?)
}

async fn rules(service: &Remote) -> Result<Vec<Value>> {
    let mut rules = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("audit-logs/alerts?limit={PAGE}{cursor}");
        let page = answer(service, service.get(&path)).await?;
        rules.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(rules),
        }
    }
}

/// Identifier of the rule that has this identifier or name.
async fn find(service: &Remote, name: &str) -> Result<String> {
    let rules = rules(service).await?;
    let found = rules.iter().find(|rule| rule["id"] == name || rule["name"] == name);
    let Some(rule) = found else { bail!("there is no alert rule {name:?}; reeve audit alerts list shows them") };
    Ok(text(rule, "id"))
}

async fn list(service: &Remote, json: bool) -> Result<ExitCode> {
    let rules = rules(service).await?;
    let ready = answer(service, service.get(&format!("audit-logs/alerts/ready?limit={PAGE}"))).await?;
    let ready = ready["items"].as_array().cloned().unwrap_or_default();
    let unused: Vec<_> = ready.into_iter().filter(|rule| rule["rule_id"].is_null()).collect();
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

fn line(out: &mut impl std::io::Write, rule: &Value, id: &str) -> Result<()> {
    let threshold = &rule["threshold"];
    let reached = format!("{} in {}", threshold["count"], text(threshold, "window"));
    let (state, severity) = (text(rule, "state"), text(rule, "severity"));
    Ok(writeln!(out, "{:<36}  {state:<8}  {severity:<8}  {reached:<12}  {}", text(rule, id), text(rule, "name"))?)
}

async fn show(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let id = find(service, name).await?;
    let rule = answer(service, service.get(&format!("audit-logs/alerts/{id}"))).await?;
    let diagnosis = answer(service, service.get(&format!("audit-logs/alerts/{id}/diagnosis"))).await?;
    if json {
        print(&json!({ "rule": rule, "diagnosis": diagnosis }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&rule)?;
    let mut out = std::io::stdout().lock();
    for check in diagnosis["checks"].as_array().into_iter().flatten() {
        let mark = if check["ok"] == true { "ok" } else { "NO" };
        writeln!(out, "{mark}  {:<10} {}", text(check, "check"), text(check, "detail"))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn contents(file: &Path) -> Result<String> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file).with_context(|| format!("{} could not be read", file.display()));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

async fn import(service: &Remote, args: &AlertImportArgs) -> Result<ExitCode> {
    let (mut imported, mut refused) = (0, 0);
    for file in &args.files {
        let given = json!({ "format": "sigma", "text": contents(file)? });
        let outcome = answer(service, service.post("audit-logs/alerts/import").json(&given)).await?;
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
                eprintln!("{}:{}: {}", file.display(), problem["line"], text(problem, "message"));
            }
        }
    }
    eprintln!("{imported} imported as drafts, {refused} refused");
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn create(service: &Remote, file: &Path, json: bool) -> Result<ExitCode> {
    let text = contents(file)?;
    let read: Value = serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))?;
    let rules = if let Value::Array(rules) = read { rules } else { vec![read] };
    for rule in &rules {
        changed(answer(service, service.post("audit-logs/alerts").json(rule)).await?, json)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn enable(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let ready = answer(service, service.get(&format!("audit-logs/alerts/ready?limit={PAGE}"))).await?;
    let path = match ready["items"].as_array().into_iter().flatten().find(|rule| rule["key"] == name) {
        Some(_) => format!("audit-logs/alerts/ready/{name}/enable"),
        None => format!("audit-logs/alerts/{}/enable", find(service, name).await?),
    };
    changed(answer(service, service.post(&path).json(&json!({}))).await?, json)
}

fn changed(rule: Value, json: bool) -> Result<ExitCode> {
    if json {
        print(&rule)?;
    } else {
        line(&mut std::io::stdout().lock(), &rule, "id")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn test(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let path = format!("audit-logs/alerts/{}/test", find(service, name).await?);
    let tested = answer(service, service.post(&path).json(&json!({}))).await?;
    if json {
        print(&tested)?;
    } else {
        let targets = tested["targets"].as_array().cloned().unwrap_or_default();
        if targets.is_empty() {
            eprintln!("The rule names no channel.");
        }
        for target in &targets {
            let outcome = if target["delivered"] == true { "delivered".to_owned() } else { text(target, "error") };
            writeln!(std::io::stdout(), "{}  {outcome}", text(target, "name"))?;
        }
    }
    Ok(if tested["ok"] == true { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn firings(service: &Remote, args: &FiringsArgs) -> Result<ExitCode> {
    let mut path = format!("audit-logs/alerts/firings?limit={}", args.limit);
    if let Some(rule) = &args.rule {
        path.push_str(&format!("&rule_id={}", find(service, rule).await?));
    }
    if let Some(status) = &args.status {
        path.push_str(&format!("&status={status}"));
    }
    let page = answer(service, service.get(&path)).await?;
    let found = page["items"].as_array().cloned().unwrap_or_default();
    if args.json {
        print(&page)?;
    } else {
        let mut out = std::io::stdout().lock();
        for firing in &found {
            let group = firing["group"].as_object().into_iter().flatten();
            let group: Vec<_> = group.map(|(_, value)| clean(value.as_str().unwrap_or("-"))).collect();
            let (at, status) = (text(firing, "detected_at"), text(firing, "status"));
            let (severity, name) = (text(firing, "severity"), text(firing, "rule_name"));
            writeln!(out, "{at}  {status:<12}  {severity:<8}  {:>6}  {name}  {}", firing["count"], group.join(" "))?;
        }
    }
    Ok(if found.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
