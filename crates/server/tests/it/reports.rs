//! Reports over the built program: a framework's report runs, is downloaded in three formats and
//! proved offline; what was changed in it is found; schedules, rights, cancelling and a killed
//! process.

use std::path::Path;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{Service, verify};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const REPORTS: &str = "audit-logs/reports";

async fn activity(api: &Api, count: usize) {
    let entry = |at: usize| {
        let failed = at.is_multiple_of(5);
        json!({
            "event_type": if at.is_multiple_of(3) { "authentication.login" } else { "resource.modify" },
            "actor": { "type": "user", "id": format!("u{}", at % 7), "email": format!("u{}@acme.example", at % 7) },
            "resource": { "type": "vm", "id": format!("vm-{}", at % 11), "account_id": format!("{}", 100 + at % 2) },
            "action": { "operation": "change", "status": if failed { "failed" } else { "success" }, "method": "api" },
        })
    };
    for from in (0..count).step_by(500) {
        let _ = api
            .post(
                "audit-logs",
                Value::Array((from..count.min(from + 500)).map(entry).collect()),
            )
            .await
            .expect(201);
    }
}

/// Waits for the end of a run.
pub(crate) async fn ended(api: &Api, run: &str) -> Value {
    until("the end of the run", PATIENCE, || async {
        let run = api
            .get(&format!("{REPORTS}/runs/{run}"))
            .await
            .expect(200)
            .body;
        (!matches!(run["state"].as_str(), Some("queued" | "running"))).then_some(run)
    })
    .await
}

pub(crate) async fn made(api: &Api, report: Value) -> String {
    api.post(REPORTS, report).await.expect(201).text_at("/id")
}

pub(crate) async fn run(api: &Api, report: &str) -> Value {
    let begun = api
        .post(&format!("{REPORTS}/{report}/run"), json!({}))
        .await
        .expect(202);
    ended(api, &begun.text_at("/id")).await
}

fn custom(name: &str) -> Value {
    json!({ "name": name, "query": "event_type:(authentication.login OR resource.modify)", "period": "24h", "group_by": ["user"] })
}

