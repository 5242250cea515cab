//! Every route of the interface, walked without a token and as each role: nothing answers nobody,
//! and a role is refused exactly where its permissions say so.

use std::collections::BTreeSet;

use reeve_access::principal::PrincipalKind;
use reeve_access::{Principal, Role, UserId};
use reeve_http::guard::{Access, GuardRule};
use reeve_testkit::http::{Answer, Api};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// Sends what a route takes as little as possible: identifiers that do not exist, an empty body. A
/// stream is not read to its end, which it does not have.
pub(crate) async fn knock(api: &Api, rule: &GuardRule) -> Answer {
    let streams = rule.path.ends_with("/live");
    if streams && let Ok(response) = api.ask(&rule.path, &[]).await {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // A refusal is asked for once: each is an entry.
        let text = if status < 300 {
            String::new()
        } else {
            response.text().await.unwrap_or_default()
        };
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        return Answer {
            asked: rule.path.clone(),
            status,
            headers,
            text,
            body,
        };
    }

    let mut path = String::new();
    for part in rule.path.split('/').skip(1) {
        path.push('/');
        path.push_str(if part.starts_with('{') {
            "nothing-of-this-name"
        } else {
            part
        });
    }

    let kind = (rule.method != "GET" && rule.method != "DELETE").then_some("application/json");
    api.send(&rule.method, &path, kind, b"{}".to_vec()).await
}

fn principal(role: Role) -> Principal {
    Principal {
        user: UserId("u".into()),
        email: "u@acme.example".into(),
        name: "u".into(),
        kind: PrincipalKind::Token,
        session: None,
        token: None,
        roles: BTreeSet::from([role]),
        team_members: BTreeSet::new(),
        scope: None,
    }
}

#[tokio::test]
async fn nothing_but_what_is_public_answers_nobody() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (nobody, wrong) = (service.nobody(), service.nobody().with_token("rvt_wrong"));
    let rules = reeve_http::router::rules();
    let public: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.access == Access::Public)
        .map(|rule| rule.path.as_str())
        .collect();
    assert_eq!(public, ["/api/v1/sessions"], "sign-in alone is public");

    let size = service.admin().size().await;
    for rule in rules.iter().filter(|rule| rule.access != Access::Public) {
        let _ = knock(&nobody, rule).await.problem(401, "unauthenticated");
        let _ = knock(&wrong, rule).await.problem(401, "unauthenticated");
    }

    let written = service.admin().size().await - size;
    assert!(
        (1..=3).contains(&written),
        "refused tokens are one entry a window, not {written}"
    );
    for path in ["/healthz", "/readyz", "/api/openapi.json", "/"] {
        assert_eq!(nobody.get(path).await.status, 200, "{path}");
    }

    let _ = nobody
        .get("/api/v1/there-is-no-such-thing")
        .await
        .problem(404, "not_found");
    let _ = nobody
        .send("PATCH", "/api/v1/sessions", None, Vec::new())
        .await
        .problem(405, "method_not_allowed");
}

#[tokio::test]
async fn every_role_is_refused_exactly_where_its_permissions_say_so() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let mut walked = 0;

    for role in Role::ALL {
        let api = admin
            .person(
                &format!("{}@acme.example", role.as_str()),
                &[role.as_str()],
                &[],
            )
            .await
            .1;
        for rule in reeve_http::router::rules()
            .iter()
            .filter(|rule| rule.access != Access::Public)
        {
            let answer = knock(&api, rule).await;
            let what = format!(
                "{} on {} {}: {}",
                role.as_str(),
                rule.method,
                rule.path,
                answer.text
            );
            assert!(answer.status < 500, "{what}");
            assert_ne!(answer.status, 401, "{what}");
            let allowed = rule.access.allows(&principal(*role));
            assert_eq!(answer.status == 403, !allowed, "{what}");
            if !allowed {
                let _ = answer.problem(403, "forbidden");
            }
            walked += 1;
        }
    }

    assert_eq!(
        walked,
        Role::ALL.len() * (reeve_http::router::rules().len() - 1)
    );

    // Each refusal stands in the log.
    let refused = json!({ "query": "event_type:authorization.denied", "aggregations": ["actor.email"], "limit": 1 });
    let refused = admin.post("audit-logs/search", refused).await.expect(200);
    let mut expected = 0;

    for role in Role::ALL {
        let rules = reeve_http::router::rules();
        expected += rules
            .iter()
            .filter(|rule| !rule.access.allows(&principal(*role)))
            .count();
    }

    assert_eq!(refused.body["total"], expected);
}

#[tokio::test]
async fn a_token_is_never_wider_than_its_user() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (id, user) = admin
        .person("both@acme.example", &["regular_user", "operator"], &[])
        .await;
    let narrow = user
        .post(
            "tokens",
            json!({ "name": "narrow", "roles": ["regular_user"] }),
        )
        .await
        .expect(201);
    let narrow = user.with_token(&narrow.text_at("/secret"));
    let _ = narrow.get("resources").await.problem(403, "forbidden");

    assert_eq!(user.get("resources").await.status, 200);

    // What a narrow token makes is as narrow, and never wider.
    let child = narrow
        .post("tokens", json!({ "name": "child" }))
        .await
        .expect(201);
    assert_eq!(child.body["roles"], json!(["regular_user"]));

    let wide = narrow
        .post("tokens", json!({ "name": "wide", "roles": ["operator"] }))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(wide.text_at("/errors/0/field"), "roles");

    let other = json!({ "name": "other", "user_id": admin.get("sessions/current").await.expect(200).text_at("/id") });
    let _ = user.post("tokens", other).await.problem(403, "forbidden");

    // Who is switched off is out at once.
    let _ = admin
        .patch(&format!("users/{id}"), json!({ "active": false }))
        .await
        .expect(200);
    let _ = user.get("resources").await.problem(401, "unauthenticated");
    let me = admin
        .get("sessions/current")
        .await
        .expect(200)
        .text_at("/id");

    let _ = admin
        .patch(&format!("users/{me}"), json!({ "active": false }))
        .await
        .problem(409, "conflict");
}
