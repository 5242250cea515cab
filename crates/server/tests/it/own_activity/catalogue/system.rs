//! The program itself: imports, starts and stops, maintenance, errors, the signing key, backups,
//! direct reading, calls of the interface.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reeve_audit::events;
use reeve_testkit::http::until;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve, reeve_command};
use serde_json::{Value, json};

use super::{Emitted, by_reeve, by_user, verify};
use crate::earlier::unsign;

/// Returns the expected entry of an operation that a system account performs beside the service.
const fn by_account(kind: &'static reeve_audit::EventKind, resource: &'static str) -> Emitted {
    Emitted {
        actor: "user",
        ..by_reeve(kind, "cli", resource)
    }
}

pub(super) const EMITTED: &[Emitted] = &[
    by_account(&events::IMPORT, "audit_log"),
    by_account(&events::AUDIT_SEARCH, "audit_log")
        .when("method:cli")
        .without(&[
            "actor.email",
            "actor.ip_address",
            "actor.user_agent",
            "metadata.found",
        ]),
    by_account(&events::AUDIT_EXPORT, "audit_log")
        .when("method:cli")
        .without(&["metadata.export"]),
    by_reeve(&events::START, "system", "reeve"),
    by_reeve(&events::STOP, "system", "reeve"),
    by_reeve(&events::TAKEOVER, "system", "reeve").when("metadata.cause:ended"),
    by_reeve(&events::STATE_DIGEST, "scheduled", "reeve"),
    by_user(&events::API_CALL, "api_token"),
    by_reeve(&events::MAINTENANCE, "scheduled", "reeve"),
    by_reeve(&events::ERROR, "system", "reeve")
        .status("failed")
        .when("resource.id:charges.read"),
    by_reeve(&events::CHECKS_LOAD, "scheduled", "reeve"),
    by_reeve(&events::EXPIRE, "scheduled", "segment"),
    by_reeve(&events::FREE, "scheduled", "segment"),
    by_reeve(&events::ERASE, "scheduled", "segment"),
    by_reeve(&events::ERASURE_COMPLETE, "scheduled", "erasure_request"),
    by_reeve(&events::MOVE, "scheduled", "segment"),
    by_user(&events::RESTORE_CREATE, "log_restore"),
    by_user(&events::RESTORE_END, "log_restore"),
    by_user(&events::KEY_ROTATE, "audit_log").when("method:api"),
    by_account(&events::KEY_ROTATE, "audit_log").when("method:cli"),
    by_user(&events::BACKUP, "backup"),
    by_account(&events::RESTORE, "audit_log"),
    by_account(&events::ACCEPT_UNSIGNED, "audit_log"),
    by_reeve(&events::CHECKPOINT_CONFLICT, "system", "audit_log").status("failed"),
];

