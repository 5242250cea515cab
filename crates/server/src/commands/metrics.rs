//! `reeve metrics`: Prometheus servers that push to a running service or that it queries, and what
//! matches of their series.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, answer, print, read, text};
use super::show::clean;
use super::target::Remote;
use crate::cli::{MetricPreviewArgs, MetricsCommand};

const SOURCES: Collection = Collection {
    path: "metrics/sources",
    filter: "",
    noun: "metric source",
    list: "reeve metrics list",
    line,
};

pub(super) async fn run(command: MetricsCommand) -> Result<ExitCode> {
    match command {
        MetricsCommand::List(args) => SOURCES.list(&Remote::new(&args.service)?, args.json).await,
        MetricsCommand::Show(args) => {
            print(
                &SOURCES
                    .find(&Remote::new(&args.service)?, &args.name)
                    .await?,
            )?;
            Ok(ExitCode::SUCCESS)
        }
        // With its token, which no other answer has.
        MetricsCommand::Create(args) => {
            SOURCES
                .create(&Remote::new(&args.service)?, &args.file, true)
                .await
        }
        MetricsCommand::Delete(args) => {
            let service = Remote::new(&args.service)?;
            answer(
                &service,
                service.delete(&SOURCES.place(&service, &args.name).await?),
            )
            .await?;
            Ok(ExitCode::SUCCESS)
        }
        MetricsCommand::Sync(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/sync", SOURCES.place(&service, &args.name).await?);
            answer(&service, service.post(&path).json(&json!({}))).await?;
            Ok(ExitCode::SUCCESS)
        }
        MetricsCommand::Preview(args) => preview(&Remote::new(&args.service)?, &args).await,
    }
}

/// A source on one line: identifier, kind, what arrived, name.
fn line(out: &mut dyn Write, source: &Value) -> Result<()> {
    let (pushed, last) = (&source["pushed"], &source["last_sync"]);
    let arrived = match (pushed["received"].as_u64(), last["samples"].as_u64()) {
        (Some(received), _) => {
            format!(
                "{received} points, {} matched, last {}",
                pushed["mapped"],
                text(pushed, "last_at")
            )
        }
        (None, Some(samples)) => {
            format!(
                "{samples} samples, {} series matched, last {}",
                last["mapped"],
                text(last, "finished_at")
            )
        }
        (None, None) => "-".to_owned(),
    };

    let (id, kind, name) = (
        text(source, "id"),
        text(source, "kind"),
        text(source, "name"),
    );

    Ok(writeln!(
        out,
        "{id:<36}  {kind:<12}  {arrived:<64}  {name}"
    )?)
}

async fn preview(service: &Remote, args: &MetricPreviewArgs) -> Result<ExitCode> {
    let source = SOURCES.find(service, &args.name).await?;
    let rules = args.rules.as_deref().map(read).transpose()?;
    let path = format!("{}/{}/preview", SOURCES.path, text(&source, "id"));
    let body = rules
        .as_ref()
        .map_or_else(|| json!({}), |rules| json!({ "rules": rules }));
    let found = answer(service, service.post(&path).json(&body)).await?;
    let of_rules: Vec<&Value> = found["rules"].as_array().into_iter().flatten().collect();
    let matched = of_rules.iter().any(|rule| rule["mapped"] != 0);

    if args.json {
        print(&found)?;
    } else {
        let mut out = std::io::stdout().lock();
        let tried = rules.as_ref().unwrap_or(&source["rules"]);
        for (place, rule) in of_rules.iter().enumerate() {
            let (metric, series) = (text(&tried[place], "metric"), text(&tried[place], "series"));
            let (mapped, all, resources) = (&rule["mapped"], &rule["series"], &rule["resources"]);
            writeln!(
                out,
                "{metric} from {series}: {mapped} of {all} series, {resources} resources"
            )?;
            for one in rule["matches"].as_array().into_iter().flatten() {
                writeln!(out, "  {}", described(one))?;
            }
        }
    }

    Ok(if matched {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// A series on one line: its labels, then the resource with its value or the reason why there is
/// none.
fn described(one: &Value) -> String {
    let labels = one["labels"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "__name__");

    let labels: Vec<String> = labels
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let labels = clean(&labels.join(","));
    let value = one["value"]
        .as_f64()
        .map(|value| format!(" = {value:.1}"))
        .unwrap_or_default();

    match one["resource_id"].as_str() {
        Some(id) => format!(
            "{labels}  ->  {} ({}){value}",
            clean(id),
            text(one, "resource_name")
        ),
        None => format!("{labels}  ->  {}", text(one, "reason")),
    }
}
