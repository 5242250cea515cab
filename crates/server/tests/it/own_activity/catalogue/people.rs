//! Signing in and out, sessions, passwords, tokens, users, teams, refusals.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{Severity, events};
use reeve_testkit::http::{Answer, Api, until};
use reeve_testkit::service::Service;
use serde_json::json;

use super::{Emitted, PATIENCE, by_reeve, by_user, verify};

pub(super) const EMITTED: &[Emitted] = &[
    by_user(&events::LOGIN, "").without(&["metadata.reason", "metadata.attempts"]),
    Emitted {
        actor: "anonymous",
        ..by_user(&events::LOGIN, "")
    }
    .status("failed")
    .severity(Severity::Medium)
    .without(&["metadata.attempts", "actor.session_id"]),
    by_user(&events::LOGOUT, "session"),
    by_user(&events::PASSWORD_CHANGE, "user"),
    Emitted {
        actor: "user",
        ..by_reeve(&events::SESSION_EXPIRED, "system", "session")
    },
    Emitted {
        actor: "anonymous",
        ..by_user(&events::TOKEN_REFUSED, "route")
    }
    .status("denied"),
    by_user(&events::DENIED, "route").status("denied"),
    by_user(&events::TEAM_CREATE, "team"),
    by_user(&events::TEAM_MODIFY, "team"),
    by_user(&events::TEAM_DELETE, "team"),
    by_user(&events::USER_CREATE, "user").when("actor.type:user"),
    by_user(&events::USER_MODIFY, "user"),
    by_user(&events::USER_DELETE, "user"),
    by_user(&events::TOKEN_CREATE, "api_token").when("actor.type:user"),
    by_user(&events::TOKEN_DELETE, "api_token").when("actor.type:user"),
];

const PASSWORD: &str = "correct horse battery";

/// Signs in, and returns the session's cookie.
async fn sign_in(nobody: &Api, body: serde_json::Value) -> String {
    let signed_in = nobody.post("sessions", body).await.expect(201);
    signed_in.headers["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned()
}

async fn sign_out(nobody: &Api, cookie: &str) -> Answer {
    let headers = [("cookie", cookie), ("sec-fetch-site", "same-origin")];
    nobody
        .send_with("DELETE", "sessions/current", &headers, None, Vec::new())
        .await
}

#[tokio::test]
async fn signing_in_and_the_care_of_users_are_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());
    let user = json!({ "email": "ann@acme.example", "name": "Ann", "roles": ["regular_user"], "password": PASSWORD });
    let id = admin.post("users", user).await.expect(201).text_at("/id");
    let token = admin
        .post("tokens", json!({ "name": "ann", "user_id": id }))
        .await
        .expect(201);
    let ann = nobody.with_token(&token.text_at("/secret"));

    let cookie = sign_in(
        &nobody,
        json!({ "email": "ann@acme.example", "password": PASSWORD }),
    )
    .await;
    let _ = sign_out(&nobody, &cookie).await.expect(204);
    let wrong = json!({ "email": "ann@acme.example", "password": "somebody else's" });
    let _ = nobody
        .post("sessions", wrong)
        .await
        .problem(401, "wrong_credentials");
    let change =
        json!({ "current_password": PASSWORD, "new_password": "entirely different staple" });
    let _ = ann.put("account/password", change).await.expect(204);
    let _ = ann.get("users").await.problem(403, "forbidden");
    let _ = nobody
        .with_token("rvt_wrong")
        .get("users")
        .await
        .problem(401, "unauthenticated");

    let team = admin
        .post("teams", json!({ "name": "Platform" }))
        .await
        .expect(201)
        .text_at("/id");

    let _ = admin
        .patch(&format!("teams/{team}"), json!({ "name": "Shop" }))
        .await
        .expect(200);
    let _ = admin.delete(&format!("teams/{team}")).await.expect(204);
    let _ = admin
        .patch(&format!("users/{id}"), json!({ "name": "Anna" }))
        .await
        .expect(200);

    // A session that was made with a token ends with it; the next look at sessions is the one of
    // the next start.
    let soon = Timestamp::now() + SignedDuration::from_secs(2);
    let short = json!({ "name": "short", "user_id": id, "expires_at": soon.to_string() });
    let secret = admin
        .post("tokens", short)
        .await
        .expect(201)
        .text_at("/secret");
    let cookie = sign_in(&nobody, json!({ "token": secret })).await;
    until("the end of the session", PATIENCE, || async {
        let answer = nobody
            .send_with(
                "GET",
                "sessions/current",
                &[("cookie", &cookie)],
                None,
                Vec::new(),
            )
            .await;
        (answer.status == 401).then_some(())
    })
    .await;

    service.stop().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let _ = admin
        .delete(&format!("tokens/{}", token.text_at("/id")))
        .await
        .expect(204);
    let _ = admin.delete(&format!("users/{id}")).await.expect(204);
    verify(&admin, "people", EMITTED).await;
}
