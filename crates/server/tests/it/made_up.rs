//! An agent type, a change and a kind of resource that exist in this test alone, from facts over
//! HTTP to a rolled-back action: whatever they need, the service offers by the contracts of agent
//! types, changes and readers, and nothing else is touched.

mod tape_inspector;
mod tape_librarian;
mod tape_library;
mod tape_speed;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Kinds, Metric, PriceCatalogue, Resource, SampleSeries};
use reeve_recommend::agent::contract::{AgentDefinition, AgentTypes};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::{
    Agent, AgentId, AgentScope, AgentType, AutoApply, Impact, Mode, Notifications, Timing,
};
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::models::{Material, calibrator_from};
use reeve_server::Startup;
use reeve_testkit::contract::estate;
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{EC2, Moto, SNS};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use tape_inspector::TapeInspector;
use tape_librarian::TapeLibrarian;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const TOKEN: &str = "the-administrator-of-the-made-up-type";

/// A service in this process, with made-up agent types beside the nine of Reeve.
pub(crate) struct Running {
    pub(crate) api: Api,
    stop: CancellationToken,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Running {
    async fn start(home: &Path) -> Running {
        Running::with(home, vec![Arc::new(TapeLibrarian), Arc::new(TapeInspector)]).await
    }

    pub(crate) async fn with(home: &Path, made_up: Vec<Arc<dyn AgentDefinition>>) -> Running {
        let config = home.join("reeve.toml");
        let text = format!(
            "data_dir = {:?}\nlisten = \"127.0.0.1:0\"\noutbound = {{ allow = [\"127.0.0.0/8\"] }}\n",
            home.join("data")
        );
        std::fs::write(&config, text).unwrap();
        let mut rows = reeve_agents::rows();
        rows.extend(made_up);
        let stop = CancellationToken::new();
        let (bound, address) = tokio::sync::oneshot::channel::<SocketAddr>();
        let startup = Startup {
            config,
            changes: ChangeRegistry::builtin()
                .with(tape_librarian::CHANGE)
                .with(tape_inspector::change()),
            agent_types: AgentTypes::new(rows),
            kinds: Kinds::builtin().clone().with(tape_library::info()),
            metrics: vec![tape_librarian::SPEED],
            readers: vec![Arc::new(tape_library::TapeLibraries::default())],
            admin_token: Some(TOKEN.to_owned()),
            stop: stop.clone(),
        };

        let task = tokio::spawn(reeve_server::serve(startup, move |address| {
            bound.send(address).unwrap_or_default()
        }));
        let Ok(address) = address.await else {
            panic!("the service did not start: {:?}", task.await.unwrap());
        };

        Running {
            api: Api::new(&format!("http://{address}")).with_token(TOKEN),
            stop,
            task,
        }
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

/// An agent of the type with its threshold, as a person configures it.
fn agent(threshold: &str) -> Value {
    json!({
        "agent_type": "tape_librarian", "name": "Librarian", "mode": "safe_mode", "reason": "a test",
        "settings": { "rewind_tapes": { "cpu_below": threshold } },
    })
}

/// A bill of 12.50 USD for a day of a machine, so many days ago.
fn bill(home: &Path, machine: &str, days_ago: i64) {
    let start = Timestamp::now() - SignedDuration::from_hours(24 * days_ago);
    let end = start + SignedDuration::from_hours(24);
    let header = "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ServiceName,ResourceId";
    let folder = home.join("data/charges");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("{header}\n12.50,USD,{start},{end},Usage,Amazon EC2,{machine}\n");
    std::fs::write(folder.join(format!("{days_ago}.csv")), text).unwrap();
}

/// An entry of another program: somebody read the tape of a machine.
fn read_tape(machine: &str, days_ago: i64) -> Value {
    json!({
        "event_type": "resource.modify",
        "timestamp": (Timestamp::now() - SignedDuration::from_hours(24 * days_ago)).to_string(),
        "actor": { "type": "user", "id": "ann" },
        "resource": { "type": "virtual_machine", "id": machine },
        "action": { "operation": "read_tape", "status": "success", "method": "api" },
    })
}

/// Reasons of a report with their counts.
fn reasons(skipped: &Value) -> Vec<(&str, u64)> {
    let of = |one: &'_ Value| one["count"].as_u64().unwrap_or_default();
    let all = skipped.as_array().into_iter().flatten();
    all.map(|one| (one["reason"].as_str().unwrap_or_default(), of(one)))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_made_up_agent_type_goes_from_facts_to_a_rolled_back_action() {
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "tape")])
        .await
        .unwrap()
        .remove(0);
    let home = tempfile::tempdir().unwrap();
    let service = Running::start(home.path()).await;
    let admin = &service.api;

    let types = admin.get("intelligence/agent-types").await.expect(200);
    let listed = types
        .items()
        .iter()
        .find(|one| one["name"] == "tape_librarian")
        .unwrap();

    assert_eq!(
        (&listed["available"], &listed["findings"]),
        (&json!(true), &json!("runs")),
        "{listed}"
    );

    assert_eq!(
        listed["configurable"][0]["path"], "rewind_tapes.cpu_below",
        "{listed}"
    );

    let refused = admin
        .post("intelligence/agents", agent("200%"))
        .await
        .expect(422);
    assert_eq!(
        refused.body["errors"][0]["field"], "settings.rewind_tapes.cpu_below",
        "{}",
        refused.body
    );

    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(), "allow_actions": true,
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

    tape_library::is_a_kind_like_any_other(admin, &connection).await;

    // Its setting decides: below the threshold of the first agent nothing is found.
    let strict = admin
        .post("intelligence/agents", agent("1%"))
        .await
        .expect(201)
        .text_at("/id");

    let report = admin
        .post(&format!("intelligence/agents/{strict}/run"), json!({}))
        .await
        .expect(200);
    assert_eq!(report.body["recommendations"], 0, "{}", report.body);

    let skipped = &report.body["skipped"];
    assert_eq!(reasons(skipped), [("not_rewound", 1)]);

    let named = skipped[0]["resources"].as_array().unwrap();
    assert_eq!(
        (&skipped[0]["of"], named.len()),
        (&json!("resources"), 1),
        "{skipped}"
    );
    assert_eq!(named[0]["id"], machine.as_str(), "{skipped}");

    let changed = json!({ "settings": { "rewind_tapes": { "cpu_below": "40%" } } });
    let changed = admin
        .patch(&format!("intelligence/agents/{strict}"), changed)
        .await
        .expect(200);
    assert_eq!(
        changed.body["settings"],
        json!({ "rewind_tapes": { "cpu_below": "40%" } })
    );

    // So do the charges and the activity that it names, each over its days.
    let run = format!("intelligence/agents/{strict}/run");
    let skipped = async || admin.post(&run, json!({})).await.expect(200).body["skipped"].clone();
    assert_eq!(reasons(&skipped().await), [("not_billed", 1)]);
    bill(home.path(), &machine, 40);
    assert_eq!(
        reasons(&skipped().await),
        [("not_billed", 1)],
        "its bill is too old"
    );
    bill(home.path(), &machine, 5);
    assert_eq!(reasons(&skipped().await), [("not_read", 1)]);

    let batch = json!([read_tape(&machine, 10), read_tape("i-0123456789abcdef0", 1)]);
    let _ = admin.post("audit-logs", batch).await.expect(201);
    assert_eq!(
        reasons(&skipped().await),
        [("not_read", 1)],
        "too long ago, or another machine"
    );

    let _ = admin
        .post(
            "audit-logs",
            json!([read_tape(&machine, 2), read_tape(&machine, 1)]),
        )
        .await
        .expect(201);

    // And so does a metric that this test alone has: it is in the table, metric sources map series to
    // it, and its samples are read.
    assert_eq!(reasons(&skipped().await), [("not_measured", 1)]);
    let tables = admin.get("metrics").await.expect(200).body;
    let metrics = tables["metrics"].as_array().unwrap();
    let speed = metrics.iter().find(|one| one["metric"] == "tape_speed");
    assert_eq!(
        (&speed.unwrap()["label"], &speed.unwrap()["unit"]),
        (&json!("Tape speed"), &json!("per_second"))
    );
    tape_speed::push(admin, &machine, 2.5).await;
    let samples = format!("resources/{machine}/samples?metrics=tape_speed");
    let samples = admin.get(&samples).await.expect(200).body;
    assert_eq!(samples["series"][0]["metric"], "tape_speed", "{samples}");

    let report = admin.post(&run, json!({})).await.expect(200);
    assert_eq!(report.body["recommendations"], 1, "{}", report.body);

    let all = admin
        .get(&format!("intelligence/recommendations?agent={strict}"))
        .await
        .expect(200);
    let found = all.items()[0].clone();
    assert_eq!(
        (&found["agent_type"], &found["origin"]["rule"]),
        (&json!("tape_librarian"), &json!("rewind_tapes"))
    );
    assert_eq!(found["resource"]["id"], json!(machine));

    let factors = found["explanation"]["explanation"]["factors"].to_string();
    assert!(
        factors.contains("billed 12.50 in 30 days and read 2 times in 7 days"),
        "{found}"
    );
    assert!(factors.contains("Tape speed was 2.5 per second"), "{found}");

    let id = found["id"].as_str().unwrap().to_owned();
    let hash = found["plan"]["hash"].clone();
    let asked = admin
        .post(
            &format!("intelligence/recommendations/{id}/execute"),
            json!({ "plan_hash": hash }),
        )
        .await;
    assert!([200, 202].contains(&asked.status), "{}", asked.body);

    let ended = until("the rollback", PATIENCE, async || {
        let one = admin
            .get(&format!("intelligence/recommendations/{id}"))
            .await
            .expect(200);
        ["rolled_back", "failed", "succeeded"]
            .contains(&one.body["status"].as_str()?)
            .then_some(one.body)
    })
    .await;
    assert_eq!(ended["status"], "rolled_back", "{ended}");

    let actions = admin.get("intelligence/actions").await.expect(200);
    let action = &actions.items()[0];
    assert_eq!(action["status"], "rolled_back", "{action}");

    assert!(
        action["reason"]
            .as_str()
            .unwrap()
            .contains("did not take effect"),
        "{action}"
    );

    let one = [("InstanceId.1".to_owned(), machine.clone())];
    let seen = moto
        .query(&EC2, REGION, "DescribeInstances", &one)
        .await
        .unwrap();
    assert!(
        seen.contains("<name>running</name>"),
        "the machine that was stopped runs again: {seen}"
    );

    let story = admin
        .get(&format!("audit-logs?query=metadata.recommendation_id:{id}"))
        .await
        .expect(200);
    let operations: Vec<&str> = story
        .items()
        .iter()
        .filter_map(|entry| entry["action"]["operation"].as_str())
        .collect();

    assert!(
        operations
            .iter()
            .any(|operation| operation.starts_with("rollback.")),
        "{operations:?}"
    );

    assert!(
        story
            .items()
            .iter()
            .any(|entry| entry["metadata"]["agent_type"] == "tape_librarian")
    );

    service.end().await;
}

/// The display name of a topic as moto has it.
async fn name_of(moto: &Moto, topic: &str) -> String {
    let one = [("TopicArn".to_owned(), topic.to_owned())];
    let answer = moto
        .query(&SNS, REGION, "GetTopicAttributes", &one)
        .await
        .unwrap();
    let (_, rest) = answer.split_once("<key>DisplayName</key>").unwrap();
    let own = rest.split("</entry>").next().unwrap();
    let value = own.split_once("<value>").map_or("", |(_, value)| value);
    value.split("</value>").next().unwrap().to_owned()
}

/// Facts, a setting in minutes, evidence, a judgement of the estate, a run that a sync wakes, and a
/// change that is data: a type brings all of them along in its own folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_made_up_agent_type_brings_facts_evidence_and_a_change_as_data() {
    let moto = Moto::start().await.unwrap();
    let made = |name: &str| {
        let name = [("Name".to_owned(), name.to_owned())];
        let moto = &moto;
        async move {
            moto.query(&SNS, REGION, "CreateTopic", &name)
                .await
                .unwrap()
        }
    };
    made("tapes").await;
    let topic = format!("arn:aws:sns:{REGION}:123456789012:tapes");
    let home = tempfile::tempdir().unwrap();
    let service = Running::start(home.path()).await;
    let admin = &service.api;

    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(), "allow_actions": true,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let connection = admin.post("connections", connection).await.expect(201);
    let connection = format!("connections/{}", connection.text_at("/id"));
    until("the first sync", PATIENCE, || async {
        let now = admin.get(&connection).await.expect(200).body;
        (now["status"] == "ready").then_some(())
    })
    .await;

