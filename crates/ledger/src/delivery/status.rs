//! Status of one publication target.

/// Delivery status of one target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delivery {
    /// Name of the target: `file`, `s3`, `webhook`, or a witness's name.
    pub target: String,
    /// Size of the newest checkpoint that arrived.
    pub size: u64,
    /// Attempts that failed since then.
    pub failures: u64,
    /// Reason why the last of them failed.
    pub error: Option<String>,
}
