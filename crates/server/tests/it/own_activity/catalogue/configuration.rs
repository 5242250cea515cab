//! Settings, policies, saved searches, budgets, webhooks and what they are told.

use std::fs;

use reeve_audit::{Severity, events};
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::json;

use super::super::bill;
use super::{Emitted, PATIENCE, by_reeve, by_user, verify};
use crate::webhooks::{receiver, verified};

pub(super) const EMITTED: &[Emitted] = &[
    by_user(&events::SETTINGS_MODIFY, "workspace"),
    by_user(&events::POLICY_MODIFY, "webhook").when("operation:webhook.create"),
    by_user(&events::POLICY_MODIFY, "standing_approval")
        .when("operation:standing_approval.give")
        .severity(Severity::Medium),
    by_user(&events::POLICY_MODIFY, "standing_approval")
        .when("operation:standing_approval.end")
        .severity(Severity::Medium),
    by_reeve(&events::INBOUND_ALERT, "api", "inbound_alert")
        .when("operation:inbound_alert.receive")
        .severity(Severity::High),
    by_reeve(&events::SOURCE_QUARANTINE, "system", "log_source"),
    by_reeve(&events::SOURCE_SILENT, "system", "log_source"),
    by_reeve(&events::SOURCE_RECOVER, "system", "log_source"),
    by_user(&events::PRICE_FILE_IMPORT, "price_file"),
    by_user(&events::PRICE_FILE_DELETE, "price_file"),
    by_user(&events::SAVED_SEARCH_CREATE, "saved_search"),
    by_user(&events::SAVED_SEARCH_MODIFY, "saved_search"),
    by_user(&events::SAVED_SEARCH_DELETE, "saved_search"),
    by_user(&events::BUDGET_CREATE, "budget"),
    by_user(&events::BUDGET_MODIFY, "budget"),
    by_user(&events::BUDGET_DELETE, "budget"),
    by_reeve(&events::BUDGET_ALERT, "system", "budget"),
    by_reeve(&events::DELIVERY, "scheduled", "webhook"),
    by_reeve(&events::DELIVERY, "scheduled", "webhook")
        .status("failed")
        .severity(Severity::Medium),
    by_reeve(&events::STREAM, "system", "stream")
        .status("failed")
        .severity(Severity::High),
    by_reeve(&events::TASK, "scheduled", "reeve").when("operation:read_bills"),
    by_reeve(&events::TASK, "scheduled", "reeve").when("operation:evaluate_budgets"),
];

async fn saved_search(admin: &Api) {
    let path = "audit-logs/saved-searches";
    let id = admin
        .post(
            path,
            json!({ "name": "Failures", "query": "status:failed" }),
        )
        .await
        .expect(201)
        .text_at("/id");
    let one = format!("{path}/{id}");

    let changed = json!({ "name": "Failed", "query": "status:failed", "version": 1 });
    let _ = admin.put(&one, changed).await.expect(200);
    let _ = admin.delete(&one).await.expect(204);
}

async fn standing_approval(admin: &Api) {
    let agent = json!({ "agent_type": "security_intelligence", "name": "Watch" });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    let path = format!(
        "intelligence/agents/{}/standing-approvals",
        agent.text_at("/id")
    );
    let until = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24);
    let approval = json!({ "rule": "auto_quarantine", "until": until.to_string(), "reason": "threats do not wait" });
    let given = admin.post(&path, approval).await.expect(201);
    let end = format!("{path}/{}/end", given.text_at("/approvals/0/id"));
    let reason = json!({ "reason": "a drill" });
    let _ = admin.post(&end, reason).await.expect(200);
}

async fn inbound_alert(service: &Service, admin: &Api) {
    let source = json!({ "name": "SIEM", "format": "json" });
    let made = admin
        .post("intelligence/alert-sources", source)
        .await
        .expect(201);
    let tool = service.nobody().with_token(&made.text_at("/token"));
    let alert =
        json!({ "id": "1", "title": "Odd login", "severity": "critical", "resource": "nowhere" });
    let _ = tool
        .post("intelligence/inbound-alerts", alert)
        .await
        .expect(200);
}

