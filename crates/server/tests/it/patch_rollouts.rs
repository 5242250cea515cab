//! Patches by a rollout, from the patch states that a sync reads to the canary, its gates and the
//! rest. The gates of a change that shows in a load need an hour of samples after it, which a test
//! does not wait for: here they hold, and a person goes on.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::found;

const REGION: &str = "us-east-1";
const PATIENCE: Duration = Duration::from_secs(240);

/// A service with an account whose machines lack patches: one in staging, with these further tags,
/// and two in production.
struct Patching {
    service: Service,
    canary: String,
    _moto: Moto,
    _home: tempfile::TempDir,
}

impl Patching {
    async fn serve(of_canary: &[(&str, &str)]) -> Patching {
        let moto = Moto::patching().await.unwrap();
        let mut tags = vec![("missing-patches", "3"), ("env", "staging")];
        tags.extend(of_canary);
        let canary = moto.machines(REGION, "m5.large", 1, &tags).await.unwrap();
        let tags = [("missing-patches", "2"), ("env", "production")];
        let _ = moto.machines(REGION, "m5.large", 2, &tags).await.unwrap();

        let home = tempfile::tempdir().unwrap();
        let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
        let admin = service.admin();
        let _ = connect(&admin, moto.endpoint()).await;
        // Three machines are all that the scope has, and nothing is watched longer than a minute.
        let limits = json!({
            "blast_radius": { "max_share_per_day": "100%" }, "verification": { "window": "1m" },
            "version": admin.get("intelligence/guardrails").await.expect(200).body["version"],
        });
        let _ = admin
            .put("intelligence/guardrails", limits)
            .await
            .expect(200);
        Patching {
            service,
            canary: canary[0].clone(),
            _moto: moto,
            _home: home,
        }
    }

    /// Begins the rollout of all findings; its path.
    async fn begin(&self) -> String {
        let admin = self.service.admin();
        let all = found(&admin, "security_intelligence").await;
        let patches: Vec<&Value> = all
            .iter()
            .filter(|one| one["plan"]["change"]["name"] == "patch_machine")
            .collect();
        assert_eq!(patches.len(), 3, "{all:#?}");
        assert!(patches.iter().all(|one| one["plan"]["reversible"] == false));

        let wanted = json!({
            "agent_id": patches[0]["agent_id"], "type": "patch_management",
            "settings": { "canary": 1, "validation_s": 0, "shares": [], "max_failures": 0 },
        });
        let made = admin
            .post("intelligence/rollouts", wanted)
            .await
            .expect(201);
        format!("intelligence/rollouts/{}", made.text_at("/id"))
    }

    /// Signs what waits for a signature until the rollout has this status; the rollout.
    async fn until_status(&self, path: &str, signer: &Api, status: &str) -> Value {
        let admin = self.service.admin();
        until(&format!("the rollout is {status}"), PATIENCE, || async {
            let waiting = admin
                .get("intelligence/approvals?limit=100")
                .await
                .expect(200);
            let pending = waiting.items().iter();
            for approval in pending.filter(|approval| approval["status"] == "pending") {
                let id = approval["id"].as_str().unwrap();
                let sign = format!("intelligence/approvals/{id}/approve");
                let _ = signer.post(&sign, json!({})).await.expect(200);
            }
            let now = admin.get(path).await.expect(200).body;
            (now["status"] == status).then_some(now)
        })
        .await
    }

    /// Resources on which patches were installed, or were to be.
    async fn changed(&self) -> Vec<Value> {
        let actions = self.service.admin().get("intelligence/actions").await;
        let actions = actions.expect(200);
        let real = actions.items().iter();
        let real = real.filter(|action| action["purpose"] == "apply");
        real.map(|action| json!([action["resource_id"], action["status"]]))
            .collect()
    }
}

/// The last gate: its stage and verdict, and the names of the checks that do not hold.
fn last_gate(rollout: &Value) -> (String, String, Vec<String>) {
    let gate = rollout["gates"].as_array().unwrap().last().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = gate["checks"].as_array().unwrap().iter();
    let failed = checks.filter(|check| check["holds"] == false);
    (
        text(&gate["stage"]),
        text(&gate["verdict"]),
        failed.map(|check| text(&check["check"])).collect(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patches_go_to_a_canary_and_no_further_without_evidence_or_a_person() {
    let patching = Patching::serve(&[]).await;
    let admin = patching.service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let path = patching.begin().await;

    let held = patching.until_status(&path, &manager, "held").await;
    let (stage, verdict, failed) = last_gate(&held);
    assert_eq!((stage.as_str(), verdict.as_str()), ("validation", "held"));
    assert!(
        failed.contains(&"changed without enough data to judge by".to_owned()),
        "{held:#}"
    );
    assert_eq!(held["members"][0]["resource_id"], json!(patching.canary));
    assert_eq!(held["members"][0]["state"], "not_enough_data", "{held:#}");
    let canary = json!([patching.canary, "succeeded"]);
    assert_eq!(patching.changed().await, [canary]);
    let opened: Vec<&Value> = held["gates"].as_array().unwrap().iter().collect();
    assert_eq!(opened[0]["stage"], "simulation");
    assert_eq!(opened[0]["verdict"], "opened");

    // A person goes on: the two in production follow, and are held to the same evidence.
    let why = json!({ "reason": "the canary was tested by hand" });
    let _ = admin.post(&format!("{path}/resume"), why).await.expect(200);
    let held = patching.until_status(&path, &manager, "held").await;
    assert_eq!(last_gate(&held).0, "full", "{held:#}");
    let changed = patching.changed().await;
    assert_eq!(changed.len(), 3, "{changed:?}");
    assert!(changed.iter().all(|one| one[1] == "succeeded"));

    let why = json!({ "reason": "all were tested by hand" });
    let _ = admin.post(&format!("{path}/resume"), why).await.expect(200);
    let _ = patching.until_status(&path, &manager, "completed").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_canary_whose_patches_stay_missing_holds_the_rollout() {
    let patching = Patching::serve(&[("patches-fail", "true")]).await;
    let admin = patching.service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let path = patching.begin().await;

    let held = patching.until_status(&path, &manager, "held").await;
    let (stage, verdict, failed) = last_gate(&held);
    assert_eq!((stage.as_str(), verdict.as_str()), ("canary", "held"));
    assert!(
        failed.contains(&"failed, undone or worse".to_owned()),
        "{held:#}"
    );
    let canary = &held["members"][0];
    assert_eq!(canary["state"], "failed", "{held:#}");
    let detail = canary["detail"].as_str().unwrap();
    assert!(detail.contains("3 patches are missing"), "{detail}");
    let canary = json!([patching.canary, "aborted"]);
    assert_eq!(
        patching.changed().await,
        [canary],
        "production is untouched"
    );
}