    // Its setting decides: a topic may be without a name for a while.
    let agent = json!({
        "agent_type": "tape_inspector", "name": "Inspector", "mode": "safe_mode", "reason": "a test",
        "settings": { "inspect": { "patience": "2h" } },
    });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    assert_eq!(agent.body["settings"]["inspect"]["patience"], "120m");
    let agent = format!("intelligence/agents/{}", agent.text_at("/id"));
    let run = format!("{agent}/run");
    let report = admin.post(&run, json!({})).await.expect(200).body;
    assert_eq!(reasons(&report["skipped"]), [("waits", 1)], "{report:#}");
    let patch = json!({ "settings": { "inspect": { "patience": "30m" } } });
    let _ = admin.patch(&agent, patch).await.expect(200);
    let report = admin.post(&run, json!({})).await.expect(200).body;
    assert_eq!(report["recommendations"], 1, "{report:#}");

    // Evidence and the judgement of the estate are in the log.
    let recorded = async |query: &str| {
        let found = admin
            .get(&format!("audit-logs?query={query}&limit=100"))
            .await;
        found.expect(200).text.clone()
    };
    let evidence = recorded("event_type:intelligence.evidence").await;
    assert!(evidence.contains(tape_inspector::CHECK), "{evidence}");
    let runs = recorded("action.operation:agent.run").await;
    assert!(runs.contains("\"tapes_counted\":1"), "{runs}");

