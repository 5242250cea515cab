//! `reeve audit retention` and `reeve audit holds`: policies, runs and legal holds of a running
//! service.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, print, read, text};
use super::target::Remote;
use crate::cli::{HoldsCommand, RetentionCommand};

const PATH: &str = "audit-logs/retention";

const HOLDS: Collection = Collection {
    path: "audit-logs/holds",
    noun: "legal hold",
    list: "reeve audit holds list",
    line: hold,
};

pub(super) async fn run(command: RetentionCommand) -> Result<ExitCode> {
    match command {
        RetentionCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            let stored = answer(&service, service.get(PATH)).await?;
            shown(&stored, args.json, policies)
        }
        RetentionCommand::Set(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.put(PATH).json(&read(&args.file)?);
            shown(&answer(&service, request).await?, args.json, policies)
        }
        RetentionCommand::Preview(args) => {
            let service = Remote::new(&args.service)?;
            let mut body = read(&args.file)?;
            if let Some(members) = body.as_object_mut() {
                members.remove("version");
            }
            let request = service.post(&format!("{PATH}/preview")).json(&body);
            shown(
                &answer(&service, request).await?,
                args.json,
                |out, answer| course(out, &answer["after"]),
            )
        }
        RetentionCommand::Run(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.post(&format!("{PATH}/run")).json(&json!({}));
            shown(&answer(&service, request).await?, args.json, |out, run| {
                Ok(writeln!(
                    out,
                    "deleted {} entries in {} segments, {} bytes freed; {} segments are held",
                    run["entries"], run["segments"], run["freed_bytes"], run["held"]
                )?)
            })
        }
    }
}

pub(super) async fn holds(command: HoldsCommand) -> Result<ExitCode> {
    match command {
        HoldsCommand::List(args) => HOLDS.list(&Remote::new(&args.service)?, args.json).await,
        HoldsCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            HOLDS.show(&HOLDS.find(&service, &args.name).await?, args.json)
        }
        HoldsCommand::Create(args) => {
            HOLDS
                .create(&Remote::new(&args.service)?, &args.file, args.json)
                .await
        }
        HoldsCommand::Release(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/{}/release", HOLDS.path, args.id);
            let request = service.post(&path).json(&json!({ "reason": args.reason }));
            HOLDS.show(&answer(&service, request).await?, args.json)
        }
    }
}

fn shown(
    answer: &Value,
    json: bool,
    line: impl Fn(&mut dyn Write, &Value) -> Result<()>,
) -> Result<ExitCode> {
    if json {
        print(answer)?;
    } else {
        line(&mut std::io::stdout().lock(), answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn policies(out: &mut dyn Write, stored: &Value) -> Result<()> {
    for policy in stored["policies"].as_array().into_iter().flatten() {
        let types = policy["event_types"].as_array().into_iter().flatten();
        let types: Vec<&str> = types.filter_map(Value::as_str).collect();
        writeln!(
            out,
            "{:<20}  hot {} days, warm {} days, cold {} years  {}",
            text(policy, "name"),
            policy["hot_days"],
            policy["warm_days"],
            policy["cold_years"],
            super::show::clean(&types.join(" "))
        )?;
    }
    course(out, &stored["course"])
}

fn course(out: &mut dyn Write, rows: &Value) -> Result<()> {
    for row in rows.as_array().into_iter().flatten() {
        writeln!(
            out,
            "{:<20}  entries: hot {}, warm {}, cold {}, due {}; next deletion {}",
            text(row, "policy"),
            row["hot"]["entries"],
            row["warm"]["entries"],
            row["cold"]["entries"],
            row["due"]["entries"],
            text(row, "next_expiry")
        )?;
    }
    Ok(())
}

fn hold(out: &mut dyn Write, hold: &Value) -> Result<()> {
    let state = match hold["released_at"].is_null() {
        true => "in force",
        false => "released",
    };
    Ok(writeln!(
        out,
        "{}  {state:<8}  {}  {}",
        text(hold, "id"),
        text(hold, "case"),
        text(hold, "query")
    )?)
}
