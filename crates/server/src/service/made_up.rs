//! A change, its operation and its cloud that this file alone knows, from an offer to a rolled-back
//! action over HTTP. Engine, store, log and routes carry it without a line of their own: that is
//! what the registry of changes promises (docs/adr/0011).

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_audit::Json;
use reeve_estate::{
    Act, ActError, ActErrorKind, Applied, ConnectionStatus, EstateStore as _, Kinds, Observed,
    Operation, Resource, ResourceId, ResourceSnapshot,
};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::change::{
    Change, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal, Task, TaskReach,
    foreign, precondition, verify,
};
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::ports::responses::ResponseOffer;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationDecision,
    RecommendationId, RecommendationType,
};
use reeve_testkit::contract::estate as samples;
use reeve_testkit::http::{Api, until};
use serde_json::json;

use super::*;

const TOKEN: &str = "a-token-of-this-test-alone";
const LONG: Duration = Duration::from_secs(90);

/// Operation of the made-up change.
#[derive(Debug)]
struct SetColor(String);

impl Operation for SetColor {}

#[derive(Debug, Clone)]
struct Paint {
    from: String,
    to: String,
}

const PAINT: ChangeType = ChangeType {
    name: "paint",
    permissions: &[],
    parse: Parse::Typed(parse),
};

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(Paint {
        from: parameters.text("from")?,
        to: parameters.text("to")?,
    }))
}

fn color_of(resource: &Resource) -> Option<String> {
    resource.tag("color").map(str::to_owned)
}

fn colored(color: &str) -> Expectation {
    Expectation::new("color", color.to_owned(), color_of)
}

impl Paint {
    fn step(target: &str, color: &str) -> Task {
        let goal = TaskReach::by(
            "the paint",
            SetColor(color.to_owned()),
            vec![colored(color)],
        );
        Task::change(target, format!("Paint {target} {color}"), goal)
            .expecting(vec![colored(color)])
    }
}

impl Change for Paint {
    fn name(&self) -> &'static str {
        PAINT.name
    }

    fn parameters(&self) -> Json {
        Json::object([("from", self.from.as_str()), ("to", self.to.as_str())])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, reeve_estate::ResourceState::Running, None);
        check.expect.push(colored(&self.from));
        vec![
            check,
            Paint::step(target, &self.to),
            verify(target, "is painted", vec![colored(&self.to)]),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = color_of(prior)?;
        (color_of(seen).as_ref() != Some(&before)).then(|| Paint::step(seen.id.as_str(), &before))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &reeve_estate::PriceCatalogue,
    ) -> Result<(), ActError> {
        let SetColor(color) = operation.downcast_ref().ok_or_else(|| foreign(operation))?;
        twin.tags.insert("color".to_owned(), color.clone());
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("color", color_of(seen))]
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

/// A cloud of things that have a color.
struct Workshop(Mutex<Vec<Resource>>);

impl Workshop {
    fn find(&self, id: &ResourceId) -> Result<Resource, ActError> {
        let found = self.0.lock().iter().find(|thing| thing.id == *id).cloned();
        found.ok_or_else(|| ActError {
            kind: ActErrorKind::NotFound,
            message: format!("no {id}"),
        })
    }
}

#[async_trait]
impl Act for Workshop {
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError> {
        let resource = self.find(&resource.id)?;
        Ok(Observed {
            state: resource.state,
            instance_type: resource.specification.instance_type.clone(),
            resource,
        })
    }

    async fn observe_configuration(&self, thing: &Resource) -> Result<Observed, ActError> {
        self.observe(thing).await
    }

    async fn volumes_of(&self, _: &Resource) -> Result<Vec<Resource>, ActError> {
        Ok(Vec::new())
    }

    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError> {
        let SetColor(color) = operation.downcast_ref().ok_or_else(|| foreign(operation))?;
        let mut things = self.0.lock();
        let thing = things.iter_mut().find(|thing| thing.id == resource.id);
        thing
            .unwrap()
            .tags
            .insert("color".to_owned(), color.clone());
        Ok(Applied::Accepted)
    }

    async fn snapshot_complete(
        &self,
        _: &ResourceId,
        _: &str,
        _: &ResourceSnapshot,
    ) -> Result<bool, ActError> {
        Ok(true)
    }
}

fn things() -> Vec<Resource> {
    let thing = |id: &str| {
        let mut thing = samples::resource("c-1", id).unwrap();
        thing.tags.insert("color".to_owned(), "red".to_owned());
        thing
    };
    vec![thing("thing-1"), thing("thing-2")]
}

fn offer(resource: Resource) -> ResponseOffer {
    let words = |text: &str| text.to_owned();
    let change = Paint {
        from: words("red"),
        to: words("blue"),
    };
    let proposal = Proposal::new(
        RecommendationType::RightSize,
        "paint_red_things",
        format!("Paint {} blue", resource.name),
        subject(&resource, None),
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: words("none"),
            performance_degradation_percent: Some(0.0),
            performance: words("none"),
            security: words("none"),
        },
        Explanation::new(words("Paint it blue"), Impact::Low)
            .with_factors(Factors::from([(FactorKind::Measured, "It is red")]))
            .with_data_points(1)
            .with_cost_reduction(words("none"))
            .with_performance_impact(words("none"))
            .with_decision_path(vec![RecommendationDecision {
                check: words("Is it red?"),
                answer: Some(true),
                detail: words("red"),
            }]),
    )
    .with_priority(Priority::Low)
    .with_confidence(
        95.0,
        Trust {
            raw: 0.95,
            features: Vec::new(),
            cap_percent: None,
        },
    )
    .with_impact_level(Impact::Low)
    .with_plan(Plan::new(&change, resource.id.as_str()))
    .with_reason_codes(vec![words("is_red")]);

    ResponseOffer {
        resource,
        proposal,
        cause: OriginCause::Person(words("ann@example.com")),
    }
}

