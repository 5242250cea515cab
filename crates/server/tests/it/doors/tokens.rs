//! Tests of tokens: a session, another token or an open live view made with a token has its rights
//! and ends with it.

use reeve_testkit::live::Live;

use super::*;

/// A person with both roles, a token of theirs with one of them, and what the token signs in with.
async fn narrow(admin: &Api, end: Option<&str>) -> (Api, String, String) {
    let (_, both) = admin
        .person("both@acme.example", &["administrator", "regular_user"], &[])
        .await;
    let body = json!({ "name": "narrow", "roles": ["regular_user"], "expires_at": end });
    let made = both.post("tokens", body).await.expect(201);
    (both, made.text_at("/id"), made.text_at("/secret"))
}

#[tokio::test]
async fn a_session_made_with_a_token_has_its_roles_and_ends_with_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());
    let (both, id, secret) = narrow(&admin, None).await;
    let answer = nobody
        .post("sessions", json!({ "token": secret }))
        .await
        .expect(201);
    assert_eq!(
        answer.body["roles"],
        json!(["regular_user"]),
        "the answer tells the session's roles"
    );

    let session = cookie(&answer);
    let me = as_page(&nobody, &session, "GET", "sessions/current", Value::Null)
        .await
        .expect(200);
    assert_eq!(me.body["roles"], json!(["regular_user"]));

    let _ = as_page(&nobody, &session, "GET", "users", Value::Null)
        .await
        .problem(403, "forbidden");
    let wide = json!({ "name": "wide", "roles": ["administrator"] });
    let _ = as_page(&nobody, &session, "POST", "tokens", wide)
        .await
        .problem(422, "invalid_fields");
    let child = as_page(
        &nobody,
        &session,
        "POST",
        "tokens",
        json!({ "name": "child" }),
    )
    .await
    .expect(201);
    assert_eq!(child.body["roles"], json!(["regular_user"]));

    let child = nobody.with_token(&child.text_at("/secret"));
    let _ = child.get("sessions/current").await.expect(200);

    // The entry names the token.
    let logged = admin
        .get(&format!(
            "audit-logs?query=event_type:authentication.login+metadata.token_id:{id}"
        ))
        .await;
    assert_eq!(logged.expect(200).body["total"], 1);

    let mut live = Live::open(&nobody, "audit-logs/live", &[("cookie", &session)]).await;
    let _ = both.delete(&format!("tokens/{id}")).await.expect(204);
    let _ = as_page(&nobody, &session, "GET", "sessions/current", Value::Null)
        .await
        .problem(401, "unauthenticated");
    let _ = child
        .get("sessions/current")
        .await
        .problem(401, "unauthenticated");

    // What the caller did is an entry that the caller sees; the end comes after those.
    let end = loop {
        let event = live.next().await.unwrap();
        if event.name != "entry" {
            break event;
        }
    };

    assert_eq!(
        (end.name.as_str(), &end.data["reason"]),
        ("end", &json!("signed_out"))
    );

    let _ = both.get("users").await.expect(200);
}

#[tokio::test]
async fn nothing_made_with_a_token_outlives_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());
    let end = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(4);
    let text = format!("{end:.3}");
    let (_, _, secret) = narrow(&admin, Some(&text)).await;
    let token = nobody.with_token(&secret);
    let answer = nobody
        .post("sessions", json!({ "token": secret }))
        .await
        .expect(201);
    assert_eq!(answer.text_at("/expires_at"), text);

    let session = cookie(&answer);
    let later = json!({ "name": "later", "expires_at": format!("{:.3}", end + jiff::SignedDuration::from_secs(1)) });
    let refused = token
        .post("tokens", later)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "expires_at");

    let child = token
        .post("tokens", json!({ "name": "child" }))
        .await
        .expect(201);
    assert_eq!(
        child.text_at("/expires_at"),
        text,
        "without an end of its own it has its parent's"
    );

    let child = nobody.with_token(&child.text_at("/secret"));
    let _ = child.get("sessions/current").await.expect(200);
    reeve_testkit::http::until(
        "the token's end",
        std::time::Duration::from_secs(20),
        || async {
            let answers = [
                as_page(&nobody, &session, "GET", "sessions/current", Value::Null)
                    .await
                    .status,
                token.get("sessions/current").await.status,
                child.get("sessions/current").await.status,
            ];
            (answers == [401; 3]).then_some(())
        },
    )
    .await;
}

#[tokio::test]
async fn a_narrow_token_does_not_reach_the_wider_ones_of_its_user() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (id, both) = admin
        .person("both@acme.example", &["operator", "regular_user"], &[])
        .await;
    let make = async |roles: Value| {
        both.post("tokens", json!({ "name": "t", "roles": roles }))
            .await
            .expect(201)
    };
    let (wide, narrow) = (make(json!([])).await, make(json!(["regular_user"])).await);
    let api = both.with_token(&narrow.text_at("/secret"));
    let seen = api.get("tokens").await.expect(200);
    assert_eq!(seen.body["total"], 1);
    assert_eq!(seen.items()[0]["id"], narrow.body["id"]);

    let _ = api
        .delete(&format!("tokens/{}", wide.text_at("/id")))
        .await
        .problem(404, "not_found");
    // Administering is asked for by every door to it, whatever its owner may do.
    for (method, path, body) in [
        (
            "PATCH",
            format!("users/{id}"),
            json!({ "password": "a long enough word 93" }),
        ),
        (
            "PATCH",
            format!("users/{id}"),
            json!({ "roles": ["administrator"] }),
        ),
        (
            "POST",
            "users".to_owned(),
            json!({ "email": "x@y.z", "name": "x", "roles": ["administrator"] }),
        ),
        ("POST", "teams".to_owned(), json!({ "name": "x" })),
        ("POST", "audit-logs/keys/rotate".to_owned(), json!({})),
    ] {
        let body = body.to_string().into_bytes();
        let _ = api
            .send(method, &path, Some("application/json"), body)
            .await
            .problem(403, "forbidden");
    }

    let _ = api
        .delete(&format!("tokens/{}", narrow.text_at("/id")))
        .await
        .expect(204);
    let _ = both.get("tokens").await.expect(200);
}
