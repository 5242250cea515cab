//! Runs over changes: they judge what changed and what depends on it, read no more than that, and
//! leave everything else as it is.

pub(crate) mod described;
pub(crate) mod inspector;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::SignedDuration;
use reeve_engine::AgentInput;
use reeve_estate::{Document, Relation, RelationKind, ResourceId, ResourceKind};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::{Agent, RunExtent, RunReport};
use reeve_recommend::judgement::evidence::CheckAnswer;
use reeve_recommend::ports::{AgentStore, Clock};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, Recommendation};
use serde_json::json;

use described::Descriptions;
use inspector::{CHECK, OPEN_GROUPS, SURVEYED, WallInspector, network};

use crate::world::{World, connection, operator, resource};

/// Groups of the world, ten in each network.
const GROUPS: usize = 1_000;
/// Time between full runs that an unexpected one keeps.
const APART: SignedDuration = SignedDuration::from_mins(15);

struct Walls {
    world: World,
    described: Arc<Descriptions>,
    agent: Agent,
}

fn group(number: usize) -> String {
    format!("sg-{number:04}")
}

fn network_of(number: usize) -> String {
    format!("vpc-{:02}", number / 10)
}

impl Walls {
    /// A world whose groups are closed but for the last one, and an agent that ran once over it.
    async fn new() -> Walls {
        let world = World::new();
        let described = Descriptions::new(&world.memory);
        let types = AgentTypes::new(vec![Arc::new(WallInspector)]);
        let world = world.describing(&described, types);
        for number in 0..GROUPS / 10 {
            let wall = resource(&network_of(number * 10), network(), None);
            described.put(wall, Document::new(json!({ "n": number })), Vec::new());
        }

        let input = AgentInput {
            agent_type: Some("wall_inspector".to_owned()),
            name: Some("Inspector".to_owned()),
            ..AgentInput::default()
        };
        let agent = world
            .engine
            .agents
            .agent_create(input, &operator())
            .await
            .unwrap();
        let walls = Walls {
            world,
            described,
            agent,
        };
        for number in 0..GROUPS {
            walls.put(number, number == GROUPS - 1, &network_of(number));
        }

        let report = walls.world.run(&walls.agent).await;
        assert_eq!(
            (report.extent, report.resources_judged),
            (RunExtent::Full, Some(1_100))
        );
        walls.described.rows_read();
        walls
    }

    fn put(&self, number: usize, is_open: bool, network: &str) {
        let wall = resource(&group(number), ResourceKind::SecurityGroup, None);
        let document = Document::new(json!({ "open": is_open, "n": number }));
        let relations = vec![Relation::to(RelationKind::LocatedIn, network)];
        self.described.put(wall, document, relations);
    }

    async fn after_sync(&self) -> Option<RunReport> {
        let runs = &self.world.engine.runs;
        runs.agent_run_over_changes(&self.agent.id, APART, &operator())
            .await
            .unwrap()
    }

    /// The report of a run over changes that must take place, with the rows that it read.
    async fn judged(&self) -> (RunReport, u64) {
        self.described.rows_read();
        let report = self.after_sync().await.unwrap();
        assert_eq!(report.extent, RunExtent::Changes);
        (report, self.described.rows_read())
    }

    /// The recommendation that judging a resource alone led to.
    async fn found(&self, id: &str) -> Recommendation {
        let mut found = self.world.on(id).await;
        found.retain(|one| one.kind != SURVEYED);
        assert_eq!(found.len(), 1, "{id}");
        found.remove(0)
    }

    fn answer(&self, id: &str) -> Option<CheckAnswer> {
        let key = (connection().id, ResourceId::new(id), CHECK.to_owned());
        let evidence = self.described.evidence.lock();
        evidence.get(&key).map(|one| one.result.answer)
    }

    async fn stored(&self) -> Agent {
        self.world.memory.agent_get(&self.agent.id).await.unwrap()
    }

    /// Returns `true` if a full run is due now.
    async fn is_full_run_due(&self) -> bool {
        let agent = self.stored().await;
        let next = self.world.engine.runs.next_run(&agent, APART);
        next.is_some_and(|next| next <= self.world.clock.now())
    }
}

