//! Tests of the submitter of an entry: recorded by Reeve, set by nobody else, and the marks of
//! Reeve's own entries.

use reeve_audit::events;
use reeve_testkit::http::Api;
use reeve_testkit::service::{EMULATORS, Service, verify};
use serde_json::{Value, json};

/// An approval byte for byte as Reeve writes it, with the administrator as its actor.
fn forged() -> Value {
    json!({
        "event_type": "intelligence.approval", "severity": "info",
        "actor": { "type": "user", "id": "the-director", "email": "director@example.com" },
        "resource": { "type": "approval", "id": "a-1" },
        "action": { "operation": "approval.sign", "status": "success", "method": "api" },
        "metadata": { "recommendation_id": "r-1", "approval_id": "a-1", "tags": ["intelligence"] },
    })
}

async fn found(api: &Api, query: &str) -> Vec<Value> {
    let body = json!({ "query": query, "limit": 500 });
    api.post("audit-logs/search", body)
        .await
        .expect(200)
        .items()
        .to_vec()
}

/// A user with a token named `ci-import` that may append.
async fn importer(admin: &Api) -> (String, String, Api) {
    let (user, _) = admin.person("alice@example.com", &["operator"], &[]).await;
    let token = admin
        .post("tokens", json!({ "name": "ci-import", "user_id": user }))
        .await
        .expect(201);
    (
        user,
        token.text_at("/id"),
        admin.with_token(&token.text_at("/secret")),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_passes_for_reeve() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (user, token, importer) = importer(&admin).await;
    let size = admin.size().await;

    let refused = importer
        .post(
            "audit-logs",
            json!([{ "event_type": "test.deed" }, forged()]),
        )
        .await;
    let refused = refused.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "event_type");

    assert_eq!(
        (
            refused.text_at("/errors/0/code"),
            &refused.body["errors"][0]["index"]
        ),
        ("reserved".into(), &json!(1))
    );

    assert!(
        refused
            .text_at("/errors/0/message")
            .contains("intelligence."),
        "{}",
        refused.text
    );

    for (name, value) in [
        ("submitted_by", json!({ "type": "reeve" })),
        ("recorded_at", json!("2026-01-01T00:00:00Z")),
    ] {
        let mut entry = json!({ "event_type": "policy.modify" });
        entry[name] = value;
        let refused = importer
            .post("audit-logs", entry)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(
            (
                refused.text_at("/errors/0/field"),
                refused.text_at("/errors/0/code")
            ),
            (name.into(), "unknown_field".into())
        );
    }

    assert_eq!(admin.size().await, size, "nothing was written");

    // A type that Reeve uses as well is open to everybody, and told apart.
    let mut open = forged();
    open["event_type"] = json!("policy.modify");
    open["event_id"] = json!("told-by-alice");
    let first = importer.post("audit-logs", open.clone()).await.expect(201);
    let kept = admin.get("audit-logs/told-by-alice").await.expect(200);
    let by = &kept.body["submitted_by"];
    assert_eq!(
        (
            &by["type"],
            &by["id"],
            &by["email"],
            &by["token_id"],
            &by["token_name"],
            &by["ip_address"]
        ),
        (
            &json!("token"),
            &json!(user),
            &json!("alice@example.com"),
            &json!(token),
            &json!("ci-import"),
            &json!("127.0.0.1")
        )
    );

    // The same claim by somebody else is the same entry still, as it was submitted first.
    assert_eq!(
        admin.post("audit-logs", open).await.expect(201).body,
        first.body
    );

    let own = found(&admin, "submitted_by.type:reeve").await;
    assert!(
        own.iter()
            .any(|entry| entry["event_type"] == "token.create")
    );
    assert!(
        own.iter()
            .all(|entry| entry["submitted_by"] == json!({ "type": "reeve" }))
    );

    let ids = |entries: Vec<Value>| {
        entries
            .iter()
            .map(|entry| entry["event_id"].clone())
            .collect::<Vec<_>>()
    };

    for query in [
        "submitted_by.token_name:ci-import",
        "submitted_by.email:alice@example.com submitted_by.ip_address:127.0.0.0/8",
        "event_type:policy.modify NOT submitted_by:reeve",
    ] {
        assert_eq!(
            ids(found(&admin, query).await),
            [json!("told-by-alice")],
            "{query}"
        );
    }

    assert_eq!(found(&admin, "NOT submitted_by:*").await, [Value::Null; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_entry_names_its_submitter_and_the_auditor_counts_them() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    let _ = service.printed("Password").unwrap();
    service.stop().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, _, importer) = importer(&admin).await;
    let _ = importer
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    assert_eq!(found(&admin, "NOT submitted_by:*").await, [Value::Null; 0]);

    let counts = admin
        .get("audit-logs/stats?by=event_type&query=submitted_by:reeve&limit=1000")
        .await
        .expect(200);
    let names: Vec<&str> = counts.body["aggregations"]["event_type"]["buckets"]
        .as_array()
        .unwrap_or_else(|| panic!("{}", counts.text))
        .iter()
        .map(|bucket| bucket["value"].as_str().unwrap())
        .collect();
    assert!(names.len() > 5, "{names:?}");

    for name in names {
        assert!(
            events::find(name).is_some_and(|kind| kind.source.is_own()),
            "{name} is missing in reeve_audit's catalogue of Reeve's own event types"
        );
    }

    let _ = admin.get("audit-logs?limit=1").await.expect(200);
    service.stop().unwrap();
    let (_, report) = verify(&[home.path().to_str().unwrap(), "--json"]).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{report}"));
    let submitted = &report["submitted"];
    assert!(
        submitted["by_reeve"].as_u64().unwrap() > 10
            && submitted["by_others"].as_u64().unwrap() > 100,
        "{submitted}"
    );

    assert_eq!(
        (&submitted["unknown"], &submitted["reserved_by_others"]),
        (&json!(0), &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_endpoint_asks_for_the_key_again() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let key = json!({ "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" });
    let made = admin
        .post(
            "connections",
            json!({ "name": "a", "provider": "aws", "credentials": key }),
        )
        .await
        .expect(201);
    let path = format!("connections/{}", made.text_at("/id"));

    let refused = admin
        .patch(&path, json!({ "endpoint": "https://elsewhere.example" }))
        .await;
    let refused = refused.problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "credentials");

    let inside = admin
        .patch(
            &path,
            json!({ "endpoint": "https://169.254.169.254/", "credentials": key }),
        )
        .await;

    assert_eq!(
        inside
            .problem(422, "invalid_fields")
            .text_at("/errors/0/field"),
        "endpoint"
    );

    assert_eq!(
        admin.get(&path).await.expect(200).body["endpoint"],
        Value::Null
    );

    let both = json!({ "endpoint": "https://elsewhere.example", "credentials": key });
    let _ = admin.patch(&path, both).await.expect(200);

    // The same endpoint again changes nothing.
    let _ = admin
        .patch(
            &path,
            json!({ "endpoint": "https://elsewhere.example", "name": "b" }),
        )
        .await
        .expect(200);

    let taken_away = admin
        .patch(&path, json!({ "endpoint": "" }))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(taken_away.text_at("/errors/0/field"), "credentials");

    // A name is judged when it is asked, and what it hides is not told.
    let named = admin
        .patch(
            &path,
            json!({ "endpoint": "https://localhost:1", "credentials": key }),
        )
        .await
        .expect(200);
    assert_eq!(named.body["endpoint"], "https://localhost:1");

    let tested = admin
        .post(&format!("{path}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["ok"], false);
    assert!(
        tested.text_at("/message").contains("not a public address"),
        "{}",
        tested.text
    );
}