/// Runs the offline auditor on a file; its exit code and what it printed.
pub(crate) fn verified(file: &Path, key: &Path) -> (Option<i32>, String) {
    verify(&[
        file.to_str().unwrap(),
        "--public-key",
        key.to_str().unwrap(),
    ])
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frameworks_report_is_proved_offline_and_a_change_of_it_is_found() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    activity(&admin, 300).await;
    let templates = admin.get("audit-logs/report-templates").await.expect(200);
    assert_eq!(templates.items().len(), 6);

    let report = json!({ "name": "SOC 2", "framework": "soc2", "period": "24h", "filters": { "accounts": ["100"] } });
    let report = made(&admin, report).await;
    let done = run(&admin, &report).await;
    assert_eq!(
        (&done["state"], &done["error"]),
        (&json!("succeeded"), &Value::Null)
    );

    let summary = &done["summary"];
    let control = |number: &str| {
        let controls = summary["controls"].as_array().unwrap();
        controls
            .iter()
            .find(|control| control["number"] == number)
            .cloned()
            .unwrap()
    };

    assert_eq!(
        control("CC6.1")["status"],
        "exceptions",
        "failed sign-ins are exceptions"
    );
    assert!(summary["entries"].as_u64() > Some(0));

    let recorded = admin
        .get("audit-logs?query=event_type:audit.report")
        .await
        .expect(200)
        .items()
        .to_vec();
    assert_eq!(recorded.len(), 1, "one entry a run");

    assert_eq!(
        recorded[0]["metadata"]["report"]["found"],
        summary["entries"]
    );

    let path = format!(
        "{REPORTS}/runs/{}/download?format=",
        done["id"].as_str().unwrap()
    );
    let pdf = admin.get(&format!("{path}pdf")).await;
    assert_eq!(pdf.status, 200);
    assert!(pdf.text.starts_with("%PDF-1.") && done["files"]["pdf"].as_u64() > Some(50_000));

    let csv = admin.get(&format!("{path}csv")).await.text;
    let cited = csv
        .lines()
        .filter(|line| line.starts_with("entry,"))
        .count() as u64;
    assert!(cited >= summary["entries"].as_u64().unwrap(), "{cited}");
    assert_eq!(admin.get(&format!("{path}docx")).await.status, 422);

    let json = admin.get(&format!("{path}json")).await.text;
    let downloads = admin
        .get("audit-logs?query=operation:report.download")
        .await
        .expect(200)
        .items()
        .len();
    assert_eq!(downloads, 3, "each download is an entry");

    let key = home.path().join("ledger/log.vkey");

    let file = home.path().join("report.json");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        verified(&file, &key)
    };
    let (code, said) = check(&json);

    assert_eq!(code, Some(0), "{said}");

    let first = json
        .lines()
        .find(|line| line.starts_with("{\"sequence\""))
        .unwrap();
    let wrong = [
        (
            "a changed field",
            json.replacen("\"status\":\"failed\"", "\"status\":\"denied\"", 1),
        ),
        (
            "a field that was left out",
            json.replacen(
                ",\"resource\":{\"account_id\":\"100\"",
                ",\"resource\":{\"region\":\"100\"",
                1,
            ),
        ),
        (
            "an entry that was dropped",
            json.replacen(&format!("{first}\n"), "", 1),
        ),
        ("a count", json.replacen("\"found\":", "\"found\":1", 1)),
        (
            "an answer that was dropped",
            json.replacen("\"answers\":[\"", "\"answers\":[],\"x\":[\"", 1),
        ),
        (
            "another size",
            json.replacen("\\n300", "\\n301", 1).replacen(
                "\"checkpoint\":\"",
                "\"checkpoint\":\"x",
                1,
            ),
        ),
        ("half a file", json[..json.len() / 2].to_owned()),
    ];

    for (what, text) in wrong {
        assert_ne!(text, json, "{what}");
        let (code, said) = check(&text);
        assert_eq!(code, Some(1), "{what}: {said}");
    }

    let other = tempfile::tempdir().unwrap();
    let stranger = Service::serve(other.path(), &[]).unwrap();
    std::fs::write(&file, &json).unwrap();
    assert_eq!(
        verified(&file, &other.path().join("ledger/log.vkey")).0,
        Some(1),
        "another log's key"
    );
    drop(stranger);
}

