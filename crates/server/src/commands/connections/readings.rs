//! `reeve connections list` and `readings`: connections of a running service, and what their syncs
//! read, kind by kind.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::{ListArgs, NamedArgs};
use crate::commands::collection::{Collection, PAGE, answer, items, print, text};
use crate::commands::target::Remote;

const CONNECTIONS: Collection = Collection {
    path: "connections",
    filter: "",
    noun: "connection",
    list: "reeve connections list",
    line,
};

pub(super) async fn list(args: &ListArgs) -> Result<ExitCode> {
    let all = CONNECTIONS.all(&Remote::new(&args.service)?).await?;
    if args.json {
        print(&json!({ "total": all.len(), "items": all }))?;
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = std::io::stdout().lock();
    for connection in &all {
        line(&mut out, connection)?;
    }

    Ok(ExitCode::SUCCESS)
}

/// A connection on one line: identifier, status, resources, end of the last sync, name.
fn line(out: &mut dyn Write, connection: &Value) -> Result<()> {
    let (id, status, name) = (
        text(connection, "id"),
        text(connection, "status"),
        text(connection, "name"),
    );
    let last = &connection["last_sync"];
    let resources = last["resources"]
        .as_u64()
        .map_or_else(|| "-".to_owned(), |count| count.to_string());
    let finished_at = last["finished_at"].as_str().unwrap_or("never synced");

    Ok(writeln!(
        out,
        "{id:<36}  {status:<8}  {resources:>8} resources  {finished_at:<30}  {name}"
    )?)
}

/// Lists what the last sync of a connection read; exit code 1 if any of it is not complete.
pub(super) async fn readings(args: &NamedArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let place = CONNECTIONS.place(&service, &args.name).await?;
    let read = answer(
        &service,
        service.get(&format!("{place}/readings?limit={PAGE}")),
    )
    .await?;
    let complete = items(&read)
        .all(|reading| reading["outcome"] == "complete" && reading["message"].is_null());

    if args.json {
        print(&read)?;
    } else {
        let mut out = std::io::stdout().lock();
        for reading in items(&read) {
            let region = reading["region"]
                .as_str()
                .filter(|region| !region.is_empty())
                .unwrap_or("all regions");
            let (kind, outcome, seen) = (
                text(reading, "type"),
                text(reading, "outcome"),
                &reading["seen"],
            );
            let complete_at = reading["complete_at"].as_str().unwrap_or("never complete");
            let message = text(reading, "message");
            writeln!(
                out,
                "{kind:<20}  {region:<15}  {outcome:<9}  {seen:>8}  {complete_at:<30}  {message}"
            )?;
        }
    }

    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
