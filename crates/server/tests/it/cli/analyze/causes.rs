//! `reeve analyze causes`: a folder with metrics, calls and an incident.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::analyze;

/// Five services by the minute; the database fails at minute 240, its callers follow.
fn metrics() -> String {
    let mut text = "timestamp,node,metric,value\n".to_owned();
    for minute in 0..270 {
        for (node, from, level) in [
            ("web", 244, 260),
            ("api", 242, 220),
            ("database", 240, 180),
            ("search", 1_000, 0),
            ("mail", 235, 900),
        ] {
            let value = minute * 7 % 13 + if minute >= from { level } else { 100 };
            let at = 1_767_571_200 + minute * 60;
            writeln!(text, "{at},{node},latency,{value}").unwrap();
        }
    }
    text
}

const EDGES: &str = "caller,callee\nweb,api\nweb,search\napi,database\n";
const INCIDENT: &str = r#"{"start": "2026-01-05T04:04:00Z", "node": "web", "metric": "latency"}"#;

fn judged(metrics: &str, edges: Option<&str>, incident: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("metrics.csv", metrics);
    write("incident.json", incident);
    if let Some(edges) = edges {
        write("edges.csv", edges);
    }
    run(folder.path())
}

fn run(folder: &Path) -> Output {
    analyze(&["causes", folder.to_str().unwrap()])
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_failing_callee_comes_first_and_the_coincidence_is_ruled_out() {
    let output = judged(&metrics(), Some(EDGES), INCIDENT);
    let found = lines(&output);
    assert_eq!(found[0]["node"], "database", "{found:#?}");
    assert_ne!(found[0]["grade"], "inconclusive");
    let scores: Vec<f64> = found
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");

    let mail = found.iter().find(|one| one["node"] == "mail").unwrap();
    assert_eq!(mail["grade"], "inconclusive");
    assert!(
        mail["reasons"]
            .to_string()
            .contains("ruled out: web does not depend on it")
    );
    assert!(found[0]["reasons"].to_string().contains("through api"));
    assert!(!found.iter().any(|one| one["node"] == "search"));

    assert_eq!(
        judged(&metrics(), Some(EDGES), INCIDENT).stdout,
        output.stdout
    );
}

#[test]
fn without_calls_nothing_is_confirmed() {
    let found = lines(&judged(&metrics(), None, INCIDENT));
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|one| one["grade"] != "confirmed"));
}

#[test]
fn unusable_folders_are_refused_with_a_reason() {
    let metrics = metrics();
    let bad_time = metrics.replacen("1767571200,web", "soon,web", 1);
    let bad_value = metrics.replacen("web,latency,100", "web,latency,many", 1);
    let elsewhere = INCIDENT.replace("web", "nowhere");
    let unknown_metric = INCIDENT.replace("latency", "errors");
    let no_time = INCIDENT.replace("2026-01-05T04:04:00Z", "soon");
    for (metrics, edges, incident, expect) in [
        (
            &*bad_time,
            EDGES,
            INCIDENT,
            "metrics.csv: line 2, column 1 (timestamp)",
        ),
        (
            &*bad_value,
            EDGES,
            INCIDENT,
            "metrics.csv: line 2, column 4 (value)",
        ),
        (
            "time,value\n0,1\n",
            EDGES,
            INCIDENT,
            "metrics.csv: line 1: the header has no column timestamp",
        ),
        (
            &*metrics,
            "caller,callee\nweb,\n",
            INCIDENT,
            "edges.csv: line 2, column 2 (callee)",
        ),
        (
            &*metrics,
            "from,to\na,b\n",
            INCIDENT,
            "edges.csv: line 1: the header has no column caller",
        ),
        (
            &*metrics,
            EDGES,
            &*elsewhere,
            "incident.json: node: \"nowhere\"",
        ),
        (&*metrics, EDGES, &*unknown_metric, "incident.json: metric"),
        (
            &*metrics,
            EDGES,
            &*no_time,
            "incident.json: start: \"soon\" is not a time",
        ),
        (&*metrics, EDGES, "{}", "incident.json is no incident"),
    ] {
        let output = judged(metrics, Some(edges), incident);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }

    let empty = tempfile::tempdir().unwrap();
    let said = String::from_utf8(run(empty.path()).stderr).unwrap();
    assert!(said.contains("incident.json could not be read"), "{said}");
}
