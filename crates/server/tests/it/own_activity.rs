//! Tests of Reeve's entries about itself: refusals with their origin, refused tokens by window,
//! passwords, settings, budgets.

pub(crate) mod catalogue;

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// The entries of a query, newest first.
async fn found(api: &Api, query: &str) -> Vec<Value> {
    api.get(&format!("audit-logs?limit=50&query={}", encoded(query)))
        .await
        .expect(200)
        .items()
        .to_vec()
}

/// Every emitted type is found, and each of its entries taken together carries the fields that the
/// catalogue names.
fn carries(entries: &[Value], kind: &str) {
    let kind = reeve_audit::events::find(kind).unwrap();
    assert!(kind.source.is_own(), "{}", kind.name);

    for field in kind.fields {
        let pointer = format!("/{}", field.replace('.', "/"));
        assert!(
            entries
                .iter()
                .any(|entry| entry.pointer(&pointer).is_some()),
            "{}: no {field}",
            kind.name
        );
    }
}

#[tokio::test]
async fn refusals_carry_their_origin_and_refused_tokens_are_counted_by_window() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, person) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    let _ = person.get("users").await.problem(403, "forbidden");
    let denied = found(&admin, "event_type:authorization.denied").await;
    carries(&denied, "authorization.denied");
    assert_eq!(denied[0]["actor"]["ip_address"], "127.0.0.1");

    let wrong = service.nobody().with_token("rvt_wrong");
    for _ in 0..40 {
        let _ = wrong.get("users").await.problem(401, "unauthenticated");
    }

    let refused = found(&admin, "event_type:authentication.token_refused").await;
    carries(&refused, "authentication.token_refused");
    assert!(
        refused.len() <= 2,
        "{} entries of forty attempts",
        refused.len()
    );

    assert_eq!(
        (
            &refused[0]["action"]["status"],
            &refused[0]["actor"]["type"]
        ),
        (&json!("denied"), &json!("anonymous"))
    );

    // Beyond the limit an attempt to sign in is not even tried, and yet recorded.
    let sign_in = json!({ "email": "ann@acme.example", "password": "wrong wrong wrong" });
    for _ in 0..14 {
        let answer = service.nobody().post("sessions", sign_in.clone()).await;
        assert!(matches!(answer.status, 401 | 429), "{}", answer.text);
    }

    let limited = found(&admin, "event_type:authentication.login AND status:denied").await;
    assert_eq!(limited[0]["metadata"]["reason"], "too many attempts");
    assert_eq!(limited[0]["actor"]["email"], "ann@acme.example");
    assert!(limited.len() <= 2);

    // What was counted is recorded when the service stops, also the calls of API clients.
    service.stop().unwrap();
    let again = Service::serve(home.path(), &[]).unwrap();
    let refused = found(&again.admin(), "event_type:authentication.token_refused").await;
    let attempts: u64 = refused
        .iter()
        .map(|entry| entry["metadata"]["attempts"].as_u64().unwrap())
        .sum();
    assert_eq!(attempts, 40);

    for kind in ["api.call", "system.start", "system.stop"] {
        carries(
            &found(&again.admin(), &format!("event_type:{kind}")).await,
            kind,
        );
    }
}

#[tokio::test]
async fn a_password_is_changed_by_who_knows_it_and_other_sessions_end() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (old, new) = ("correct horse battery", "entirely different staple");
    let user = json!({ "email": "ann@acme.example", "name": "Ann", "roles": ["regular_user"], "password": old });
    let id = admin.post("users", user).await.expect(201).text_at("/id");
    let token = admin
        .post("tokens", json!({ "name": "ann", "user_id": id }))
        .await
        .expect(201)
        .text_at("/secret");
    let ann = service.nobody().with_token(&token);
    let _ = service
        .nobody()
        .post(
            "sessions",
            json!({ "email": "ann@acme.example", "password": old }),
        )
        .await
        .expect(201);

    let change =
        |current: &str, new: &str| json!({ "current_password": current, "new_password": new });
    let wrong = ann
        .put("account/password", change("not mine at all", new))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(wrong.body["errors"][0]["field"], "current_password");

    let weak = ann
        .put("account/password", change(old, "short"))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(weak.body["errors"][0]["field"], "new_password");

    let _ = ann
        .put("account/password", change(old, old))
        .await
        .problem(422, "invalid_fields");
    let _ = ann
        .put("account/password", change(old, new))
        .await
        .expect(204);

    let sessions = admin.get("sessions").await.expect(200);
    assert!(
        sessions
            .items()
            .iter()
            .all(|session| session["user_id"] != id.as_str()),
        "her session has ended"
    );

    let sign_in = |password: &str| json!({ "email": "ann@acme.example", "password": password });
    assert_eq!(
        service.nobody().post("sessions", sign_in(old)).await.status,
        401
    );

    let _ = service
        .nobody()
        .post("sessions", sign_in(new))
        .await
        .expect(201);

    let changes = found(&admin, "event_type:authentication.password_change").await;
    carries(&changes, "authentication.password_change");
    let statuses: Vec<&str> = changes
        .iter()
        .filter_map(|entry| entry["action"]["status"].as_str())
        .collect();
    assert_eq!(statuses, ["success", "pending", "failed"]);

    // Set by somebody else it is a change of the password too, and none of the user.
    let _ = admin
        .patch(
            &format!("users/{id}"),
            json!({ "password": "set by an administrator" }),
        )
        .await
        .expect(200);

    let changes = found(
        &admin,
        "event_type:authentication.password_change AND action.operation:set_password",
    )
    .await;

    assert_eq!(
        (changes.len(), &changes[0]["resource"]["id"]),
        (2, &json!(id))
    );
    assert!(found(&admin, "event_type:user.modify").await.is_empty());
}

