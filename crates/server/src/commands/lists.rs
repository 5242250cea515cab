//! `reeve audit lists`: lists of values that queries compare with.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, contents, print, text};
use super::show::clean;
use super::target::Remote;
use crate::cli::{ImportListArgs, ListsCommand};

const LISTS: Collection = Collection {
    path: "audit-logs/lists",
    filter: "",
    noun: "list",
    list: "reeve audit lists show",
    line,
};

pub(super) async fn run(command: ListsCommand) -> Result<ExitCode> {
    match command {
        ListsCommand::Show(args) => LISTS.list(&Remote::new(&args.service)?, args.json).await,
        ListsCommand::Values(args) => {
            let service = Remote::new(&args.service)?;
            let list = answer(&service, service.get(&place(&args.name))).await?;
            if args.json {
                print(&list)?;
                return Ok(ExitCode::SUCCESS);
            }
            let mut out = std::io::stdout().lock();
            let values = list["values"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            values
                .map(clean)
                .try_for_each(|value| writeln!(out, "{value}"))?;
            Ok(ExitCode::SUCCESS)
        }
        ListsCommand::Import(args) => import(&Remote::new(&args.service)?, &args).await,
        ListsCommand::Remove(args) => {
            let service = Remote::new(&args.service)?;
            answer(&service, service.delete(&place(&args.name))).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn place(name: &str) -> String {
    format!("{}/{name}", LISTS.path)
}

async fn import(service: &Remote, args: &ImportListArgs) -> Result<ExitCode> {
    let text = contents(&args.file)?;
    let values: Vec<&str> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|value| !value.is_empty())
        .collect();

    let before = LISTS
        .all(service)
        .await?
        .into_iter()
        .find(|list| list["name"] == args.name.as_str());

    let description = args
        .description
        .clone()
        .or_else(|| Some(before.as_ref()?["description"].as_str()?.to_owned()));
    let version = before
        .as_ref()
        .map_or(json!(0), |list| list["version"].clone());
    let body = json!({ "description": description.unwrap_or_default(), "values": values, "version": version });

    LISTS.show(
        &answer(service, service.put(&place(&args.name)).json(&body)).await?,
        args.json,
    )
}

/// A list on one line: name, number of values, last change, purpose.
fn line(out: &mut dyn Write, list: &Value) -> Result<()> {
    let (name, changed, by) = (
        text(list, "name"),
        text(list, "updated_at"),
        text(list, "updated_by"),
    );
    Ok(writeln!(
        out,
        "{name:<24} {:>6} values  {changed} by {by}  {}",
        list["size"],
        text(list, "description")
    )?)
}
