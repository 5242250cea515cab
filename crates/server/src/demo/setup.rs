//! Connections and agents of the demo.

use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::{Workspace, WorkspaceStore as _};
use reeve_connect_simulated::SimulatedEstate;
use reeve_engine::AgentInput;
use reeve_estate::{ConnectionId, EstateStore as _, Metric, ResourceFilter, ResourceKind};
use reeve_recommend::caller::Caller;
use reeve_recommend::objective::{
    MOST_OBJECTIVES, Objective, ObjectiveId, ObjectiveStore as _, Service as ObjectiveService,
};
use reeve_recommend::ports::AgentStore as _;

use crate::service::Service;

/// Adds the three simulated accounts where they are missing.
pub(super) async fn connections(
    service: &Service,
    estate: &Arc<SimulatedEstate>,
) -> Result<Vec<ConnectionId>> {
    let known = service.store.connection_list().await?;
    let mut ids = Vec::new();

    for connection in estate.connections() {
        if !known.iter().any(|other| other.id == connection.id) {
            service.store.connection_insert(&connection).await?;
        }
        ids.push(connection.id);
    }
    Ok(ids)
}

/// Names the workspace after the demo's company, unless somebody has changed its settings.
pub(super) async fn workspace(service: &Service) -> Result<()> {
    let settings = service.store.workspace_get().await?;
    if settings.version == 0 {
        service
            .store
            .workspace_put(&Workspace {
                name: "Acme".to_owned(),
                version: 1,
                ..settings
            })
            .await?;
    }

    Ok(())
}

/// Sets what the demo's company promises its customers, where no objective is set.
pub(super) async fn objectives(service: &Service) -> Result<()> {
    if !service.store.objective_list().await?.is_empty() {
        return Ok(());
    }

    let filter = ResourceFilter {
        kind: Some(ResourceKind::LoadBalancer),
        ..ResourceFilter::default()
    };
    let (balancers, _) = service.store.resource_list(&filter).await?;
    let promises = [
        (
            "Checkout answers in time",
            "checkout-api",
            Metric::ResponseTime,
            0.15,
            99.5,
        ),
        (
            "Orders are taken",
            "checkout-api",
            Metric::ErrorRate,
            1.0,
            99.9,
        ),
        (
            "Shop pages answer in time",
            "shop-web",
            Metric::ResponseTime,
            0.12,
            99.0,
        ),
    ];
    let now = Timestamp::now();
    for (name, balancer, metric, target, share_percent) in promises {
        let Some(found) = balancers.iter().find(|one| one.name == balancer) else {
            continue;
        };
        let objective = Objective {
            id: ObjectiveId(uuid::Uuid::now_v7().to_string()),
            name: name.to_owned(),
            service: ObjectiveService::Resource(found.id.clone()),
            metric,
            target,
            share_percent,
            window_days: 28,
            created_at: now,
            updated_at: now,
            version: 1,
        };
        service
            .store
            .objective_insert(&objective, MOST_OBJECTIVES)
            .await?;
        service.engine.objectives.evaluate_one(&objective).await?;
    }

    Ok(())
}

/// Creates the agents of the demo where there are none, and runs them once.
pub(super) async fn agents(service: &Service) -> Result<()> {
    if !service.store.agent_list(None).await?.is_empty() {
        return Ok(());
    }

    let text = |value: &str| Some(value.to_owned());
    let inputs = [
        AgentInput {
            agent_type: text("cost_optimizer"),
            name: text("Production cost optimizer"),
            mode: text("safe_mode"),
            accounts: Some(vec!["acme-production".into()]),
            services: Some(Vec::new()),
            learning_period: text("14d"),
            confidence_threshold: text("85%"),
            auto_apply_enabled: Some(true),
            auto_apply_max_impact: text("low"),
            auto_apply_approval_required: text("medium_impact"),
            reason: text("the demo's estate has 30 days of history"),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("storage_optimizer"),
            name: text("Production storage optimizer"),
            mode: text("safe_mode"),
            accounts: Some(vec!["acme-production".into()]),
            learning_period: text("14d"),
            confidence_threshold: text("85%"),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("spot_optimizer"),
            name: text("Spot capacity"),
            mode: text("safe_mode"),
            learning_period: text("14d"),
            confidence_threshold: text("70%"),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("cost_optimizer"),
            name: text("Everything else"),
            mode: text("learning"),
            accounts: Some(vec!["acme-analytics".into(), "acme-corporate".into()]),
            learning_period: text("14d"),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("compliance_intelligence"),
            name: text("Compliance"),
            mode: text("safe_mode"),
            learning_period: text("1d"),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("workload_classifier"),
            name: text("Workload classifier"),
            mode: text("safe_mode"),
            learning_period: text("14d"),
            confidence_threshold: text("70%"),
            // The scheduler of the demo's company reads this tag.
            settings: [(
                "apply_best_practices.schedule_tag".to_owned(),
                text("Schedule=office-hours"),
            )]
            .into(),
            ..AgentInput::default()
        },
        AgentInput {
            agent_type: text("performance_optimizer"),
            name: text("Performance"),
            mode: text("safe_mode"),
            learning_period: text("14d"),
            ..AgentInput::default()
        },
    ];

    // Findings belong to agents of their own type: one for what anomalies and predictive rules
    // find.
    let held = [
        ("security_intelligence", "Security watch"),
        ("ops_intelligence", "Operations foresight"),
        ("db_optimizer", "Database foresight"),
    ];

    let holders = held.map(|(agent_type, name)| AgentInput {
        agent_type: text(agent_type),
        name: text(name),
        mode: text("safe_mode"),
        learning_period: text("14d"),
        ..AgentInput::default()
    });

    let by = Caller::system();
    for input in inputs.into_iter().chain(holders) {
        let agent = service.app.agent_service.agent_create(input, &by).await?;
        service.app.runs.agent_run(&agent.id, &by).await?;
    }

    Ok(())
}
