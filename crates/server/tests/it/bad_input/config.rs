//! Broken requests to everything that is configured: refused by field, nothing made, nothing
//! recorded.

use reeve_testkit::service::Service;
use serde_json::{Value, json};

use super::field;

#[tokio::test]
async fn malformed_bodies_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let size = admin.size().await;
    let lists = [
        "users",
        "teams",
        "tokens",
        "connections",
        "intelligence/agents",
    ];

    let mut before = Vec::new();
    for list in lists {
        before.push(admin.get(list).await.expect(200).body["total"].clone());
    }

    for path in lists {
        for (kind, body, status, code) in [
            ("application/json", &b"{"[..], 400, "bad_request"),
            ("application/json", b"\xff\xfe", 400, "bad_request"),
            ("application/json", b"[]", 422, "invalid_fields"),
            // A list of values is not an object, even where their order would fit.
            ("application/json", b"[\"Platform\"]", 422, "invalid_fields"),
            ("application/json", b"{\"name\":{}}", 422, "invalid_fields"),
            (
                "application/json",
                b"{\"nmae\":\"a\"}",
                422,
                "invalid_fields",
            ),
            ("text/plain", b"{}", 415, "unsupported_media_type"),
        ] {
            let answer = admin.send("POST", path, Some(kind), body.to_vec()).await;
            assert!(
                answer.status < 500,
                "{path} {}: {}",
                String::from_utf8_lossy(body),
                answer.text
            );
            let _ = answer.problem(status, code);
        }
    }

    for (body, status, code) in [
        (&b"{\"name\":\"Platform\"} {}"[..], 400, "bad_request"),
        (
            b"{\"name\":\"Platform\",\"name\":\"Shop\"}",
            422,
            "invalid_fields",
        ),
    ] {
        let refused = admin
            .send("POST", "teams", Some("application/json"), body.to_vec())
            .await
            .problem(status, code);
        if status == 422 {
            assert_eq!(
                (field(&refused), &refused.body["errors"][0]["code"]),
                (&json!("name"), &json!("duplicate_key"))
            );
        }
    }

    for (list, before) in lists.iter().zip(before) {
        assert_eq!(
            admin.get(list).await.expect(200).body["total"],
            before,
            "{list}"
        );
    }

    assert_eq!(admin.size().await, size, "nothing was recorded");
}

