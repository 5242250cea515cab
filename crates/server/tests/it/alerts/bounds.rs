//! A source that floods a rule with groups: memory stays bounded, the rule says so, and it still
//! fires.

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use super::{PATH, PATIENCE};

/// Groups that a rule counts apart.
const MOST_GROUPS: usize = 10_000;

/// Makes a rule that groups by what a source chooses, and floods it. Returns the rule's identifier.
pub(crate) async fn flood(admin: &Api) -> String {
    let rule = json!({
        "name": "Agents", "condition": "event_type:test.flood", "threshold": { "count": 2, "window": "1h" },
        "group_by": "actor.user_agent", "severity": "high",
    });
    let id = admin.post(PATH, rule).await.expect(201).text_at("/id");

    for page in 0..=MOST_GROUPS / 1_000 {
        let agent = |n: usize| json!({ "event_type": "test.flood", "actor": { "user_agent": format!("agent {page}/{n}") } });
        let batch: Vec<Value> = (0..1_000).map(agent).collect();
        let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    }

    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flooded_rule_is_shown_as_degraded_and_still_fires() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let alarm = admin
        .post(
            &format!("{PATH}/ready/reeve-alert-degraded/enable"),
            json!({}),
        )
        .await
        .expect(200);

    let id = flood(&admin).await;
    let degraded = until("the rule is degraded", PATIENCE, || async {
        let rule = admin.get(&format!("{PATH}/{id}")).await.expect(200).body;
        rule.get("degraded").cloned()
    })
    .await;
    assert_eq!(degraded["bound"], "groups");

    let listed = admin.get(PATH).await.expect(200);
    let shown: Vec<_> = listed
        .items()
        .iter()
        .filter(|rule| rule.get("degraded").is_some())
        .collect();

    assert_eq!(
        shown.iter().map(|rule| &rule["id"]).collect::<Vec<_>>(),
        [&json!(id)]
    );

    let diagnosis = admin
        .get(&format!("{PATH}/{id}/diagnosis"))
        .await
        .expect(200);
    let check = diagnosis.body["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["check"] == "bounds")
        .unwrap();
    assert_eq!(check["ok"], false, "{check}");

    assert!(
        check["detail"]
            .as_str()
            .unwrap()
            .contains("more groups than are counted apart"),
        "{check}"
    );

    // The groups beyond the bound are counted together, so that a flood hides nothing.
    let firings = until("the firing of the further groups", PATIENCE, || async {
        let firings = admin
            .get(&format!("{PATH}/firings?rule_id={id}"))
            .await
            .expect(200)
            .items()
            .to_vec();
        (!firings.is_empty()).then_some(firings)
    })
    .await;

    assert_eq!(
        firings[0]["group"],
        json!({ "actor.user_agent": "(further groups)" })
    );
    until("the alarm", PATIENCE, || async {
        let path = format!("{PATH}/firings?rule_id={}", alarm.text_at("/id"));
        (admin.get(&path).await.expect(200).items().len() == 1).then_some(())
    })
    .await;
    let search = json!({ "query": "event_type:audit.alert.degrade" });
    assert_eq!(
        admin
            .post("audit-logs/search", search)
            .await
            .expect(200)
            .body["total"],
        1,
        "told once"
    );
}