#[tokio::test]
async fn signing_in_and_out_is_recorded_with_its_session_and_origin() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());
    let password = "correct horse battery";
    let user = json!({ "email": "ann@acme.example", "name": "Ann", "roles": ["regular_user"], "password": password });
    let id = admin.post("users", user).await.expect(201).text_at("/id");

    let wrong = json!({ "email": "ann@acme.example", "password": "wrong wrong wrong" });
    let _ = nobody
        .post("sessions", wrong)
        .await
        .problem(401, "wrong_credentials");
    let right = json!({ "email": "ann@acme.example", "password": password });
    let answer = nobody.post("sessions", right).await.expect(201);
    let session = answer.text_at("/session_id");
    let entries = found(&admin, "event_type:authentication.login").await;
    let [inside, refused] = entries.as_slice() else {
        panic!("{entries:?}")
    };

    assert_eq!(
        (&refused["action"]["status"], &refused["actor"]["type"]),
        (&json!("failed"), &json!("anonymous"))
    );
    assert_eq!(refused["metadata"]["reason"], "wrong credentials");
    assert_eq!(
        (&inside["action"]["status"], &inside["actor"]["id"]),
        (&json!("success"), &json!(id))
    );
    assert_eq!(
        (
            &inside["actor"]["session_id"],
            &inside["actor"]["ip_address"]
        ),
        (&json!(session), &json!("127.0.0.1"))
    );

    let cookie = answer.headers["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap();
    let page = [("cookie", cookie), ("sec-fetch-site", "same-origin")];

    let out = nobody
        .send_with("DELETE", "sessions/current", &page, None, Vec::new())
        .await;
    assert_eq!(out.status, 204, "{}", out.text);

    let entries = found(&admin, "event_type:authentication.logout").await;
    carries(&entries, "authentication.logout");
    let statuses: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry["action"]["status"].as_str())
        .collect();
    assert_eq!(statuses, ["success", "pending"]);
    assert!(
        entries
            .iter()
            .all(|entry| entry["resource"]["id"] == session.as_str()
                && entry["actor"]["id"] == id.as_str())
    );

    let again = nobody
        .send_with("GET", "sessions/current", &page, None, Vec::new())
        .await;
    assert_eq!(again.status, 401, "the session has ended: {}", again.text);
}

#[tokio::test]
async fn settings_of_the_workspace_decide_and_are_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, person) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    let first = person.get("settings").await.expect(200).body;
    assert_eq!(
        (&first["name"], &first["currency"], &first["version"]),
        (&json!("Reeve"), &json!("USD"), &json!(0))
    );

    let _ = person
        .put("settings", json!({ "name": "Ann's" }))
        .await
        .problem(403, "forbidden");
    for (field, value) in [
        ("name", json!(" ")),
        ("time_zone", json!("Europe/Nowhere")),
        ("currency", json!("euros")),
        ("samples_days", json!(1)),
        ("usd_rate", json!(-1)),
    ] {
        let refused = admin
            .put("settings", json!({ field: value }))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.body["errors"][0]["field"], field);
    }

    let wanted = json!({ "name": "Acme", "time_zone": "europe/berlin", "currency": "eur", "usd_rate": 0.9, "samples_days": 90, "version": 0 });
    let saved = admin.put("settings", wanted.clone()).await.expect(200).body;
    assert_eq!(
        (&saved["time_zone"], &saved["currency"], &saved["usd_rate"]),
        (&json!("Europe/Berlin"), &json!("EUR"), &json!(0.9))
    );

    let _ = admin.put("settings", wanted).await.problem(409, "conflict");

    // A schedule that names no zone is one of the workspace's, and a budget that names no currency
    // too.
    let agent = json!({ "agent_type": "cost_optimizer", "name": "c", "scope": {}, "schedule": "0 6 * * *" });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    assert_eq!(agent.body["schedule_time_zone"], "Europe/Berlin");

    let budget = json!({ "name": "all", "amount": 10, "period": "month" });
    assert_eq!(
        admin.post("budgets", budget).await.expect(201).body["currency"],
        "EUR"
    );

    let changes = found(&admin, "event_type:settings.modify AND status:success").await;
    carries(&changes, "settings.modify");
    assert_eq!(changes[0]["changes"]["before"]["name"], "Reeve");
    assert_eq!(changes[0]["changes"]["after"]["samples_days"], 90);
}

