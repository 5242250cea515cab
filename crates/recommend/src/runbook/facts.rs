//! Runbooks that are for a resource, as an open fact of it.

use std::sync::Arc;

use super::breaker::Gate;
use super::condition::Measurements;
use super::definition::Runbook;

/// A runbook that is for a resource, and how it has done so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RunbookCase {
    pub runbook: Arc<Runbook>,
    pub gate: Gate,
    /// Applications on all resources after which the condition held no longer.
    pub helped: u32,
    /// Applications on all resources that failed or did not help.
    pub failed: u32,
}

/// Runbooks of a resource with the measurements that their conditions read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunbookFacts {
    pub cases: Vec<RunbookCase>,
    pub measured: Measurements,
}
