//! `reeve audit tail`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use reeve_testkit::http::until;
use serde_json::{Value, json};

use super::gate::Gate;
use super::{append, audit, done, served};

/// Starts it; its lines.
fn start(mut command: Command) -> (Child, std::io::Lines<BufReader<ChildStdout>>) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

fn id(line: &str) -> String {
    let entry: Value = serde_json::from_str(line).unwrap();
    entry["event_id"].as_str().unwrap().to_owned()
}

fn arrives(id: &str) -> Value {
    json!({ "event_type": "late.arrival", "event_id": id, "actor": { "id": "somebody" } })
}

async fn ends(child: &mut Child) -> i32 {
    let status = until("the command ends", Duration::from_secs(20), || {
        let ended = child.try_wait().unwrap();
        async move { ended }
    })
    .await;
    status.code().unwrap_or(-1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_then_what_arrives_over_a_connection_that_breaks() {
    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 40).await;
    let admin = service.admin();
    let last = done(audit(
        service.url(),
        &[
            "tail",
            "-n",
            "2",
            "--no-follow",
            "--json",
            "resource.type:ec2_instance",
        ],
    ));

    assert_eq!(
        last.lines().map(id).collect::<Vec<_>>(),
        ["cli-000038", "cli-000039"]
    );

    let gate = Gate::before(service.url(), u64::MAX).await;
    let query = "event_type:late.arrival OR resource.type:ec2_instance";
    let (mut child, mut lines) = start(audit(&gate.url, &["tail", "-n", "1", "--json", query]));
    assert_eq!(id(&lines.next().unwrap().unwrap()), "cli-000039");
    append(&admin, &[arrives("late-1")]).await;
    assert_eq!(id(&lines.next().unwrap().unwrap()), "late-1");

    let before = gate.connections.load(Ordering::SeqCst);
    gate.cut();
    append(&admin, &[arrives("late-2"), arrives("late-3")]).await;
    append(&admin, &[arrives("late-4")]).await;

    for expected in ["late-2", "late-3", "late-4"] {
        assert_eq!(
            id(&lines.next().unwrap().unwrap()),
            expected,
            "once each, in order"
        );
    }

    assert!(gate.connections.load(Ordering::SeqCst) > before);

    let stopped = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(stopped.success());
    assert_eq!(ends(&mut child).await, 0, "Ctrl-C is how it ends");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_when_nobody_reads_and_says_what_is_wrong() {
    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 3).await;
    let (mut child, mut lines) = start(audit(
        service.url(),
        &["tail", "resource.type:ec2_instance"],
    ));
    assert!(lines.next().unwrap().unwrap().starts_with("TIME"));
    assert!(
        lines
            .next()
            .unwrap()
            .unwrap()
            .contains("i-0000 ec2_instance")
    );

    drop(lines);
    assert_eq!(
        ends(&mut child).await,
        0,
        "the log is quiet, and still the closed pipe is noticed"
    );

    let wrong = super::run(audit(service.url(), &["tail", "severtiy:high"]));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        super::said(&wrong).contains("^^^^^^^^"),
        "{}",
        super::said(&wrong)
    );

    let mut nobody = audit(service.url(), &["tail"]);
    nobody.env("REEVE_TOKEN", "rvt_wrong");
    assert_eq!(super::run(nobody).status.code(), Some(2));
}
