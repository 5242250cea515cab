//! Running services that commands work with.

use clap::Args;

/// A running service.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServiceTarget {
    /// URL of the running service.
    #[arg(long, env = "REEVE_URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// API token.
    #[arg(long, env = "REEVE_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}
