//! A small world for the engine: people with roles, and machines with a history.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_access::{Principal, PrincipalKind, Role, UserId};
use reeve_audit::{ActionMethod, Actor, Entry, Json};
use reeve_engine::{AgentInput, Execution, FeedbackInput};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Metric, Mutation, Provider,
    Purchase, Resource, ResourceId, ResourceKind, ResourceState, SampleSeries,
};
use reeve_recommend::action::Action;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::caller::Caller;
use reeve_recommend::models::ModelStore;
use reeve_recommend::ports::{AgentStore, Clock, RecommendationFilter};
use reeve_recommend::recommendation::{Recommendation, RecommendationType};
use reeve_testkit::contract::estate::running;

use crate::change_runs::described::Descriptions;
use crate::clock::TestClock;
use crate::cloud::{Cloud, OneCloud};
use crate::flows::{self, TestFlows};
use crate::journal::{Journal, Log, Note, TestBills};
use crate::services::{Ports, Services};
use crate::store::Memory;

pub(crate) struct World {
    pub(crate) engine: Arc<Services>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) cloud: Arc<Cloud>,
    pub(crate) log: Arc<Log>,
    pub(crate) bills: Arc<TestBills>,
    pub(crate) flows: Arc<TestFlows>,
    pub(crate) clock: Arc<TestClock>,
    ports: Ports,
}

impl World {
    /// An empty one, on Monday 2026-11-16.
    pub(crate) fn new() -> Self {
        let clock = Arc::new(TestClock::eager());
        let journal = Journal::default();
        let cloud = Cloud::new(Arc::clone(&clock), Arc::clone(&journal), None);
        let log = Log::new(journal, Arc::clone(&clock), None);
        let memory = Arc::new(Memory::default());
        let (bills, flows) = (Arc::new(TestBills::default()), flows::none());
        let ports = Ports {
            agents: Arc::clone(&memory) as _,
            estate: Arc::clone(&memory) as _,
            samples: Arc::clone(&memory) as _,
            clouds: Arc::new(OneCloud(Arc::clone(&cloud))),
            recorder: Arc::clone(&log) as _,
            log: Arc::clone(&log) as _,
            charges: Arc::clone(&bills) as _,
            flows: Arc::clone(&flows) as _,
            clock: Arc::clone(&clock) as _,
            models: None,
            rollouts: None,
            described: None,
            agent_types: reeve_agents::registry(),
        };

        World {
            engine: Services::new(ports.clone()),
            memory,
            cloud,
            log,
            bills,
            flows,
            clock,
            ports,
        }
    }

    /// The same world, whose engine has agents of these types and reads configurations.
    pub(crate) fn describing(mut self, described: &Arc<Descriptions>, types: AgentTypes) -> Self {
        self.ports.described = Some(Arc::clone(described));
        self.ports.agent_types = types;
        self.restarted()
    }

    /// The same world, whose engine has agents of these types.
    pub(crate) fn of_types(mut self, types: AgentTypes) -> Self {
        self.ports.agent_types = types;
        self.restarted()
    }

    /// The same world, whose engine calibrates by models.
    pub(crate) fn learning(mut self, models: Arc<dyn ModelStore>) -> Self {
        self.ports.models = Some(models);
        self.restarted()
    }

    /// The same world, whose engine keeps rollouts.
    pub(crate) fn rolling_out(mut self) -> Self {
        self.ports.rollouts = Some(Arc::clone(&self.memory) as _);
        self.restarted()
    }

    /// The same world after a restart: nothing in memory but what the stores keep.
    pub(crate) fn restarted(&self) -> World {
        World {
            engine: Services::new(self.ports.clone()),
            memory: Arc::clone(&self.memory),
            cloud: Arc::clone(&self.cloud),
            log: Arc::clone(&self.log),
            bills: Arc::clone(&self.bills),
            flows: Arc::clone(&self.flows),
            clock: Arc::clone(&self.clock),
            ports: self.ports.clone(),
        }
    }

    /// A running machine with everything measured: CPU as given, the rest small.
    pub(crate) fn machine(&self, id: &str, size: &str, cpu: f64) -> &Self {
        let resource = resource(id, ResourceKind::VirtualMachine, Some(size));
        let quiet = if cpu < 0.5 { 50.0 } else { 50_000.0 };
        let rest = [
            (Metric::CpuUtilization, cpu),
            (Metric::MemoryUtilization, 20.0),
            (Metric::NetworkIn, quiet),
            (Metric::NetworkOut, quiet),
            (Metric::DiskRead, 1_000.0),
            (Metric::DiskWrite, 1_000.0),
            (Metric::DiskReadOps, 1.0),
            (Metric::DiskWriteOps, 1.0),
        ];

        for (metric, value) in rest {
            self.measure(id, metric, value);
        }

        self.put(resource)
    }

