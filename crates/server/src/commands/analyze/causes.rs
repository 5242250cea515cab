//! `reeve analyze causes`: probable causes of an incident, from metrics, calls and the incident.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use jiff::Timestamp;
use reeve_learn::causes::{CauseEdge, IncidentSymptom, Naming, NodeMetric, causes, reasons};
use serde::{Deserialize, Serialize};

use super::file::{FileSink, Input};
use super::series::read_time;
use super::table::AnalyzeTable;
use crate::cli::CausesArgs;

/// Files of the folder.
const METRICS: &str = "metrics.csv";
const EDGES: &str = "edges.csv";
const INCIDENT: &str = "incident.json";
/// Texts for a value that was not measured.
const MISSING: [&str; 4] = ["", "nan", "null", "none"];

/// `incident.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IncidentFile {
    start: String,
    node: String,
    metric: Option<String>,
    end: Option<String>,
}

/// A line of the output.
#[derive(Debug, Serialize)]
struct CauseLine<'a> {
    node: &'a str,
    score: f64,
    grade: &'static str,
    reasons: Vec<String>,
}

/// Judges a folder and prints the result.
pub(super) fn run(args: &CausesArgs) -> Result<ExitCode> {
    let folder = &args.folder;
    let symptom = incident(&folder.join(INCIDENT))?;
    let metrics = metrics(&folder.join(METRICS))?;
    let edges_file = folder.join(EDGES);
    let edges = edges_file
        .exists()
        .then(|| edges(&edges_file))
        .transpose()?;
    check(&symptom, &metrics, edges.as_deref(), folder)?;

    let found = causes(&metrics, edges.as_deref(), &symptom);
    let mut sink = FileSink::create(args.output.output.as_deref())?;
    for cause in &found {
        sink.json_line(&CauseLine {
            node: &cause.node,
            score: (cause.score * 1e4).round() / 1e4,
            grade: cause.grade.as_str(),
            reasons: reasons(
                cause,
                &symptom,
                &Naming {
                    node: &str::to_owned,
                    time: &time_text,
                },
            ),
        })?;
    }
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn incident(path: &Path) -> Result<IncidentSymptom> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{name} could not be read"))?;
    let file: IncidentFile = serde_json::from_str(&text)
        .with_context(|| format!("{name} is no incident with start, node[, metric, end]"))?;
    let time = |field: &str, text: &str| {
        read_time(text.trim()).with_context(|| format!("{name}: {field}: {text:?} is not a time"))
    };

    let start_ms = time("start", &file.start)?;
    let end_ms = file.end.map(|end| time("end", &end)).transpose()?;
    if end_ms.is_some_and(|end_ms| end_ms <= start_ms) {
        bail!("{name}: end: it is not after start");
    }
    Ok(IncidentSymptom {
        node: file.node,
        metric: file.metric,
        start_ms,
        end_ms,
    })
}

/// Refuses an incident at a node of which nothing is known.
fn check(
    symptom: &IncidentSymptom,
    metrics: &[NodeMetric],
    edges: Option<&[CauseEdge]>,
    folder: &Path,
) -> Result<()> {
    let name = folder.join(INCIDENT);
    let node = &symptom.node;
    let of_node = || metrics.iter().filter(|one| &one.node == node);
    let called = edges.unwrap_or_default();
    if of_node().next().is_none()
        && !called
            .iter()
            .any(|one| &one.caller == node || &one.callee == node)
    {
        bail!(
            "{}: node: {node:?} is in neither {METRICS} nor {EDGES}",
            name.display()
        );
    }
    if let Some(metric) = &symptom.metric
        && !of_node().any(|one| &one.metric == metric)
    {
        bail!(
            "{}: metric: {METRICS} has no {metric:?} of node {node:?}",
            name.display()
        );
    }
    Ok(())
}

fn metrics(path: &Path) -> Result<Vec<NodeMetric>> {
    let mut found: BTreeMap<(String, String), Vec<(i64, f64)>> = BTreeMap::new();
    rows(
        path,
        ["timestamp", "node", "metric", "value"],
        |[time, node, metric, value], place| {
            let at_ms =
                read_time(time).with_context(|| format!("{}: {time:?} is not a time", place(0)))?;
            if MISSING
                .iter()
                .any(|missing| value.eq_ignore_ascii_case(missing))
            {
                return Ok(());
            }
            let value: f64 = value
                .parse()
                .with_context(|| format!("{}: {value:?} is not a number", place(3)))?;
            let key = (node.to_owned(), metric.to_owned());
            found.entry(key).or_default().push((at_ms, value));
            Ok(())
        },
    )?;

    if found.is_empty() {
        bail!("{}: it has no measurements", path.display());
    }
    Ok(found
        .into_iter()
        .map(|((node, metric), mut points)| {
            points.sort_by_key(|(at_ms, _)| *at_ms);
            NodeMetric {
                node,
                metric,
                points,
            }
        })
        .collect())
}

fn edges(path: &Path) -> Result<Vec<CauseEdge>> {
    let mut found = Vec::new();
    rows(path, ["caller", "callee"], |[caller, callee], place| {
        for (at, cell) in [caller, callee].into_iter().enumerate() {
            if cell.is_empty() {
                bail!("{}: it is empty", place(at));
            }
        }
        found.push(CauseEdge {
            caller: caller.to_owned(),
            callee: callee.to_owned(),
        });
        Ok(())
    })?;
    Ok(found)
}

/// Reads the rows of a table by the names of its columns. `place` names the line and column of a
/// cell for messages.
fn rows<const N: usize>(
    path: &Path,
    names: [&str; N],
    mut row: impl FnMut([&str; N], &dyn Fn(usize) -> String) -> Result<()>,
) -> Result<()> {
    let table = AnalyzeTable::read(Input::open(path)?)?;
    let (mut records, mut record) = (table.records(), ByteRecord::new());
    records.next(&mut record)?;
    let header: Vec<String> = record
        .iter()
        .map(|cell| String::from_utf8_lossy(cell).trim().to_lowercase())
        .collect();
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        let column = header.iter().position(|column| column == name);
        *place = column.with_context(|| {
            format!(
                "{}: line 1: the header has no column {name}; it needs {}",
                table.name,
                names.join(",")
            )
        })?;
    }

    while let Some(line) = records.next(&mut record)? {
        let place = |at: usize| {
            let (column, name) = (places[at] + 1, names[at]);
            format!("{}: line {line}, column {column} ({name})", table.name)
        };
        let mut cells = [""; N];
        for (at, cell) in cells.iter_mut().enumerate() {
            let bytes = record
                .get(places[at])
                .with_context(|| format!("{}: it is missing", place(at)))?;
            let text = std::str::from_utf8(bytes)
                .with_context(|| format!("{}: it is not UTF-8", place(at)))?;
            *cell = text.trim();
        }
        row(cells, &place)?;
    }
    Ok(())
}

fn time_text(at_ms: i64) -> String {
    Timestamp::from_millisecond(at_ms).map_or_else(|_| at_ms.to_string(), |at| at.to_string())
}
