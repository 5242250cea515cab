//! `reeve audit search`.

use serde_json::Value;

use super::{append, audit, audit_dir, done, printed, run, said, served};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_and_counts_wherever_the_log_is() {
    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 1205).await;
    let url = service.url().to_owned();
    let there = |arguments: &[&str]| done(audit(&url, arguments));

    let table = there(&[
        "search",
        "event_type:authentication.login",
        "--from",
        "2026-03-01T10",
        "--to",
        "2026-03-01T10",
    ]);
    assert!(table.starts_with("TIME (UTC)"), "{table}");

    assert_eq!(
        table.lines().count(),
        31,
        "thirty of the hour's sixty and the heading: {table}"
    );

    assert!(
        table
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("2026-03-01 10:59:00"),
        "the newest first: {table}"
    );

    assert!(!table.contains('\u{1b}'), "no colour into a pipe");
    assert!(there(&["search", "--limit", "1", "--color", "always"]).contains("\u{1b}["));

    let all = there(&["search", "resource.type:ec2_instance", "--all", "--json"]);
    let ids: Vec<String> = all
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event_id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();

    assert_eq!(
        (ids.len(), ids[0].as_str(), ids[1204].as_str()),
        (1205, "cli-001204", "cli-000000")
    );
    assert_eq!(
        there(&[
            "search",
            "resource.type:ec2_instance",
            "--limit",
            "1100",
            "--json"
        ])
        .lines()
        .count(),
        1100
    );

    let bars = there(&[
        "search",
        "resource.type:ec2_instance",
        "--by",
        "status",
        "--by",
        "user",
        "--histogram",
    ]);

    assert!(
        bars.contains("success") && bars.contains("803") && bars.contains("402"),
        "{bars}"
    );
    assert!(
        bars.contains("user0@acme.example") && bars.contains("HOUR (UTC)"),
        "{bars}"
    );
    assert!(
        bars.contains("2026-03-01 10:00") && bars.contains('█'),
        "{bars}"
    );

    let counts = there(&[
        "search",
        "resource.type:ec2_instance",
        "--by",
        "resource.id",
        "--limit",
        "2",
        "--json",
    ]);
    let counts: Value = serde_json::from_str(&counts).unwrap();

    assert_eq!(
        (
            &counts["values"][0]["count"],
            &counts["other"],
            &counts["total"]
        ),
        (&1.into(), &1203.into(), &1205.into())
    );

    let nothing = run(audit(&url, &["search", "resource.id:there-is-none"]));
    assert_eq!(
        (nothing.status.code(), printed(&nothing).as_str()),
        (Some(1), "")
    );
    wrong(|arguments| run(audit(&url, arguments)));
    let locked = run(audit_dir(home.path(), &["search", ""]));
    assert_eq!(locked.status.code(), Some(2));
    assert!(said(&locked).contains("--url"), "{}", said(&locked));

    assert!(service.stop().unwrap().0.success());

    let here = |arguments: &[&str]| done(audit_dir(home.path(), arguments));
    assert_eq!(
        here(&["search", "resource.type:ec2_instance", "--all", "--json"]),
        all
    );
    assert_eq!(
        here(&[
            "search",
            "resource.type:ec2_instance",
            "--by",
            "status",
            "--by",
            "user",
            "--histogram"
        ]),
        bars
    );

    wrong(|arguments| run(audit_dir(home.path(), arguments)));
    let none = home.path().join("nowhere");
    let output = run(audit_dir(&none, &["search", ""]));
    assert!(
        said(&output).contains("holds no log") && !none.exists(),
        "{}",
        said(&output)
    );
}

fn wrong(run: impl Fn(&[&str]) -> std::process::Output) {
    let output = run(&["search", "status:failed AND severtiy:high"]);
    assert_eq!(output.status.code(), Some(2));

    let shown = said(&output);
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines
        .iter()
        .position(|line| line.trim_start().starts_with('^'))
        .unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(
        lines[caret].find('^'),
        lines[caret - 1].find("severtiy"),
        "{shown}"
    );
    assert!(lines[caret + 1].contains("severity"), "{shown}");

    let output = run(&["search", "a", "--from", "tomorrow-ish"]);
    assert!(
        said(&output).contains("--from") && said(&output).contains("yesterday"),
        "{}",
        said(&output)
    );

    let output = run(&["search", "a", "--by", "usr"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("did you mean user?"),
        "{}",
        said(&output)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_entries_block_nothing_and_controls_stay_text() {
    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 3).await;

    // Together more than one page over HTTP may have.
    for n in 0..60 {
        let blob = "x".repeat(1_000_000);
        let entry = serde_json::json!({ "event_type": "large.entry", "event_id": format!("large-{n}"), "metadata": { "blob": blob } });
        append(&service.admin(), &[entry]).await;
    }

    let evil = serde_json::json!({ "event_type": "evil.entry", "actor": { "id": "\u{1b}]0;owned\u{7}\u{202e}x\n2026" } });
    append(&service.admin(), &[evil]).await;
    let lines = done(audit(
        service.url(),
        &["search", "event_type:large.entry", "--all", "--json"],
    ));
    assert_eq!(lines.lines().count(), 60);

    let table = done(audit(service.url(), &["search", "event_type:evil.entry"]));
    assert!(
        table.contains("\\u001b]0;owned\\u0007\\u202ex\\u000a2026"),
        "{table:?}"
    );
    assert_eq!(table.lines().count(), 2);
}
