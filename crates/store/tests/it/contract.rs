//! The contract suites of the ports.

use std::sync::Arc;

use anyhow::Result;
use reeve_notify::delivery::DeliveryStore as _;
use reeve_recommend::models::ModelFilter;
use reeve_recommend::models::{ModelStatus, ModelStore as _};
use reeve_testkit::contract;

use crate::place::{Place, on_both};

on_both!(
    access => super::access,
    estate => super::estate,
    descriptions => super::descriptions,
    drift => super::drift,
    incidents => super::incidents,
    agents => super::agents,
    sums => super::sums,
    alerts => super::alerts,
    exports => super::exports,
    anomalies => super::anomalies,
    bill_sources => super::bill_sources,
    budgets => super::budgets,
    saved_searches => super::saved_searches,
    inbound_alerts => super::inbound_alerts,
    log_sources => super::log_sources,
    metric_sources => super::metric_sources,
    models => super::models,
    predictive => super::predictive,
    price_files => super::price_files,
    rollouts => super::rollouts,
    reports => super::reports,
    deliveries => super::deliveries,
    value_lists => super::value_lists,
    evidence => super::evidence,
    workloads => super::workloads,
    flows => super::flows,
    database_loads => super::database_loads,
    spots => super::spots,
    objectives => super::objectives,
    runbooks => super::runbooks,
    retention => super::retention,
    streams => super::streams,
);

async fn access(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::access::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn estate(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::estate::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn descriptions(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::descriptions::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn drift(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::drift::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn incidents(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::incidents::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn agents(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::agents::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn sums(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::agents::sums(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn alerts(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::alerts::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn reports(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::reports::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn anomalies(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::anomalies::run(Arc::new(store.clone())).await?;
    contract::anomalies::threats(Arc::new(store.clone())).await?;
    contract::anomalies::chains(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn bill_sources(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::bill_sources::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn price_files(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::price_files::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn inbound_alerts(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::inbound_alerts::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn log_sources(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::log_sources::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn streams(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::streams::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn metric_sources(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::metric_sources::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn budgets(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::budgets::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn exports(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::exports::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn saved_searches(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::saved_searches::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn value_lists(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::value_lists::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn retention(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::retention::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn evidence(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::evidence::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn workloads(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::workloads::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn flows(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::flows::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn database_loads(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::database_loads::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn objectives(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::objectives::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn spots(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::spots::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn runbooks(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::runbooks::run(&store).await?;
    store.close().await;
    Ok(())
}

async fn models(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::models::run(Arc::new(store.clone())).await?;
    store.close().await;

    // What was learned survives a restart.
    let store = place.open().await?;
    let serving = ModelFilter {
        status: Some(ModelStatus::Serving),
        ..ModelFilter::default()
    };
    let (found, total) = store.model_list(&serving).await?;
    assert_eq!(total, 2);
    for model in found {
        store.model_state(&model.id).await?;
    }

    store.close().await;
    Ok(())
}

async fn predictive(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::predictive::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn rollouts(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::rollouts::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn deliveries(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::deliveries::run(Arc::new(store.clone())).await?;
    store.close().await;

    // How far the log was read survives a restart.
    let store = place.open().await?;
    assert_eq!(store.outbox_cursor().await?, Some(22));
    store.close().await;
    Ok(())
}
