//! `reeve analyze causes`: probable causes of an incident, from metrics, calls and the incident.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use csv::ByteRecord;
use jiff::Timestamp;
use reeve_learn::causes::{Cause, Edge, IncidentSymptom, NodeMetric, Place, causes};
use serde::{Deserialize, Serialize};

use super::file::{Input, Sink};
use super::series::read_time;
use super::table::Table;
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
    let mut sink = Sink::create(args.output.output.as_deref())?;
    for cause in &found {
        sink.json_line(&CauseLine {
            node: &cause.node,
            score: (cause.score * 1e4).round() / 1e4,
            grade: cause.grade.name(),
            reasons: reasons(cause, &symptom),
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
    edges: Option<&[Edge]>,
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

fn edges(path: &Path) -> Result<Vec<Edge>> {
    let mut found = Vec::new();
    rows(path, ["caller", "callee"], |[caller, callee], place| {
        for (at, cell) in [caller, callee].into_iter().enumerate() {
            if cell.is_empty() {
                bail!("{}: it is empty", place(at));
            }
        }
        found.push(Edge {
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
    let table = Table::read(Input::open(path)?)?;
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

fn reasons(cause: &Cause, symptom: &IncidentSymptom) -> Vec<String> {
    let deviation = cause.deviation;
    let mut reasons = vec![format!(
        "{} went from {} to {} ({:.1} robust deviations)",
        cause.metric,
        number(deviation.before),
        number(deviation.during),
        deviation.size
    )];

    let onset = Timestamp::from_millisecond(cause.onset_ms)
        .map_or_else(|_| cause.onset_ms.to_string(), |at| at.to_string());
    let minutes = (symptom.start_ms - cause.onset_ms) as f64 / 60_000.0;
    let when = if minutes >= 0.0 { "before" } else { "after" };
    reasons.push(format!(
        "it began at {onset}, {:.0} min {when} the start of the incident; {} began earlier",
        minutes.abs(),
        match cause.earlier {
            0 => "no other node".to_owned(),
            1 => "1 other node".to_owned(),
            many => format!("{many} other nodes"),
        }
    ));

    let node = &symptom.node;
    reasons.push(match &cause.place {
        Place::Symptom => "the incident was noticed here".to_owned(),
        Place::Chain(path) if path.is_empty() => format!("{node} calls it"),
        Place::Chain(path) => format!(
            "{node} depends on it through {}, which deviates too",
            path.join(", ")
        ),
        Place::BrokenChain(path) => format!(
            "{node} depends on it through {}, where not every node deviates",
            path.join(", ")
        ),
        Place::NotReachable => format!("ruled out: {node} does not depend on it"),
        Place::Unknown => "no calls are known, so dependence cannot be confirmed".to_owned(),
    });

    if let Some(callee) = &cause.explained_by {
        reasons.push(format!(
            "its callee {callee} deviated no later and explains it"
        ));
    } else if cause.place != Place::Unknown {
        reasons.push(format!(
            "its failure would explain {:.0} % of the other deviations",
            100.0 * cause.coverage
        ));
    }
    if let Some(callee) = &cause.unmeasured {
        reasons.push(format!(
            "its callee {callee} is not measured and may be the cause instead"
        ));
    }
    reasons
}

/// Four significant digits.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
