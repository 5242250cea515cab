//! The dashboard of Intelligence Automation: counts of what is there.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::SignedDuration;

use reeve_anomalies::AnomalyFilter;
use reeve_estate::{Money, ResourceFilter};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::combined::combined_savings;
use reeve_recommend::models::ModelFilter;
use reeve_recommend::models::ModelStatus;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::{Action, ActionStatus, Agent, Mode, Purpose, Recommendation, Status, WatchVerdict};

use super::models;
use super::problems::problem;
use super::savings::{SavedChange, cumulated};
use crate::app::App;
use crate::error::Problem;
use crate::wire::workflow::{DashboardBody, LearningBody};

/// Period over which actions and anomalies are counted.
const PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Agents, recommendations, actions, savings, learning progress, anomalies.
#[utoipa::path(get, path = "/api/v1/intelligence/dashboard", tag = "intelligence", responses((status = 200, body = DashboardBody)))]
pub(super) async fn dashboard(State(app): State<Arc<App>>) -> Result<Json<DashboardBody>, Problem> {
    let agents = app.agents.agent_list(None).await?;
    let (found, _) = app.agents.recommendation_list(&RecommendationFilter::default()).await?;
    let since = app.now().checked_sub(PERIOD).ok();
    let all_actions = app.agents.action_list(None, None).await?;
    // What was simulated touched nothing.
    let taken = |one: &&Action| one.purpose != Purpose::Simulate && since.is_none_or(|at| one.started_at >= at);
    let actions: Vec<&Action> = all_actions.iter().filter(taken).collect();
    let approvals = app.agents.approval_list(None).await?;
    let lately = AnomalyFilter { since, limit: 1, ..AnomalyFilter::default() };
    let (_, anomalies) = app.anomalies.anomaly_list(&lately).await?;
    let (resources, resources_total) = app.estate.resource_list(&ResourceFilter::default()).await?;
    let open: Vec<&Recommendation> = found.iter().filter(|one| !one.status.is_end()).collect();
    // A snapshot alone saves nothing until somebody deletes the volume.
    let by_hand = |one: &&Recommendation| one.reason_codes.iter().any(|code| code == "delete_by_hand");
    let succeeded: Vec<&Recommendation> =
        found.iter().filter(|one| one.status == Status::Succeeded && !by_hand(one)).collect();
    let realised = |one: &Recommendation| realised(one, &all_actions);
    let measured: Vec<(&Recommendation, Money)> =
        succeeded.iter().filter_map(|one| Some((*one, realised(one)?))).collect();
    let unmeasured: Vec<&Recommendation> = succeeded.iter().copied().filter(|one| realised(one).is_none()).collect();
    let mut learning = Vec::new();
    for agent in &agents {
        learning.push(learned(&app, agent, &found).await?);
    }
    Ok(Json(DashboardBody {
        active_agents: agents.iter().filter(|agent| agent.mode != Mode::Learning).count() as u64,
        agents_by_mode: count(agents.iter().map(|agent| agent.mode.as_str())),
        recommendations_open: open.len() as u64,
        recommendations_by_priority: count(open.iter().map(|one| one.priority.as_str())),
        approvals_pending: approvals.iter().filter(|approval| approval.status == ApprovalStatus::Pending).count()
            as u64,
        actions_taken: actions.len() as u64,
        actions_by_status: count(actions.iter().map(|action| ActionStatus::as_str(action.status))),
        savings_realised_monthly: measured.iter().map(|(_, realised)| *realised).sum::<Money>().usd_cents(),
        savings_predicted_monthly: predicted(measured.iter().map(|(one, _)| *one)),
        savings_unmeasured: unmeasured.len() as u64,
        savings_unmeasured_monthly: predicted(unmeasured.iter().copied()),
        // What excludes another, or shares a resource with it, does not add up.
        savings_open_monthly: combined_savings(&found).usd_cents(),
        savings_history: cumulated(succeeded.iter().map(|one| saved(one, &all_actions))),
        savings_open_unpriced: open.iter().filter(|one| one.expected_savings().is_none()).count() as u64,
        monthly_cost: resources.iter().filter_map(|resource| resource.monthly_cost).sum::<Money>().usd_cents(),
        resources: resources_total,
        resources_by_provider: count(resources.iter().map(|resource| resource.provider.as_str())),
        learning,
        anomalies_detected: anomalies,
        kill_switch: app.agents.guardrails_get().await?.kill_switch,
    }))
}

/// Measured saving of a change: nothing once somebody else changed the resource, `None` until it is measured. A prediction is never
/// told as realised.
fn realised(recommendation: &Recommendation, actions: &[Action]) -> Option<Money> {
    let watch = applied(recommendation, actions).find_map(|action| action.watch.as_ref())?;
    if watch.verdict == WatchVerdict::Overruled { Some(Money::ZERO) } else { watch.realised_monthly }
}

fn saved(recommendation: &Recommendation, actions: &[Action]) -> SavedChange {
    let ended = applied(recommendation, actions).find_map(|action| action.finished_at);
    SavedChange {
        at: ended.unwrap_or(recommendation.updated_at),
        predicted: recommendation.expected_savings(),
        measured: realised(recommendation, actions),
    }
}

/// Returns the executions of a recommendation on its own resource.
fn applied<'a>(recommendation: &Recommendation, actions: &'a [Action]) -> impl Iterator<Item = &'a Action> {
    let id = recommendation.id.clone();
    actions.iter().filter(move |action| action.recommendation == id && action.purpose == Purpose::Apply)
}

fn predicted<'a>(recommendation: impl Iterator<Item = &'a Recommendation>) -> f64 {
    recommendation.filter_map(Recommendation::expected_savings).sum::<Money>().usd_cents()
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.to_owned()).or_insert(0) += 1;
    }
    counts
}

async fn learned(app: &App, agent: &Agent, found: &[Recommendation]) -> Result<LearningBody, Problem> {
    let (_, percent) = app.agent_service.learning(agent).await.map_err(problem)?;
    // What a person took back by their own decision tells nothing of the finding.
    let own = |one: &&Recommendation| one.agent_id.as_ref() == Some(&agent.id) && one.taken_back_by.is_none();
    let ended = |status: Status| found.iter().filter(own).filter(|one| one.status == status).count() as f64;
    let (held, broken) = (ended(Status::Succeeded), ended(Status::RolledBack) + ended(Status::Failed));
    let accuracy = (held + broken > 0.0).then(|| 100.0 * held / (held + broken));
    let serving =
        ModelFilter { agent: Some(agent.id.clone()), status: Some(ModelStatus::Serving), ..ModelFilter::default() };
    let (serving, _) = app.models.model_list(&serving).await?;
    let models = serving.iter().map(models::body_of).collect();
    Ok(LearningBody { agent_id: agent.id.0.clone(), name: agent.name.clone(), percent, accuracy, models })
}
