//! The contract suites of the four ports.

use std::sync::Arc;

use anyhow::Result;
use reeve_testkit::contract;

use crate::place::{Place, on_both};

on_both!(
    access => super::access,
    estate => super::estate,
    agents => super::agents,
    saved_searches => super::saved_searches,
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

async fn agents(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::agents::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}

async fn saved_searches(place: &Place) -> Result<()> {
    let store = place.open().await?;
    contract::saved_searches::run(Arc::new(store.clone())).await?;
    store.close().await;
    Ok(())
}
