//! Tests of audit entries about changes: a refused request leaves no `success`, a granted one does.

use reeve_http::guard::{Access, GuardRule};

use super::*;

/// Sends a request under an identifier that its entries carry; the answer, and how many of them say
/// `success`, `pending` and `failed`.
async fn sent(
    api: &Api,
    reader: &Api,
    method: &str,
    path: &str,
    body: &Value,
) -> (Answer, [u64; 3]) {
    let id = format!("request-{}", uuid::Uuid::now_v7());
    let (kind, bytes) = if body.is_null() {
        (None, Vec::new())
    } else {
        (Some("application/json"), body.to_string().into_bytes())
    };

    let answer = api
        .send_with(method, path, &[("x-request-id", &id)], kind, bytes)
        .await;
    let mut counts = [0; 3];

    for (count, status) in counts.iter_mut().zip(["success", "pending", "failed"]) {
        let query = format!("metadata.request_id:{id} action.status:{status}");
        let found = reader
            .post("audit-logs/search", json!({ "query": query, "limit": 1 }))
            .await
            .expect(200);
        *count = found.body["total"].as_u64().unwrap();
    }

    (answer, counts)
}

/// Every route that may change something, except those whose body is the entry or the sign-in
/// itself.
fn changing() -> Vec<GuardRule> {
    let rules = reeve_http::router::rules().into_iter();
    rules
        .filter(|rule| rule.method != "GET" && rule.access != Access::Public)
        .collect()
}

/// The path of a rule with something in place of its parameters.
fn filled(rule: &GuardRule, value: &str) -> String {
    let part = |part: &str| {
        if part.starts_with('{') {
            value.to_owned()
        } else {
            part.to_owned()
        }
    };
    rule.path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_on_any_route_leaves_no_success() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, user) = admin
        .person("user@acme.example", &["regular_user"], &[])
        .await;
    let mut refused = std::collections::BTreeMap::new();

    for rule in changing() {
        for (api, body) in [
            (&admin, json!({ "no_such_field": 1 })),
            (&admin, json!({})),
            (&admin, json!([])),
            (
                &admin,
                json!({ "name": "\u{0}", "reason": 7, "version": "x" }),
            ),
            (&user, json!({})),
        ] {
            let body = if rule.method == "DELETE" {
                Value::Null
            } else {
                body
            };
            let (answer, [success, ..]) = sent(
                api,
                &admin,
                &rule.method,
                &filled(&rule, "nothing-of-this-name"),
                &body,
            )
            .await;
            assert!(
                answer.status < 500,
                "{} {body}: {}",
                answer.asked,
                answer.text
            );
            if answer.status >= 400 {
                assert_eq!(
                    success, 0,
                    "{} answered {} {body}: {}",
                    answer.asked, answer.status, answer.text
                );
                *refused.entry(answer.status).or_insert(0) += 1;
            }
        }
    }

    for status in [403, 404, 422] {
        assert!(
            refused.get(&status).is_some_and(|count| *count > 20),
            "{refused:?}"
        );
    }
}

/// A name that is taken, an address that is taken, a version that is gone: each is refused, and
/// recorded as it went.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn taken_names_are_recorded_as_failed_and_races_have_one_winner() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let team = json!({ "name": "Platform" });
    let (made, counts) = sent(&admin, &admin, "POST", "teams", &team).await;
    assert_eq!(
        (made.status, counts),
        (201, [1, 1, 0]),
        "the intent, then the outcome"
    );

    let (again, counts) = sent(&admin, &admin, "POST", "teams", &team).await;
    assert_eq!((again.status, counts), (409, [0, 1, 1]));

    let entries = admin
        .get("audit-logs?query=event_type:team.create&limit=3")
        .await
        .expect(200);
    let [failed, pending, succeeded] = entries.items() else {
        panic!("{entries:?}")
    };

    assert_eq!(
        failed["metadata"]["intent"], pending["event_id"],
        "an outcome names its intent"
    );
    assert!(
        failed["metadata"]["reason"]
            .as_str()
            .unwrap()
            .contains("exists already"),
        "{failed}"
    );

    assert_eq!(
        (&failed["changes"], &succeeded["changes"]["after"]["name"]),
        (&Value::Null, &json!("Platform"))
    );

    for (path, body) in [
        ("teams", json!({ "name": "Raced" })),
        (
            "users",
            json!({ "email": "raced@acme.example", "name": "R", "roles": ["regular_user"] }),
        ),
    ] {
        let racing: Vec<_> = (0..12)
            .map(|_| {
                let (api, body) = (admin.clone(), body.clone());
                tokio::spawn(async move { api.post(path, body).await.status })
            })
            .collect();
        let mut statuses = Vec::new();
        for one in racing {
            statuses.push(one.await.unwrap());
        }
        assert_eq!(
            statuses.iter().filter(|status| **status == 201).count(),
            1,
            "{statuses:?}"
        );
        assert!(
            statuses.iter().all(|status| matches!(status, 201 | 409)),
            "{statuses:?}"
        );
        let event = if path == "teams" {
            "team.create raced"
        } else {
            "user.create raced"
        };
        let count = async |status: &str| {
            let query = format!("event_type:{event} action.status:{status}");
            let found = admin
                .post("audit-logs/search", json!({ "query": query }))
                .await
                .expect(200);
            found.body["total"].as_u64().unwrap()
        };
        // A failed entry tells what was wanted by its intent; only that one names it.
        assert_eq!(
            (count("success").await, count("pending").await),
            (1, 12),
            "{path}"
        );
    }
}

