//! Assessment of a change: impact level, priority, risk.
//!
//! The matrix of names a monthly cost and a risk for each level; the higher one
//! decides. The cost is the larger of what changes and what the resource costs, so that a small
//! saving on a large machine still needs approval.

use reeve_estate::{Money, Resource, ResourceKind};

use crate::agent::Impact;
use crate::approval::matrix::ApprovalMatrix;
use crate::recommendation::Priority;

/// Returns `true` if the environment tag names production.
#[must_use]
pub fn is_production(resource: &Resource) -> bool {
    environment(resource)
        .is_some_and(|env| matches!(env.as_str(), "prod" | "production" | "prd" | "live"))
}

/// Returns `true` if changes may be tested on the resource: its environment tag names development,
/// test or staging, or it is tagged as a test twin.
#[must_use]
pub fn non_production(resource: &Resource) -> bool {
    const NAMES: [&str; 9] = [
        "dev",
        "development",
        "test",
        "testing",
        "qa",
        "stage",
        "staging",
        "sandbox",
        "nonprod",
    ];

    let twin = resource
        .tag("reeve:test-twin")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    twin || environment(resource).is_some_and(|env| NAMES.contains(&env.as_str()))
}

/// The value of the environment tag, lower case.
fn environment(resource: &Resource) -> Option<String> {
    let key = |key: &str| {
        matches!(
            key.to_ascii_lowercase().as_str(),
            "env" | "environment" | "stage"
        )
    };
    resource
        .tags
        .iter()
        .find(|(name, _)| key(name))
        .map(|(_, value)| value.trim().to_ascii_lowercase())
}

/// Properties of a change that raise its risk above what its cost implies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hazards {
    /// A dimension gets smaller that nobody measured.
    pub unmeasured: bool,
    /// Infrastructure as code owns it.
    pub iac: bool,
    /// There is no price for it.
    pub unpriced: bool,
    /// Nothing in use is taken away (it is idle).
    pub idle: bool,
}

/// The risk: one step up for one or two hazards, two for more.
pub fn risk(resource: &Resource, hazards: Hazards) -> Impact {
    let production = is_production(resource);
    let database = resource.kind == ResourceKind::Database;
    let count = [
        production,
        database,
        hazards.unmeasured && !hazards.idle,
        hazards.iac,
        hazards.unpriced,
    ];

    match count.into_iter().filter(|hazard| *hazard).count() {
        0 => Impact::Low,
        1 | 2 => Impact::Medium,
        _ => Impact::High,
    }
}

/// The impact level: the higher of cost and risk.
pub fn impact_level(
    matrix: &ApprovalMatrix,
    resource: &Resource,
    savings: Option<Money>,
    monthly: Option<Money>,
    hazards: Hazards,
) -> Impact {
    let size = |money: Option<Money>| money.map_or(0.0, |money| money.usd().abs());
    let cost = Money::from_usd(size(savings).max(size(monthly)));
    matrix.impact_by_cost(cost).max(risk(resource, hazards))
}

/// The priority of something that saves this much a month. What has no price is not taken for
/// worthless.
pub fn priority_by_savings(savings: Option<Money>) -> Priority {
    match savings.map(|savings| savings.usd().abs()) {
        Some(usd) if usd >= 1000.0 => Priority::High,
        Some(usd) if usd >= 100.0 => Priority::Medium,
        Some(_) => Priority::Low,
        None => Priority::Medium,
    }
}
