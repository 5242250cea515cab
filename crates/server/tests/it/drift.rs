//! Drift of configurations from a pinned baseline: detected with who caused it, accepted until a
//! time, open again, resolved.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, pairs};
use crate::unused::found;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const REASON: &str = "open until the vendor has a fixed address";
const OPEN_BLOCK: &str = "<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>\
                          <IgnorePublicAcls>true</IgnorePublicAcls><BlockPublicPolicy>true</BlockPublicPolicy>\
                          <RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>";
const CLOSED_BLOCK: &str = "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>\
                            <IgnorePublicAcls>true</IgnorePublicAcls><BlockPublicPolicy>true</BlockPublicPolicy>\
                            <RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>";

/// Begins a sync once none is under way, and waits for its end.
async fn sync(admin: &Api, connection: &str) {
    let path = format!("connections/{connection}");
    let finished =
        async || admin.get(&path).await.expect(200).body["last_sync"]["finished_at"].clone();
    let before = until("the beginning of the sync", PATIENCE, || async {
        let before = finished().await;
        let begun = admin.post(&format!("{path}/sync"), json!({})).await;
        (begun.status == 202).then_some(before)
    })
    .await;
    until("the end of the sync", PATIENCE, || async {
        (finished().await != before).then_some(())
    })
    .await;
}

async fn group(moto: &Moto, name: &str) -> String {
    let made = pairs(&[("GroupName", name), ("GroupDescription", name)]);
    let made = moto
        .query(&EC2, REGION, "CreateSecurityGroup", &made)
        .await
        .unwrap();
    texts(&made, "groupId")[0].to_owned()
}

/// Opens or closes a port of a group to everyone.
async fn port(moto: &Moto, operation: &str, group: &str, port: &str) {
    let rule = [
        ("GroupId", group),
        ("IpPermissions.1.IpProtocol", "tcp"),
        ("IpPermissions.1.FromPort", port),
        ("IpPermissions.1.ToPort", port),
        ("IpPermissions.1.IpRanges.1.CidrIp", "0.0.0.0/0"),
    ];
    moto.query(&EC2, REGION, operation, &pairs(&rule))
        .await
        .unwrap();
}

/// The provider's record of an operation, as an importer appends it.
async fn recorded(admin: &Api, event_type: &str, operation: &str, group: &str) -> String {
    let record = json!({
        "event_type": event_type,
        "actor": { "type": "user", "id": "mallory", "email": "mallory@acme.example" },
        "action": { "operation": operation, "status": "success", "method": "api" },
        "resource": { "type": "security_group", "id": group },
    });
    admin
        .post("audit-logs", record)
        .await
        .expect(201)
        .text_at("/event_id")
}

async fn drifts(admin: &Api, query: &str) -> Value {
    let path = format!("intelligence/drift?{query}");
    admin.get(&path).await.expect(200).body
}

async fn detail(api: &Api, drift: &Value) -> Value {
    let path = format!("intelligence/drift/{}", drift["id"].as_str().unwrap());
    api.get(&path).await.expect(200).body
}

