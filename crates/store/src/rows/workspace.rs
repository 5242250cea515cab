//! The settings of the workspace.

use reeve_access::{PublicUrl, Workspace};
use serde::{Deserialize, Serialize};

/// The settings of the workspace, as kept under a name among the settings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkspaceRow {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    currency: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usd_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    samples_days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
    version: u64,
}

impl From<&Workspace> for WorkspaceRow {
    fn from(workspace: &Workspace) -> Self {
        WorkspaceRow {
            name: workspace.name.clone(),
            time_zone: workspace.time_zone.clone(),
            currency: workspace.currency.clone(),
            usd_rate: workspace.usd_rate.filter(|rate| rate.is_finite()),
            samples_days: workspace.samples_days,
            public_url: workspace.public_url.as_ref().map(ToString::to_string),
            version: workspace.version,
        }
    }
}

impl From<WorkspaceRow> for Workspace {
    fn from(row: WorkspaceRow) -> Self {
        Workspace {
            name: row.name,
            time_zone: row.time_zone,
            currency: row.currency,
            usd_rate: row.usd_rate,
            samples_days: row.samples_days,
            public_url: row.public_url.as_deref().and_then(PublicUrl::parse),
            version: row.version,
        }
    }
}