    // The change is carried out and taken back in the cloud, filled with its own fact.
    let all = admin
        .get("intelligence/recommendations?type=compliance")
        .await;
    let found = all.expect(200).items()[0].clone();
    let path = format!(
        "intelligence/recommendations/{}",
        found["id"].as_str().unwrap()
    );
    let _ = admin
        .post(
            &format!("{path}/execute"),
            json!({ "plan_hash": found["plan"]["hash"] }),
        )
        .await
        .expect(202);
    let status = async || admin.get(&path).await.expect(200).text_at("/status");
    until("it is named", PATIENCE, async || {
        (status().await == "succeeded").then_some(())
    })
    .await;
    assert_eq!(name_of(&moto, &topic).await, "Tapes of shelf 5");
    let actions = admin.get("intelligence/actions").await.expect(200);
    let action = actions.items()[0]["id"].as_str().unwrap().to_owned();
    let _ = admin
        .post(
            &format!("intelligence/actions/{action}/rollback"),
            json!({}),
        )
        .await
        .expect(202);
    until("it is taken back", PATIENCE, async || {
        (status().await == "rolled_back").then_some(())
    })
    .await;
    assert_eq!(name_of(&moto, &topic).await, "");

    // A sync that finds another topic wakes the agent, which looks at that one alone.
    made("journal").await;
    let _ = admin.post(&format!("{connection}/sync"), json!({})).await;
    let woken = until("the sync wakes it", PATIENCE, || async {
        let now = admin.get(&agent).await.expect(200).body;
        let run = now["status"]["last_change_run"].clone();
        (!run.is_null()).then_some(run)
    })
    .await;
    assert_eq!(
        (&woken["extent"], &woken["error"]),
        (&json!("changes"), &Value::Null)
    );