async fn entries(admin: &Api, event_type: &str) -> Vec<Value> {
    let query = encoded(&format!("event_type:{event_type} status:success"));
    let found = admin.get(&format!("audit-logs?query={query}")).await;
    found.expect(200).items().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_outside_is_a_drift_until_it_is_undone_or_pinned() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    let (web, old) = (group(&moto, "web").await, group(&moto, "old").await);
    let connection = connect(&admin, moto.endpoint()).await;

    let wanted = json!({ "name": "Reviewed", "scope": { "kinds": ["security_group"] } });
    let baseline = admin
        .post("intelligence/baselines", wanted.clone())
        .await
        .expect(201)
        .body;
    assert_eq!(baseline["pinned_by"], "admin@localhost");
    assert!(baseline["resources"].as_u64() >= Some(3), "{baseline}");
    assert_eq!(drifts(&admin, "").await["total"], 0, "as pinned");
    refusals(&admin, &wanted).await;

    // Three changes outside: one with the provider's record in the log, two without.
    port(&moto, "AuthorizeSecurityGroupIngress", &web, "22").await;
    let cause = recorded(
        &admin,
        "resource.modify",
        "AuthorizeSecurityGroupIngress",
        &web,
    )
    .await;
    recorded(&admin, "resource.view", "DescribeSecurityGroups", &web).await;
    let removed = pairs(&[("GroupId", &old)]);
    moto.query(&EC2, REGION, "DeleteSecurityGroup", &removed)
        .await
        .unwrap();
    let new = group(&moto, "new").await;
    sync(&admin, &connection).await;

    let found = drifts(&admin, "state=open").await;
    assert_eq!(
        found["counts"],
        json!({ "open": 3, "accepted": 0, "resolved": 0 })
    );
    let of = |id: &str| {
        let items = found["items"].as_array().unwrap();
        let one = items.iter().find(|one| one["resource_id"] == id);
        one.cloned().unwrap_or_else(|| panic!("{id} in {found:#}"))
    };
    let forms = [&web, &old, &new].map(|id| of(id)["form"].clone());
    assert_eq!(forms, ["changed", "gone", "appeared"]);

    let drift = detail(&admin, &of(&web)).await;
    let difference = &drift["differences"][0];
    assert_eq!(
        drift["differences"].as_array().unwrap().len(),
        1,
        "{drift:#}"
    );
    assert_eq!(
        (&difference["path"], &difference["pinned"]),
        (&json!("ipPermissions"), &json!([]))
    );
    assert_eq!(difference["now"][0]["ipRanges"][0]["cidrIp"], "0.0.0.0/0");
    let causes = drift["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 1, "looking is no cause: {causes:#?}");
    assert_eq!(
        (
            &causes[0]["event_id"],
            &causes[0]["actor_email"],
            &causes[0]["is_change"]
        ),
        (&json!(cause), &json!("mallory@acme.example"), &json!(true))
    );
    assert_eq!(drift["missing_source"], Value::Null);
    let unexplained = detail(&admin, &of(&old)).await;
    assert_eq!(unexplained["causes"], json!([]));
    assert_eq!(unexplained["missing_source"], "AWS CloudTrail");

    let detected = entries(&admin, "intelligence.drift.detect").await;
    assert_eq!(detected.len(), 3);
    let entry = detected
        .iter()
        .find(|one| one["resource"]["id"] == json!(web))
        .unwrap();
    assert_eq!(entry["metadata"]["caused_by"], json!(cause));
    assert_eq!(entry["event_id"], drift["event_id"]);

    visibility(&admin, &of(&web)).await;
    sync(&admin, &connection).await;
    assert_eq!(drifts(&admin, "").await["total"], 3, "found once");

    accepted(&admin, &moto, &connection, &of(&web)).await;

    // Undone outside: it agrees again.
    for number in ["22", "443"] {
        port(&moto, "RevokeSecurityGroupIngress", &web, number).await;
    }
    sync(&admin, &connection).await;
    let resolved = detail(&admin, &of(&web)).await;
    assert_eq!(
        (&resolved["state"], &resolved["resolution"]),
        (&json!("resolved"), &json!("agrees"))
    );
    let steps: Vec<&str> = resolved["history"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["operation"].as_str())
        .collect();
    assert_eq!(
        steps,
        [
            "detect", "accept", "reopen", "accept", "reopen", "accept", "reopen", "resolve"
        ]
    );

    pinned(&admin, &moto, &connection, &baseline, &new).await;
}

async fn refusals(admin: &Api, wanted: &Value) {
    for (body, field) in [
        (wanted.clone(), "name"),
        (json!({ "name": " " }), "name"),
        (
            json!({ "name": "b", "scope": { "kinds": ["castle"] } }),
            "scope.kinds[0]",
        ),
        (
            json!({ "name": "b", "scope": { "connections": ["c-9"] } }),
            "scope.connections[0]",
        ),
        (
            json!({ "name": "b", "scope": { "tags": { "a": "b" } } }),
            "scope",
        ),
    ] {
        let refused = admin
            .post("intelligence/baselines", body)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(
            refused.text_at("/errors/0/field"),
            field,
            "{}",
            refused.text
        );
    }
    let _ = admin.get("intelligence/drift?state=odd").await.expect(422);
    let _ = admin.get("intelligence/drift/none").await.expect(404);
    let _ = admin.get("intelligence/baselines/none").await.expect(404);
}

/// A manager sees the drift, not the entries of other teams; and accepts nothing.
async fn visibility(admin: &Api, drift: &Value) {
    let (_, viewer) = admin
        .person("manager@acme.example", &["manager"], &[])
        .await;
    let seen = detail(&viewer, drift).await;
    assert_eq!(seen["differences"].as_array().unwrap().len(), 1);
    assert_eq!(seen["causes"], json!([]), "{seen:#}");
    let path = format!(
        "intelligence/drift/{}/accept",
        drift["id"].as_str().unwrap()
    );
    let end = Timestamp::now() + SignedDuration::from_hours(1);
    let body = json!({ "reason": REASON, "ends_at": end.to_string() });
    let _ = viewer.post(&path, body).await.expect(403);
    let pin = json!({ "name": "Mine" });
    let _ = viewer.post("intelligence/baselines", pin).await.expect(403);
}

async fn accepted(admin: &Api, moto: &Moto, connection: &str, drift: &Value) {
    let (_, operator) = admin
        .person("operator@acme.example", &["operator"], &[])
        .await;
    let path = format!("intelligence/drift/{}", drift["id"].as_str().unwrap());
    let accept = async |ahead: SignedDuration| {
        let end = (Timestamp::now() + ahead).to_string();
        let body = json!({ "reason": REASON, "ends_at": end, "hash": drift["hash"] });
        operator.post(&format!("{path}/accept"), body).await
    };
    let state = async || admin.get(&path).await.expect(200).text_at("/state");

    let short = json!({ "reason": "because", "ends_at": "2020-01-01T00:00:00Z" });
    let refused = operator.post(&format!("{path}/accept"), short).await;
    let refused = refused.problem(422, "invalid_fields");
    let fields: Vec<&str> = refused.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|error| error["field"].as_str())
        .collect();
    assert_eq!(fields, ["reason", "ends_at"]);
    let _ = operator
        .post(&format!("{path}/reopen"), json!({}))
        .await
        .expect(409);

    // Accepted until a time, then open again.
    let now = accept(SignedDuration::from_secs(4)).await.expect(200).body;
    assert_eq!(
        (&now["state"], &now["acceptance"]["by"]),
        (&json!("accepted"), &json!("operator@acme.example"))
    );
    until("the end of the acceptance", PATIENCE, || async {
        (state().await == "open").then_some(())
    })
    .await;

    // Withdrawn.
    let _ = accept(SignedDuration::from_hours(1)).await.expect(200);
    let withdrawn = json!({ "reason": "the vendor has an address now" });
    let _ = operator
        .post(&format!("{path}/reopen"), withdrawn)
        .await
        .expect(200);

    // A further change of what was accepted opens it again; so does nothing else.
    let _ = accept(SignedDuration::from_hours(1)).await.expect(200);
    sync(admin, connection).await;
    assert_eq!(state().await, "accepted");
    let group = drift["resource_id"].as_str().unwrap();
    port(moto, "AuthorizeSecurityGroupIngress", group, "443").await;
    sync(admin, connection).await;
    assert_eq!(state().await, "open");
    let _ = accept(SignedDuration::from_hours(1)).await.expect(409);
    let reasons: Vec<Value> = entries(admin, "intelligence.drift.reopen")
        .await
        .iter()
        .map(|entry| entry["metadata"]["reason"].clone())
        .collect();
    assert_eq!(
        reasons,
        [
            "the resource changed further",
            "the vendor has an address now",
            "the acceptance ended"
        ]
    );
}

/// A configuration that is pinned is the new normal.
async fn pinned(admin: &Api, moto: &Moto, connection: &str, baseline: &Value, new: &str) {
    let path = format!(
        "intelligence/baselines/{}",
        baseline["id"].as_str().unwrap()
    );
    let one = json!({ "resources": [new] });
    let after = admin
        .post(&format!("{path}/pin"), one)
        .await
        .expect(200)
        .body;
    assert_eq!(
        after["drifts"],
        json!({ "open": 1, "accepted": 0, "resolved": 2 })
    );
    let unknown = json!({ "resources": ["sg-none"] });
    let refused = admin.post(&format!("{path}/pin"), unknown).await;
    let refused = refused.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "resources[0]");

    let all = admin.post(&format!("{path}/pin"), json!({})).await;
    let all = all.expect(200).body;
    assert_eq!(
        (&all["revision"], &all["drifts"]["open"], &all["resources"]),
        (&json!(2), &json!(0), &baseline["resources"])
    );

    port(moto, "AuthorizeSecurityGroupIngress", new, "80").await;
    sync(admin, connection).await;
    let again = drifts(admin, "state=open").await;
    assert_eq!(again["items"][0]["resource_id"], json!(new), "{again:#}");

    let _ = admin.delete(&path).await.expect(204);
    assert_eq!(drifts(admin, "").await["total"], 0);
    assert_eq!(entries(admin, "intelligence.baseline.pin").await.len(), 3);
    assert_eq!(
        entries(admin, "intelligence.baseline.remove").await.len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_passed_when_it_was_pinned_is_named_when_it_fails() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    moto.bucket(REGION, "invoices", &[]).await.unwrap();
    moto.public_access_block(REGION, "invoices", CLOSED_BLOCK)
        .await
        .unwrap();
    let connection = connect(&admin, moto.endpoint()).await;
    let _ = found(&admin, "compliance_intelligence").await;

    let scope = json!({ "kinds": ["bucket"], "connections": [connection] });
    let wanted = json!({ "name": "Buckets", "scope": scope });
    let _ = admin
        .post("intelligence/baselines", wanted)
        .await
        .expect(201);
    moto.public_access_block(REGION, "invoices", OPEN_BLOCK)
        .await
        .unwrap();
    sync(&admin, &connection).await;

    let drift = drifts(&admin, "kind=bucket").await["items"][0].clone();
    let agent = admin.get("intelligence/agents").await.expect(200);
    let agent = agent.items()[0]["id"].as_str().unwrap().to_owned();
    let failing = until("the failing check", PATIENCE, || async {
        let _ = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        let now = detail(&admin, &drift).await["failing_checks"].clone();
        (now != json!([])).then_some(now)
    })
    .await;
    assert_eq!(failing[0]["check"], "aws.s3.blocks_public_access");
    assert!(
        failing.as_array().unwrap().len() == 1,
        "older failures are no drift"
    );
}
