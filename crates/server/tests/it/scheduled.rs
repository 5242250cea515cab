//! Scheduled work from its due time to its receiver: an export to a folder, a report by mail. The
//! service is stopped at the due time, which the test moves into the past, and catches up once
//! after its start.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use crate::exports::{ended, fill};
use crate::mail::MailServer;

const PATIENCE: Duration = Duration::from_secs(120);
const SCHEDULES: &str = "audit-logs/export-schedules";
const REPORTS: &str = "audit-logs/reports";

/// Runs a statement on the state store of a service that is stopped.
fn edit(data_dir: &Path, statement: &str) {
    let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
    let python = python.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python"),
        Into::into,
    );
    let script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nassert c.execute(sys.argv[2]).rowcount == 1\nc.commit()";
    let done = Command::new(python)
        .args(["-c", script])
        .arg(data_dir.join("state/reeve.db"))
        .arg(statement)
        .status();
    assert!(done.unwrap().success(), "{statement}");
}

async fn in_berlin(admin: &Api) {
    let _ = admin
        .put("settings", json!({ "time_zone": "Europe/Berlin" }))
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_due_export_reaches_its_folder_and_the_next_one_goes_on() {
    let (home, archive) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = format!("\"{}\"", archive.path().display());
    let variables = [("REEVE_EXPORT_FOLDER", place.as_str())];
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    in_berlin(&admin).await;
    let folder = json!({ "name": "Archive", "type": "folder", "prefix": "nightly" });
    let _ = admin
        .post("audit-logs/export-destinations", folder)
        .await
        .expect(201);
    let nightly = json!({ "name": "Nightly", "format": "json", "query": "event_type:test.export", "schedule": "0 3 * * *", "destination": "Archive" });
    let made = admin.post(SCHEDULES, nightly.clone()).await.expect(201);
    assert_eq!(
        made.text_at("/time_zone"),
        "Europe/Berlin",
        "the workspace's"
    );

    let hour = made.text_at("/next_run_at")[11..13].to_owned();
    assert!(
        ["01", "02"].contains(&hour.as_str()),
        "three o'clock in Berlin is {hour} in UTC"
    );

    let mut elsewhere = nightly;
    (elsewhere["name"], elsewhere["time_zone"]) = ("Elsewhere".into(), "Asia/Tokyo".into());
    assert_eq!(
        admin
            .post(SCHEDULES, elsewhere)
            .await
            .expect(201)
            .text_at("/next_run_at")[11..13],
        *"18"
    );

    let id = made.text_at("/id");
    fill(&admin, 0, 30, 0).await;
    assert!(service.stop().unwrap().0.success());

    let mut covered = Vec::new();
    for (number, entries) in [(30, 20), (50, 0)] {
        edit(
            home.path(),
            &format!(
                "UPDATE export_schedules SET document = json_set(document, '$.row.last_run_at', '2026-11-01T00:00:00Z') WHERE id = '{id}'"
            ),
        );
        let service = Service::serve(home.path(), &variables).unwrap();
        let admin = service.admin();
        let last = until("the scheduled export", PATIENCE, || async {
            let schedule = admin
                .get(&format!("{SCHEDULES}/{id}"))
                .await
                .expect(200)
                .body;
            schedule["last_export_id"]
                .as_str()
                .map(str::to_owned)
                .filter(|last| !covered.contains(last))
        })
        .await;
        let done = ended(&admin, &last).await;
        assert_eq!(done["status"], "succeeded", "{done}");
        for file in done["files"].as_array().unwrap() {
            let file = archive
                .path()
                .join("nightly")
                .join(file["name"].as_str().unwrap());
            assert!(file.is_file(), "{}", file.display());
        }
        let query = format!(
            "audit-logs?query=event_type:audit.export%20metadata.schedule_id:{id}%20resource.id:{last}"
        );
        let recorded = admin.get(&query).await.expect(200);
        assert_eq!(recorded.items().len(), 1);
        assert_eq!(recorded.items()[0]["action"]["status"], "success");
        let expected = if covered.is_empty() { 30 } else { 20 };
        assert_eq!(
            done["entries"], expected,
            "what was recorded since the run before, and nothing twice"
        );
        covered.push(last);
        if entries > 0 {
            fill(&admin, number, entries, 0).await;
        }
        assert!(service.stop().unwrap().0.success());
    }
}

fn report(channels: Value, recipients: Value) -> Value {
    json!({ "name": "Weekly: who did what?", "query": "event_type:test.export", "period": "24h", "group_by": ["user"],
        "schedule": { "cron": "0 6 * * 1" }, "channels": channels, "recipients": recipients })
}

/// Returns the run of a report once no delivery to its channels is pending.
async fn delivered(admin: &Api, report: &str) -> Value {
    until("the deliveries of the run", PATIENCE, || async {
        let runs = admin
            .get(&format!("{REPORTS}/runs?report_id={report}"))
            .await
            .expect(200);
        let id = runs.items().first()?["id"].as_str()?.to_owned();
        let run = admin
            .get(&format!("{REPORTS}/runs/{id}"))
            .await
            .expect(200)
            .body;
        let deliveries = run["deliveries"].as_array()?.clone();
        (!deliveries.is_empty() && deliveries.iter().all(|one| one["status"] != "pending"))
            .then_some(run)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_due_report_arrives_by_mail_with_its_pdf() {
    let (home, mut mail) = (tempfile::tempdir().unwrap(), MailServer::start().await);
    let (data, outbound) = (home.path().join("data"), mail.outbound(home.path()));
    let variables = [
        ("REEVE_OUTBOUND", outbound.as_str()),
        ("REEVE_PUBLIC_URL", "https://reeve.acme.example/"),
    ];
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();
    in_berlin(&admin).await;
    fill(&admin, 0, 10, 0).await;
    let _ = admin
        .post(
            "intelligence/notification-channels",
            mail.channel("Mail", "hunter2"),
        )
        .await
        .expect(201);

    // Recipients alone: every e-mail channel writes to them.
    let made = admin
        .post(REPORTS, report(json!([]), json!(["audit@acme.example"])))
        .await
        .expect(201);
    assert_eq!(made.text_at("/schedule/time_zone"), "Europe/Berlin");

    let id = made.text_at("/id");
    assert!(service.stop().unwrap().0.success());
    edit(
        &data,
        &format!("UPDATE reports SET next_run_at_ms = 1000 WHERE id = '{id}'"),
    );

    let service = Service::serve(&data, &variables).unwrap();
    let sent = mail.mail().await;
    assert_eq!(sent["to"], json!(["audit@acme.example"]));

    let text = sent["text"].as_str().unwrap();
    assert!(
        text.contains("Subject: Report ready: Weekly: who did what?"),
        "{}",
        &text[..600]
    );

    assert!(
        text.contains("weekly-who-did-what-"),
        "the PDF has the report's name"
    );
    // "%PDF-" in base64.
    assert!(
        text.contains("\r\nJVBERi0") && text.contains("application/pdf"),
        "the PDF goes along"
    );

    let plain = sent["parts"][0]["content"].as_str().unwrap();
    assert!(
        plain.contains("https://reeve.acme.example/audit/reports?run="),
        "the link has the public address: {plain}"
    );

    let run = delivered(&service.admin(), &id).await;
    assert_eq!(
        (&run["scheduled"], &run["state"]),
        (&json!(true), &json!("succeeded"))
    );
    assert_eq!(
        (
            &run["deliveries"][0]["channel"],
            &run["deliveries"][0]["status"]
        ),
        (&json!("Mail"), &json!("delivered"))
    );

    let next = service
        .admin()
        .get(&format!("{REPORTS}/{id}"))
        .await
        .expect(200)
        .text_at("/next_run_at");
    assert!(next.as_str() > "2026", "{next}");

    let recorded = service
        .admin()
        .get("audit-logs?query=event_type:audit.report%20operation:report.run")
        .await
        .expect(200);
    assert_eq!(recorded.items()[0]["metadata"]["report"]["scheduled"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_report_is_not_attached_and_a_failed_delivery_is_shown() {
    let (home, mut mail) = (tempfile::tempdir().unwrap(), MailServer::start().await);
    let outbound = mail.outbound(home.path());
    let variables = [
        ("REEVE_OUTBOUND", outbound.as_str()),
        ("REEVE_MAIL_ATTACHMENT_LIMIT_BYTES", "1000"),
    ];
    let service = Service::serve(&home.path().join("data"), &variables).unwrap();
    let admin = service.admin();

    for (name, secret) in [("Mail", "hunter2"), ("Wrong password", "guess")] {
        let _ = admin
            .post(
                "intelligence/notification-channels",
                mail.channel(name, secret),
            )
            .await
            .expect(201);
    }

    // A framework's report is delivered as a custom one is.
    let mut compliance = json!({ "name": "SOC 2", "framework": "soc2", "period": "24h", "recipients": ["audit@acme.example"] });
    compliance["channels"] = json!(["Mail", "Wrong password", "Nowhere"]);
    let id = admin
        .post(REPORTS, compliance)
        .await
        .expect(201)
        .text_at("/id");

    let _ = admin
        .post(&format!("{REPORTS}/{id}/run"), json!({}))
        .await
        .expect(202);
    let sent = mail.mail().await;
    let text = sent["text"].as_str().unwrap();

    for part in [&sent["parts"][0], &sent["parts"][1]] {
        let content = part["content"].as_str().unwrap();
        // No public address is configured, and a path alone leads nowhere.
        assert!(
            content.contains("The file is not attached: it has ")
                && !content.contains("Open in Reeve"),
            "{content}"
        );
    }

    assert!(!text.contains("JVBERi0"));

    let run = delivered(&admin, &id).await;
    let status = |channel: &str| {
        let deliveries = run["deliveries"].as_array().unwrap();
        deliveries
            .iter()
            .find(|one| one["channel"] == channel)
            .cloned()
            .unwrap_or_else(|| panic!("{channel}: {run}"))
    };
    assert_eq!(status("Mail")["status"], "delivered");

    assert_eq!(status("Nowhere")["status"], "no_channel");

    let refused = status("Wrong password");
    assert_eq!(refused["status"], "dead_letter");
    assert!(
        refused["error"].as_str().unwrap().contains("535"),
        "{refused}"
    );
}
