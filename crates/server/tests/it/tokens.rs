//! Tests of tokens: their principals are cached for a moment, and dropped as soon as they change.

use reeve_testkit::http::Api;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// A person with a token of their own, which has just been used: whether it may append.
async fn person(admin: &Api, name: &str, roles: &[&str]) -> (String, String, Api) {
    let (user, _) = admin
        .person(&format!("{name}@example.com"), roles, &[])
        .await;
    let made = admin
        .post("tokens", json!({ "name": name, "user_id": user }))
        .await
        .expect(201);
    let api = admin.with_token(&made.text_at("/secret"));
    assert_eq!(append(&api).await, 201);

    (user, made.text_at("/id"), api)
}

async fn append(api: &Api) -> u16 {
    api.post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changed_roles_apply_to_the_next_request() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    // Again and again, so that a change that is seen only after a while would be caught.
    for round in 0..5 {
        let named = |what: &str| format!("{what}-{round}");
        let (_, token, api) = person(&admin, &named("revoked"), &["operator"]).await;
        let _ = admin.delete(&format!("tokens/{token}")).await.expect(204);
        assert_eq!(append(&api).await, 401, "revoked");

        let (user, _, api) = person(&admin, &named("disabled"), &["operator"]).await;
        let path = format!("users/{user}");
        let patch = |changes: Value| admin.patch(&path, changes);
        let _ = patch(json!({ "active": false })).await.expect(200);
        assert_eq!(append(&api).await, 401, "disabled");
        let _ = patch(json!({ "active": true })).await.expect(200);
        assert_eq!(append(&api).await, 201, "enabled again");
        let _ = patch(json!({ "roles": ["director"] })).await.expect(200);
        assert_eq!(append(&api).await, 403, "another role");
        let _ = admin.delete(&path).await.expect(204);
        assert_eq!(append(&api).await, 401, "removed");
    }
}
