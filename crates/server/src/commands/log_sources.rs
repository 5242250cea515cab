//! `reeve audit sources`: sources of entries.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, contents, items, print, read, text};
use super::show::clean;
use super::target::Remote;
use crate::cli::{CreateSourceArgs, LogSourcesCommand, RetryArgs, TestSourceArgs};

const SOURCES: Collection = Collection {
    path: "audit-logs/sources",
    filter: "",
    noun: "source",
    list: "reeve audit sources list",
    line,
};
/// Events that are retried at once.
const PAGE: u32 = 1000;

pub(super) async fn run(command: LogSourcesCommand) -> Result<ExitCode> {
    match command {
        LogSourcesCommand::List(args) => {
            SOURCES.list(&Remote::new(&args.service)?, args.json).await
        }
        LogSourcesCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            print(&answer(&service, service.get(&place(&args.name))).await?)?;
            Ok(ExitCode::SUCCESS)
        }
        LogSourcesCommand::Create(args) => create(&args).await,
        LogSourcesCommand::Test(args) => test(&args).await,
        LogSourcesCommand::Pause(args) => act(&args.service, &args.name, "pause", args.json).await,
        LogSourcesCommand::Resume(args) => {
            act(&args.service, &args.name, "resume", args.json).await
        }
        LogSourcesCommand::RotateToken(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.post(&format!("{}/rotate-token", place(&args.name)));
            writeln!(
                std::io::stdout().lock(),
                "{}",
                text(&answer(&service, request).await?, "token")
            )?;
            Ok(ExitCode::SUCCESS)
        }
        LogSourcesCommand::Quarantine(args) => {
            quarantine(&args.service, &args.name, args.json).await
        }
        LogSourcesCommand::Retry(args) => retry(&args).await,
        LogSourcesCommand::Remove(args) => {
            let service = Remote::new(&args.service)?;
            answer(&service, service.delete(&place(&args.name))).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn place(name: &str) -> String {
    format!("{}/{name}", SOURCES.path)
}

async fn create(args: &CreateSourceArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let request = service.post(SOURCES.path).json(&read(&args.file)?);
    let made = answer(&service, request).await?;
    if args.json {
        print(&made)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    line(&mut out, &made)?;
    writeln!(out, "push to: {}", text(&made, "push_path"))?;
    writeln!(out, "token:   {} (shown this once)", text(&made, "token"))?;
    Ok(ExitCode::SUCCESS)
}

async fn test(args: &TestSourceArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let sample = contents(&args.sample)?;
    let request = service.post(&format!("{}/test", place(&args.name)));
    let read = answer(&service, request.json(&json!({ "sample": sample }))).await?;
    print(&read)?;
    let all = items(&read).all(|item| item["rejection"].is_null());
    Ok(if all {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

async fn act(
    service: &crate::cli::ServiceTarget,
    name: &str,
    act: &str,
    json: bool,
) -> Result<ExitCode> {
    let service = Remote::new(service)?;
    let request = service.post(&format!("{}/{act}", place(name)));
    SOURCES.show(&answer(&service, request).await?, json)
}

async fn quarantine(
    service: &crate::cli::ServiceTarget,
    name: &str,
    json: bool,
) -> Result<ExitCode> {
    let service = Remote::new(service)?;
    let path = format!("{}/quarantine?limit={PAGE}", place(name));
    let list = answer(&service, service.get(&path)).await?;
    if json {
        print(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    for event in items(&list) {
        let rejection = &event["rejection"];
        let (id, at) = (text(event, "id"), text(event, "received_at"));
        let (field, message) = (text(rejection, "field"), text(rejection, "message"));
        writeln!(
            out,
            "{id}  {at}  {}",
            clean(format!("{field} {message}").trim())
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn retry(args: &RetryArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let ids = match &args.event {
        Some(id) => vec![id.clone()],
        None => {
            let path = format!("{}/quarantine?limit={PAGE}", place(&args.name));
            let list = answer(&service, service.get(&path)).await?;
            items(&list).map(|event| text(event, "id")).collect()
        }
    };
    let mut rejected = 0;
    for id in &ids {
        let path = format!("{}/quarantine/{id}/retry", place(&args.name));
        let outcome = answer(&service, service.post(&path)).await?;
        rejected += u64::from(outcome["status"] == "rejected");
    }
    let taken = ids.len() as u64 - rejected;
    eprintln!("{taken} became entries, {rejected} stay in quarantine");
    Ok(if rejected == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// A source on one line: name, kind, health, counts, newest event.
fn line(out: &mut dyn Write, source: &Value) -> Result<()> {
    let newest = match text(source, "last_event_at") {
        time if time.is_empty() => "nothing yet".to_owned(),
        time => time,
    };
    Ok(writeln!(
        out,
        "{:<24} {:<14} {:<9} {:>9} entries {:>5} in quarantine  {newest}",
        text(source, "name"),
        text(source, "kind"),
        text(source, "health"),
        source["accepted"],
        source["quarantined"],
    )?)
}
