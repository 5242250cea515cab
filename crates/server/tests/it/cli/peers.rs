//! Tests of exports with programs that others wrote: Python's `csv`, and rsyslog.

use std::process::{Command, Output};

use reeve_testkit::http::Api;
use reeve_testkit::rsyslog::Rsyslog;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use super::{append, audit, done};

const NASTY: [&str; 10] = [
    "=cmd|'/c calc'!A1",
    "a\"b]c\\d",
    "x\"] [evil@1 a=\"b",
    "line\nbreak\r\n<13>1 - - - - - - forged",
    "tab\tand\u{1b}[31m",
    "comma, semicolon; \"quoted\"",
    " leading and trailing ",
    "ünï漢字😀",
    "+1-800",
    "\\n is not a newline",
];

async fn nasty(admin: &Api) -> Vec<Value> {
    let entries: Vec<Value> = NASTY
        .iter()
        .enumerate()
        .map(|(n, text)| {
            json!({
                "event_type": "nasty.entry", "event_id": format!("nasty-{n}"), "severity": "high", "timestamp": "2026-03-01T10:00:00.123Z",
                "actor": { "type": "user", "id": text, "user_agent": text }, "resource": { "type": "thing", "id": text, "tags": { "name": text } },
                "action": { "operation": text, "status": "denied" }, "changes": { "before": null, "after": { "value": text } },
                "metadata": { "request_id": text, "note": text, "tags": [text] },
            })
        })
        .collect();
    append(admin, &entries).await;

    let found = admin
        .get("audit-logs?query=event_type:nasty.entry")
        .await
        .expect(200);
    found.items().iter().rev().cloned().collect()
}

fn python(script: &str, input: &std::path::Path) -> Output {
    Command::new("python3")
        .args(["-c", script])
        .arg(input)
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_reads_the_cells_that_were_written() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[]).unwrap();
    let entries = nasty(&service.admin()).await;

    for (name, more) in [("plain.csv", &["--raw"][..]), ("safe.csv", &[])] {
        let path = home.path().join(name);
        let arguments = [
            "export",
            "--format",
            "csv",
            "--query",
            "event_type:nasty.entry",
            "-o",
            path.to_str().unwrap(),
        ];
        done(audit(service.url(), &[&arguments[..], more].concat()));
        let script = "import csv, json, sys\nprint(json.dumps(list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))))";
        let output = python(script, &path);
        let rows: Vec<Value> =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(rows.len(), entries.len());
        for (row, entry) in rows.iter().zip(&entries) {
            let cell = |column: &str| {
                row[column]
                    .as_str()
                    .unwrap_or_else(|| panic!("no {column} in {row}"))
            };
            let text = entry["actor"]["id"].as_str().unwrap();
            let safe = more.is_empty();
            let shown = if safe {
                csv_text(text)
            } else {
                text.to_owned()
            };
            let guarded = safe && text.starts_with(['=', '+', ' ']);
            assert_eq!(
                cell("actor.id"),
                if guarded { format!("'{shown}") } else { shown }
            );
            let tags: Value = serde_json::from_str(cell("resource.tags")).unwrap();
            assert_eq!(tags, entry["resource"]["tags"]);
            let after: Value = serde_json::from_str(cell("changes.after")).unwrap();
            assert_eq!(
                (after, cell("changes.before")),
                (entry["changes"]["after"].clone(), "null")
            );
            assert_eq!(cell("integrity.hash"), entry["integrity"]["hash"]);
            assert_eq!(
                (
                    cell("timestamp"),
                    cell("action.status"),
                    cell("actor.email")
                ),
                ("2026-03-01T10:00:00.123Z", "denied", "")
            );
        }
    }
}

/// Controls as CSV shows them unless requested as they are: all but line feeds and tabs as JSON
/// spells them.
fn csv_text(text: &str) -> String {
    text.split_inclusive(['\n', '\t'])
        .map(|part| {
            visible(part)
                .replace("\\u000a", "\n")
                .replace("\\u0009", "\t")
        })
        .collect()
}

/// Controls as JSON spells them: structured data has no other way.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() {
                format!("\\u{:04x}", u32::from(c))
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rsyslog_understands_what_was_meant() {
    if Rsyslog::program().is_none() {
        eprintln!("rsyslog: skipped, there is no rsyslogd here");
        return;
    }

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[]).unwrap();
    let entries = nasty(&service.admin()).await;

    for framing in ["newline", "octet-counting"] {
        let mut rsyslog = Rsyslog::start().unwrap();
        let arguments = [
            "export",
            "--format",
            "syslog",
            "--query",
            "event_type:nasty.entry",
            "-o",
            "-",
            "--framing",
            framing,
        ];
        let messages = done(audit(
            service.url(),
            &[&arguments[..], &["--hostname", "log.acme.example"]].concat(),
        ));
        rsyslog.send(messages.as_bytes()).unwrap();
        let received = rsyslog.received(entries.len()).unwrap();
        assert_eq!(received.len(), entries.len(), "a line is a message");
        for (message, entry) in received.iter().zip(&entries) {
            let property = |name: &str| {
                message[name]
                    .as_str()
                    .unwrap_or_else(|| panic!("no {name} in {message}"))
            };
            assert_eq!(property("pri"), "107");
            assert_eq!(
                (
                    property("hostname"),
                    property("app-name"),
                    property("msgid")
                ),
                ("log.acme.example", "reeve", "nasty.entry")
            );
            assert!(
                property("timereported").starts_with("2026-03-01T10:00:00.123"),
                "{message}"
            );
            let mut carried: Value = serde_json::from_str(property("msg").trim())
                .unwrap_or_else(|e| panic!("{e}: {message}"));
            let salt = carried["integrity"].as_object_mut().unwrap().remove("salt");
            assert!(
                salt.is_some(),
                "an exported entry can be hashed anew: {message}"
            );
            assert_eq!(&carried, entry, "the message is the entry");
            let data = &message["$!"]["rfc5424-sd"];
            let text = entry["actor"]["id"].as_str().unwrap();
            for (element, field, expected) in [
                ("actor@32473", "user_agent", visible(text)),
                ("resource@32473", "id", visible(text)),
                ("action@32473", "status", "denied".to_owned()),
                (
                    "entry@32473",
                    "event_id",
                    entry["event_id"].as_str().unwrap().to_owned(),
                ),
                (
                    "integrity@32473",
                    "hash",
                    entry["integrity"]["hash"].as_str().unwrap().to_owned(),
                ),
            ] {
                assert_eq!(
                    data[element][field], expected,
                    "{framing}: {element} {field} in {data}"
                );
            }
        }
    }
}
