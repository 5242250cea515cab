//! `reeve bills`: S3 buckets whose FOCUS bills a running service reads.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, print, text};
use super::target::Remote;
use crate::cli::BillsCommand;

const SOURCES: Collection = Collection {
    path: "bills/sources",
    filter: "",
    noun: "bill source",
    list: "reeve bills list",
    line,
};

pub(super) async fn run(command: BillsCommand) -> Result<ExitCode> {
    match command {
        BillsCommand::List(args) => {
            return SOURCES.list(&Remote::new(&args.service)?, args.json).await;
        }
        BillsCommand::Show(args) => print(
            &SOURCES
                .find(&Remote::new(&args.service)?, &args.name)
                .await?,
        )?,
        BillsCommand::Create(args) => {
            return SOURCES
                .create(&Remote::new(&args.service)?, &args.file, false)
                .await;
        }
        BillsCommand::Delete(args) => {
            let service = Remote::new(&args.service)?;
            answer(
                &service,
                service.delete(&SOURCES.place(&service, &args.name).await?),
            )
            .await?;
        }
        BillsCommand::Sync(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/sync", SOURCES.place(&service, &args.name).await?);
            answer(&service, service.post(&path).json(&json!({}))).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A source on one line: identifier, what was read, bucket, name.
fn line(out: &mut dyn Write, source: &Value) -> Result<()> {
    let last = &source["last_sync"];
    let read = match (source["enabled"].as_bool(), last["bills"].as_u64()) {
        (Some(false), _) => "disabled".to_owned(),
        (_, Some(bills)) => format!(
            "{bills} files, {} new, last {}",
            last["read"],
            text(last, "finished_at")
        ),
        (_, None) => "not read yet".to_owned(),
    };

    let (id, name) = (text(source, "id"), text(source, "name"));
    let place = format!("s3://{}/{}", text(source, "bucket"), text(source, "prefix"));
    Ok(writeln!(out, "{id:<36}  {read:<48}  {place:<40}  {name}")?)
}
