//! Settings of the workspace: the one installation that everybody who signs in shares.

use async_trait::async_trait;

use crate::public_url::PublicUrl;
use crate::store::AccessError;

/// Settings of the workspace. The version is 0 until somebody has changed one.
#[derive(Debug, Clone, PartialEq)]
pub struct Workspace {
    /// Name, in the dashboard's titles and in messages to people.
    pub name: String,
    /// IANA name of the time zone in which times are shown and schedules run unless they name
    /// another. `None`: times are shown in the reader's zone, and schedules run in UTC.
    pub time_zone: Option<String>,
    /// ISO 4217 code of the currency in which the dashboard shows amounts.
    pub currency: String,
    /// Units of the currency for one US dollar, where an administrator has set a rate. Without one,
    /// amounts stay in the currency that they come in.
    pub usd_rate: Option<f64>,
    /// Days of metric samples to keep; `None` leaves it to the configuration of the service.
    pub samples_days: Option<u32>,
    /// Start of links in messages, unless the configuration of the service names one.
    pub public_url: Option<PublicUrl>,
    /// Grows with every change.
    pub version: u64,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace {
            name: "Reeve".to_owned(),
            time_zone: None,
            currency: "USD".to_owned(),
            usd_rate: None,
            samples_days: None,
            public_url: None,
            version: 0,
        }
    }
}

/// Keeps the settings of the workspace.
#[async_trait]
pub trait WorkspaceStore: Send + Sync {
    /// The settings; the defaults when nobody has changed any.
    async fn workspace_get(&self) -> Result<Workspace, AccessError>;
    /// Replaces the settings; `version` is the stored one plus one.
    async fn workspace_put(&self, workspace: &Workspace) -> Result<(), AccessError>;
}
