//! Agents run side by side: a run that takes long delays no other agent.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use reeve_estate::ResourceKind;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use serde_json::{Value, json};

use crate::account::connect;
use crate::made_up::Running;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// A door that a judgement waits at.
#[derive(Default)]
struct Door {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Door {
    fn pass(&self) {
        let mut is_open = self.is_open.lock();
        self.opened.wait_while(&mut is_open, |is_open| !*is_open);
    }

    fn open(&self) {
        *self.is_open.lock() = true;
        self.opened.notify_all();
    }
}

/// Opens the door at the end of a test, also of one that fails: nothing ends while a judgement
/// waits.
struct OpenedAtEnd(Arc<Door>);

impl Drop for OpenedAtEnd {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Judges machines behind a door; without one, at once.
struct Judge {
    info: AgentTypeInfo,
    door: Option<Arc<Door>>,
}

impl Judge {
    fn row(name: &'static str, door: Option<Arc<Door>>) -> Arc<dyn AgentDefinition> {
        let info = AgentTypeInfo {
            agent_type: AgentType::named(name),
            description: "Judges machines.",
            capabilities: &[],
            actions: &[],
            settings: &[],
            findings: Some(FindingSource::Runs),
        };
        Arc::new(Judge { info, door })
    }
}

impl AgentDefinition for Judge {
    fn info(&self) -> &AgentTypeInfo {
        &self.info
    }

    fn needs(&self, _: &AgentSettings) -> Needs {
        Needs {
            kinds: vec![ResourceKind::VirtualMachine],
            ..Needs::default()
        }
    }

    fn judge(&self, _: &Facts<'_>) -> Judgement {
        if let Some(door) = &self.door {
            door.pass();
        }
        Judgement::default()
    }
}

async fn status(admin: &Api, id: &str) -> Value {
    let agent = admin.get(&format!("intelligence/agents/{id}")).await;
    agent.expect(200).body["status"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_runs_while_another_one_takes_long() {
    let moto = Moto::start().await.unwrap();
    moto.machines(REGION, "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap();
    let home = tempfile::tempdir().unwrap();
    let door = Arc::new(Door::default());
    let slow = Judge::row("slow_judge", Some(door.clone()));
    let service = Running::with(home.path(), vec![slow, Judge::row("quick_judge", None)]).await;
    let _opened = OpenedAtEnd(door.clone());
    let admin = &service.api;

    let _ = connect(admin, moto.endpoint()).await;

    let create = async |agent_type: &str| {
        let agent = json!({ "agent_type": agent_type, "name": agent_type });
        let made = admin.post("intelligence/agents", agent).await.expect(201);
        made.body["id"].as_str().unwrap().to_owned()
    };
    let slow = create("slow_judge").await;
    until("the slow agent runs", PATIENCE, || async {
        (status(admin, &slow).await["state"] == "running").then_some(())
    })
    .await;

    let quick = create("quick_judge").await;
    let run = until("the quick agent has run", PATIENCE, || async {
        let run = status(admin, &quick).await["last_run"].clone();
        (!run.is_null()).then_some(run)
    })
    .await;
    assert_eq!(
        (&run["resources_judged"], &run["error"]),
        (&json!(1), &Value::Null)
    );
    let still = status(admin, &slow).await;
    assert_eq!(
        (&still["state"], &still["last_run"]),
        (&json!("running"), &Value::Null)
    );

    door.open();
    until("the slow agent has run", PATIENCE, || async {
        (!status(admin, &slow).await["last_run"].is_null()).then_some(())
    })
    .await;
    service.end().await;
}
