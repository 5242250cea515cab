//! `reeve audit reports`: reports and their runs of a running service.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::collection::{Collection, PAGE, answer, items, print, text};
use crate::cli::{DownloadReportArgs, ReportsCommand, RunReportArgs};
use crate::commands::target::Remote;

const REPORTS: Collection = Collection {
    path: "audit-logs/reports",
    filter: "",
    noun: "report",
    list: "reeve audit reports list",
    line,
};
/// Time between two looks at a run.
const BEAT: Duration = Duration::from_millis(500);

pub(super) async fn run(command: ReportsCommand) -> Result<ExitCode> {
    match command {
        ReportsCommand::List(args) => list(&Remote::new(&args.service)?, args.json).await,
        ReportsCommand::Show(args) => {
            show(&Remote::new(&args.service)?, &args.name, args.json).await
        }
        ReportsCommand::Create(args) => {
            REPORTS
                .create(&Remote::new(&args.service)?, &args.file, args.json)
                .await
        }
        ReportsCommand::Run(args) => begin(&Remote::new(&args.service)?, &args).await,
        ReportsCommand::Download(args) => download(&Remote::new(&args.service)?, &args).await,
    }
}

async fn list_of(service: &Remote, path: &str) -> Result<Vec<Value>> {
    Ok(items(&answer(service, service.get(path)).await?)
        .cloned()
        .collect())
}

async fn list(service: &Remote, json: bool) -> Result<ExitCode> {
    let reports = REPORTS.all(service).await?;
    let templates = list_of(service, "audit-logs/report-templates").await?;

    if json {
        let names = |one: &Value| json!({ "id": one["id"], "name": one["name"], "edition": one["edition"] });
        print(
            &json!({ "items": reports, "frameworks": templates.iter().map(names).collect::<Vec<_>>() }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = std::io::stdout().lock();
    for report in &reports {
        line(&mut out, report)?;
    }

    for template in &templates {
        let (id, name, edition) = (
            text(template, "id"),
            text(template, "name"),
            text(template, "edition"),
        );
        let controls = template["controls"].as_array().map_or(0, Vec::len);
        // The edition of a standard may begin with the standard's name.
        let title = if edition.starts_with(&name) {
            edition
        } else {
            format!("{name}, {edition}")
        };
        writeln!(out, "framework {id:<12}  {title}: {controls} controls")?;
    }

    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut dyn std::io::Write, report: &Value) -> Result<()> {
    let about = report["framework"].as_str().unwrap_or("custom").to_owned();
    let next = report["next_run_at"]
        .as_str()
        .map(|at| format!("next run {at}"))
        .unwrap_or_default();
    Ok(writeln!(
        out,
        "{:<36}  {about:<10}  {}  {next}",
        text(report, "id"),
        text(report, "name")
    )?)
}

async fn show(service: &Remote, name: &str, json: bool) -> Result<ExitCode> {
    let report = REPORTS.find(service, name).await?;
    let id = report["id"].as_str().unwrap_or_default();
    let runs = list_of(
        service,
        &format!("audit-logs/reports/runs?limit=10&report_id={id}"),
    )
    .await?;

    if json {
        print(&json!({ "report": report, "runs": runs }))?;
        return Ok(ExitCode::SUCCESS);
    }

    print(&report)?;
    let mut out = std::io::stdout().lock();
    for run in &runs {
        run_line(&mut out, run)?;
    }

    Ok(ExitCode::SUCCESS)
}

fn run_line(out: &mut impl std::io::Write, run: &Value) -> Result<()> {
    let error = run["error"]
        .as_str()
        .map(|error| format!("  {error}"))
        .unwrap_or_default();
    let (id, state) = (text(run, "id"), text(run, "state"));
    let entries = &run["progress"]["entries"];

    Ok(writeln!(
        out,
        "{id:<36}  {state:<10}  {}  {entries} entries{error}",
        text(run, "created_at")
    )?)
}

async fn begin(service: &Remote, args: &RunReportArgs) -> Result<ExitCode> {
    let report = REPORTS.find(service, &args.report).await?;
    let path = format!("audit-logs/reports/{}/run", text(&report, "id"));
    let mut run = answer(service, service.post(&path).json(&json!({}))).await?;
    let path = format!("audit-logs/reports/runs/{}", text(&run, "id"));

    while !args.no_wait && matches!(run["state"].as_str(), Some("queued" | "running")) {
        tokio::time::sleep(BEAT).await;
        run = answer(service, service.get(&path)).await?;
        tracing::info!(
            "{} %, {} entries",
            run["progress"]["percent"],
            run["progress"]["entries"]
        );
    }

    if args.json {
        print(&run)?
    } else {
        run_line(&mut std::io::stdout().lock(), &run)?
    }

    let done = args.no_wait || run["state"] == "succeeded";
    Ok(if done {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn download(service: &Remote, args: &DownloadReportArgs) -> Result<ExitCode> {
    let id = match REPORTS.find(service, &args.run).await {
        Ok(report) => latest(service, &report).await?,
        Err(_) => args.run.clone(),
    };
    let path = format!(
        "audit-logs/reports/runs/{id}/download?format={}",
        args.format.as_str()
    );
    let mut response = service.response(service.get(&path)).await?;
    if !response.status().is_success() {
        let problem: Value = response.json().await.unwrap_or(Value::Null);
        bail!("{}", service.words(&problem));
    }

    if args.output == Path::new("-") {
        let mut out = std::io::stdout().lock();
        while let Some(part) = response.chunk().await? {
            out.write_all(&part)?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    // Beside its place until it is whole: a download that broke off leaves no half of a report.
    let mut beside = args.output.clone().into_os_string();
    beside.push(".part");
    let mut file = std::fs::File::create(&beside)?;
    while let Some(part) = response.chunk().await? {
        file.write_all(&part)?;
    }

    file.sync_all()?;
    std::fs::rename(&beside, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// The latest run of a report that has files.
async fn latest(service: &Remote, report: &Value) -> Result<String> {
    let path = format!(
        "audit-logs/reports/runs?limit={PAGE}&report_id={}",
        text(report, "id")
    );
    let runs = list_of(service, &path).await?;
    let run = runs.iter().find(|run| run["state"] == "succeeded");
    run.map(|run| text(run, "id"))
        .with_context(|| format!("{} has no run with files", text(report, "name")))
}