    wakes_by_an_entry(admin, &agent, &topic).await;
    assert_eq!(name_of(&moto, &topic).await, "Jammed on shelf 5");
    service.end().await;
}

/// An entry of the log wakes the agent: its finding waits and says that nobody approved it, and is
/// applied at once after somebody did.
async fn wakes_by_an_entry(admin: &Api, agent: &str, topic: &str) {
    let patch = json!({ "mode": "active", "auto_apply": { "enabled": true }, "reason": "a test" });
    let _ = admin.patch(agent, patch).await.expect(200);
    let jam = async || {
        let entry = json!({
            "event_type": "tape.jam", "timestamp": Timestamp::now().to_string(),
            "actor": { "type": "user", "id": "robot" },
            "resource": { "type": "topic", "id": topic },
            "action": { "operation": "jam", "status": "success", "method": "api" },
        });
        let _ = admin.post("audit-logs", json!([entry])).await.expect(201);
    };
    let found = async || {
        let all = admin.get("intelligence/recommendations").await.expect(200);
        let jammed = |one: &&Value| one["origin"]["rule"] == tape_inspector::JAMMED;
        all.items().iter().find(jammed).cloned()
    };
    jam().await;
    let waits = until("its finding", PATIENCE, async || {
        found().await.filter(|one| one["blocked"].is_string())
    })
    .await;
    assert_eq!(
        (&waits["status"], &waits["origin"]["cause"]),
        (&json!("open"), &json!("event")),
        "{waits:#}"
    );
    let why = waits["blocked"].as_str().unwrap();
    assert!(why.contains("no standing approval of name_jammed"), "{why}");

    let lane = format!("{agent}/emergencies");
    let approvals = format!("{agent}/standing-approvals");
    let until_then = (Timestamp::now() + SignedDuration::from_hours(24)).to_string();
    let give = |rule: &str| json!({ "rule": rule, "until": until_then, "reason": "jams spread" });
    let refused = admin.post(&approvals, give("whim")).await.expect(422);
    assert_eq!(refused.body["errors"][0]["field"], "rule");
    let given = admin
        .post(&approvals, give(tape_inspector::JAMMED))
        .await
        .expect(201);
    assert_eq!(given.body["approvals"][0]["state"], "in_force");

    jam().await;
    let acted = until("the jam is told", PATIENCE, async || {
        let lane = admin.get(&lane).await.expect(200).body;
        (lane["actions"][0]["status"] == "succeeded").then_some(lane)
    })
    .await;
    assert_eq!(acted["acts_in_hour"], 1, "{acted:#}");

    let id = acted["approvals"][0]["id"].as_str().unwrap();
    let end = format!("{approvals}/{id}/end");
    let ended = admin
        .post(&end, json!({ "reason": "the robot is repaired" }))
        .await;
    assert_eq!(ended.expect(200).body["approvals"][0]["state"], "ended");
    let again = admin.post(&end, json!({ "reason": "again" })).await;
    assert_eq!(again.status, 409);
}

