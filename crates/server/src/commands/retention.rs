//! `reeve audit retention`, `holds`, `erasures` and `restores`: policies, runs, legal holds, requests
//! for erasure and restores of a running service.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, print, read, text};
use super::target::Remote;
use crate::cli::{ErasuresCommand, HoldsCommand, RestoresCommand, RetentionCommand};

const PATH: &str = "audit-logs/retention";

const HOLDS: Collection = Collection {
    path: "audit-logs/holds",
    filter: "",
    noun: "legal hold",
    list: "reeve audit holds list",
    line: hold,
};

const ERASURES: Collection = Collection {
    path: "audit-logs/erasures",
    filter: "",
    noun: "erasure",
    list: "reeve audit erasures list",
    line: erasure,
};

const RESTORES: Collection = Collection {
    path: "audit-logs/restores",
    filter: "",
    noun: "restore",
    list: "reeve audit restores list",
    line: restore,
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
                    "deleted {} entries in {} segments, {} bytes freed; {} segments are held; moved {} entries in {} segments",
                    run["entries"],
                    run["segments"],
                    run["freed_bytes"],
                    run["held"],
                    run["moved_entries"],
                    run["moved_segments"]
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

pub(super) async fn erasures(command: ErasuresCommand) -> Result<ExitCode> {
    match command {
        ErasuresCommand::List(args) => ERASURES.list(&Remote::new(&args.service)?, args.json).await,
        ErasuresCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.get(&format!("{}/{}", ERASURES.path, args.name));
            ERASURES.show(&answer(&service, request).await?, args.json)
        }
        ErasuresCommand::Create(args) => {
            ERASURES
                .create(&Remote::new(&args.service)?, &args.file, args.json)
                .await
        }
        ErasuresCommand::Approve(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/{}/approve", ERASURES.path, args.name);
            let request = service.post(&path).json(&json!({}));
            ERASURES.show(&answer(&service, request).await?, args.json)
        }
        ErasuresCommand::Reject(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/{}/reject", ERASURES.path, args.id);
            let request = service.post(&path).json(&json!({ "reason": args.reason }));
            ERASURES.show(&answer(&service, request).await?, args.json)
        }
    }
}

pub(super) async fn restores(command: RestoresCommand) -> Result<ExitCode> {
    match command {
        RestoresCommand::List(args) => RESTORES.list(&Remote::new(&args.service)?, args.json).await,
        RestoresCommand::Show(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.get(&format!("{}/{}", RESTORES.path, args.id));
            RESTORES.show(&answer(&service, request).await?, args.json)
        }
        RestoresCommand::Create(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.post(RESTORES.path).json(&json!({
                "start_time": args.start,
                "end_time": args.end,
                "days": args.days,
                "reason": args.reason,
            }));
            RESTORES.show(&answer(&service, request).await?, args.json)
        }
        RestoresCommand::End(args) => {
            let service = Remote::new(&args.service)?;
            let request = service.delete(&format!("{}/{}", RESTORES.path, args.id));
            RESTORES.show(&answer(&service, request).await?, args.json)
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
    course(out, &stored["course"])?;
    tiers(out, stored)
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

fn tiers(out: &mut dyn Write, stored: &Value) -> Result<()> {
    for tier in stored["tiers"].as_array().into_iter().flatten() {
        writeln!(
            out,
            "{:<20}  {} entries, {} bytes; {} entries are due here  {}",
            text(tier, "tier"),
            tier["entries"],
            tier["bytes"],
            tier["due"]["entries"],
            text(tier, "place")
        )?;
    }
    Ok(())
}

fn restore(out: &mut dyn Write, restore: &Value) -> Result<()> {
    Ok(writeln!(
        out,
        "{}  {:<8}  {} to {}  {} of {} segments, {} entries; ends {}",
        text(restore, "id"),
        text(restore, "state"),
        text(restore, "start_time"),
        text(restore, "end_time"),
        restore["restored_segments"],
        restore["segments"],
        restore["entries"],
        text(restore, "ends_at")
    )?)
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

fn erasure(out: &mut dyn Write, request: &Value) -> Result<()> {
    let person = ["email", "actor_id", "query"]
        .into_iter()
        .map(|member| text(request, member))
        .find(|text| !matches!(text.as_str(), "" | "-"));
    let approvals = request["approvals"].as_array().map_or(0, Vec::len);
    writeln!(
        out,
        "{}  {:<9}  {approvals} of 2 approvals, {} entries erased  {}",
        text(request, "id"),
        text(request, "status"),
        request["erased"],
        person.unwrap_or_default()
    )?;
    if let Some(needed) = request.get("needed_restore") {
        writeln!(
            out,
            "  waits for {} segments of the cold tier: reeve audit restores create --start {} --end {}",
            needed["segments"],
            text(needed, "start_time"),
            text(needed, "end_time")
        )?;
    }
    Ok(())
}