fn run(arguments: &[&str]) {
    let output = reeve(arguments).unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{arguments:?}: {said}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_program_does_with_its_data_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let (data, new) = (home.path().join("data"), home.path().join("new"));
    let (entries, copy, backup) = (
        home.path().join("in.jsonl"),
        home.path().join("out.jsonl"),
        home.path().join("b"),
    );
    // Views that are long past their period.
    fs::create_dir_all(&data).unwrap();
    crate::retention::seed(&data, 1_000).await;
    fs::write(&entries, "{\"event_type\":\"test.imported\"}\n").unwrap();
    run(&[
        "audit",
        "import",
        "--format",
        "jsonl",
        "--data-dir",
        text(&data),
        text(&entries),
    ]);

    run(&[
        "audit",
        "search",
        "test.imported",
        "--data-dir",
        text(&data),
    ]);

    run(&[
        "audit",
        "export",
        "--format",
        "json",
        "--data-dir",
        text(&data),
        "-o",
        text(&copy),
    ]);

    let tiers = crate::tiers::folders(home.path());
    let variables = [
        ("REEVE_TIERS", tiers.as_str()),
        ("REEVE_SEAL_AFTER_ENTRIES", "50"),
        ("REEVE_CHARGES_EVERY_S", "1"),
        ("REEVE_SELF_CHECK_EVERY_S", "2"),
    ];
    fs::create_dir_all(data.join("checks")).unwrap();
    fs::write(data.join("checks/misplaced.toml"), "").unwrap();
    let service = Service::serve(&data, &variables).unwrap();
    let admin = service.admin();
    let [berta, carl] = crate::erasures::approvers(&admin).await;
    let bob = json!({ "actor_id": "bob" });
    let erasure = crate::erasures::approved(&admin, bob, [&berta, &carl]).await;
    let _ = crate::erasures::ended(&admin, &erasure, "completed").await;
    // The presets delete nothing before they are saved.
    let retention = admin.get("audit-logs/retention").await.expect(200).body;
    let policies = json!({ "policies": retention["policies"] });
    let _ = admin
        .put("audit-logs/retention", policies)
        .await
        .expect(200);
    let _ = admin
        .post("audit-logs/retention/run", json!({}))
        .await
        .expect(200);
    let period = json!({ "start_time": "2000-01-01T00:00:00Z", "end_time": "2100-01-01T00:00:00Z", "days": 1 });
    let restore = admin.post("audit-logs/restores", period).await.expect(201);
    let restore = format!("audit-logs/restores/{}", restore.text_at("/id"));
    let _ = admin.delete(&restore).await.expect(200);
    let batch: Vec<Value> = (0..60)
        .map(|_| json!({ "event_type": "test.deed" }))
        .collect();
    let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    fs::create_dir_all(data.join("charges")).unwrap();
    fs::write(data.join("charges/bill.csv"), "this is no bill\n").unwrap();
    let _ = admin
        .post("audit-logs/keys/rotate", json!({}))
        .await
        .expect(201);
    let made = admin
        .send("POST", "backups", Some("application/json"), b"{}".to_vec())
        .await;
    assert_eq!(made.status, 200);

    // Errors and sealing are found while the service runs; calls are counted up to its end.
    let error = EMITTED.iter().filter(|one| {
        [&events::ERROR, &events::MAINTENANCE, &events::STATE_DIGEST].contains(&one.kind)
    });
    for one in error {
        one.is_found(&admin).await;
    }

    let standby = Service::serve(&data, &variables).unwrap();
    service.stop().unwrap();
    until("the takeover", Duration::from_secs(60), || async {
        let answer = standby
            .nobody()
            .attempt("GET", "/healthz", &[], None, Vec::new())
            .await
            .ok()?;
        (answer.text == "ok\n").then_some(())
    })
    .await;

    let taken = EMITTED
        .iter()
        .filter(|one| one.kind.name == events::TAKEOVER.name);
    for one in taken {
        one.is_found(&standby.admin()).await;
    }

    standby.stop().unwrap();

    run(&["keys", "rotate", "--data-dir", text(&data)]);
    run(&["backup", "create", text(&backup), "--data-dir", text(&data)]);
    // The index of identifiers is built anew, from segments of all tiers.
    let mut command = reeve_command().unwrap();
    command.args(["backup", "restore", text(&backup), "--data-dir", text(&new)]);
    let restored = command.env("REEVE_TIERS", &tiers).output().unwrap();
    let said = String::from_utf8_lossy(&restored.stderr);
    assert!(restored.status.success(), "{said}");

    // The files of an earlier version, and a place of publication that holds something else.
    unsign(&new);
    let place = home.path().join("checkpoint");
    fs::write(&place, "notes of mine\n").unwrap();
    let mut command = reeve_command().unwrap();
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--accept-unsigned",
        "--data-dir",
        text(&new),
    ]);

    command
        .env("REEVE_ADMIN_TOKEN", ADMIN_TOKEN)
        .envs(variables);
    command.env(
        "REEVE_PUBLISH",
        format!(r#"{{ after_change_s = 1, file = "{}" }}"#, place.display()),
    );
    let service = Service::start(command).unwrap();
    verify(&service.admin(), "system", EMITTED).await;
}