/// A source that sends what cannot be read, falls silent, and sends again.
async fn log_source(service: &Service, admin: &Api) {
    let source = json!({ "name": "cluster", "kind": "kubernetes", "max_silence_s": 5 });
    let made = admin.post("audit-logs/sources", source).await.expect(201);
    let cluster = service.nobody().with_token(&made.text_at("/token"));
    let push = async |event| {
        let _ = cluster
            .post("audit-logs/incoming/cluster", event)
            .await
            .expect(200);
    };
    push(json!({ "stage": "Panic" })).await;
    until("the silence", PATIENCE, async || {
        let state = admin
            .get("audit-logs/sources/cluster/status")
            .await
            .expect(200);
        (state.body["health"] == "silent").then_some(())
    })
    .await;
    push(json!({ "auditID": "a-1", "stage": "Panic", "verb": "get" })).await;
}

async fn price_file(admin: &Api) {
    let file = "# provider: aws\n# kind: units\n# source: AWS price pages\n# date: 2026-11\n\
        region,name,unit,from,usd\neu-west-1,gp2,gib_month,0,0.11\n";
    let _ = admin
        .send("POST", "prices", Some("text/csv"), file.into())
        .await
        .expect(201);
    let _ = admin.delete("prices/aws/units").await.expect(204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_and_budgets_are_recorded_and_a_budget_alert_reaches_webhooks() {
    let home = tempfile::tempdir().unwrap();
    let service =
        Service::serve(home.path(), &[EMULATORS, ("REEVE_CHARGES_EVERY_S", "1")]).unwrap();
    let admin = service.admin();
    let _ = admin
        .put("settings", json!({ "name": "Acme", "version": 0 }))
        .await
        .expect(200);
    saved_search(&admin).await;
    price_file(&admin).await;
    standing_approval(&admin).await;
    inbound_alert(&service, &admin).await;
    log_source(&service, &admin).await;

    // One receiver takes what it is sent; the other says that it is gone, and is not asked again.
    let (url, received) = receiver().await;
    let hook = json!({ "event": "budget_alert", "url": url, "filter": "type=forecast" });
    let secret = admin
        .post("intelligence/webhooks", hook)
        .await
        .expect(201)
        .text_at("/secret");
    let gone = json!({ "event": "budget_alert", "url": url.replace("/hook", "/gone") });
    let _ = admin.post("intelligence/webhooks", gone).await.expect(201);
    let stream = json!({ "name": "gone", "type": "https", "settings": { "url": url.replace("/hook", "/gone") } });
    let _ = admin
        .post("audit-logs/integrations", stream)
        .await
        .expect(201);
    let refused = json!({ "event": "budget_alert", "url": url, "filter": "impact=high" });
    let refused = admin
        .post("intelligence/webhooks", refused)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "filter");

    // The bill of sixty days is put there twice: it is the same bill.
    let folder = home.path().join("charges");
    fs::create_dir_all(&folder).unwrap();
    let (text, _) = bill();
    for name in ["bill", "again"] {
        fs::write(folder.join("part"), &text).unwrap();
        fs::rename(folder.join("part"), folder.join(format!("{name}.csv"))).unwrap();
    }

    let budget = |amount: u32| json!({ "name": "All", "amount": amount, "currency": "USD", "period": "year", "thresholds": [{ "percent": 100, "basis": "forecast" }] });
    let path = format!(
        "budgets/{}",
        admin
            .post("budgets", budget(100))
            .await
            .expect(201)
            .text_at("/id")
    );

    let delivered = until("the budget alert", PATIENCE, || async {
        verified(&received, &secret, "budget_alert")
            .into_iter()
            .next()
    })
    .await;

    let alert = admin.get("budgets/alerts").await.expect(200).items()[0].clone();
    assert_eq!(
        delivered["data"], alert,
        "the record as the interface gives it"
    );

    let standing = admin.get(&path).await.expect(200).body["standing"].clone();
    assert_eq!(
        standing["spent"],
        json!(counted_once(&text)),
        "an overlapping bill is not counted twice"
    );

    let _ = admin.put(&path, budget(1_000_000)).await.expect(200);
    let _ = admin.delete(&path).await.expect(204);
    verify(&admin, "configuration", EMITTED).await;
}

/// Charges in US dollars of the present year.
fn counted_once(text: &str) -> f64 {
    let year = format!(
        "USD,{}",
        jiff::Timestamp::now()
            .to_zoned(jiff::tz::TimeZone::UTC)
            .year()
    );
    let amounts = text.lines().filter(|line| line.contains(&year));

    amounts
        .map(|line| line.split(',').next().unwrap().parse::<f64>().unwrap())
        .sum()
}
