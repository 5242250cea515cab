//! The dashboard of Intelligence Automation: counts of what is there, all of them from sums.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::Money;
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::models::{Model, ModelFilter, ModelStatus};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::{ApprovalFilter, RecommendationTotal};

use crate::app::App;
use crate::error::Problem;
use crate::routes::intelligence::models;
use crate::routes::intelligence::problems::problem;
use crate::routes::intelligence::savings::{SavedChange, cumulated};
use crate::wire::recommendation::workflow::{DashboardBody, LearningBody};

/// Period over which actions and anomalies are counted.
const PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Agents, recommendations, actions, savings, learning progress, anomalies.
#[utoipa::path(get, path = "/api/v1/intelligence/dashboard", tag = "intelligence", responses((status = 200, body = DashboardBody)))]
pub(super) async fn dashboard(State(app): State<Arc<App>>) -> Result<Json<DashboardBody>, Problem> {
    let since = app.now().checked_sub(PERIOD).unwrap_or(Timestamp::MIN);
    let pending = ApprovalFilter {
        status: Some(ApprovalStatus::Pending),
        limit: 1,
        ..ApprovalFilter::default()
    };

    let (agents, found, actions, (_, approvals_pending), resources) = tokio::try_join!(
        app.agents.agent_list(None),
        app.agents.recommendation_totals(),
        app.agents.action_statuses(since),
        app.agents.approval_page(&pending),
        app.estate.resource_totals(),
    )?;

    let anomalies = app.anomalies.anomaly_incidents(since).await?;
    let any = RecommendationFilter::default();
    let (savings, days) = tokio::try_join!(
        app.agents.recommendation_savings(&any),
        app.agents.recommendation_savings_by_day()
    )?;
    let open: Vec<&RecommendationTotal> = found
        .iter()
        .filter(|total| !total.status.is_end())
        .collect();

    // A snapshot alone saves nothing until somebody deletes the volume.
    let is_saving =
        |total: &&RecommendationTotal| total.status == Status::Succeeded && !total.is_by_hand;
    let saving: Vec<&RecommendationTotal> = found.iter().filter(is_saving).collect();
    let sum = |amount: fn(&RecommendationTotal) -> Money| {
        saving.iter().map(|total| amount(total)).sum::<Money>()
    };

    let (expected, measured_expected) = (
        sum(|total| total.expected),
        sum(|total| total.measured_expected),
    );
    let serving = ModelFilter {
        status: Some(ModelStatus::Serving),
        ..ModelFilter::default()
    };
    let (serving, _) = app.models.model_list(&serving).await?;
    let mut learning = Vec::new();
    for agent in &agents {
        learning.push(learned(&app, agent, &found, &serving).await?);
    }

    Ok(Json(DashboardBody {
        active_agents: agents
            .iter()
            .filter(|agent| agent.mode != Mode::Learning)
            .count() as u64,
        agents_by_mode: count(agents.iter().map(|agent| (agent.mode.as_str(), 1))),
        recommendations_open: open.iter().map(|total| total.count).sum(),
        recommendations_by_priority: count(
            open.iter()
                .map(|total| (total.priority.as_str(), total.count)),
        ),
        approvals_pending,
        actions_taken: actions.iter().map(|(_, count)| count).sum(),
        actions_by_status: count(
            actions
                .iter()
                .map(|(status, count)| (status.as_str(), *count)),
        ),
        savings_realised_monthly: sum(|total| total.realised).usd_cents(),
        savings_predicted_monthly: measured_expected.usd_cents(),
        savings_unmeasured: saving
            .iter()
            .map(|total| total.count - total.measured)
            .sum(),
        savings_unmeasured_monthly: (expected - measured_expected).usd_cents(),
        // What excludes another, or shares a resource with it, does not add up.
        savings_open_monthly: savings.combined.usd_cents(),
        cost_added_open_monthly: savings.added.usd_cents(),
        savings_history: cumulated(days.into_iter().map(SavedChange::from)),
        savings_open_unpriced: savings.unpriced,
        monthly_cost: resources
            .iter()
            .map(|total| total.monthly_cost)
            .sum::<Money>()
            .usd_cents(),
        resources: resources.iter().map(|total| total.resources).sum(),
        resources_by_provider: count(
            resources
                .iter()
                .map(|total| (total.provider.as_str(), total.resources)),
        ),
        learning,
        anomalies_detected: anomalies,
        kill_switch: app.agents.guardrails_get().await?.kill_switch,
    }))
}

fn count<'a>(names: impl Iterator<Item = (&'a str, u64)>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (name, count) in names {
        *counts.entry(name.to_owned()).or_insert(0) += count;
    }
    counts
}

/// Outcomes below which no share of them is told: 2 of 3 are not 67 %.
const ENOUGH_OUTCOMES: u64 = 10;

async fn learned(
    app: &App,
    agent: &Agent,
    found: &[RecommendationTotal],
    serving: &[Model],
) -> Result<LearningBody, Problem> {
    let (_, percent) = app.agent_service.learning(agent).await.map_err(problem)?;
    // What a person took back by their own decision tells nothing of the finding.
    let own = |total: &&RecommendationTotal| {
        total.agent.as_ref() == Some(&agent.id) && !total.is_taken_back
    };

    let ended = |status: Status| {
        found
            .iter()
            .filter(own)
            .filter(|total| total.status == status)
            .map(|total| total.count)
            .sum::<u64>()
    };
    let held = ended(Status::Succeeded);
    let outcomes = held + ended(Status::RolledBack) + ended(Status::Failed);
    let accuracy = (outcomes >= ENOUGH_OUTCOMES).then(|| 100.0 * held as f64 / outcomes as f64);

    let models = serving
        .iter()
        .filter(|model| model.agent_id == agent.id)
        .map(models::body_of)
        .collect();
    let (agent_id, name) = (agent.id.0.clone(), agent.name.clone());
    Ok(LearningBody {
        agent_id,
        name,
        percent,
        accuracy,
        held,
        outcomes,
        models,
    })
}
