//! Ready rules that watch Reeve itself: each fires on the act of a real service.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{Service, reeve};
use serde_json::json;

use super::{PATH, PATIENCE, rule};
use crate::own_activity::catalogue::evidence;

const SEALED: [(&str, &str); 1] = [("REEVE_SEAL_AFTER_ENTRIES", "50")];

/// Returns the keys and identifiers of the rules that watch Reeve itself, which a new installation
/// has enabled.
async fn enabled(admin: &Api) -> Vec<(String, String)> {
    let listed = admin
        .get(&format!("{PATH}/ready?limit=1000"))
        .await
        .expect(200);
    let mut rules = Vec::new();
    for ready in listed
        .items()
        .iter()
        .filter(|ready| ready["key"].as_str().unwrap().starts_with("reeve-"))
    {
        let key = ready["key"].as_str().unwrap().to_owned();
        assert_eq!(ready["state"], "enabled", "{key}");
        rules.push((key, ready["rule_id"].as_str().unwrap().to_owned()));
    }

    assert_eq!(rules.len(), 11, "{rules:?}");
    rules
}

async fn has_fired(admin: &Api, rules: &[(String, String)], key: &str) {
    let (_, id) = rules.iter().find(|(known, _)| known == key).unwrap();
    until(key, PATIENCE, || async {
        let firings = admin
            .get(&format!("{PATH}/firings?rule_id={id}"))
            .await
            .expect(200);
        (!firings.items().is_empty()).then_some(())
    })
    .await;
}

/// Oldest sealed segment of a log.
async fn segment(data: &Path) -> PathBuf {
    let folder = data.join("lake/entries/default");
    let sealed = || async {
        let files = fs::read_dir(&folder).ok()?.flatten().map(|one| one.path());
        files
            .filter(|one| one.extension().is_some_and(|kind| kind == "parquet"))
            .min()
    };

    until("there is a segment", Duration::from_secs(30), sealed).await
}

async fn verify(admin: &Api) {
    let begun = admin.post("audit-logs/verify", json!({})).await.expect(202);
    let path = format!("audit-logs/verify/{}", begun.text_at("/id"));
    until("the verification", PATIENCE, || async {
        (admin.get(&path).await.expect(200).body["status"] != "running").then_some(())
    })
    .await;
}

/// Acts of an administrator who has turned, or of someone who took over the account.
async fn acts(admin: &Api, data: &Path) {
    // Both make a token as well.
    let (_, _eve) = admin
        .person("eve@acme.example", &["administrator"], &[])
        .await;
    let (ann, _) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    let _ = admin
        .patch(&format!("users/{ann}"), json!({ "roles": ["operator"] }))
        .await
        .expect(200);
    let watched = admin.post(PATH, rule()).await.expect(201).text_at("/id");
    let _ = admin
        .post(&format!("{PATH}/{watched}/disable"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .post(
            "intelligence/kill-switch",
            json!({ "on": true, "reason": "a test" }),
        )
        .await
        .expect(200);

    let looser = json!({ "blast_radius": { "max_actions_per_day": 100_000 }, "reason": "a test" });
    let _ = admin
        .put("intelligence/guardrails", looser)
        .await
        .expect(200);
    let _ = admin
        .post(
            "audit-logs/export",
            json!({ "format": "json", "query": "event_type:none" }),
        )
        .await
        .expect(202);

    let _ = admin
        .post("audit-logs/keys/rotate", json!({}))
        .await
        .expect(201);

    let batch: Vec<_> = (0..60)
        .map(|_| json!({ "event_type": "test.deed" }))
        .collect();
    let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    let file = segment(data).await;
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    verify(admin).await;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_ready_rule_about_reeve_fires_on_its_act() {
    let home = tempfile::tempdir().unwrap();
    let (data, backup, new) = (
        home.path().join("data"),
        home.path().join("backup"),
        home.path().join("new"),
    );
    let service = Service::serve(&data, &SEALED).unwrap();
    let admin = service.admin();
    let rules = enabled(&admin).await;
    acts(&admin, &data).await;

    for key in [
        "reeve-administrator-added",
        "reeve-role-granted",
        "reeve-token-created",
        "reeve-alert-switched-off",
        "reeve-kill-switch",
        "reeve-guardrail-loosened",
        "reeve-log-exported",
        "reeve-key-rotated",
        "reeve-verification-failed",
    ] {
        has_fired(&admin, &rules, key).await;
    }
    evidence::is_found(&admin, "watching").await;

    // The state of the rules comes along, and the restore is recorded after it.
    service.stop().unwrap();
    let [data, backup, to] = [&data, &backup, &new].map(|path| path.to_str().unwrap());

    for arguments in [
        ["backup", "create", backup, "--data-dir", data],
        ["backup", "restore", backup, "--data-dir", to],
    ] {
        let output = reeve(&arguments).unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    let restored = Service::serve(&new, &SEALED).unwrap();
    has_fired(&restored.admin(), &rules, "reeve-log-restored").await;
}

/// Setting up is no alarm: of the first start, of the first administrator's, and of one who adds
/// ten people there is one firing for each rule. What was decided about the rules stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_installation_watches_itself_quietly_and_keeps_decisions() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let rules = enabled(&admin).await;
    let created = "audit-logs?limit=100&query=event_type:audit.alert.create%20status:success";
    let recorded = admin.get(created).await.expect(200);
    assert_eq!(recorded.items().len(), rules.len(), "each is on record");
    assert_eq!(recorded.items()[0]["actor"]["type"], "system");

    for number in 0..10 {
        let email = format!("person-{number}@acme.example");
        let user = json!({ "email": email, "name": "A person", "roles": ["operator"] });
        let _ = admin.post("users", user).await.expect(201);
    }

    has_fired(&admin, &rules, "reeve-role-granted").await;
    let firings = admin.get(&format!("{PATH}/firings")).await.expect(200);
    assert_eq!(firings.items().len(), 1, "{}", firings.text);

    // One is disabled and one removed; the next start leaves both so.
    let id = |key: &str| {
        let (_, id) = rules.iter().find(|(known, _)| known == key).unwrap();
        format!("{PATH}/{id}")
    };
    let disabled = format!("{}/disable", id("reeve-token-created"));
    let _ = admin.post(&disabled, json!({})).await.expect(200);
    let _ = admin.delete(&id("reeve-log-exported")).await.expect(204);

    service.stop().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let listed = service
        .admin()
        .get(&format!("{PATH}/ready?limit=1000"))
        .await
        .expect(200);
    let state = |key: &str| {
        let ready = listed.items().iter().find(|ready| ready["key"] == key);
        ready.unwrap()["state"].clone()
    };
    assert_eq!(
        (state("reeve-token-created"), state("reeve-log-exported")),
        (json!("disabled"), json!("draft"))
    );
}
