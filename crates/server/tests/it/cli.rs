//! `reeve audit search`, `tail`, `export` and `reeve analyze` as people run them: the real program
//! against a served log, against its folder once nobody serves it, and on files.

mod analyze;
mod budgets;
mod export;
mod gate;
mod peers;
mod resume;
mod search;
mod tail;
mod terminal;

use std::path::Path;
use std::process::{Command, Output};

use reeve_testkit::http::Api;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve_command};
use serde_json::{Value, json};

/// `reeve audit ...` of a served log.
fn audit(url: &str, arguments: &[&str]) -> Command {
    let mut command = reeve_command().unwrap();
    command
        .arg("audit")
        .args(arguments)
        .env("REEVE_URL", url)
        .env("REEVE_TOKEN", ADMIN_TOKEN);
    command
}

/// `reeve audit ...` of a folder.
fn audit_dir(data: &Path, arguments: &[&str]) -> Command {
    let mut command = reeve_command().unwrap();
    command
        .arg("audit")
        .args(arguments)
        .arg("--data-dir")
        .arg(data);
    command
}

fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs to success; what it printed.
fn done(command: Command) -> String {
    let output = run(command);
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        said(&output)
    );

    printed(&output)
}

/// A number of entries of a story: a minute apart, every third failed.
fn story(count: usize) -> Vec<Value> {
    let base: jiff::Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
    (0..count)
        .map(|n| {
            let at = base + jiff::SignedDuration::from_mins(n as i64);
            json!({
                "event_id": format!("cli-{n:06}"), "timestamp": at.to_string(),
                "event_type": if n % 2 == 0 { "resource.modify" } else { "authentication.login" },
                "severity": (["info", "low", "high", "critical"][n % 4]),
                "actor": { "type": "user", "email": format!("user{}@acme.example", n % 7), "ip_address": "10.0.0.1" },
                "resource": { "type": "ec2_instance", "id": format!("i-{n:04}") },
                "action": { "operation": "ModifyInstance", "status": if n % 3 == 0 { "failed" } else { "success" }, "method": "api" },
                "changes": { "after": { "size": n } },
            })
        })
        .collect()
}

async fn append(admin: &Api, entries: &[Value]) {
    for batch in entries.chunks(500) {
        let _ = admin
            .post("audit-logs", Value::Array(batch.to_vec()))
            .await
            .expect(201);
    }
}

/// A served log with a story in it.
async fn served(data: &Path, count: usize) -> Service {
    let service = Service::serve(data, &[]).unwrap();
    append(&service.admin(), &story(count)).await;
    service
}
