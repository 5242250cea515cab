//! Quarantine over HTTP: a machine whose own credentials stop the log, from an address on a threat
//! list, is cut off at once by an agent that has the permission, and let back by a person.

use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::moto::{EC2, Moto};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Returns a call with the credentials of a machine, as the CloudTrail importer writes it.
fn call(machine: &str, operation: &str, address: &str) -> Value {
    json!({
        "event_type": "api.call",
        "timestamp": jiff::Timestamp::now().to_string(),
        "actor": { "type": "role", "id": format!("web/{machine}"), "ip_address": address },
        "action": { "operation": operation, "status": "success", "method": "api" },
        "metadata": { "cloudtrail": {
            "eventSource": "cloudtrail.amazonaws.com",
            "userIdentity": { "type": "AssumedRole", "sessionContext": { "ec2RoleDelivery": "2.0" } },
        } },
    })
}

/// A machine of a real peer, which an agent watches that may act.
pub(crate) struct Watched {
    pub(crate) service: Service,
    pub(crate) machine: String,
    moto: Moto,
    /// Security group that the machine has.
    own: String,
    _home: tempfile::TempDir,
}

impl Watched {
    /// Serves with these variables; receivers and peers stand on this machine.
    pub(crate) async fn serve(variables: &[(&str, &str)]) -> Watched {
        let moto = Moto::start().await.unwrap();
        let machine = moto
            .machines(REGION, "m5.large", 1, &[("Name", "web")])
            .await
            .unwrap()
            .remove(0);

        let own = moto
            .security_group(REGION, &moto.network(REGION).await.unwrap().0, "web")
            .await
            .unwrap();
        let given = [("InstanceId", machine.as_str()), ("GroupId.1", &own)]
            .map(|(k, v)| (k.to_owned(), v.to_owned()));
        moto.query(&EC2, REGION, "ModifyInstanceAttribute", &given)
            .await
            .unwrap();
        let home = tempfile::tempdir().unwrap();
        let service = Service::serve(home.path(), variables).unwrap();
        let watched = Watched {
            service,
            machine,
            moto,
            own,
            _home: home,
        };
        assert!(watched.groups().await.contains(&watched.own));

        watched.configure().await;
        watched
    }

    /// Connects the account, and has an agent act on its own.
    async fn configure(&self) {
        let admin = self.service.admin();
        let connection = json!({
            "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": self.moto.endpoint(), "allow_actions": true,
            "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
        });
        let connection = admin
            .post("connections", connection)
            .await
            .expect(201)
            .text_at("/id");

        until("the first sync", PATIENCE, || async {
            (admin
                .get(&format!("connections/{connection}"))
                .await
                .expect(200)
                .body["status"]
                == "ready")
                .then_some(())
        })
        .await;

        let agent = json!({
            "agent_type": "security_intelligence", "name": "Watch", "mode": "active", "reason": "a test",
            "auto_apply": { "enabled": true, "max_impact": "high" },
            "notifications": { "recommendations": "never", "actions_taken": "immediate", "anomalies": "immediate" },
        });
        let _ = admin.post("intelligence/agents", agent).await.expect(201);
        let _ = admin
            .put(
                "intelligence/threat-lists/mine",
                json!({ "indicators": "203.0.113.7" }),
            )
            .await
            .expect(200);
    }

    /// The machine as the cloud describes it.
    async fn groups(&self) -> String {
        let one = [("InstanceId.1".to_owned(), self.machine.clone())];
        self.moto
            .query(&EC2, REGION, "DescribeInstances", &one)
            .await
            .unwrap()
    }

    /// Credentials of the machine stop the log, from an address on the list.
    pub(crate) async fn take_over(&self) {
        let admin = self.service.admin();
        let usual: Vec<Value> = (0..200)
            .map(|_| call(&self.machine, "DescribeTrails", "198.51.100.9"))
            .collect();
        let _ = admin.post("audit-logs", json!(usual)).await.expect(201);
        let _ = admin
            .post(
                "audit-logs",
                json!([call(&self.machine, "StopLogging", "203.0.113.7")]),
            )
            .await
            .expect(201);
    }

    /// Waits until the machine is cut off; returns the action.
    pub(crate) async fn cut_off(&self) -> String {
        let admin = self.service.admin();
        let done = until("the isolation", PATIENCE, async || {
            let all = admin.get("intelligence/recommendations").await.expect(200);
            all.items()
                .iter()
                .find(|one| one["type"] == "security_group" && one["status"] == "succeeded")
                .cloned()
        })
        .await;

        assert_eq!(
            (&done["resource"]["id"], &done["impact_level"]),
            (&json!(self.machine), &json!("high")),
            "{done}"
        );

        let actions = admin.get("intelligence/actions").await.expect(200);
        actions.items()[0]["id"].as_str().unwrap().to_owned()
    }

    /// Has a person roll the action back, and waits for it.
    pub(crate) async fn release(&self, action: &str) {
        let admin = self.service.admin();
        let _ = admin
            .post(
                &format!("intelligence/actions/{action}/rollback"),
                json!({}),
            )
            .await;

        until("the release", PATIENCE, async || {
            let one = admin
                .get(&format!("intelligence/actions/{action}"))
                .await
                .expect(200);
            (one.body["status"] == "rolled_back").then_some(())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_that_was_taken_over_is_cut_off_and_let_back() {
    let watched = Watched::serve(&[EMULATORS]).await;
    let (admin, machine) = (watched.service.admin(), &watched.machine);
    watched.take_over().await;
    let answered = until(
        "the anomaly of the machine, answered",
        PATIENCE,
        async || {
            let all = admin
                .get(&format!(
                    "intelligence/anomalies?type=security&resource={machine}"
                ))
                .await
                .expect(200);
            let critical = all
                .items()
                .iter()
                .find(|one| one["severity"] == "critical")?
                .clone();
            (critical["responses"]
                .as_array()?
                .iter()
                .any(|one| one["stage"] == "execute"))
            .then_some(critical)
        },
    )
    .await;

    let executed = answered["responses"]
        .as_array()
        .unwrap()
        .iter()
        .rfind(|one| one["stage"] == "execute")
        .unwrap();

    assert!(
        executed["detail"].as_str().unwrap().ends_with("has begun"),
        "{answered}"
    );

    let action = watched.cut_off().await;
    let groups = watched.groups().await;
    assert!(
        groups.contains("reeve-quarantine") && !groups.contains(&watched.own),
        "{groups}"
    );
    watched.release(&action).await;
    let back = watched.groups().await;
    assert!(
        back.contains(&watched.own) && !back.contains("reeve-quarantine"),
        "{back}"
    );
}