    /// Replaces a series by 30 days of one value, ending now.
    pub(crate) fn measure(&self, id: &str, metric: Metric, value: f64) {
        self.measure_days(id, metric, value, 30);
    }

    /// The same of another number of days.
    pub(crate) fn measure_days(&self, id: &str, metric: Metric, value: f64, days: i64) {
        let now = self.clock.now();
        // Twelve minutes a point: enough of them, and quick.
        let points = (1..=days * 120)
            .rev()
            .map(|back| (now - SignedDuration::from_mins(back * 12), value))
            .collect();
        let series = SampleSeries {
            resource: ResourceId::new(id),
            metric,
            points,
            period_s: 720,
        };
        let mut all = self.memory.series.lock();
        all.retain(|s| s.resource != series.resource || s.metric != metric);

        all.push(series);
    }

    pub(crate) fn put(&self, resource: Resource) -> &Self {
        self.cloud.put(resource.clone());
        self.memory
            .resources
            .lock()
            .insert(resource.id.clone(), resource);
        self
    }

    pub(crate) fn tag(&self, id: &str, key: &str, value: &str) -> &Self {
        let id = ResourceId::new(id);
        let mut resource = self.memory.resources.lock()[&id].clone();
        resource.tags.insert(key.to_owned(), value.to_owned());
        self.put(resource)
    }

    /// An agent in a mode, allowed to act by itself on what is of low impact when `auto` is set.
    pub(crate) async fn agent(&self, mode: &str, auto: bool) -> Agent {
        let input = AgentInput {
            agent_type: Some("cost_optimizer".to_owned()),
            name: Some(format!("{mode} agent")),
            mode: Some(mode.to_owned()),
            auto_apply_enabled: Some(auto),
            auto_apply_max_impact: Some("medium".to_owned()),
            reason: Some("a test".to_owned()),
            ..AgentInput::default()
        };
        self.engine
            .agents
            .agent_create(input, &person("admin", &[Role::Administrator]))
            .await
            .unwrap()
    }

    pub(crate) async fn run(&self, agent: &Agent) -> RunReport {
        self.engine
            .runs
            .agent_run(&agent.id, &operator())
            .await
            .unwrap()
    }

    /// All recommendations on a resource, oldest first.
    pub(crate) async fn on(&self, resource: &str) -> Vec<Recommendation> {
        let (all, _) = self
            .memory
            .recommendation_list(&RecommendationFilter::default())
            .await
            .unwrap();

        let mut all: Vec<_> = all
            .into_iter()
            .filter(|r| r.subject.id.as_str() == resource)
            .collect();
        all.sort_by(|a, b| {
            a.created_at
                .cmp(&b.created_at)
                .then_with(|| a.id.cmp(&b.id))
        });
        all
    }

    /// A machine of the inventory that has no samples.
    pub(crate) fn unmeasured(&self, id: &str) {
        let made = resource(id, ResourceKind::VirtualMachine, Some("m5.large"));
        self.memory.resources.lock().insert(made.id.clone(), made);
    }

    /// The only recommendation on a resource.
    pub(crate) async fn only(&self, resource: &str) -> Recommendation {
        let mut all = self.on(resource).await;
        assert_eq!(
            all.len(),
            1,
            "{:?}",
            all.iter().map(|r| (r.kind, r.status)).collect::<Vec<_>>()
        );

        all.remove(0)
    }

    /// A right-sizing that waits, of a machine of this size, by an agent in safe mode.
    pub(crate) async fn right_size(&self, id: &str, size: &str) -> Recommendation {
        self.machine(id, size, 5.0);
        let agent = self.agent("safe_mode", false).await;
        self.run(&agent).await;
        let recommendation = self.only(id).await;
        assert_eq!(recommendation.kind, RecommendationType::RightSize);
        recommendation
    }

    /// Executes as an operator and waits for the end.
    pub(crate) async fn execute(&self, recommendation: &Recommendation) -> Action {
        match self
            .engine
            .execution
            .execute(&recommendation.id, None, None, &operator())
            .await
            .unwrap()
        {
            Execution::Started(action) => self.ended(&action).await,
            Execution::PendingApproval(approval) => panic!("needs {:?}", approval.needed),
        }
    }

    pub(crate) async fn ended(&self, action: &Action) -> Action {
        self.engine.execution.settle().await;
        self.memory.action_get(&action.id).await.unwrap()
    }

    pub(crate) async fn again(&self, recommendation: &Recommendation) -> Recommendation {
        self.memory
            .recommendation_get(&recommendation.id)
            .await
            .unwrap()
    }