#[tokio::test]
async fn wrong_fields_are_named() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let size = admin.size().await;
    let user = |change: Value| {
        merged(
            json!({ "email": "a@acme.example", "name": "A", "roles": ["manager"] }),
            change,
        )
    };

    let agent = |change: Value| {
        merged(
            json!({ "agent_type": "cost_optimizer", "name": "A" }),
            change,
        )
    };

    let connection = |change: Value| merged(json!({ "name": "A", "provider": "aws" }), change);
    let long = "x".repeat(300);

    for (path, body, name) in [
        ("users", user(json!({ "email": "nobody" })), "email"),
        (
            "users",
            user(json!({ "roles": ["manager", "root"] })),
            "roles[1]",
        ),
        ("users", user(json!({ "roles": [] })), "roles"),
        ("users", user(json!({ "teams": ["nowhere"] })), "teams[0]"),
        ("users", user(json!({ "password": "short" })), "password"),
        ("users", user(json!({ "admin": true })), "admin"),
        ("teams", json!({ "name": " " }), "name"),
        ("teams", json!({ "name": long }), "name"),
        (
            "tokens",
            json!({ "name": "x", "expires_at": "2020-01-01T00:00:00Z" }),
            "expires_at",
        ),
        (
            "tokens",
            json!({ "name": "x", "user_id": "nobody" }),
            "user_id",
        ),
        (
            "intelligence/agents",
            agent(json!({ "agent_type": "miracle_worker" })),
            "agent_type",
        ),
        (
            "intelligence/agents",
            agent(json!({ "mode": "yolo" })),
            "mode",
        ),
        (
            "intelligence/agents",
            agent(json!({ "learning_period": "two weeks" })),
            "learning_period",
        ),
        (
            "intelligence/agents",
            agent(json!({ "confidence_threshold": 101 })),
            "confidence_threshold",
        ),
        (
            "intelligence/agents",
            agent(json!({ "confidence_threshold": [] })),
            "confidence_threshold",
        ),
        (
            "intelligence/agents",
            agent(json!({ "auto_apply": { "enabled": true, "max_impact": "huge" } })),
            "auto_apply.max_impact",
        ),
        (
            "intelligence/agents",
            agent(json!({ "scope": { "acounts": [] } })),
            "scope.acounts",
        ),
        (
            "intelligence/agents",
            agent(json!({ "notifications": { "anomalies": "never ever" } })),
            "notifications.anomalies",
        ),
        (
            "connections",
            connection(json!({ "provider": "moon" })),
            "provider",
        ),
        (
            "connections",
            connection(json!({ "regions": ["us-east-1", "US East"] })),
            "regions[1]",
        ),
        (
            "connections",
            connection(json!({ "endpoint": "ftp://there" })),
            "endpoint",
        ),
        (
            "connections",
            connection(json!({ "endpoint": "http://key:secret@there" })),
            "endpoint",
        ),
        (
            "connections",
            connection(json!({ "endpoint": "https://127.0.0.1:9000" })),
            "endpoint",
        ),
        (
            "connections",
            connection(json!({ "endpoint": "https://2130706433/" })),
            "endpoint",
        ),
        (
            "connections",
            connection(json!({ "endpoint": "https://[::ffff:169.254.169.254]/" })),
            "endpoint",
        ),
        (
            "connections",
            connection(json!({ "assume_role": "admin" })),
            "assume_role",
        ),
        (
            "connections",
            connection(json!({ "credentials": { "access_key_id": "", "secret_access_key": "s" } })),
            "credentials.access_key_id",
        ),
        (
            "connections",
            connection(json!({ "credentials": { "access_key_id": "AKIA" } })),
            "credentials.secret_access_key",
        ),
        ("intelligence/kill-switch", json!({ "on": true }), "reason"),
        (
            "intelligence/rollouts",
            json!({ "type": "right_size" }),
            "agent_id",
        ),
        (
            "intelligence/rollouts",
            json!({ "agent_id": "a", "type": "everything" }),
            "type",
        ),
        (
            "intelligence/rollouts",
            json!({ "agent_id": "a", "type": "right_size", "settings": { "canary": 0 } }),
            "canary",
        ),
        (
            "intelligence/rollouts",
            json!({ "agent_id": "a", "type": "right_size", "settings": { "shares": [50, 10] } }),
            "shares",
        ),
        ("intelligence/rollouts/none/stop", json!({}), "reason"),
        (
            "intelligence/recommendations/none/test",
            json!({ "on": "production" }),
            "on",
        ),
    ] {
        let refused = admin
            .post(path, body.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(field(&refused), name, "{path} {body}: {}", refused.text);
        assert!(
            !refused.text.contains("secret@"),
            "a secret came back: {}",
            refused.text
        );
    }

    let two = agent(json!({ "mode": "yolo", "learning_period": "x" }));
    let two = admin
        .post("intelligence/agents", two)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(
        two.body["errors"].as_array().unwrap().len(),
        2,
        "every wrong field is named: {}",
        two.text
    );

    let guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    for (pointer, value, name) in [
        (
            "/cost_impact/max_decrease",
            json!(-1),
            "cost_impact.max_decrease",
        ),
        (
            "/availability/min_uptime",
            json!(101),
            "availability.min_uptime",
        ),
        ("/rollback/timeout_s", json!("soon"), "rollback.timeout_s"),
    ] {
        let mut wrong = guardrails.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        let refused = admin
            .put("intelligence/guardrails", wrong)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(field(&refused), name, "{}", refused.text);
    }

    let mut stale = guardrails.clone();
    stale["version"] = json!(guardrails["version"].as_u64().unwrap() + 7);
    let _ = admin
        .put("intelligence/guardrails", stale)
        .await
        .problem(409, "conflict");
    assert_eq!(
        admin.get("intelligence/guardrails").await.expect(200).body,
        guardrails
    );
    assert_eq!(admin.size().await, size, "nothing was recorded");
}

fn merged(mut body: Value, change: Value) -> Value {
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}