/// The files of a run, saved under the names that the service gives them.
pub(crate) async fn downloaded(api: &Api, run: &Value, folder: &Path) -> std::path::PathBuf {
    let manifest = run["files"]["manifest_name"].as_str().unwrap();
    let stem = manifest.strip_suffix(".manifest.json").unwrap();
    let path = format!(
        "{REPORTS}/runs/{}/download?format=",
        run["id"].as_str().unwrap()
    );

    for (format, suffix) in [
        ("pdf", "pdf"),
        ("csv", "csv"),
        ("json", "json"),
        ("manifest", "manifest.json"),
    ] {
        let answer = api.ask(&format!("{path}{format}"), &[]).await.unwrap();
        let bytes = answer.error_for_status().unwrap().bytes().await.unwrap();
        std::fs::write(folder.join(format!("{stem}.{suffix}")), bytes).unwrap();
    }

    folder.join(manifest)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manifest_binds_pdf_csv_and_json_to_the_log() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    activity(&admin, 60).await;
    let report = made(
        &admin,
        json!({ "name": "SOC 2", "framework": "soc2", "period": "24h" }),
    )
    .await;
    let done = run(&admin, &report).await;
    assert_eq!(
        (&done["state"], &done["error"]),
        (&json!("succeeded"), &Value::Null)
    );

    let folder = tempfile::tempdir().unwrap();
    let manifest = downloaded(&admin, &done, folder.path()).await;
    let key = home.path().join("ledger/log.vkey");
    let (code, said) = verified(&manifest, &key);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("intact: report"), "{said}");

    let stem = manifest
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .strip_suffix(".manifest.json")
        .unwrap()
        .to_owned();
    let file = |suffix: &str| folder.path().join(format!("{stem}.{suffix}"));

    for (what, suffix, from, to) in [
        (
            "a control's status in the table",
            "csv",
            ",exceptions,",
            ",evidence,",
        ),
        (
            "the name in the JSON",
            "json",
            "\"name\":\"SOC 2\"",
            "\"name\":\"SOC 3\"",
        ),
        (
            "an exception's text in the JSON",
            "json",
            "\"explains\":\"",
            "\"explains\":\"Reviewed. ",
        ),
        (
            "the outcome in the manifest",
            "manifest.json",
            "\"kind\": \"compliance\"",
            "\"kind\": \"custom\"",
        ),
    ] {
        let whole = std::fs::read_to_string(file(suffix)).unwrap();
        let changed = whole.replacen(from, to, 1);
        assert_ne!(whole, changed, "{what}");
        std::fs::write(file(suffix), changed).unwrap();
        assert_eq!(verified(&manifest, &key).0, Some(1), "{what}");
        if suffix == "json" {
            assert_eq!(
                verified(&file("json"), &key).0,
                Some(1),
                "{what}, asked by the JSON beside its manifest"
            );
        }
        std::fs::write(file(suffix), whole).unwrap();
    }

    let pdf = std::fs::read(file("pdf")).unwrap();
    let mut changed = pdf.clone();
    *changed.last_mut().unwrap() ^= 1;
    std::fs::write(file("pdf"), changed).unwrap();
    let (code, said) = verified(&manifest, &key);
    assert!(
        code == Some(1) && said.contains(".pdf was changed"),
        "{said}"
    );
    std::fs::remove_file(file("pdf")).unwrap();
    assert_eq!(
        verified(&manifest, &key).0,
        Some(1),
        "a file that is missing"
    );
    std::fs::write(file("pdf"), pdf).unwrap();
    assert_eq!(verified(&manifest, &key).0, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_tells_its_coverage_and_exceptions_are_reviewed() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    activity(&admin, 60).await;
    let report = json!({ "name": "SOC 2", "framework": "soc2", "period": "30d", "filters": { "accounts": ["100"] } });
    let report = made(&admin, report).await;
    let done = run(&admin, &report).await;
    let summary = &done["summary"];
    let coverage = &summary["coverage"];
    assert!(
        coverage["log_begins_at"].is_string() && coverage["before_the_log"]["end"].is_string(),
        "{coverage}"
    );

    let sources: Vec<_> = coverage["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();

    assert!(
        sources.contains(&"Reeve") && sources.iter().any(|name| name.starts_with("token ")),
        "{sources:?}"
    );
    assert!(
        coverage["not_connected"]
            .as_array()
            .unwrap()
            .contains(&json!("AWS CloudTrail")),
        "{coverage}"
    );

    assert!(
        summary["statuses"]["no_source"].as_u64() > Some(0),
        "{}",
        summary["statuses"]
    );

    let controls = summary["controls"].as_array().unwrap();
    let all: u64 = [
        "evidence",
        "incomplete",
        "exceptions",
        "no_entries",
        "no_source",
        "outside_the_log",
    ]
    .iter()
    .map(|status| summary["statuses"][status].as_u64().unwrap())
    .sum();
    assert_eq!(all, controls.len() as u64, "each control has one status");

    let exceptions: Vec<_> = controls
        .iter()
        .flat_map(|one| one["exceptions"].as_array().unwrap())
        .collect();
    let found = exceptions
        .iter()
        .find(|one| one["found"].as_u64() > Some(0))
        .expect("failed sign-ins");
    let quiet = exceptions
        .iter()
        .find(|one| one["has_source"] == false)
        .expect("queries of CloudTrail alone");
    assert_eq!(quiet["found"], 0);

    let reviews = format!("{REPORTS}/runs/{}/reviews", done["id"].as_str().unwrap());
    let review =
        json!({ "question": found["id"], "comment": "Known: the load test of 20 November." });
    let wrong = json!({ "question": "CC0.exception.9", "comment": "x" });
    assert_eq!(admin.post(&reviews, wrong).await.status, 422);
    assert_eq!(
        admin
            .post(&reviews, json!({ "question": found["id"], "comment": " " }))
            .await
            .status,
        422
    );

    let made = admin.post(&reviews, review).await.expect(201);
    assert_eq!(made.body["entries"], found["found"]);

    let entries = admin
        .get("audit-logs?query=operation:report.review%20status:success")
        .await
        .expect(200);
    assert_eq!(
        entries.items()[0]["metadata"]["review"]["comment"],
        "Known: the load test of 20 November."
    );

    let next = run(&admin, &report).await;
    assert_eq!(next["reviews"][0]["question"], found["id"]);

    let csv = admin
        .get(&format!(
            "{REPORTS}/runs/{}/download?format=csv",
            next["id"].as_str().unwrap()
        ))
        .await
        .text;

    assert!(
        csv.contains("Known: the load test of 20 November."),
        "the next table has the review"
    );
    assert!(csv.lines().next().unwrap().ends_with(
        ",submitted_by,first_at,last_at,note,passed,failed,unknown,not_applicable,document,excepted"
    ));

    assert!(
        csv.lines()
            .any(|line| line.starts_with("entry,") && line.contains(",token ")),
        "and each submitter"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_custom_report_groups_and_bad_input_is_named() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    activity(&admin, 70).await;
    let report = made(&admin, custom("By user")).await;
    let done = run(&admin, &report).await;
    let groups = done["summary"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 7);
    assert_eq!(
        (
            &groups[0]["events"],
            &groups[0]["resources_affected"]["count"]
        ),
        (&json!(10), &json!(10))
    );

    assert_eq!(
        admin.post(REPORTS, custom("By user")).await.status,
        409,
        "a name is taken once"
    );

    for (field, given) in [
        (
            "query",
            json!({ "name": "x", "period": "24h", "query": "actor.emial:x" }),
        ),
        ("period", json!({ "name": "x", "period": "5m" })),
        (
            "framework",
            json!({ "name": "x", "period": "24h", "framework": "cobit" }),
        ),
        (
            "group_by[0]",
            json!({ "name": "x", "period": "24h", "group_by": ["colour"] }),
        ),
        (
            "schedule.cron",
            json!({ "name": "x", "period": "24h", "schedule": { "cron": "* * * * *" } }),
        ),
        (
            "recipients[0]",
            json!({ "name": "x", "period": "24h", "recipients": ["nobody"] }),
        ),
    ] {
        let refused = admin.post(REPORTS, given).await.expect(422);
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }

    let patched = admin
        .patch(
            &format!("{REPORTS}/{report}"),
            json!({ "framework": "gdpr", "version": 1 }),
        )
        .await
        .expect(200);

    assert_eq!(
        (patched.text_at("/kind"), &patched.body["query"]),
        ("compliance".to_owned(), &Value::Null)
    );
    assert_eq!(
        admin
            .patch(&format!("{REPORTS}/{report}"), json!({ "version": 1 }))
            .await
            .status,
        409
    );

    let _ = admin
        .delete(&format!("{REPORTS}/{report}"))
        .await
        .expect(204);
    let kept = admin
        .get(&format!("{REPORTS}/runs/{}", done["id"].as_str().unwrap()))
        .await
        .expect(200);
    assert_eq!(
        kept.text_at("/state"),
        "succeeded",
        "runs outlive their report"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_survives_a_kill_and_one_that_lost_its_rights_fails() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    activity(&admin, 3000).await;
    let report = made(&admin, custom("Over a kill")).await;
    let begun = admin
        .post(&format!("{REPORTS}/{report}/run"), json!({}))
        .await
        .expect(202)
        .text_at("/id");
    service.kill().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let done = ended(&admin, &begun).await;
    assert_eq!(
        (&done["state"], &done["progress"]["entries"]),
        (&json!("succeeded"), &json!(3000))
    );
    assert_eq!(done["progress"]["percent"], 100.0);

    let (officer, carla) = admin
        .person("carla@acme.example", &["compliance_officer"], &[])
        .await;
    let theirs = made(
        &carla,
        json!({ "name": "Theirs", "period": "24h", "schedule": { "cron": "0 6 * * *" } }),
    )
    .await;
    let manager = json!({ "roles": ["manager"] });
    let _ = admin
        .patch(&format!("users/{officer}"), manager)
        .await
        .expect(200);
    let refused = carla
        .post(&format!("{REPORTS}/{theirs}/run"), json!({}))
        .await;
    assert_eq!(refused.status, 403);
}
