//! Outcomes of runbooks over time: a change is verified by the condition once its time has come,
//! what did not help counts as failed, and the breakers follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_access::Role;
use reeve_engine::{Records, RunbookPorts, RunbookService, RunbookState, Tried};
use reeve_estate::{Metric, ResourceId, StoreError};
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::ports::{AgentStore, Clock};
use reeve_recommend::recommendation::{FeedbackOutcome, Recommendation, RecommendationType};
use reeve_recommend::runbook::{
    Application, Breaker, Outcome, RunbookName, RunbookStore, WrittenRunbook,
};
use reeve_testkit::contract::agents::{action, recommendation};

use crate::change_runs::described::Descriptions;
use crate::world::{World, person};

/// Name of the runbook, which looks back two and a half hours and verifies after six.
const NAME: &str = "enlarge-machine-without-memory";

/// Runbooks in memory.
#[derive(Default)]
struct Kept {
    written: Mutex<BTreeMap<RunbookName, WrittenRunbook>>,
    applications: Mutex<BTreeMap<ActionId, Application>>,
    breakers: Mutex<Vec<Breaker>>,
}

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl RunbookStore for Kept {
    async fn runbook_insert(&self, runbook: &WrittenRunbook) -> Result<()> {
        let name = runbook.name.clone();
        self.written.lock().insert(name, runbook.clone());
        Ok(())
    }
    async fn runbook_update(&self, runbook: &WrittenRunbook) -> Result<()> {
        self.runbook_insert(runbook).await
    }
    async fn runbook_delete(&self, name: &RunbookName) -> Result<()> {
        self.written.lock().remove(name);
        Ok(())
    }
    async fn runbook_list(&self) -> Result<Vec<WrittenRunbook>> {
        Ok(self.written.lock().values().cloned().collect())
    }
    async fn application_put(&self, application: &Application) -> Result<()> {
        let id = application.action.clone();
        self.applications.lock().insert(id, application.clone());
        Ok(())
    }
    async fn application_get(&self, action: &ActionId) -> Result<Option<Application>> {
        Ok(self.applications.lock().get(action).cloned())
    }
    async fn application_list(&self, since: Timestamp) -> Result<Vec<Application>> {
        let mut all: Vec<Application> = self.applications.lock().values().cloned().collect();
        all.retain(|one| one.started_at >= since);
        all.sort_by_key(|one| std::cmp::Reverse(one.started_at));
        Ok(all)
    }
    async fn application_expire(&self, _: Timestamp) -> Result<u64> {
        Ok(0)
    }
    async fn breaker_put(&self, breaker: &Breaker) -> Result<()> {
        let mut all = self.breakers.lock();
        all.retain(|one| one.resource != breaker.resource || one.runbook != breaker.runbook);
        all.push(breaker.clone());
        Ok(())
    }
    async fn breaker_list(&self) -> Result<Vec<Breaker>> {
        Ok(self.breakers.lock().clone())
    }
    async fn breaker_delete(&self, runbook: &RunbookName) -> Result<()> {
        self.breakers.lock().retain(|one| one.runbook != *runbook);
        Ok(())
    }
}

/// A machine without memory, a finding of the runbook about it, and the service.
struct Case {
    world: World,
    runbooks: RunbookService,
    finding: Recommendation,
}

impl Case {
    async fn new() -> Case {
        let world = World::new();
        world.machine("web", "m5.large", 20.0);
        world.measure("web", Metric::MemoryUtilization, 97.0);
        let records = Records::new(world.memory.clone(), world.log.clone(), world.clock.clone());
        let ports = RunbookPorts {
            runbooks: Arc::new(Kept::default()),
            scopes: world.engine.scopes.clone(),
            samples: world.memory.clone(),
            descriptions: Descriptions::new(&world.memory),
            log: world.log.clone(),
        };
        let runbooks = RunbookService::new(Arc::new(records), ports);

        let mut finding = recommendation("r-1", "web").unwrap();
        finding.kind = RecommendationType::KnownIssue;
        finding.reason_codes = vec![RunbookName(NAME.to_owned()).aspect()];
        finding.updated_at = world.clock.now();
        world.memory.recommendation_insert(&finding).await.unwrap();
        Case {
            world,
            runbooks,
            finding,
        }
    }

    /// Notes that the change of the finding was made now, and takes the runbook's note of it.
    async fn applied(&self, id: &str, status: ActionStatus) {
        let now = self.world.clock.now();
        let made = action(id, "r-1", now.as_millisecond()).unwrap();
        let made = Action {
            resource: ResourceId::new("web"),
            status,
            finished_at: Some(now),
            undone_by: None,
            ..made
        };
        self.world.memory.action_insert(&made).await.unwrap();
        let known = self.world.again(&self.finding).await;
        let next = Recommendation {
            updated_at: now,
            version: known.version + 1,
            ..known
        };
        self.world
            .memory
            .recommendation_update(&next)
            .await
            .unwrap();
        self.runbooks.settle().await.unwrap();
    }