#[tokio::test]
async fn one_changed_resource_of_a_thousand_is_judged_with_what_depends_on_it() {
    let walls = Walls::new().await;
    let before = walls.stored().await.last_run.unwrap();
    walls.put(5, true, "vpc-00");

    let listings = walls.world.memory.listings.load(Ordering::SeqCst);
    let (report, rows) = walls.judged().await;
    assert_eq!(
        (report.resources_judged, report.recommendations),
        (Some(2), 2),
        "the group and the network that it is in"
    );
    assert!(rows < 60, "{rows} rows were read");
    assert_eq!(
        walls.world.memory.listings.load(Ordering::SeqCst),
        listings,
        "the inventory was listed"
    );

    let failed = Some(CheckAnswer::Fail);
    assert_eq!(
        (walls.answer("sg-0005"), walls.answer("vpc-00")),
        (failed, failed)
    );
    assert_eq!(
        walls.described.evidence.lock().len(),
        1_100,
        "all others are kept"
    );
    for untouched in ["sg-0999", "vpc-99"] {
        assert_eq!(walls.found(untouched).await.status, Status::Open);
    }

    // The full run is as it was, and its next one is a day after it.
    let after = walls.stored().await;
    assert_eq!(after.last_run.as_ref(), Some(&before));
    assert_eq!(report.complete_since, before.complete_since);
    assert_eq!(after.last_change_run, Some(report));
    assert!(!walls.is_full_run_due().await);
    walls.world.clock.advance(SignedDuration::from_hours(24));
    assert!(walls.is_full_run_due().await);

    // Once judged, a change is not judged again.
    assert_eq!(walls.after_sync().await, None);
}

#[tokio::test]
async fn a_finding_ends_where_the_change_refutes_it_and_nowhere_else() {
    let walls = Walls::new().await;
    let entries = walls.world.entries().len();
    assert_eq!(walls.after_sync().await, None, "nothing changed");
    assert_eq!(
        walls.world.entries().len(),
        entries,
        "and nothing is recorded"
    );

    walls.put(5, true, "vpc-00");
    walls.judged().await;
    let (group, network) = (walls.found("sg-0005").await, walls.found("vpc-00").await);

    // The network that a group left is judged too, although nothing leads to it any more.
    walls.put(5, true, "vpc-01");
    let (report, _) = walls.judged().await;
    assert_eq!(report.resources_judged, Some(3));
    assert_eq!(walls.world.again(&network).await.status, Status::Expired);
    assert_eq!(walls.found("vpc-01").await.status, Status::Open);
    assert_eq!(walls.world.again(&group).await.status, Status::Open);

    // What is gone is looked for: its finding and its evidence end.
    walls.described.remove(&ResourceId::new("sg-0005"));
    walls.judged().await;
    let gone = walls.world.again(&group).await;
    assert_eq!(
        (gone.status, gone.closing),
        (Status::Expired, Some(Closing::ResourceGone))
    );
    assert_eq!(walls.answer("sg-0005"), None);
    assert_eq!(walls.answer("vpc-01"), Some(CheckAnswer::Pass));
    assert_eq!(walls.found("sg-0999").await.status, Status::Open);
}

#[tokio::test]
async fn a_run_over_changes_that_fails_leaves_them_to_the_next() {
    let walls = Walls::new().await;
    walls.put(5, true, "vpc-00");
    walls.described.is_broken.store(true, Ordering::SeqCst);
    let runs = &walls.world.engine.runs;
    runs.agent_run_over_changes(&walls.agent.id, APART, &operator())
        .await
        .unwrap_err();
    let failed = walls.stored().await.last_change_run.unwrap();
    assert!(failed.error.unwrap().contains("no document can be read"));
    assert_eq!(walls.found("sg-0999").await.status, Status::Open);

    walls.described.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(walls.judged().await.0.resources_judged, Some(2));
    assert_eq!(walls.answer("sg-0005"), Some(CheckAnswer::Fail));
}

