//! Users with a scope: every route answers them within it or not at all.

use std::time::Duration;

use reeve_access::{Permission, Role};
use reeve_http::guard::{Access, GuardRule};
use reeve_http::scope::{WITHIN_SCOPE, is_within};
use reeve_testkit::http::{Api, until};
use reeve_testkit::live::Live;
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::compliance::{CHECK, REGION};
use crate::routes::knock;
use crate::unused::found;

/// Account that lies within the scopes of these tests, and one that does not.
pub(crate) const HERE: &str = "111122223333";
pub(crate) const ELSEWHERE: &str = "999999999999";

/// Every role whose holders may have a scope.
fn roles() -> Vec<&'static str> {
    let administers = |role: &Role| role.permissions().contains(&Permission::Administer);
    let all = Role::ALL.iter().filter(|role| !administers(role));
    all.map(|role| role.as_str()).collect()
}

pub(crate) async fn limited(admin: &Api, email: &str, scope: Value) -> Api {
    let (id, api) = admin.person(email, &roles(), &[]).await;
    let path = format!("users/{id}");
    let changed = admin
        .patch(&path, json!({ "scope": scope }))
        .await
        .expect(200);
    assert_eq!(changed.body["scope"], scope);
    let entry = format!("audit-logs?query=event_type:user.modify resource.id:{id}");
    let entry = admin.get(&entry.replace(' ', "%20")).await.expect(200);
    assert_eq!(entry.items()[0]["changes"]["after"]["scope"], scope);
    api
}

#[tokio::test]
async fn a_route_that_does_not_narrow_refuses_a_caller_with_a_scope() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let scope = json!({ "accounts": ["111122223333"] });
    let auditor = limited(&admin, "auditor@acme.example", scope.clone()).await;
    let me = auditor.get("sessions/current").await.expect(200);
    assert_eq!(me.body["scope"], scope);

    let rules = reeve_http::router::rules();
    for (method, path) in WITHIN_SCOPE {
        let is_route = |rule: &GuardRule| rule.method == *method && rule.path == *path;
        assert!(rules.iter().any(is_route), "{method} {path}");
    }
    for rule in rules.iter().filter(|rule| rule.access != Access::Public) {
        let within = is_within(rule.access, &rule.method, &rule.path);
        let answer = knock(&auditor, rule).await;
        let what = format!("{} {}: {}", rule.method, rule.path, answer.text);
        assert_eq!(answer.status == 403, !within, "{what}");
        assert!(answer.status < 500, "{what}");
    }

    // Nobody who administers is limited, and a scope limits something.
    let (id, _) = admin
        .person("root@acme.example", &["administrator"], &[])
        .await;
    let path = format!("users/{id}");
    for (wrong, field) in [
        (scope, "scope"),
        (json!({}), "scope"),
        (json!({ "frameworks": ["soc9"] }), "scope.frameworks"),
        (
            json!({ "log_from": "2026-02-01T00:00:00Z", "log_until": "2026-01-01T00:00:00Z" }),
            "scope.log_until",
        ),
    ] {
        let refused = admin.patch(&path, json!({ "scope": wrong })).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }
}

