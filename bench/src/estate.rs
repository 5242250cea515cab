//! The generated estate: resources, recommendations most of which have ended, actions, approvals
//! and points, put into the store and the lake through their own interfaces before a service starts
//! on them.
//!
//! The same numbers give the same estate on every machine, apart from times: they end now, because
//! what is open must not have expired.

mod content;
mod records;

use std::path::Path;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_estate::{EstateStore as _, Metric, Sample, SampleStore as _};
use reeve_lake::SampleLake;
use reeve_recommend::ports::AgentStore as _;
use reeve_store::{Store, Vault};

pub(crate) use content::{AGENT, Content};

/// Recommendations of one transaction.
const TOGETHER: u64 = 2_000;
/// Resources of one insert of points.
const MEASURED_TOGETHER: u64 = 2_000;
/// Hours of points that each machine has.
const HOURS: i64 = 14 * 24;

/// Size of the estate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) resources: u64,
    pub(crate) recommendations: u64,
}

impl Size {
    /// Recommendations that have not ended: a hundredth.
    pub(crate) const fn open(self) -> u64 {
        self.recommendations / 100
    }
}

/// Puts the estate into the store at `url`, with the key of the data directory.
pub(crate) async fn fill(url: &str, data: &Path, size: Size) -> Result<()> {
    let vault = Vault::load_or_create(&data.join("keys").join("secrets.key"))?;
    let store = Store::open(url, vault)
        .await
        .context("opening the state store")?;
    let content = Content::new(size, Timestamp::now());

    for connection in content.connections() {
        store.connection_insert(&connection).await?;
        store
            .resource_sync(&connection.id, &content.resources_of(&connection.id)?, &[])
            .await?;
    }

    for agent in content.agents() {
        store.agent_insert(&agent).await?;
    }

    let mut next = 0;
    while next < size.recommendations {
        let end = (next + TOGETHER).min(size.recommendations);
        let chunk = (next..end)
            .map(|number| content.recommendation(number))
            .collect::<Result<Vec<_>>>()?;
        store.recommendation_insert_all(&chunk).await?;
        next = end;
    }

    for action in content.actions()? {
        store.action_insert(&action).await?;
    }

    for approval in content.approvals()? {
        store.approval_insert(&approval).await?;
    }

    store.close().await;
    Ok(())
}

/// Puts two weeks of points of the machines and databases into the lake, one an hour.
pub(crate) async fn measure(data: &Path, size: Size) -> Result<u64> {
    let lake = SampleLake::open(data).await?;
    let content = Content::new(size, Timestamp::now());
    let mut written = 0;
    let mut next = 0;

    while next < size.resources {
        let end = (next + MEASURED_TOGETHER).min(size.resources);
        let mut samples = Vec::new();
        for number in (next..end).filter(|number| Content::is_measured(*number)) {
            for metric in [Metric::CpuUtilization, Metric::MemoryUtilization] {
                for hour in 0..HOURS {
                    samples.push(Sample {
                        connection: content.connection_of(number),
                        resource: Content::resource_id(number),
                        metric,
                        timestamp: content.hours_ago(HOURS - hour)?,
                        value: Content::value(number, hour),
                        period_s: 3_600,
                    });
                }
            }
        }
        written += samples.len() as u64;
        lake.sample_insert(&samples).await?;
        next = end;
    }

    lake.compact().await?;
    Ok(written)
}