/// A good request on every route that a bare installation has something for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_granted_change_is_recorded_as_such() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Sale\r\nDTSTART:20261024T090000Z\r\n\
        DTEND:20261024T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let user = json!({ "email": "new@acme.example", "name": "New", "roles": ["regular_user"] });
    let search = json!({ "name": "Mine", "query": "severity:high" });
    let hook = json!({ "event": "action_completed", "url": "https://hooks.example/reeve" });
    let rule = json!({
        "name": "Failover", "agent_type": "ops_intelligence",
        "condition": { "prediction": "event", "horizon": "1h", "calendars": [] }, "action": { "kind": "prepare_failover" },
    });

    let objective = |target: f64| {
        json!({
            "name": "Answers", "service": { "tag": { "name": "team", "value": "shop" } }, "metric": "response_time",
            "target": target, "share_percent": 99, "window_days": 28,
        })
    };

    // What is made, changed (with the version that is stored) and removed.
    let kept = [
        (
            "teams",
            json!({ "name": "Platform" }),
            "PATCH",
            json!({ "name": "Platforms" }),
        ),
        ("users", user, "PATCH", json!({ "name": "Newer" })),
        ("tokens", json!({ "name": "ci" }), "", Value::Null),
        (
            "audit-logs/saved-searches",
            search,
            "PATCH",
            json!({ "name": "Ours", "version": 1 }),
        ),
        (
            "connections",
            json!({ "name": "acme", "provider": "aws" }),
            "PATCH",
            json!({ "enabled": false }),
        ),
        (
            "intelligence/agents",
            json!({ "agent_type": "cost_optimizer", "name": "A" }),
            "PATCH",
            json!({ "name": "B" }),
        ),
        (
            "intelligence/exclusions",
            json!({ "resource": "i-1", "reason": "a test" }),
            "",
            Value::Null,
        ),
        (
            "intelligence/webhooks",
            hook,
            "PATCH",
            json!({ "name": "hook", "version": 1 }),
        ),
        (
            "intelligence/calendars",
            json!({ "name": "Sales", "kind": "traffic", "icalendar": calendar }),
            "PATCH",
            json!({ "name": "S" }),
        ),
        (
            "intelligence/objectives",
            objective(0.2),
            "PUT",
            objective(0.3),
        ),
        (
            "intelligence/predictive-rules",
            rule,
            "PATCH",
            json!({ "enabled": false }),
        ),
    ];

    let recorded = async |method: &str, path: &str, body: &Value| {
        let (answer, [success, pending, failed]) = sent(&admin, &admin, method, path, body).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        assert!(
            success >= 1 && failed == 0 && pending >= 1,
            "{method} {path}: {success} {pending} {failed}"
        );
        answer
    };

    for (path, body, method, change) in kept {
        let made = recorded("POST", path, &body).await;
        let one = format!("{path}/{}", made.text_at("/id"));
        if !method.is_empty() {
            let _ = recorded(method, &one, &change).await;
        }
        let _ = recorded("DELETE", &one, &Value::Null).await;
        let (gone, [success, ..]) = sent(&admin, &admin, "DELETE", &one, &Value::Null).await;
        assert_eq!((gone.status, success), (404, 0), "{one}");
    }

    let guardrails = admin.get("intelligence/guardrails").await.expect(200).body;
    let settings = admin
        .get("intelligence/anomaly-settings")
        .await
        .expect(200)
        .body;

    for (method, path, body) in [
        ("PUT", "intelligence/guardrails", guardrails.clone()),
        (
            "POST",
            "intelligence/kill-switch",
            json!({ "on": true, "reason": "a test" }),
        ),
        (
            "POST",
            "intelligence/guardrails/breaker-reset",
            json!({ "reason": "a test" }),
        ),
        ("PUT", "intelligence/anomaly-settings", settings.clone()),
        (
            "PUT",
            "intelligence/threat-lists/known",
            json!({ "indicators": "198.51.100.0/24" }),
        ),
        ("DELETE", "intelligence/threat-lists/known", Value::Null),
    ] {
        let _ = recorded(method, path, &body).await;
    }

    // Of many who change what one has read, one does.
    for (path, body) in [
        ("intelligence/guardrails", guardrails),
        ("intelligence/anomaly-settings", settings),
    ] {
        let (stale, [success, ..]) = sent(&admin, &admin, "PUT", path, &body).await;
        assert_eq!((stale.status, success), (409, 0), "{path}");
    }
}