/// An entry about a bucket of an account, from an address.
fn call(account: &str, bucket: &str, address: &str) -> Value {
    json!({
        "event_type": "test.call",
        "actor": { "type": "user", "id": "ann", "ip_address": address },
        "action": { "operation": "ListBuckets", "status": "success", "method": "api" },
        "resource": { "type": "bucket", "id": bucket, "account_id": account },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_view_ends_when_the_scope_of_its_user_changes() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (id, follower) = admin.person("live@acme.example", &roles(), &[]).await;
    let set = async |account: &str| {
        let scope = json!({ "scope": { "accounts": [account] } });
        let _ = admin.patch(&format!("users/{id}"), scope).await.expect(200);
    };

    set(HERE).await;
    let path = "audit-logs/live?query=event_type:test.call";
    let mut before = Live::open(&follower, path, &[]).await;
    set(ELSEWHERE).await;
    assert_eq!(before.end().await.as_deref(), Some("signed_out"));

    let mut after = Live::open(&follower, path, &[]).await;
    let both = json!([
        call(HERE, "hidden", "198.51.100.1"),
        call(ELSEWHERE, "seen", "198.51.100.1"),
    ]);
    let _ = admin.post("audit-logs", both).await.expect(201);
    assert_eq!(after.entry().await["resource"]["id"], "seen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn anomalies_and_firings_outside_of_a_scope_are_neither_listed_nor_found() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let here = limited(&admin, "here@acme.example", json!({ "accounts": [HERE] })).await;
    let rule = json!({ "name": "Calls", "condition": "event_type:test.call", "severity": "high",
        "threshold": { "count": 2, "window": "1h" }, "group_by": "resource.account_id" });
    let _ = admin.post("audit-logs/alerts", rule).await.expect(201);
    let list = json!({ "indicators": "203.0.113.0/24" });
    let list = admin.put("intelligence/threat-lists/may", list).await;
    let _ = list.expect(200);

    let calls = [
        call(HERE, "b-1", "203.0.113.7"),
        call(HERE, "b-2", "198.51.100.1"),
        call(ELSEWHERE, "b-3", "203.0.113.8"),
        call(ELSEWHERE, "b-4", "198.51.100.1"),
    ];
    let _ = admin.post("audit-logs", json!(calls)).await.expect(201);

    for path in [
        "intelligence/anomalies?type=security",
        "audit-logs/alerts/firings",
    ] {
        let is_inside = |one: &Value| {
            let account = match one.get("group") {
                Some(group) => group.to_string(),
                None => one["resource"]["account"].to_string(),
            };
            account.contains(HERE)
        };
        let all = until("both accounts", Duration::from_secs(60), async || {
            let all = admin.get(path).await.expect(200);
            let inside = all.items().iter().filter(|one| is_inside(one)).count();
            (inside > 0 && inside < all.items().len()).then_some(all)
        })
        .await;

        let inside: Vec<&Value> = all.items().iter().filter(|one| is_inside(one)).collect();
        let seen = here.get(path).await.expect(200);
        assert_eq!(seen.body["total"], inside.len(), "{}", seen.text);
        assert!(seen.items().iter().all(is_inside), "{}", seen.text);
        assert!(!seen.text.contains(ELSEWHERE), "{}", seen.text);

        let one = path.split('?').next().unwrap();
        for found in all.items() {
            let id = found["id"].as_str().unwrap();
            let answer = here.get(&format!("{one}/{id}")).await;
            let expected = if is_inside(found) { 200 } else { 404 };
            assert_eq!(answer.status, expected, "{}", answer.text);
        }
    }

    // What an anomaly tells of its surroundings may lie anywhere.
    let seen = here.get("intelligence/anomalies?type=security").await;
    for one in seen.expect(200).items() {
        for field in ["activity", "investigation", "incident"] {
            assert!(one[field].is_null(), "{field}: {one}");
        }
        assert_eq!(one["log_entries"], json!([]), "{one}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_lies_outside_of_a_scope_is_neither_listed_nor_counted_nor_found() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    moto.bucket(REGION, "invoices", &[]).await.unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connect(&admin, moto.endpoint()).await;
    let finding = found(&admin, "compliance_intelligence").await[0].clone();
    let account = admin
        .get(&format!("connections/{connection}"))
        .await
        .expect(200)
        .text_at("/account");
    let entries = json!([
        { "event_type": "test.inside", "resource": { "type": "bucket", "id": "b", "account_id": account },
          "timestamp": "2026-03-01T00:00:00Z" },
        { "event_type": "test.inside", "resource": { "type": "bucket", "id": "b", "account_id": account },
          "timestamp": "2026-05-01T00:00:00Z" },
        { "event_type": "test.inside", "resource": { "type": "bucket", "id": "b", "account_id": "999999999999" },
          "timestamp": "2026-03-01T00:00:00Z" },
        { "event_type": "test.inside", "timestamp": "2026-03-01T00:00:00Z" },
    ]);
    let appended = admin.post("audit-logs", entries).await.expect(201);
    assert!(appended.text.contains("event_id"), "{}", appended.text);

    let whole = limited(&admin, "all@acme.example", json!({ "accounts": [account] })).await;
    let other = json!({ "accounts": ["999999999999"] });
    let other = limited(&admin, "other@acme.example", other).await;
    let march = json!({ "accounts": [account], "log_from": "2026-02-28T23:59:59.999Z",
        "log_until": "2026-03-31T23:59:59.999Z" });
    let march = limited(&admin, "march@acme.example", march).await;
    let hipaa = limited(
        &admin,
        "hipaa@acme.example",
        json!({ "frameworks": ["hipaa"] }),
    )
    .await;

    // The log: searched, counted, read and exported.
    let seen = |api: Api| async move {
        let path = "audit-logs?query=event_type:test.inside&limit=100";
        let list = api.get(path).await.expect(200);
        let asked = json!({ "query": "event_type:test.inside", "aggregations": ["resource.account_id"], "limit": 1 });
        let counted = api.post("audit-logs/search", asked).await.expect(200);
        assert_eq!(
            counted.body["total"],
            list.items().len(),
            "{}",
            counted.text
        );
        let export = json!({ "format": "json", "query": "event_type:test.inside" });
        let estimate = api
            .post("audit-logs/export/estimate", export)
            .await
            .expect(200);
        assert_eq!(
            estimate.body["entries"],
            list.items().len(),
            "{}",
            estimate.text
        );
        list.items().len()
    };
    assert_eq!(seen(whole.clone()).await, 2);
    assert_eq!(seen(other.clone()).await, 1);
    assert_eq!(seen(march.clone()).await, 1);
    assert_eq!(seen(hipaa.clone()).await, 4);
    let all = admin
        .get("audit-logs?query=event_type:test.inside&limit=100")
        .await
        .expect(200);
    let elsewhere = all
        .items()
        .iter()
        .find(|one| one["resource"]["account_id"] == "999999999999");
    let elsewhere = elsewhere.unwrap()["event_id"].as_str().unwrap().to_owned();
    for suffix in ["", "/proof"] {
        let path = format!("audit-logs/{elsewhere}{suffix}");
        let _ = whole.get(&path).await.expect(404);
        assert_eq!(other.get(&path).await.status, 200, "{path}");
    }

    // What the connection has: results, recommendations, resources.
    let results = format!("intelligence/controls/{CHECK}/results");
    let id = finding["id"].as_str().unwrap();
    for (path, is_list) in [
        (results.clone(), true),
        ("intelligence/recommendations".to_owned(), true),
        ("resources".to_owned(), true),
        ("resources?query=type:bucket".to_owned(), true),
        (format!("intelligence/recommendations/{id}"), false),
        (
            format!("intelligence/recommendations/{id}/explanation"),
            false,
        ),
        ("resources/invoices".to_owned(), false),
        ("resources/invoices/configuration".to_owned(), false),
        ("resources/invoices/versions".to_owned(), false),
        ("resources/invoices/difference".to_owned(), false),
    ] {
        let inside = whole.get(&path).await.expect(200);
        let outside = other.get(&path).await;
        if is_list {
            assert!(!inside.items().is_empty(), "{path}");
            assert_eq!(outside.expect(200).body["total"], 0, "{path}");
        } else {
            assert_eq!(outside.status, 404, "{path}");
        }
    }
    let score = |api: Api| async move {
        let frameworks = api.get("intelligence/frameworks").await.expect(200);
        let all = frameworks.items().iter();
        let scores = all.map(|one| (one["id"].clone(), !one["score"].is_null()));
        scores.collect::<Vec<(Value, bool)>>()
    };
    let scores = score(whole).await;
    assert!(scores.iter().any(|(_, is_scored)| *is_scored), "{scores:?}");
    let scores = score(other).await;
    assert!(scores.iter().all(|(_, is_scored)| !is_scored), "{scores:?}");
    assert_eq!(score(hipaa.clone()).await, [(json!("hipaa"), true)]);
    let controls = hipaa.get("intelligence/controls?limit=1000").await;
    let controls = controls.expect(200);
    assert!(
        controls
            .items()
            .iter()
            .all(|one| one["framework"] == "hipaa")
    );
    for path in [
        "intelligence/controls/soc2:CC6.1",
        "intelligence/controls/soc2:CC6.1/results",
        "intelligence/frameworks/soc2/trend",
    ] {
        let _ = hipaa.get(path).await.expect(404);
    }

    // Entries of evidence are about one account, so that an auditor may read the proof.
    let result = march.get(&results).await.expect(200).items()[0].clone();
    let entry = format!("audit-logs/{}", result["event_id"].as_str().unwrap());
    let recorded = admin.get(&entry).await.expect(200);
    assert_eq!(recorded.text_at("/resource/account_id"), account);
    let _ = march.get(&entry).await.expect(404);
}
