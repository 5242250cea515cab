//! `reeve audit search`: a table for people, JSON lines for programs.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};
use jiff::Timestamp;
use serde_json::{Value, json};

use reeve_audit::query::{Query, time_range};
use reeve_audit::{format_instant, parse_instant};
use reeve_ledger::{Order, SearchRequest, Trail as _};

use super::target::{LogAt, Remote, Reply, open};
use crate::cli::SearchArgs;
use crate::service::Log;

/// Searches and prints; 1 when nothing was found.
pub(crate) async fn run(args: &SearchArgs) -> Result<ExitCode> {
    if args.limit == 0 || args.limit > 1000 {
        bail!("--limit must be 1 to 1000");
    }
    let (entries, total) = match open(&args.target).await? {
        LogAt::Here(log) => here(&log, args).await?,
        LogAt::There(remote) => there(&remote, args).await?,
    };
    let mut out = std::io::stdout();
    if args.json {
        for entry in &entries {
            writeln!(out, "{entry}")?;
        }
    } else {
        writeln!(out, "{}", table(&entries))?;
        eprintln!("{} of {total} entries", entries.len());
    }
    Ok(if entries.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

async fn here(log: &Log, args: &SearchArgs) -> Result<(Vec<Value>, u64)> {
    let now = Timestamp::now();
    let time = |text: &Option<String>, flag: &str| -> Result<Option<Timestamp>> {
        text.as_deref()
            .map(|text| parse_instant(text).with_context(|| format!("--{flag} {text:?} is not a time")))
            .transpose()
    };
    let query = Query::parse(&args.query).map_err(|error| anyhow::anyhow!("the query is wrong: {error}"))?;
    let request = SearchRequest {
        query: query.and(time_range(time(&args.from, "from")?, time(&args.to, "to")?)).resolve(now),
        limit: args.limit as usize,
        offset: 0,
        order: Order::NewestFirst,
        cursor: None,
        count_total: true,
        aggregations: Vec::new(),
        now,
    };
    let page = log.search.search(&request).await?;
    let entries = page
        .entries
        .iter()
        .map(|stored| {
            let mut entry = serde_json::to_value(stored.entry.to_json(stored.recorded_at)).unwrap_or_default();
            entry["integrity"] = json!({
                "sequence": stored.sequence,
                "leaf_hash": stored.leaf_hash.to_string(),
                "hash": stored.hash.to_string(),
                "previous_hash": stored.previous_hash.to_string(),
            });
            entry
        })
        .collect();
    log.ledger.close().await;
    Ok((entries, page.total.unwrap_or_default()))
}

async fn there(remote: &Remote, args: &SearchArgs) -> Result<(Vec<Value>, u64)> {
    let body = json!({ "query": args.query, "start_time": args.from, "end_time": args.to, "limit": args.limit });
    match remote.send(remote.post("audit-logs/search").json(&body)).await? {
        Reply::Done(mut answer) => {
            let total = answer["total"].as_u64().unwrap_or_default();
            match answer["items"].take() {
                Value::Array(entries) => Ok((entries, total)),
                _ => bail!("the service's answer has no items"),
            }
        }
        Reply::Refused(problem) => bail!(remote.words(&problem)),
        Reply::Busy(seconds) => bail!("the service is busy; try again in {seconds} s"),
    }
}

fn table(entries: &[Value]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let colour = std::io::stdout().is_terminal();
    table.set_header(["TIME (UTC)", "EVENT", "STATUS", "WHO", "RESOURCE", "SEQ"]);
    for entry in entries {
        let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned();
        let status = text("/action/status");
        let who =
            [text("/actor/email"), text("/actor/id")].into_iter().find(|who| who != "-").unwrap_or_else(|| "-".into());
        let mut shown = Cell::new(&status);
        if colour {
            shown = shown.fg(match status.as_str() {
                "success" => Color::Green,
                "failed" | "denied" => Color::Red,
                _ => Color::Reset,
            });
        }
        let time = parse_instant(&text("/timestamp")).map_or_else(|_| text("/timestamp"), format_instant);
        let sequence = entry.pointer("/integrity/sequence").map_or_else(|| "-".to_owned(), ToString::to_string);
        table.add_row(vec![
            Cell::new(time),
            Cell::new(text("/event_type")),
            shown,
            Cell::new(who),
            Cell::new(text("/resource/id")),
            Cell::new(sequence),
        ]);
    }
    table
}
