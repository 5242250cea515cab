//! `reeve audit export`: the same file from a service and from its folder, whole or not at all.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};

use super::{append, audit, audit_dir, done, run, said, served};

fn sha256(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum")
        .arg(path)
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_file_from_a_service_and_from_its_folder() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let service = served(&data, 1203).await;
    let file = |name: &str| home.path().join(name);
    let export = |url: &str, name: &str, more: &[&str]| {
        let path = file(name);
        let arguments = [
            &[
                "export",
                "--query",
                "resource.type:ec2_instance",
                "-o",
                path.to_str().unwrap(),
            ],
            more,
        ]
        .concat();
        run(audit(url, &arguments))
    };
    let output = export(service.url(), "there.jsonl", &["--format", "json"]);
    let summary = said(&output);

    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{summary}"
    );
    assert!(summary.contains("1,203 entries"), "{summary}");
    assert!(summary.contains(&sha256(&file("there.jsonl"))), "{summary}");

    let text = std::fs::read_to_string(file("there.jsonl")).unwrap();
    let sequences: Vec<u64> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["integrity"]["sequence"]
                .as_u64()
                .unwrap()
        })
        .collect();

    assert!(
        sequences.len() == 1203 && sequences.is_sorted(),
        "oldest first"
    );
    assert!(!file("there.jsonl.part").exists() && !file("there.jsonl.part.json").exists());

    let found = service
        .admin()
        .get("audit-logs?query=event_type:audit.export")
        .await
        .expect(200);
    let record = &found.items()[0];
    let exported = &record["metadata"]["export"];
    assert_eq!(
        (&exported["entries"], &exported["format"]),
        (&json!(1203), &json!("json"))
    );
    assert_eq!(exported["files"][0]["sha256"], sha256(&file("there.jsonl")));
    assert_eq!(record["submitted_by"]["type"], "reeve", "{record}");
    assert_eq!(record["actor"]["email"], "admin@localhost", "{record}");

    assert!(
        export(service.url(), "there.csv.gz", &["--format", "csv"])
            .status
            .success()
    );

    let to_stdout = done(audit(
        service.url(),
        &[
            "export",
            "--query",
            "resource.type:ec2_instance",
            "--format",
            "cef",
            "-o",
            "-",
        ],
    ));

    assert_eq!(
        to_stdout
            .lines()
            .filter(|line| line.starts_with("CEF:0|Reeve|"))
            .count(),
        1203
    );

    let period = done(audit(
        service.url(),
        &[
            "export",
            "--format",
            "json",
            "--from",
            "2026-03-01T10",
            "--to",
            "2026-03-01T10",
            "-o",
            "-",
        ],
    ));
    assert_eq!(period.lines().count(), 60);

    assert!(service.stop().unwrap().0.success());

    let here = |name: &str, format: &str| {
        let path = file(name);
        done(audit_dir(
            &data,
            &[
                "export",
                "--format",
                format,
                "--query",
                "resource.type:ec2_instance",
                "-o",
                path.to_str().unwrap(),
            ],
        ))
    };
    here("here.jsonl", "json");

    assert_eq!(std::fs::read_to_string(file("here.jsonl")).unwrap(), text);
    here("here.csv", "csv");
    let mut unpacked = String::new();
    let packed = std::fs::File::open(file("there.csv.gz")).unwrap();
    flate2::read::MultiGzDecoder::new(packed)
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(std::fs::read_to_string(file("here.csv")).unwrap(), unpacked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_is_made_and_a_missing_one_is_named() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let service = served(&data, 3).await;
    let out = format!("{}/new/exports/", home.path().display());
    let export = |output: &str| {
        run(audit(
            service.url(),
            &["export", "--format", "json", "-o", output],
        ))
    };
    let made = export(&out);
    assert!(made.status.success(), "{}", said(&made));

    let names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.iter().any(|name| name.ends_with(".manifest.json")) && names.len() >= 2,
        "{names:?}"
    );

    let missing = export(&format!("{}/nowhere/file.json", home.path().display()));
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        said(&missing).contains("nowhere; make it first"),
        "{}",
        said(&missing)
    );
    assert!(service.stop().unwrap().0.success());

    let local = run(audit_dir(
        &data,
        &["export", "--format", "json", "-o", &out],
    ));
    assert_eq!(local.status.code(), Some(2));
    assert!(
        said(&local).contains("is a folder") && said(&local).contains("name it"),
        "{}",
        said(&local)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_that_are_too_long_say_so_or_are_left_out() {
    let home = tempfile::tempdir().unwrap();
    let service = served(home.path(), 2).await;
    let long = json!({ "event_type": "large.entry", "event_id": "large-1", "changes": { "after": { "blob": "y".repeat(20_000) } } });
    append(&service.admin(), &[long]).await;
    let export = |more: &[&str]| {
        let query = "resource.type:ec2_instance OR event_type:large.entry";
        run(audit(
            service.url(),
            &[
                &["export", "--format", "syslog", "--query", query, "-o", "-"],
                more,
            ]
            .concat(),
        ))
    };
    let reduced = export(&[]);
    assert!(reduced.status.success());

    let text = super::printed(&reduced);
    assert!(
        text.lines().count() == 3 && text.lines().all(|line| line.len() <= 8192),
        "{text}"
    );
    assert!(
        text.contains("event_id=\"large-1\"") && text.contains("reduced=\"changes\""),
        "{text}"
    );
    assert!(
        said(&reduced).contains("1 records were longer"),
        "{}",
        said(&reduced)
    );

    let skipped = export(&["--oversize", "skip"]);
    assert_eq!(
        (
            skipped.status.code(),
            super::printed(&skipped).lines().count()
        ),
        (Some(1), 2)
    );

    assert!(
        said(&skipped).contains("1 records were longer than 8192 bytes and are left out"),
        "{}",
        said(&skipped)
    );

    let whole = export(&["--max-bytes", "0"]);
    assert!(super::printed(&whole).contains(&"y".repeat(20_000)));
}
