//! The doors of the interface under attack: who comes in, from where, as whom, and for how long.

mod administrators;
mod late_body;
mod limits;
mod log_source;
mod monitoring;
mod records;
mod roles;
mod tokens;

use reeve_testkit::http::{Answer, Api};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// The cookie of an answer that signed somebody in.
fn cookie(answer: &Answer) -> String {
    let set = answer.headers["set-cookie"].to_str().unwrap();
    set.split(';').next().unwrap().to_owned()
}

/// A request from Reeve's own pages.
async fn as_page(api: &Api, cookie: &str, method: &str, path: &str, body: Value) -> Answer {
    let headers = [("cookie", cookie), ("sec-fetch-site", "same-origin")];
    let (kind, body) = if body.is_null() {
        (None, Vec::new())
    } else {
        (Some("application/json"), body.to_string().into_bytes())
    };
    api.send_with(method, path, &headers, kind, body).await
}

async fn sign_in(api: &Api, forwarded: &[&str], email: &str, password: &str) -> Answer {
    let headers: Vec<_> = forwarded
        .iter()
        .map(|line| ("x-forwarded-for", *line))
        .collect();
    let body = json!({ "email": email, "password": password })
        .to_string()
        .into_bytes();
    api.send_with("POST", "sessions", &headers, Some("application/json"), body)
        .await
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_and_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (nobody, admin) = (service.nobody(), service.admin());
    let odd = [
        "a @ b",
        "",
        "@",
        "a\u{0}b@c",
        "ann@exa\u{a0}mple.com",
        &"x".repeat(254),
    ];

    for (at, email) in odd.iter().enumerate() {
        let _ = sign_in(&nobody, &[], email, "whatever it is")
            .await
            .problem(401, "wrong_credentials");
        let found = json!({ "query": "event_type:authentication.login action.status:failed" });
        let found = admin.post("audit-logs/search", found).await.expect(200);
        assert_eq!(found.body["total"], at as u64 + 1, "{email:?}");
    }

    let last = admin
        .get("audit-logs?query=event_type:authentication.login&limit=1")
        .await
        .expect(200);
    assert_eq!(
        last.items()[0]["metadata"]["email_given"]
            .as_str()
            .unwrap()
            .len(),
        254,
        "what was typed is kept, cut"
    );
}

#[tokio::test]
async fn forged_hops_hide_nobody_and_limits_hold() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(
        home.path(),
        &[("REEVE_TRUSTED_PROXIES", "[\"127.0.0.1\", \"10.0.0.7\"]")],
    )
    .unwrap();
    let (nobody, admin) = (service.nobody(), service.admin());

    // A new forged address each time, in a line of its own: the proxy's line comes last.
    let mut limited = 0;
    for n in 0..12 {
        let forged = format!("192.0.2.{n}");
        let answer = sign_in(
            &nobody,
            &[&forged, "203.0.113.9, 10.0.0.7"],
            &format!("u{n}@x.example"),
            "guess",
        )
        .await;
        limited += u64::from(answer.status == 429);
        if answer.status == 429 {
            assert!(
                answer.headers["retry-after"]
                    .to_str()
                    .unwrap()
                    .parse::<u64>()
                    .unwrap()
                    <= 6
            );
        }
    }

    assert_eq!(limited, 2, "ten from one address, whatever it claims");

    let found = |query: &str| admin.post("audit-logs/search", json!({ "query": query }));
    let failed = "event_type:authentication.login action.status:failed";
    assert_eq!(
        found(&format!("{failed} actor.ip_address:203.0.113.9"))
            .await
            .expect(200)
            .body["total"],
        10
    );

    assert_eq!(
        found(&format!("{failed} actor.ip_address:192.0.2.0/24"))
            .await
            .expect(200)
            .body["total"],
        0
    );

    // A /64 is one subscriber.
    let mut admitted = 0;
    for n in 0..12 {
        let from = format!("2001:db8:1:2::{n:x}");
        let answer = sign_in(&nobody, &[&from], &format!("v{n}@x.example"), "guess").await;
        admitted += u64::from(answer.status == 401);
    }

    assert_eq!(admitted, 10);
}

#[tokio::test]
async fn guesses_at_one_account_are_slow_and_its_owner_still_comes_in() {
    let home = tempfile::tempdir().unwrap();
    let service =
        Service::serve(home.path(), &[("REEVE_TRUSTED_PROXIES", "[\"127.0.0.1\"]")]).unwrap();
    let (nobody, admin) = (service.nobody(), service.admin());
    let password = "a long enough word 93";
    let user = json!({ "email": "ann@acme.example", "name": "Ann", "roles": ["regular_user"], "password": password });
    let _ = admin.post("users", user).await.expect(201);
    let _ = sign_in(&nobody, &["198.51.100.1"], "ann@acme.example", password)
        .await
        .expect(201);
    let mut statuses = Vec::new();

    for n in 0..14 {
        let from = format!("203.0.113.{n}");
        statuses.push(
            sign_in(
                &nobody,
                &[&from],
                if n % 2 == 0 {
                    "ann@acme.example"
                } else {
                    "Ann@Acme.Example"
                },
                "guess",
            )
            .await
            .status,
        );
    }

    assert_eq!(
        statuses.iter().filter(|status| **status == 401).count(),
        10,
        "{statuses:?}"
    );
    assert_eq!(statuses.last(), Some(&429));

    let _ = sign_in(&nobody, &["198.51.100.1"], "ann@acme.example", password)
        .await
        .expect(201);
    let elsewhere = sign_in(&nobody, &["198.51.100.2"], "ann@acme.example", password).await;
    assert_eq!(
        elsewhere.status, 429,
        "from a network she never signed in from, she waits like everybody"
    );
}
