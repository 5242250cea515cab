//! Tests of anomalies over HTTP: an address on an operator's list is reported with its evidence,
//! feedback can be withdrawn, lists come by the interface and as files; a cause names the changes
//! of others, and their authors to those who may see them.

use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::moto::{EC2, Moto};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);

fn deed(address: &str, agent: &str) -> Value {
    json!({
        "event_type": "api.call",
        "timestamp": jiff::Timestamp::now().to_string(),
        "actor": { "type": "user", "id": "ann", "email": "ann@example.com", "ip_address": address, "user_agent": agent },
        "action": { "operation": "ListBuckets", "status": "success", "method": "api" },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_from_a_listed_address_is_reported_with_its_evidence() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("threat-lists")).unwrap();
    std::fs::write(
        home.path().join("threat-lists/agents.txt"),
        "user_agent:sqlmap, injection\n",
    )
    .unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, viewer) = admin
        .person("vera@example.com", &["regular_user"], &[])
        .await;

    let lists = "intelligence/threat-lists";
    let wrong = admin
        .put(
            &format!("{lists}/may"),
            json!({ "indicators": "203.0.113.0/24\nexample.com" }),
        )
        .await;
    let refused = wrong.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "indicators[2]");

    let text = "203.0.113.0/24, Scanners of May, 2026-05-03\n";
    let put = admin
        .put(&format!("{lists}/may"), json!({ "indicators": text }))
        .await
        .expect(200);
    assert_eq!(
        (&put.body["indicator_count"], &put.body["source"]),
        (&json!(1), &json!("api"))
    );

    let _ = viewer
        .put(&format!("{lists}/may"), json!({ "indicators": "" }))
        .await
        .expect(403);
    let read = admin.get(&format!("{lists}/may")).await.expect(200);
    assert_eq!(read.text_at("/indicators"), text);

    let known = until("the list that lies as a file", PATIENCE, async || {
        let all = admin.get(lists).await.expect(200);
        (all.items().len() == 3).then_some(all)
    })
    .await;
    // One ships with Reeve, and says of which day it is.
    let own = &known.items()[1];
    assert_eq!(
        (&own["name"], &own["source"]),
        (&json!("built-in.txt"), &json!("file"))
    );
    assert!(
        own["updated_at"]
            .as_str()
            .unwrap()
            .starts_with("2026-11-24")
            && own["indicator_count"].as_u64() > Some(20)
    );

    assert_eq!(
        (&known.items()[0]["name"], &known.items()[0]["source"]),
        (&json!("agents.txt"), &json!("file"))
    );

    let _ = admin
        .delete(&format!("{lists}/agents.txt"))
        .await
        .problem(409, "conflict");

    // The lists are read before the entries of the same look.
    let _ = admin
        .post(
            "audit-logs",
            json!([
                deed("203.0.113.77", "curl/8"),
                deed("198.51.100.1", "sqlmap/1.7"),
                deed("198.51.100.1", "curl/8")
            ]),
        )
        .await
        .expect(201);

    let path = "intelligence/anomalies?type=security&status=open,acknowledged";
    let found = until("both anomalies", PATIENCE, async || {
        let all = admin.get(path).await.expect(200);
        // An anomaly is kept before it is answered.
        let listed = |one: &&Value| {
            one["title"].as_str().unwrap().contains("threat list")
                && one["responses"].as_array().unwrap().len() == 4
        };
        let found: Vec<Value> = all.items().iter().filter(listed).cloned().collect();
        (found.len() == 2).then_some(found)
    })
    .await;

    let of = |kind: &str| {
        found
            .iter()
            .find(|one| one["resource"]["kind"] == kind)
            .unwrap()
    };
    let (address, person) = (of("address"), of("principal"));

    assert_eq!(
        (&address["resource"]["id"], &person["resource"]["id"]),
        (&json!("203.0.113.77"), &json!("ann@example.com"))
    );

    let evidence = address["evidence"][0].as_str().unwrap();
    assert!(
        evidence
            .contains("203.0.113.0/24 (Scanners of May), dated 2026-05-03 on threat list \"may\""),
        "{evidence}"
    );

    let stages: Vec<&str> = address["responses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["stage"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["alert", "investigate", "recommend", "execute"]);

    let one = format!("intelligence/anomalies/{}", address["id"].as_str().unwrap());

    let _ = admin
        .post(&format!("{one}/reopen"), json!({}))
        .await
        .problem(409, "conflict");
    let said = admin
        .post(&format!("{one}/feedback"), json!({ "kind": "false" }))
        .await
        .expect(200);
    assert_eq!(said.text_at("/status"), "resolved");

    let _ = viewer
        .post(&format!("{one}/reopen"), json!({}))
        .await
        .expect(403);
    let open = admin
        .post(&format!("{one}/reopen"), json!({}))
        .await
        .expect(200);
    assert_eq!(
        (
            &open.body["status"],
            open.body["feedback"][0]["withdrawn_by"].is_string()
        ),
        (&json!("open"), true)
    );

    let log = admin
        .post("audit-logs/search", json!({ "query": "anomaly.reopen" }))
        .await
        .expect(200);
    assert_eq!(log.body["total"], 1, "{}", log.text);

    let _ = admin
        .get(&format!("{one}/course"))
        .await
        .problem(422, "invalid_fields");
    let _ = admin
        .get("intelligence/anomalies?status=open,closed")
        .await
        .problem(422, "invalid_fields");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cause_names_what_others_changed_and_who_did_it_to_those_who_may_see_the_entry() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines("us-east-1", "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, operator) = admin.person("olga@example.com", &["operator"], &[]).await;
    let connection = json!({
        "name": "acme", "provider": "aws", "regions": ["us-east-1"], "endpoint": moto.endpoint(),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let connection = admin
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");

    let seen_as = async |state: &str| {
        until("the machine's state", PATIENCE, async || {
            let _ = admin
                .post(&format!("connections/{connection}/sync"), json!({}))
                .await;
            let found = admin.get(&format!("resources/{machine}")).await;
            (found.body["state"] == state).then_some(())
        })
        .await;
    };
    seen_as("running").await;

    let one = [("InstanceId.1".to_owned(), machine.clone())];
    moto.query(&EC2, "us-east-1", "StopInstances", &one)
        .await
        .unwrap();
    seen_as("stopped").await;

    // Somebody's deed, as CloudTrail has it, then the machine's own credentials from a listed
    // address.
    let _ = admin
        .put(
            "intelligence/threat-lists/mine",
            json!({ "indicators": "203.0.113.7" }),
        )
        .await
        .expect(200);

    let stopped = json!({
        "event_type": "resource.state",
        "timestamp": (jiff::Timestamp::now() - jiff::SignedDuration::from_mins(1)).to_string(),
        "actor": { "type": "user", "id": "AIDA1", "email": "ann@example.com" },
        "resource": { "type": "virtual_machine", "id": machine },
        "action": { "operation": "StopInstances", "status": "success", "method": "console" },
    });
    let receipt = admin.post("audit-logs", json!([stopped])).await.expect(201);

    let mut own = deed("203.0.113.7", "curl/8");
    own["actor"] =
        json!({ "type": "role", "id": format!("web/{machine}"), "ip_address": "203.0.113.7" });
    let identity = json!({ "type": "AssumedRole", "sessionContext": { "ec2RoleDelivery": "2.0" } });
    own["metadata"] = json!({ "cloudtrail": { "userIdentity": identity } });
    let _ = admin.post("audit-logs", json!([own])).await.expect(201);

    let path = format!("intelligence/anomalies?type=security&resource={machine}");
    let found = until("the anomaly of the machine", PATIENCE, async || {
        let all = admin.get(&path).await.expect(200);
        all.items()
            .first()
            .filter(|one| !one["likely_cause"].as_str().unwrap().is_empty())
            .cloned()
    })
    .await;
    let cause = found["likely_cause"].as_str().unwrap();

    assert!(
        cause.starts_with("it was stopped between ") && cause.contains(", not by Reeve; "),
        "{cause}"
    );
    assert!(
        cause.contains("ann@example.com called StopInstances on it at "),
        "{cause}"
    );

    let entry = &found["log_entries"][0];
    assert_eq!(
        (&entry["who"], &entry["operation"]),
        (&json!("ann@example.com"), &json!("StopInstances"))
    );
    assert!(
        receipt.text.contains(entry["event_id"].as_str().unwrap()),
        "{}",
        receipt.text
    );

    let kinds = |of: &Value| -> Vec<String> {
        let all = of["investigation"]["hypotheses"].as_array().unwrap();
        all.iter()
            .map(|one| one["kind"].as_str().unwrap().to_owned())
            .collect()
    };

    assert_eq!(
        kinds(&found),
        ["change_by_others", "logged_operation", "threat_list"]
    );

    let log_read = |of: &Value| {
        let all = of["investigation"]["looked_at"].as_array().unwrap();
        all.iter().find(|one| one["source"] == "audit_log").unwrap()["found"].clone()
    };
    assert_eq!(log_read(&found), 1);

    let id = found["id"].as_str().unwrap();
    let thresholds = admin
        .get(&format!("intelligence/anomaly-thresholds?anomaly={id}"))
        .await
        .expect(200);
    assert_eq!(
        (thresholds.items().len(), &thresholds.items()[0]["factor"]),
        (1, &json!(1.0))
    );

    let _ = admin
        .get("intelligence/anomaly-thresholds?anomaly=none")
        .await
        .problem(404, "not_found");
    let said = admin
        .post(
            &format!("intelligence/anomalies/{id}/feedback"),
            json!({ "kind": "real" }),
        )
        .await
        .expect(200);

    assert!(
        said.text
            .contains("the threshold moved from 1 of the usual band to 0.9"),
        "{}",
        said.text
    );

    let moved = admin
        .get("intelligence/anomaly-thresholds")
        .await
        .expect(200);
    assert_eq!(moved.items()[0]["lessons"][0]["kind"], "confirmed");

    let path_of = |moved: &Value| {
        format!(
            "intelligence/anomaly-thresholds/{}/reset",
            moved["id"].as_str().unwrap()
        )
    };

    let reset = admin
        .post(&path_of(&moved.items()[0]), json!({}))
        .await
        .expect(200);
    assert_eq!(reset.body["factor"], 1.0);

    let _ = admin
        .post(&path_of(&moved.items()[0]), json!({}))
        .await
        .problem(404, "not_found");

    // An operator sees anomalies and not what others did.
    let blind = operator.get(&path).await.expect(200);
    let cause = blind.items()[0]["likely_cause"].as_str().unwrap();
    assert!(
        cause.starts_with("it was stopped between ") && cause.ends_with(", not by Reeve"),
        "{cause}"
    );

    let one = operator
        .get(&format!(
            "intelligence/anomalies/{}",
            found["id"].as_str().unwrap()
        ))
        .await
        .expect(200);

    assert_eq!(
        (kinds(&one.body), log_read(&one.body)),
        (
            vec!["change_by_others".into(), "threat_list".into()],
            json!(0)
        )
    );

    for text in [&blind.text, &one.text] {
        assert!(
            !text.contains("ann@example.com") && !text.contains("StopInstances"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn settings_name_what_is_done_and_take_the_specifications_names() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/anomaly-settings";
    let read = admin.get(path).await.expect(200);
    assert_eq!(read.body["cost"]["action"], "alert_and_analyze");
    assert_eq!(read.body["performance"]["action"], "auto_investigate");
    assert_eq!(
        (
            &read.body["security"]["action"],
            &read.body["security"]["threat_intelligence"]
        ),
        (&json!("alert_and_quarantine"), &json!("integrated"))
    );

    let mut wanted = read.body.clone();
    wanted["performance"]["metrics"] = json!(["latency", "error_rate", "throughput"]);
    wanted["performance"]["action"] = json!("auto_remediate");
    wanted["security"]["threat_intelligence"] = Value::Null;
    let stored = admin.put(path, wanted.clone()).await.expect(200);
    assert_eq!(
        stored.body["performance"]["metrics"],
        json!(["latency", "error_rate", "throughput"])
    );
    assert_eq!(
        (
            &stored.body["performance"]["action"],
            &stored.body["security"]["threat_intelligence"]
        ),
        (&json!("auto_remediate"), &json!("integrated"))
    );

    wanted["version"] = stored.body["version"].clone();
    wanted["cost"]["action"] = json!("alert_and_quarantine");
    let refused = admin.put(path, wanted).await.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "cost.action");
}