    /// Everything recorded, in order.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let notes = self.log.journal.lock();
        notes
            .iter()
            .filter_map(|note| {
                if let Note::Recorded(entry) = note {
                    Some((**entry).clone())
                } else {
                    None
                }
            })
            .collect()
    }

    /// The story of one recommendation: `operation status`, as a search by its id reads it out.
    pub(crate) fn story(&self, recommendation: &Recommendation) -> Vec<String> {
        let own = |entry: &&Entry| {
            entry
                .metadata
                .extra
                .get("recommendation_id")
                .and_then(Json::as_str)
                == Some(&recommendation.id.0)
        };
        self.entries().iter().filter(own).map(line).collect()
    }

    /// No change was asked of the cloud that the entry before it did not announce.
    pub(crate) fn every_change_was_announced(&self) {
        let notes = self.log.journal.lock();
        let mut announced: Option<(String, String)> = None;

        for note in notes.iter() {
            match note {
                Note::Recorded(entry) => {
                    let operation = entry.action.operation.clone().unwrap_or_default();
                    let pending = entry.action.status == Some(reeve_audit::ActionStatus::Pending);
                    announced = pending.then(|| {
                        (
                            operation,
                            entry
                                .metadata
                                .extra
                                .get("description")
                                .map_or(String::new(), |d| d.to_string()),
                        )
                    });
                }
                Note::Asked(id, mutation) => {
                    let Some((operation, description)) = &announced else {
                        panic!("{mutation:?} on {id} was not announced")
                    };
                    let wanted = match mutation {
                        Mutation::Stop => "stop",
                        Mutation::Start => "start",
                        Mutation::Resize { .. } => "modify",
                        Mutation::Snapshot { .. } => "snapshot",
                        Mutation::Grow { .. } => "grow",
                        Mutation::Scale { .. } => "scale",
                        Mutation::FailOver => "fail_over",
                        Mutation::Replicate { .. } | Mutation::RemoveReplica { .. } => "replicate",
                        Mutation::Isolate | Mutation::SetGroups { .. } => "isolate",
                    };
                    assert!(
                        operation.ends_with(wanted),
                        "{mutation:?} on {id} was announced as {operation}"
                    );
                    assert!(
                        description.contains(id.as_str()),
                        "{mutation:?} on {id} was announced as {description}"
                    );
                }
                Note::Changed(_) | Note::Policy(_) | Note::Began => {}
            }
        }
    }
}

fn line(entry: &Entry) -> String {
    let operation = entry.action.operation.clone().unwrap_or_default();
    format!(
        "{operation} {}",
        entry.action.status.map_or("", |status| status.as_str())
    )
}

/// A person with roles.
pub(crate) fn person(name: &str, roles: &[Role]) -> Caller {
    let email = format!("{name}@example.com");
    let principal = Principal {
        user: UserId(name.to_owned()),
        email: email.clone(),
        name: name.to_owned(),
        kind: PrincipalKind::Session,
        session: None,
        token: None,
        roles: roles.iter().copied().collect(),
        team_members: BTreeSet::new(),
        scope: None,
    };

    Caller::person(
        &principal,
        Actor::user(name).with_email(email),
        ActionMethod::Api,
        None,
    )
}

pub(crate) fn operator() -> Caller {
    person("olga", &[Role::Operator])
}

pub(crate) fn said<'a>(
    outcome: &'a str,
    rating: Option<i64>,
    comments: Option<&'a str>,
) -> FeedbackInput<'a> {
    FeedbackInput {
        outcome,
        rating,
        comments,
        until: None,
    }
}

pub(crate) fn connection() -> Connection {
    Connection {
        id: ConnectionId("c-1".to_owned()),
        name: "prod-aws".to_owned(),
        provider: Provider::Aws,
        account: "111122223333".to_owned(),
        regions: vec!["us-east-1".to_owned()],
        credentials: ConnectionCredentials::Simulated,
        assume_role: None,
        external_id: None,
        endpoint: None,
        allow_actions: true,
        status: ConnectionStatus::Ready,
        last_sync: None,
        last_error: None,
        created_at: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn resource(id: &str, kind: ResourceKind, size: Option<&str>) -> Resource {
    let mut made = running(id, kind, size);
    if kind == ResourceKind::VirtualMachine {
        made.specification.platform = Some("linux".to_owned());
        made.specification.security_groups = vec!["sg-1".to_owned(), "sg-2".to_owned()];
    } else {
        made.service = "ebs".to_owned();
        made.state = ResourceState::Available;
        made.specification.storage_gib = Some(100.0);
    }

    made.purchase = Some(Purchase::OnDemand);
    made.created_at = Some(Timestamp::UNIX_EPOCH);
    made
}

pub(crate) fn volume_of(id: &str, machine: &str) -> Resource {
    let mut volume = resource(id, ResourceKind::Volume, None);
    volume.attached_to = vec![ResourceId::new(machine)];
    volume
}