#[tokio::test]
async fn another_basis_leads_to_a_full_run() {
    let walls = Walls::new().await;
    walls.put(5, true, "vpc-00");
    assert!(!walls.is_full_run_due().await);

    let narrowed = AgentInput {
        services: Some(vec!["ebs".to_owned()]),
        ..AgentInput::default()
    };
    walls
        .world
        .engine
        .agents
        .agent_configure(&walls.agent.id, narrowed, &operator())
        .await
        .unwrap();
    assert!(walls.is_full_run_due().await);
    assert_eq!(walls.after_sync().await, None, "the full run judges it");

    let report = walls.world.run(&walls.agent).await;
    assert_eq!(report.extent, RunExtent::Full);
    assert_eq!(walls.answer("sg-0005"), Some(CheckAnswer::Fail));
    assert!(!walls.is_full_run_due().await);

    // A kind that is complete now may change any answer.
    walls.described.complete(network());
    walls.put(6, true, "vpc-00");
    assert_eq!(
        walls.judged().await.0.resources_judged,
        Some(2),
        "not at once"
    );
    walls.world.clock.advance(APART);
    let report = walls.after_sync().await.unwrap();
    assert_eq!(report.extent, RunExtent::Full);
    assert_eq!(walls.after_sync().await, None);
}

#[tokio::test]
async fn very_many_changes_are_judged_by_a_full_run() {
    let walls = Walls::new().await;
    for number in 0..5_001 {
        walls.put(number, false, &network_of(number));
    }
    let report = walls.after_sync().await.unwrap();
    assert_eq!(report.extent, RunExtent::Full);
    assert_eq!(report.resources_judged, Some(5_101));
}

#[tokio::test]
async fn a_full_run_judges_the_estate_after_its_resources() {
    let walls = Walls::new().await;
    let surveyed = async || {
        let mut found = walls.world.on("vpc-99").await;
        found.retain(|one| one.kind == SURVEYED);
        assert_eq!(found.len(), 1);
        found.remove(0)
    };
    let open_groups = async || {
        let entry = walls.world.entries().pop().unwrap();
        let recorded = entry.changes.after.unwrap().get("open_groups").cloned();
        let last_run = walls.stored().await.last_run.unwrap();
        (last_run.details.get(&OPEN_GROUPS), recorded)
    };
    assert_eq!(open_groups().await, (Some(1), Some(1_u64.into())));
    let (resource, estate) = (walls.found("vpc-99").await, surveyed().await);

    // Two judgements are about the network, and neither refutes the finding of the other.
    let report = walls.world.run(&walls.agent).await;
    assert_eq!(report.resources_judged, Some(1_100));
    assert_eq!(walls.world.again(&resource).await.status, Status::Open);
    assert_eq!(walls.world.again(&estate).await.status, Status::Open);

    // A run over changes does not judge the estate, and leaves what it found.
    walls.put(5, true, "vpc-00");
    walls.judged().await;
    assert_eq!(walls.world.again(&estate).await.status, Status::Open);
    assert_eq!(open_groups().await.0, Some(1), "of the full run");
    walls.world.run(&walls.agent).await;
    assert_eq!(open_groups().await, (Some(2), Some(2_u64.into())));

    walls.described.is_broken.store(true, Ordering::SeqCst);
    let runs = &walls.world.engine.runs;
    runs.agent_run(&walls.agent.id, &operator())
        .await
        .unwrap_err();
    assert_eq!(walls.world.again(&estate).await.status, Status::Open);
}

#[tokio::test]
async fn an_open_fact_reaches_the_judgement_that_names_it() {
    let walls = Walls::new().await;
    let why = |id: &str| {
        let key = (connection().id, ResourceId::new(id), CHECK.to_owned());
        walls.described.evidence.lock()[&key].result.why.clone()
    };
    let inspected = "0 groups in it are open; inspected by inspector 5";
    assert_eq!(why("sg-0005"), inspected);
    assert_eq!(why("vpc-00"), "0 groups in it are open", "no fact is of it");

    walls.put(5, true, "vpc-00");
    walls.judged().await;
    assert_eq!(why("sg-0005"), inspected, "in a run over changes too");
}