/// Three machines over the last eighty days, one of which works harder than a tape turns.
fn material(now: Timestamp) -> Material {
    let at = |hour: i64| now - SignedDuration::from_hours(hour);
    let resources: Vec<Resource> = (0..3)
        .map(|n| estate::resource("c-1", &format!("i-{n}")).unwrap())
        .collect();
    let series = resources.iter().enumerate().map(|(n, one)| SampleSeries {
        resource: one.id.clone(),
        metric: Metric::CpuUtilization,
        points: (1..80 * 24)
            .rev()
            .map(|hour| (at(hour), if n == 0 { 80.0 } else { 3.0 }))
            .collect(),
        period_s: 3600,
    });

    let agent = Agent {
        id: AgentId("a-1".to_owned()),
        agent_type: AgentType::named("tape_librarian"),
        name: "Librarian".to_owned(),
        mode: Mode::Learning,
        scope: AgentScope::default(),
        learning_period_days: 14,
        confidence_threshold: 85.0,
        auto_apply: AutoApply {
            enabled: false,
            max_impact: Impact::Low,
            approval_required: Impact::High,
        },
        notifications: Notifications {
            recommendations: Timing::Never,
            actions_taken: Timing::Never,
            anomalies: Timing::Never,
        },
        schedule: None,
        settings: AgentSettings::default(),
        learning_waived: None,
        version: 1,
        created_at: at(2400),
        last_run: None,
        last_change_run: None,
    };

    let series = series.collect();
    let catalogue = Arc::new(PriceCatalogue::builtin().clone());
    Material {
        agent,
        resources,
        series,
        outcomes: Vec::new(),
        open: OpenFacts::default(),
        guardrails: Guardrails::default(),
        catalogue,
        now,
    }
}

#[test]
fn the_backtest_of_a_made_up_agent_type_trains_its_confidence() {
    let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
    let material = material(now);
    let trainers = TapeLibrarian.trainers();
    let confidence = trainers
        .iter()
        .find(|trainer| trainer.name() == "confidence")
        .unwrap();
    let trained = confidence.train(&material, now).unwrap();
    assert_eq!(trained.samples, 18, "six weeks of three machines");

    let calibrator = calibrator_from(&trained.state).unwrap();
    assert!(
        (0.5..0.8).contains(&calibrator.base_rate()),
        "two of three held: {}",
        calibrator.base_rate()
    );
}