/// A hundred a day of one service, from the first of the month to midnight, and sixty days before.
fn bill() -> (String, i64) {
    let now = Timestamp::now().as_second();
    let midnight = Timestamp::from_second(now.div_euclid(86_400) * 86_400).unwrap();
    let day = i64::from(midnight.to_zoned(jiff::tz::TimeZone::UTC).day());
    let mut text = "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ProviderName,ServiceName,SubAccountId,ResourceId,ChargeDescription\n".to_owned();

    for back in (1..=day + 59).rev() {
        let start = midnight - SignedDuration::from_hours(24 * back);
        let end = start + SignedDuration::from_hours(24);
        let _ = writeln!(
            text,
            "100.00,USD,{start},{end},Usage,AWS,Amazon EC2,111122223333,i-1,BoxUsage"
        );
        let _ = writeln!(
            text,
            "7.00,EUR,{start},{end},Usage,AWS,Amazon EC2,111122223333,i-2,BoxUsage"
        );
    }

    (text, day - 1)
}

#[tokio::test]
async fn a_budget_is_held_against_a_bill_and_each_threshold_is_reported_once() {
    let home = tempfile::tempdir().unwrap();
    let variables = [("REEVE_CHARGES_EVERY_S", "1")];
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    let (text, days) = bill();
    let folder = home.path().join("charges");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("part"), &text).unwrap();
    fs::rename(folder.join("part"), folder.join("bill.csv")).unwrap();

    // The forecast of a month is 2,800 and more; what is spent by now depends on the day.
    let budget = json!({
        "name": "Compute", "amount": 1000, "currency": "USD", "period": "month",
        "scope": { "services": ["amazon ec2"] },
        "thresholds": [{ "percent": 100, "basis": "forecast" }, { "percent": 900, "basis": "actual" }],
    });

    let id = admin
        .post("budgets", budget.clone())
        .await
        .expect(201)
        .text_at("/id");
    let path = format!("budgets/{id}");
    let standing = until("the budget's standing", PATIENCE, || async {
        let body = admin.get(&path).await.expect(200).body;
        body.get("standing").cloned()
    })
    .await;
    assert_eq!(standing["spent"], json!(100.0 * days as f64));

    let forecast = standing["forecast"]
        .as_f64()
        .unwrap_or_else(|| panic!("{standing}"));
    assert!(
        (2_700.0..=3_200.0).contains(&forecast),
        "a hundred a day for a month, not {forecast}"
    );

    if days > 0 {
        assert_eq!(
            standing["not_counted"],
            json!([{ "currency": "EUR", "amount": 7.0 * days as f64 }])
        );
    }

    let alerts = until("the alert in the log", PATIENCE, || async {
        let found = found(&admin, "event_type:budget.alert").await;
        (!found.is_empty()).then_some(found)
    })
    .await;
    carries(&alerts, "budget.alert");
    assert_eq!(
        (alerts.len(), &alerts[0]["metadata"]["basis"]),
        (1, &json!("forecast"))
    );

    // A restart and another look tell nothing again; another amount is another threshold.
    service.stop().unwrap();
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    let mut raised = budget;
    raised["amount"] = json!(1100);
    let _ = admin.put(&path, raised).await.expect(200);
    let alerts = until("the alert of the new amount", PATIENCE, || async {
        let found = admin.get("budgets/alerts").await.expect(200);
        (found.body["total"] != 1).then(|| found.items().to_vec())
    })
    .await;

    assert_eq!(
        alerts
            .iter()
            .map(|alert| alert["amount"].clone())
            .collect::<Vec<_>>(),
        [json!(1100.0), json!(1000.0)]
    );

    let _ = admin.delete(&path).await.expect(204);
    for kind in [
        "budget.create",
        "budget.modify",
        "budget.delete",
        "system.task",
    ] {
        carries(&found(&admin, &format!("event_type:{kind}")).await, kind);
    }
}
