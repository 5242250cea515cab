//! Use of resources by the log: one grouped reading for a chunk of resources, and one for the
//! databases of each account and region.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use reeve_access::Role;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, Json, ResourceRef};
use reeve_engine::AgentInput;
use reeve_estate::{ResourceId, ResourceKind};
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::{AgentDefinition, AgentTypes};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::open_facts::{FactNeed, LogFact as _};
use reeve_recommend::judgement::past_calls::PastCalls;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::ports::{Clock as _, Recorder as _};

use crate::world::{World, person, resource};

const INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("usher"),
    description: "Notes who comes and goes.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

/// Activity of each resource, as the agent type was given it.
type Noted = Arc<Mutex<Vec<(ResourceId, Activity)>>>;

struct Usher(Noted);

impl AgentDefinition for Usher {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn needs(&self, _: &AgentSettings) -> Needs {
        Needs {
            kinds: vec![ResourceKind::VirtualMachine, ResourceKind::Database],
            facts: vec![FactNeed::of::<Activity>().over_days(7)],
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let activity = facts.get::<Activity>().unwrap().clone();
        let mut noted = self.0.lock().unwrap();
        noted.push((facts.resource.id.clone(), activity));
        Judgement::default()
    }
}

fn used(world: &World, resource: ResourceRef, operation: &str, hours_ago: i64) -> Entry {
    Entry::new(EventType::from_static("api.call"))
        .by(Actor::system())
        .on(resource)
        .with_action(operation, ActionStatus::Success, ActionMethod::Api)
        .at(world.clock.now() - SignedDuration::from_hours(hours_ago))
}

#[tokio::test]
async fn the_log_is_read_once_for_a_chunk_of_resources() {
    const ORDERS: &str = "arn:aws:rds:us-east-1:111122223333:db:orders";
    let noted = Noted::default();
    let mut types = reeve_agents::rows();
    types.push(Arc::new(Usher(Arc::clone(&noted))));
    let world = World::new().of_types(AgentTypes::new(types));
    for n in 1..=20 {
        world.machine(&format!("i-{n}"), "m5.large", 30.0);
    }
    world.put(resource(ORDERS, ResourceKind::Database, None));

    let machine = || ResourceRef::new("virtual_machine", "i-7");
    let database = |account: &str| {
        ResourceRef::new("database", "orders").in_cloud("aws", account, "us-east-1")
    };
    let entries = vec![
        used(&world, machine(), "Login", 30),
        used(&world, machine(), "Login", 3),
        used(&world, machine(), "Reboot", 50),
        used(&world, machine(), "Login", 24 * 8),
        used(&world, database("111122223333"), "Query", 5),
        used(&world, database("999999999999"), "Query", 5),
    ];
    world.log.record(entries).await.unwrap();

    let input = AgentInput {
        agent_type: Some("usher".to_owned()),
        name: Some("Usher".to_owned()),
        ..AgentInput::default()
    };
    let admin = person("admin", &[Role::Administrator]);
    let agent = world
        .engine
        .agents
        .agent_create(input, &admin)
        .await
        .unwrap();
    world.run(&agent).await;

    assert_eq!(world.log.grouped.load(Ordering::Relaxed), 2);
    let noted = noted.lock().unwrap();
    let of = |id: &str| {
        let found = noted.iter().find(|(resource, _)| resource.as_str() == id);
        found.unwrap().1.clone()
    };
    assert_eq!((noted.len(), of("i-1")), (21, Activity::default()));

    let busy = of("i-7");
    let operations = [("Login".to_owned(), 2), ("Reboot".to_owned(), 1)];
    assert_eq!((busy.uses, busy.operations), (3, operations.to_vec()));
    let last = world.clock.now() - SignedDuration::from_hours(3);
    assert!(
        busy.last_hour
            .is_some_and(|hour| hour <= last && last.duration_since(hour).as_hours() < 1)
    );
    assert_eq!(of(ORDERS).uses, 1, "another account's is another database");
}

/// Call of CloudTrail by a user, or in a session of a role.
fn called(world: &World, caller: &str, call: (&str, &str), status: ActionStatus) -> Entry {
    let issuer = Json::object([("arn", Json::from(caller))]);
    let identity = match caller.contains(":role/") {
        true => Json::object([
            ("arn", Json::from("arn:aws:sts::1:assumed-role/worker/s")),
            ("sessionContext", Json::object([("sessionIssuer", issuer)])),
        ]),
        false => issuer,
    };
    let source = format!("{}.amazonaws.com", call.0);
    let record = Json::object([
        ("userIdentity", identity),
        ("eventSource", Json::from(source)),
    ]);
    Entry::new(EventType::from_static("api.call"))
        .by(Actor::system())
        .with_action(call.1, status, ActionMethod::Api)
        .with_metadata("cloudtrail", record)
        .at(world.clock.now() - SignedDuration::from_hours(5))
}

#[tokio::test]
async fn accepted_calls_of_principals_are_counted_by_action() {
    const ROLE: &str = "arn:aws:iam::1:role/team/worker";
    const USER: &str = "arn:aws:iam::1:user/ann";
    let world = World::new();
    let ok = ActionStatus::Success;
    let old = world.clock.now() - SignedDuration::from_hours(24 * 91);
    let entries = vec![
        called(&world, ROLE, ("sqs", "SendMessage"), ok),
        called(&world, ROLE, ("sqs", "SendMessage"), ok),
        called(&world, USER, ("s3", "ListBuckets"), ok),
        // Two services have the operation, and the user calls one of them.
        called(&world, USER, ("sns", "TagResource"), ok),
        called(&world, ROLE, ("sqs", "TagResource"), ok),
        called(&world, USER, ("s3", "GetObject"), ActionStatus::Denied),
        called(&world, USER, ("s3", "PutObject"), ok).at(old),
    ];
    world.log.record(entries).await.unwrap();

    let ids = [ROLE, USER, "arn:aws:iam::1:user/ben"].map(ResourceId::new);
    let read = PastCalls::read(&*world.log, &ids, 90, world.clock.now()).await;
    let read = read.unwrap();
    let of = |id: &ResourceId| -> Vec<(String, u64)> {
        assert!(read[id].is_complete);
        read[id].actions.clone().into_iter().collect()
    };
    let pair = |action: &str, count| (action.to_owned(), count);
    assert_eq!(
        of(&ids[0]),
        [pair("sqs:SendMessage", 2), pair("sqs:TagResource", 1)]
    );
    assert_eq!(
        of(&ids[1]),
        [pair("s3:ListAllMyBuckets", 1), pair("sns:TagResource", 1)]
    );
    assert_eq!(of(&ids[2]), []);
}
