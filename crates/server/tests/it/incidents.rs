//! A stolen access key becomes one incident, which a playbook contains in a real account and takes
//! back again, with the approvals that each change needs.

use std::time::Duration;

use jiff::Timestamp;
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::moto::{IAM, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, pairs};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
/// Address of the attacker.
const ABROAD: &str = "203.0.113.7";

/// A call with an access key, as an importer appends it.
fn call(key: &str, operation: &str, address: &str, status: &str) -> Value {
    json!({
        "event_type": "api.call",
        "timestamp": Timestamp::now().to_string(),
        "actor": { "type": "api_key", "id": key, "ip_address": address },
        "resource": { "type": "account", "id": "123456789012" },
        "action": { "operation": operation, "status": status, "method": "api" },
    })
}

/// Calls IAM.
async fn iam(moto: &Moto, action: &str, parameters: &[(&str, &str)]) -> String {
    moto.query(&IAM, REGION, action, &pairs(parameters))
        .await
        .unwrap()
}

/// A user of the account with an access key; the key's identifier.
async fn user_with_key(moto: &Moto, name: &str) -> String {
    iam(moto, "CreateUser", &[("UserName", name)]).await;
    let made = iam(moto, "CreateAccessKey", &[("UserName", name)]).await;
    texts(&made, "AccessKeyId")[0].to_owned()
}

async fn key_status(moto: &Moto, user: &str) -> String {
    let listed = iam(moto, "ListAccessKeys", &[("UserName", user)]).await;
    texts(&listed, "Status")[0].to_owned()
}

async fn policies(moto: &Moto, user: &str) -> String {
    iam(moto, "ListUserPolicies", &[("UserName", user)]).await
}

/// Lets the log learn what is usual, then uses the key from an address on a threat list.
async fn steal(admin: &Api, key: &str) {
    let list = json!({ "indicators": ABROAD });
    let _ = admin
        .put("intelligence/threat-lists/mine", list)
        .await
        .expect(200);
    let usual: Vec<Value> = (0..100)
        .map(|_| call(key, "ListBuckets", "198.51.100.9", "success"))
        .collect();
    let _ = admin.post("audit-logs", json!(usual)).await.expect(201);
    let attack = json!([
        call(key, "GetCallerIdentity", ABROAD, "success"),
        call(key, "CreateAccessKey", ABROAD, "success"),
        call(key, "StopLogging", ABROAD, "success"),
    ]);
    let _ = admin.post("audit-logs", attack).await.expect(201);
}

async fn incidents(admin: &Api) -> Vec<Value> {
    let path = "intelligence/incidents?status=open,investigating,contained";
    admin.get(path).await.expect(200).items().to_vec()
}

/// Signs every approval that waits, once by each person.
async fn sign(signers: &[&Api]) {
    for signer in signers {
        let all = signer.get("intelligence/approvals").await.expect(200);
        let waiting = |one: &&Value| one["status"] == "pending";
        for approval in all.items().iter().filter(waiting) {
            let id = approval["id"].as_str().unwrap();
            let path = format!("intelligence/approvals/{id}/approve");
            let _ = signer
                .post(&path, json!({ "comment": "go" }))
                .await
                .expect(200);
        }
    }
}

