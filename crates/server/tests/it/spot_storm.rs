//! A storm of notices over a strict account: each machine gets one successor or the reason is said,
//! within the two minutes of a notice.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{EMULATORS, Service};
use reeve_testkit::spot_cloud::{Launch, SpotCloud, SpotCloudSize};
use serde_json::{Value, json};

use crate::account::connect;

const MACHINES: usize = 150;
const STORM: usize = 36;
/// Time between a notice and the end of its machine.
const NOTICE: Duration = Duration::from_secs(120);

/// Connects the account with its queue, after a sync that found every machine.
async fn connected(admin: &Api, cloud: &SpotCloud) {
    let connection = connect(admin, cloud.endpoint()).await;
    let query = format!("resources?connection={connection}&type=virtual_machine&limit=1");
    let found = admin.get(&query).await.expect(200).body;
    assert_eq!(found["total"], MACHINES, "{found:#}");
    let notices = format!("connections/{connection}/spot-notices");
    let _ = admin
        .put(&notices, json!({ "queue_url": cloud.queue() }))
        .await
        .expect(200);
}

/// An agent that may answer so many notices an hour.
async fn agent(admin: &Api, acts_per_hour: u64) {
    let agent = json!({
        "agent_type": "spot_optimizer", "name": "Spot", "mode": "active", "reason": "a test",
        "confidence_threshold": "70%", "auto_apply": { "enabled": true, "max_impact": "low" },
        "settings": { "emergency": { "share_of_group": "100%", "acts_per_hour": acts_per_hour } },
    });
    let made = admin.post("intelligence/agents", agent).await.expect(201);
    let agent = made.text_at("/id");
    let until = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let approval = json!({ "rule": "auto_fallback", "until": until, "reason": "two minutes" });
    let _ = admin
        .post(
            &format!("intelligence/agents/{agent}/standing-approvals"),
            approval,
        )
        .await
        .expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_notice_of_a_storm_is_acted_on_once_or_says_why_not() {
    const ALLOWED: usize = 30;
    let home = tempfile::tempdir().unwrap();
    let cloud = SpotCloud::serve(SpotCloudSize {
        machines: MACHINES,
        target_groups: 6,
        launches: (1000.0, 5.0),
        starts_in: Duration::from_millis(500),
    })
    .await
    .unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    connected(&admin, &cloud).await;
    agent(&admin, ALLOWED as u64).await;

    let begun = Instant::now();
    cloud.interrupt(0..STORM);
    until("as many as allowed are replaced", NOTICE, || async {
        let serves = |one: &&Launch| cloud.served_at(&one.successor).is_some();
        (cloud.launches().iter().filter(serves).count() >= ALLOWED).then_some(())
    })
    .await;
    assert!(begun.elapsed() < NOTICE, "{:?}", begun.elapsed());

    // Once each, and every successor serves.
    let mut launched: BTreeMap<String, usize> = BTreeMap::new();
    for launch in cloud.launches() {
        *launched.entry(launch.replaces).or_default() += 1;
        assert!(
            cloud.served_at(&launch.successor).is_some(),
            "{} serves",
            launch.successor
        );
    }
    assert_eq!(launched.len(), ALLOWED);
    assert!(launched.values().all(|count| *count == 1), "{launched:?}");

    // The others say which limit was reached.
    let open = "intelligence/recommendations?status=open&type=spot_instances&limit=100";
    let left = until("the others are left to people", NOTICE, || async {
        let found = admin.get(open).await.expect(200);
        let blocked: Vec<Value> = found
            .items()
            .iter()
            .filter(|one| one["blocked"].is_string())
            .cloned()
            .collect();
        (blocked.len() == STORM - ALLOWED).then_some(blocked)
    })
    .await;
    for one in left {
        assert!(
            one.to_string().contains("emergency limit reached"),
            "{one:#}"
        );
    }
    assert_eq!(cloud.waiting(), 0, "every message is deleted");
    let (calls, _) = cloud.calls();
    assert!(
        calls["DeleteMessageBatch"] <= calls["ReceiveMessage"],
        "messages are deleted together: {calls:?}"
    );
}
