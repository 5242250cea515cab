//! Actions in progress while the active server is killed or frozen: the standby finishes each, and
//! the cloud is asked once.
//!
//! The worst moment is between the cloud's change and its answer. A relay before the cloud holds
//! the answer back until the active server is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service, verify};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{PATIENCE, is_standby, takeovers};
use crate::account::connect;
use crate::tagging::{described, run};

const REGION: &str = "us-east-1";
/// Request that changes something in the cloud.
const CHANGE: &[u8] = b"Action=CreateTags";

/// A relay between the service and the cloud.
#[derive(Default)]
struct Relay {
    /// Bytes of the requests, by connection.
    requests: Mutex<Vec<Vec<u8>>>,
    /// `true` while answers to changes are held back.
    holds: AtomicBool,
}

impl Relay {
    /// Starts a relay to an address; its own.
    async fn start(self: &Arc<Self>, cloud: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (relay, cloud) = (
            Arc::clone(self),
            cloud.trim_start_matches("http://").to_owned(),
        );
        tokio::spawn(async move {
            while let Ok((service, _)) = listener.accept().await {
                let cloud = TcpStream::connect(&cloud).await.unwrap();
                tokio::spawn(Arc::clone(&relay).pass(service, cloud));
            }
        });

        format!("http://{address}")
    }

    async fn pass(self: Arc<Self>, service: TcpStream, cloud: TcpStream) {
        let number = {
            let mut requests = self.requests.lock();
            requests.push(Vec::new());
            requests.len() - 1
        };
        let ((mut asked, mut answered), (mut answers, mut questions)) =
            (service.into_split(), cloud.into_split());
        let relay = Arc::clone(&self);
        let back = tokio::spawn(async move {
            let mut piece = vec![0; 65_536];
            while let Ok(count @ 1..) = answers.read(&mut piece).await {
                while relay.holds.load(Ordering::SeqCst)
                    && contains(&relay.requests.lock()[number], CHANGE)
                {
                    tokio::task::yield_now().await;
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
                if answered.write_all(&piece[..count]).await.is_err() {
                    break;
                }
            }
        });

        let mut piece = vec![0; 65_536];
        while let Ok(count @ 1..) = asked.read(&mut piece).await {
            self.requests.lock()[number].extend_from_slice(&piece[..count]);
            if questions.write_all(&piece[..count]).await.is_err() {
                break;
            }
        }

        drop(questions);
        let _ = back.await;
    }

    /// Number of changes that were asked of the cloud for a machine.
    fn changes(&self, machine: &str) -> usize {
        let requests = self.requests.lock();
        let of = |bytes: &Vec<u8>| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.split("POST ")
                .filter(|one| one.contains("Action=CreateTags") && one.contains(machine))
                .count()
        };

        requests.iter().map(of).sum()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// The recommendation to tag a machine.
async fn tagging(admin: &Api, machine: &str) -> Value {
    let found = admin
        .get("intelligence/recommendations?limit=200")
        .await
        .expect(200);
    let is_wanted =
        |one: &&Value| one["kind"] == "resource_tagging" && one["resource"]["id"] == machine;
    found
        .items()
        .iter()
        .find(is_wanted)
        .unwrap_or_else(|| panic!("{machine}: {}", found.text))
        .clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_in_progress_is_finished_by_the_standby_and_done_once() {
    let rounds = takeovers();
    let moto = Moto::start().await.unwrap();
    let machines = moto
        .machines(REGION, "m5.large", rounds, &[("Name", "web")])
        .await
        .unwrap();

    for machine in &machines {
        let _ = moto
            .volume(REGION, "gp3", 40, Some(machine), &[("Owner", "payments")])
            .await
            .unwrap();
    }

    let relay = Arc::new(Relay::default());
    let endpoint = relay.start(moto.endpoint()).await;
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let mut active = Service::serve(&data, &[EMULATORS]).unwrap();
    let _ = connect(&active.admin(), &endpoint).await;
    let report = run(&active.admin(), "Owner").await;
    assert_eq!(report["error"], Value::Null, "{report}");

    for (round, machine) in machines.iter().enumerate() {
        let standby = Service::serve(&data, &[EMULATORS]).unwrap();
        let recommendation = tagging(&active.admin(), machine).await;
        let path = format!(
            "intelligence/recommendations/{}/execute",
            recommendation["id"].as_str().unwrap()
        );
        relay.holds.store(true, Ordering::SeqCst);
        let begun = active
            .admin()
            .post(
                &path,
                json!({ "plan_hash": recommendation["plan"]["hash"] }),
            )
            .await;
        assert!(begun.status < 300, "{}", begun.text);
        until("the change in the cloud", PATIENCE, || async {
            described(&moto, machine)
                .await
                .contains("<key>Owner</key>")
                .then_some(())
        })
        .await;
        if round % 2 == 0 {
            active.kill().unwrap();
        } else {
            active.freeze().unwrap();
        }
        until("the takeover", PATIENCE, || async {
            (is_standby(standby.url()).await == Some(false)).then_some(())
        })
        .await;
        relay.holds.store(false, Ordering::SeqCst);
        active = standby;
        finished(&active.admin(), &recommendation).await;
        assert_eq!(relay.changes(machine), 1, "{machine} was tagged once");
    }

    assert!(active.stop().unwrap().0.success());

    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
}

/// Waits until the action of a recommendation has succeeded, and looks at the log: each step is
/// done once.
async fn finished(admin: &Api, recommendation: &Value) {
    let id = recommendation["id"].as_str().unwrap();
    let action = until("the action's end", PATIENCE, || async {
        let actions = admin
            .get("intelligence/actions?limit=200")
            .await
            .expect(200);
        let action = actions
            .items()
            .iter()
            .find(|one| one["recommendation_id"] == id && one["purpose"] == "apply")?;
        (!["running", "rolling_back", "pending"].contains(&action["status"].as_str()?))
            .then(|| action.clone())
    })
    .await;
    assert_eq!(action["status"], "succeeded", "{action}");

    let story = admin
        .get(&format!(
            "audit-logs?query=metadata.recommendation_id:{id}&limit=200"
        ))
        .await
        .expect(200);

    for operation in [
        "precondition",
        "tag",
        "verify",
        "action.resume",
        "action.succeed",
        "recommendation.succeed",
    ] {
        let is_done = |entry: &&Value| {
            let status = if operation == "action.resume" {
                "pending"
            } else {
                "success"
            };
            entry["action"]["operation"] == operation && entry["action"]["status"] == status
        };
        assert_eq!(
            story.items().iter().filter(is_done).count(),
            1,
            "{operation} once: {}",
            story.text
        );
    }
}