/// Waits until the first run has so many steps in these states.
async fn states(admin: &Api, incident: &str, wanted: &[&str]) -> Value {
    until("the steps of the run", PATIENCE, async || {
        let runs = admin.get(&format!("{incident}/runs")).await.expect(200);
        let run = runs.items()[0].clone();
        let states: Vec<&str> = run["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["state"].as_str().unwrap())
            .collect();
        assert!(!states.contains(&"failed"), "{run:#}");
        (states == wanted).then_some(run)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stolen_key_is_one_incident_that_a_playbook_contains_and_rolls_back() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    let key = user_with_key(&moto, "deploy").await;
    connect(&admin, moto.endpoint()).await;
    let (_, director) = admin.person("dora@acme.example", &["director"], &[]).await;
    let security = ["security_analyst"];
    let (_, security) = admin.person("sam@acme.example", &security, &[]).await;

    steal(&admin, &key).await;
    let found = until("the incident", PATIENCE, async || {
        let found = incidents(&admin).await;
        found
            .iter()
            .find(|one| one["severity"] == "critical")
            .cloned()
    })
    .await;
    assert_eq!(incidents(&admin).await.len(), 1, "one attack");
    let incident = format!("intelligence/incidents/{}", found["id"].as_str().unwrap());

    the_record_tells_the_attack(&admin, &incident, &key).await;
    people_work_on_it(&security, &incident).await;

    let run = json!({ "playbook": "contain-stolen-key" });
    let refused = security
        .post(&format!("{incident}/runs"), run.clone())
        .await;
    let _ = refused.problem(403, "forbidden");
    let run = admin
        .post(&format!("{incident}/runs"), run)
        .await
        .expect(201)
        .body;
    assert_eq!(run["steps"][0]["state"], "waiting", "{run:#}");
    assert_eq!(run["steps"][0]["targets"][0]["resource_id"], key.as_str());
    assert_eq!(run["steps"][2]["state"], "done", "people are told");
    assert_eq!(key_status(&moto, "deploy").await, "Active", "nothing yet");

    sign(&[&director, &security]).await;
    states(&admin, &incident, &["done", "done", "done"]).await;
    assert_eq!(key_status(&moto, "deploy").await, "Inactive");
    assert!(policies(&moto, "deploy").await.contains("ReeveBlock"));
    let contained = json!({ "status": "contained", "reason": "the key is off" });
    let contained = admin.patch(&incident, contained).await.expect(200).body;
    assert_eq!(contained["status"], "contained");

    let back = format!("{incident}/runs/{}/rollback", run["id"].as_str().unwrap());
    let back = admin.post(&back, json!({})).await.expect(200).body;
    assert_eq!(back["can_roll_back"], false, "{back:#}");
    let run = states(&admin, &incident, &["rolled_back", "rolled_back", "done"]).await;
    until("the end of the rollback", PATIENCE, async || {
        let runs = admin.get(&format!("{incident}/runs")).await.expect(200);
        (!runs.items()[0]["rollback"]["ended_at"].is_null()).then_some(())
    })
    .await;
    assert_eq!(key_status(&moto, "deploy").await, "Active");
    assert!(!policies(&moto, "deploy").await.contains("ReeveBlock"));
    assert!(
        run["steps"][1]["at"].as_str() <= run["steps"][0]["at"].as_str(),
        "the last change first: {run:#}"
    );

    the_log_and_the_report_tell_it(&admin, &incident, &found).await;
}

async fn the_record_tells_the_attack(admin: &Api, incident: &str, key: &str) {
    let record = admin.get(incident).await.expect(200).body;
    assert_eq!(record["people"][0]["name"], key, "{record:#}");
    assert_eq!(record["people"][0]["is_suspect"], true);
    assert!(
        record["playbooks"]
            .to_string()
            .contains("contain-stolen-key"),
        "{}",
        record["playbooks"]
    );

    let graph = admin.get(&format!("{incident}/graph")).await.expect(200);
    let labels = graph.body["nodes"].to_string();
    assert!(
        labels.contains(ABROAD) && labels.contains(key),
        "{}",
        graph.text
    );
    let operations = graph.body["edges"].to_string();
    assert!(operations.contains("StopLogging"), "{operations}");

    let timeline = format!("{incident}/timeline?limit=500");
    let timeline = admin.get(&timeline).await.expect(200);
    let moments = timeline.items();
    assert!(moments.iter().any(|one| one["kind"] == "entry"));
    let times: Vec<&str> = moments
        .iter()
        .map(|one| one["at"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");

    // The anomalies of the attack name the incident.
    let id = record["id"].as_str().unwrap();
    let anomalies = format!("intelligence/anomalies?incident={id}");
    let anomalies = admin.get(&anomalies).await.expect(200);
    assert!(!anomalies.items().is_empty());

    // Who sees no entries of others sees no accounts of others.
    let (_, viewer) = admin.person("vera@acme.example", &["operator"], &[]).await;
    let seen = viewer.get(incident).await.expect(200).body;
    assert_eq!(seen["people"], json!([]), "{seen:#}");
    assert!(seen["people_hidden"].as_u64() >= Some(1));
    let graph = viewer.get(&format!("{incident}/graph")).await.expect(200);
    assert!(!graph.body["nodes"].to_string().contains("principal"));
}

async fn people_work_on_it(analyst: &Api, incident: &str) {
    let wrong = json!({ "status": "open", "owner": "ann" });
    let wrong = analyst
        .patch(incident, wrong)
        .await
        .problem(422, "invalid_fields");
    assert!(wrong.text.contains("owner"), "{}", wrong.text);
    let jump = json!({ "text": "Ask the owner of the key" });
    let tasks = format!("{incident}/tasks");
    let with_task = analyst.post(&tasks, jump).await.expect(200).body;
    let task = with_task["tasks"][0]["id"].as_str().unwrap();
    let done = json!({ "done": true });
    let done = analyst
        .patch(&format!("{tasks}/{task}"), done)
        .await
        .expect(200);
    assert_eq!(done.body["tasks"][0]["done_by"], "sam@acme.example");
    let note = json!({ "text": "The key was in a public repository." });
    let _ = analyst
        .post(&format!("{incident}/notes"), note)
        .await
        .expect(200);
}

async fn the_log_and_the_report_tell_it(admin: &Api, incident: &str, found: &Value) {
    let id = found["id"].as_str().unwrap();
    let query = format!("metadata.incident_id:\"{id}\" status:success");
    let path = format!("audit-logs?limit=200&query={}", encoded(&query));
    let entries = admin.get(&path).await.expect(200);
    let operations: Vec<&str> = entries
        .items()
        .iter()
        .filter_map(|one| one["action"]["operation"].as_str())
        .collect();
    for operation in [
        "incident.open",
        "incident.task",
        "incident.note",
        "incident.contain",
        "playbook.start",
        "playbook.step",
        "playbook.notify",
        "playbook.rollback",
        "playbook.rolled_back",
    ] {
        assert!(
            operations.contains(&operation),
            "{operation}: {operations:?}"
        );
    }

    let report = admin
        .send("GET", &format!("{incident}/report"), None, Vec::new())
        .await;
    assert_eq!(report.status, 200);
    assert!(report.text.starts_with("%PDF"), "a PDF");

    // A closed incident is only reopened.
    let closed = json!({ "status": "closed" });
    let _ = admin.patch(incident, closed).await.expect(200);
    let run = json!({ "playbook": "preserve-evidence" });
    let _ = admin
        .post(&format!("{incident}/runs"), run)
        .await
        .problem(409, "conflict");
    let jump = json!({ "status": "contained" });
    let jump = admin.patch(incident, jump).await;
    assert_eq!(jump.status, 422, "{}", jump.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn playbooks_of_people_are_checked_field_by_field() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let list = "intelligence/playbooks";
    let own = json!({
        "name": "mine", "title": "Mine", "trigger": { "severity": "high", "techniques": ["T1110"] },
        "steps": [{ "action": "block_principal" }, { "action": "notify", "message": "blocked" }],
    });
    let made = admin.post(list, own.clone()).await.expect(201).body;
    assert_eq!(made["is_builtin"], false);
    let all = admin.get(list).await.expect(200);
    assert!(all.items().len() >= 7, "{}", all.text);

    let with = |change: fn(&mut Value)| {
        let mut other = own.clone();
        other["name"] = json!("other");
        change(&mut other);
        other
    };
    for (wrong, field) in [
        (with(|one| one["name"] = json!("Not a name")), "name"),
        (
            with(|one| one["name"] = json!("isolate-everything")),
            "name",
        ),
        (with(|one| one["steps"] = json!([])), "steps"),
        (
            with(|one| one["steps"][0]["message"] = json!("no")),
            "steps[0].message",
        ),
        (
            with(|one| one["trigger"]["techniques"] = json!(["spray"])),
            "trigger.techniques[0]",
        ),
    ] {
        let answer = admin.post(list, wrong).await.problem(422, "invalid_fields");
        assert!(answer.text.contains(field), "{field}: {}", answer.text);
    }

    let builtin = json!({
        "title": "Changed", "trigger": { "severity": "low" }, "steps": [{ "action": "notify" }],
    });
    let _ = admin
        .put(&format!("{list}/isolate-everything"), builtin.clone())
        .await
        .problem(409, "conflict");
    let changed = admin
        .put(&format!("{list}/mine"), builtin)
        .await
        .expect(200);
    assert_eq!(changed.body["title"], "Changed");
    let _ = admin.delete(&format!("{list}/mine")).await.expect(204);
    let _ = admin
        .get(&format!("{list}/mine"))
        .await
        .problem(404, "not_found");
}
