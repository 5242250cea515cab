//! `reeve audit streams`: streams of a running service.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, items, print, text};
use super::show::clean;
use super::target::Remote;
use crate::cli::{NamedArgs, ReplayArgs, StreamsCommand};

const STREAMS: Collection = Collection {
    path: "audit-logs/integrations",
    filter: "&direction=out",
    noun: "stream",
    list: "reeve audit streams list",
    line,
};

pub(super) async fn run(command: StreamsCommand) -> Result<ExitCode> {
    match command {
        StreamsCommand::List(args) => STREAMS.list(&Remote::new(&args.service)?, args.json).await,
        StreamsCommand::Show(args) => show(&args).await,
        StreamsCommand::Create(args) => {
            let service = Remote::new(&args.service)?;
            STREAMS.create(&service, &args.file, args.json).await
        }
        StreamsCommand::Test(args) => test(&args).await,
        StreamsCommand::Pause(args) => act(&args, "pause").await,
        StreamsCommand::Resume(args) => act(&args, "resume").await,
        StreamsCommand::Replay(args) => replay(&args).await,
    }
}

async fn show(args: &NamedArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let mut stream = STREAMS.find(&service, &args.name).await?;
    let place = format!("{}/{}/dead-letters", STREAMS.path, text(&stream, "id"));
    let letters = answer(&service, service.get(&place)).await?;
    if args.json {
        stream["dead_letters"] = letters["items"].clone();
        print(&stream)?;
        return Ok(ExitCode::SUCCESS);
    }

    let mut out = std::io::stdout().lock();
    line(&mut out, &stream)?;
    if let Some(failure) = stream["status"]["last_failure"].as_object() {
        let message = failure["message"].as_str().unwrap_or_default();
        let at = failure["at"].as_str().unwrap_or_default();
        writeln!(out, "last failure {}: {}", clean(at), clean(message))?;
    }
    for letter in items(&letters) {
        let (event, reason) = (text(letter, "event_id"), text(letter, "reason"));
        writeln!(out, "dead letter {}  {event}  {reason}", letter["sequence"])?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn test(args: &NamedArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let place = STREAMS.place(&service, &args.name).await?;
    let outcome = answer(&service, service.post(&format!("{place}/test"))).await?;
    let is_delivered = outcome["delivered"] == true;
    if args.json {
        print(&outcome)?;
    } else if is_delivered {
        writeln!(std::io::stdout(), "delivered")?;
    } else {
        writeln!(
            std::io::stdout(),
            "not delivered: {}",
            text(&outcome, "error")
        )?;
    }
    Ok(ExitCode::from(u8::from(!is_delivered)))
}

async fn act(args: &NamedArgs, operation: &str) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let place = STREAMS.place(&service, &args.name).await?;
    let changed = answer(&service, service.post(&format!("{place}/{operation}"))).await?;
    STREAMS.show(&changed, args.json)
}

async fn replay(args: &ReplayArgs) -> Result<ExitCode> {
    let service = Remote::new(&args.service)?;
    let place = STREAMS.place(&service, &args.name).await?;
    let request = service
        .post(&format!("{place}/replay"))
        .json(&json!({ "sequence": args.from }));
    let changed = answer(&service, request).await?;
    STREAMS.show(&changed, args.json)
}

/// A stream on one line: name, type, health, distance to the end of the log, receiver.
fn line(out: &mut dyn Write, stream: &Value) -> Result<()> {
    let status = &stream["status"];
    let (name, kind, health) = (
        text(stream, "name"),
        text(stream, "type"),
        text(status, "health"),
    );
    Ok(writeln!(
        out,
        "{name:<24} {kind:<14} {health:<8} {:>8} behind  {:>3} dead  {}",
        status["lag_entries"],
        status["dead_letters"],
        text(stream, "receiver")
    )?)
}
