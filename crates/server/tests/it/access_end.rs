//! Access with an end: an auditor's user, tokens and sessions open nothing from the end on, and the
//! log says that it ended.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::until;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// The task that switches users off looks once a minute.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_auditors_access_ends_by_itself_and_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (email, password) = ("auditor@example.com", "correct horse battery staple");
    let auditor = |roles: Value, expires_at: &str| json!({ "email": email, "name": "External auditor", "roles": roles, "password": password, "expires_at": expires_at });

    let past = auditor(json!(["compliance_officer"]), "2020-01-01T00:00:00Z");
    let refused = admin.post("users", past).await.expect(422);
    assert!(refused.text.contains("expires_at"), "{}", refused.text);
    let later = Timestamp::now() + SignedDuration::from_hours(1);
    let administrator = auditor(json!(["administrator"]), &later.to_string());
    let refused = admin.post("users", administrator).await.expect(422);
    assert!(refused.text.contains("expires_at"), "{}", refused.text);

    let end = Timestamp::now() + SignedDuration::from_secs(8);
    let user = auditor(json!(["compliance_officer"]), &end.to_string());
    let user = admin.post("users", user).await.expect(201);
    let id = user.text_at("/id");
    let token = json!({ "name": "audit", "user_id": id });
    let token = admin.post("tokens", token).await.expect(201);
    let token = service.nobody().with_token(&token.text_at("/secret"));
    let sign_in = json!({ "email": email, "password": password });
    let _ = service
        .nobody()
        .post("sessions", sign_in.clone())
        .await
        .expect(201);
    let _ = token.get("audit-logs?limit=1").await.expect(200);
    assert_eq!(admin.get("sessions").await.expect(200).items().len(), 1);

    // From the end on, before anything was switched off.
    until("the end", PATIENCE, || async {
        (Timestamp::now() > end).then_some(())
    })
    .await;
    assert_eq!(token.get("audit-logs?limit=1").await.status, 401);
    let signed_in = service.nobody().post("sessions", sign_in).await;
    assert_eq!(signed_in.status, 401);

    let path = format!("users/{id}");
    let ended = until("the user is switched off", PATIENCE, || async {
        let user = admin.get(&path).await.expect(200).body;
        (user["active"] == false).then_some(user)
    })
    .await;
    assert!(ended["expires_at"].is_string());
    until("the session is gone", PATIENCE, || async {
        let sessions = admin.get("sessions").await.expect(200);
        sessions.items().is_empty().then_some(())
    })
    .await;
    let entries = admin
        .get("audit-logs?query=operation:end_access")
        .await
        .expect(200);
    let entries = entries.items();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["event_type"], "user.modify");
    assert_eq!(entries[0]["resource"]["id"], id.as_str());

    // Only a later end, or none, lets the user in again.
    let again = admin.patch(&path, json!({ "active": true })).await;
    assert_eq!(again.status, 422, "{}", again.text);
    let again = json!({ "active": true, "expires_at": null });
    let again = admin.patch(&path, again).await.expect(200).body;
    assert_eq!(
        (&again["active"], &again["expires_at"]),
        (&json!(true), &Value::Null)
    );
    let _ = token.get("audit-logs?limit=1").await.expect(200);
}
