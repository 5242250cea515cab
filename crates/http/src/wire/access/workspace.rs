//! Settings of the workspace on the wire.

use reeve_access::Workspace;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::AppSettings;

/// Settings of the workspace.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkspaceBody {
    /// Name, in titles and messages.
    pub name: String,
    /// IANA time zone in which times are shown and schedules run unless they name another. Without
    /// it times are shown in the reader's zone, and schedules run in UTC.
    #[schema(example = "Europe/Berlin")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Currency in which the dashboard shows amounts.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Units of the currency for one US dollar. Without it amounts are shown in the currency they
    /// come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_rate: Option<f64>,
    /// Days of metric samples that are kept.
    pub samples_days: u32,
    /// Address at which people reach Reeve, the start of links in messages. Without it messages
    /// have no links.
    #[schema(example = "https://reeve.example.com")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// `true` if the configuration of the service names the public address, which cannot be changed
    /// here then.
    pub public_url_configured: bool,
    /// Grows with every change; 0 before the first.
    pub version: u64,
}

/// New settings of the workspace; what is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceSettings {
    /// Name, 1 to 100 characters.
    pub name: Option<String>,
    /// IANA time zone; empty removes it.
    pub time_zone: Option<String>,
    /// Three capital letters (ISO 4217).
    pub currency: Option<String>,
    /// Units of the currency for one US dollar; 0 removes the rate.
    pub usd_rate: Option<f64>,
    /// Days of metric samples to keep, 30 to 3660.
    pub samples_days: Option<u32>,
    /// Address at which people reach Reeve, such as `https://reeve.example.com`; empty removes it.
    pub public_url: Option<String>,
    /// The version that was read.
    pub version: Option<u64>,
}

impl WorkspaceBody {
    /// Returns the wire form, with the values of the configuration where nobody has set one.
    pub(crate) fn new(workspace: &Workspace, configured: &AppSettings) -> Self {
        WorkspaceBody {
            name: workspace.name.clone(),
            time_zone: workspace.time_zone.clone(),
            currency: workspace.currency.clone(),
            usd_rate: workspace.usd_rate,
            samples_days: workspace.samples_days.unwrap_or(configured.samples_days),
            public_url: configured.public_url(workspace).map(ToString::to_string),
            public_url_configured: configured.public_url.is_some(),
            version: workspace.version,
        }
    }
}