async fn keep_everything(service: &Service) -> Vec<RecommendationId> {
    let mut connection = samples::connection("c-1", 1_000).unwrap();
    (connection.allow_actions, connection.status) = (true, ConnectionStatus::Ready);
    service.store.connection_insert(&connection).await.unwrap();
    let mut offers = Vec::new();
    for thing in things() {
        service.store.resource_put(&thing).await.unwrap();
        offers.push(offer(thing));
    }

    let kept = service
        .engine
        .responses
        .propose(AgentType::OPS_INTELLIGENCE, offers)
        .await
        .unwrap();

    kept.into_iter().map(Result::unwrap).collect()
}

/// Serves in the background; the answer is a client of it and the handles that end it.
async fn served(service: Service) -> (Api, CancellationToken, tokio::task::JoinHandle<Result<()>>) {
    crate::commands::first_administrator(&service, Some(TOKEN.to_owned()))
        .await
        .unwrap();
    let listener = bind(&service.config).await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(service.serve(listener, stop.clone()));

    (
        Api::new(&format!("http://{address}")).with_token(TOKEN),
        stop,
        serving,
    )
}

/// Opens a service with the cloud behind every connection.
async fn opened(config: Config, cloud: &Arc<Workshop>, changes: ChangeRegistry) -> Service {
    let clouds = CloudRegistry::made_up(cloud.clone());
    let kinds = Kinds::builtin().clone();
    Service::open(
        config,
        clouds,
        changes,
        reeve_agents::registry(),
        kinds,
        false,
    )
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_only_this_test_knows_is_carried_out_and_rolled_back_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        data_dir: folder.path().join("data"),
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    let cloud = Arc::new(Workshop(Mutex::new(things())));
    let known = ChangeRegistry::builtin().with(PAINT);
    let service = opened(config.clone(), &cloud, known).await;
    let ids = keep_everything(&service).await;
    let execution = service.engine.execution.clone();
    let (api, stop, serving) = served(service).await;
    let path = format!("intelligence/recommendations/{}", ids[0].0);

    let found = api.get(&path).await.expect(200);
    assert_eq!(found.body["plan"]["change"]["name"], "paint");
    assert_eq!(
        found.body["plan"]["change"]["parameters"],
        json!({"from": "red", "to": "blue"})
    );
    assert_eq!(found.body["plan"]["hash_version"], 2);
    assert_eq!(
        found.body["plan"]["steps"][1]["description"],
        "Paint thing-1 blue"
    );

    let color = |at: usize| color_of(&cloud.0.lock()[at]).unwrap();
    let simulated = api.post(&format!("{path}/test"), json!({})).await;
    assert!(simulated.status < 300, "{simulated:?}");
    execution.settle().await;
    assert_eq!(
        color(0),
        "red",
        "the simulated twin behaves as the change says, and nothing real is touched"
    );

    let begun = api.post(&format!("{path}/execute"), json!({})).await;
    assert!(begun.status < 300, "{begun:?}");
    execution.settle().await;
    assert_eq!(color(0), "blue");

    let actions = api.get("intelligence/actions").await.expect(200);
    let done = actions
        .items()
        .iter()
        .find(|action| action["purpose"] == "apply")
        .unwrap();
    assert_eq!(done["status"], "succeeded", "{done:#}");

    let action = format!("intelligence/actions/{}", done["id"].as_str().unwrap());
    let undoing = api.post(&format!("{action}/rollback"), json!({})).await;
    assert!(undoing.status < 300, "{undoing:?}");

    let ended = until("the action is rolled back", LONG, || async {
        let now = api.get(&action).await.expect(200);
        (now.body["status"] == "rolled_back").then_some(now)
    });
    let steps = ended.await.body["steps"].clone();
    let words = |step: &serde_json::Value| step["description"].as_str().map(str::to_owned);
    let words: Vec<String> = steps.as_array().unwrap().iter().filter_map(words).collect();
    assert!(words.contains(&"Paint thing-1 red".to_owned()), "{words:?}");
    assert_eq!(color(0), "red");

    let recorded = api
        .get("audit-logs?query=metadata.change%3Apaint")
        .await
        .expect(200);
    assert!(
        recorded.items().len() > 8,
        "each step stands in the log with its change"
    );
    stop.cancel();
    serving.await.unwrap().unwrap();
    drop(execution);

    // A release without the row shows the plan and does not carry it out.
    let service = opened(config, &cloud, ChangeRegistry::builtin()).await;
    let (api, stop, serving) = served(service).await;
    let path = format!("intelligence/recommendations/{}", ids[1].0);
    let shown = api.get(&path).await.expect(200);
    assert_eq!(
        shown.body["plan"]["steps"][1]["description"],
        "Paint thing-2 blue"
    );

    let refused = api
        .post(&format!("{path}/execute"), json!({}))
        .await
        .problem(409, "conflict");
    assert!(
        refused.text.contains("does not know the change paint"),
        "{}",
        refused.text
    );
    assert_eq!(color(1), "red");
    stop.cancel();
    serving.await.unwrap().unwrap();
}