    /// Lets hours pass with the memory in use as given in all of them; the state afterwards.
    async fn after(&self, hours: i64, memory: Option<f64>) -> RunbookState {
        self.world.clock.advance(SignedDuration::from_hours(hours));
        match memory {
            Some(value) => self.world.measure("web", Metric::MemoryUtilization, value),
            None => self.world.memory.series.lock().clear(),
        }
        // A sync has read the state of the machine.
        let id = ResourceId::new("web");
        if let Some(machine) = self.world.memory.resources.lock().get_mut(&id) {
            machine.observed_at = self.world.clock.now();
        }
        self.runbooks.settle().await.unwrap();
        self.state().await
    }

    async fn state(&self) -> RunbookState {
        let name = RunbookName(NAME.to_owned());
        self.runbooks.get(&name).await.unwrap()
    }
}

fn last(state: &RunbookState) -> Outcome {
    state.applications[0].outcome
}

#[tokio::test]
async fn a_change_that_went_through_and_did_not_help_counts_as_failed() {
    let case = Case::new().await;
    case.applied("a-1", ActionStatus::Succeeded).await;
    assert_eq!(last(&case.after(5, Some(97.0)).await), Outcome::Verifying);
    let state = case.after(2, Some(97.0)).await;
    assert_eq!(last(&state), Outcome::Ineffective);
    assert!(state.open.is_empty(), "one failure opens nothing");
    let said = case.world.memory.feedback_list(None).await.unwrap();
    assert_eq!(said[0].outcome, FeedbackOutcome::ImplementedIssues);

    case.applied("a-2", ActionStatus::Succeeded).await;
    let state = case.after(7, Some(93.0)).await;
    assert_eq!(
        last(&state),
        Outcome::Ineffective,
        "93 % is not back at 90 %"
    );
    let breaker = &state.open[0];
    assert_eq!((breaker.failures, state.open.len()), (2, 1));
    assert!(breaker.resource.is_some());
    let operations: Vec<_> = case
        .world
        .entries()
        .into_iter()
        .filter_map(|entry| entry.action.operation)
        .filter(|operation| operation.starts_with("runbook."))
        .collect();
    assert_eq!(
        operations,
        ["runbook.verify", "runbook.verify", "runbook.breaker_open"]
    );

    // A person closes it; the failures before count no more.
    let ann = person("ann", &[Role::Administrator]);
    let name = RunbookName(NAME.to_owned());
    let closed = case.runbooks.close_breakers(&name, None, &ann).await;
    assert!(closed.unwrap().open.is_empty());
    case.applied("a-3", ActionStatus::Succeeded).await;
    let state = case.after(7, Some(60.0)).await;
    assert_eq!(last(&state), Outcome::Effective);
    assert!(state.open.is_empty());
}

#[tokio::test]
async fn what_cannot_be_verified_or_failed_is_a_failure_too() {
    let case = Case::new().await;
    case.applied("a-1", ActionStatus::Succeeded).await;
    assert_eq!(
        last(&case.after(7, None).await),
        Outcome::Verifying,
        "it waits"
    );
    assert_eq!(last(&case.after(6, None).await), Outcome::Unverified);

    case.applied("a-2", ActionStatus::RolledBack).await;
    let state = case.state().await;
    assert_eq!(last(&state), Outcome::Failed);
    assert_eq!(state.open.len(), 1);

    // The time closes it, and that is recorded.
    let state = case.after(24 * 8, None).await;
    assert!(state.open.is_empty());
    let closed = case
        .world
        .entries()
        .into_iter()
        .filter(|entry| entry.action.operation.as_deref() == Some("runbook.breaker_close"));
    assert_eq!(closed.count(), 1);
}

#[tokio::test]
async fn a_trial_finds_the_issues_of_the_past_and_writes_nothing() {
    let case = Case::new().await;
    case.world.machine("idle", "m5.large", 1.0);
    let before = case.world.entries().len();
    let name = RunbookName(NAME.to_owned());
    let past = case.runbooks.try_on_the_past(Tried::Stored(&name), 7).await;
    let past = past.unwrap();
    assert_eq!((past.examined, past.found_total, past.changes), (2, 1, 1));
    let found = &past.found[0];
    assert!(found.holds_now);
    // Seven days less the window and the dwell.
    let hours = found.spans[0].length().as_hours();
    assert!((164..=166).contains(&hours), "{hours}");
    assert_eq!(past.without_past.len(), 1, "the state of the machine");
    assert_eq!(case.world.entries().len(), before);

    let refused = case.runbooks.try_on_the_past(Tried::Stored(&name), 0).await;
    assert!(refused.is_err());
}
