//! Approval matrix: the monthly cost from which a change is of medium or high impact, and the
//! signatures that each impact needs.
//!
//! The defaults are those of: below 100 a month automatic, 100 to 1000 by a manager,
//! above 1000 by a director and security.

use reeve_estate::{Money, named};
use serde::{Deserialize, Serialize};

use crate::agent::Impact;

named!(
    /// Signature that the matrix can require.
    Signature {
        /// A manager's (medium impact).
        Manager => "manager",
        /// A director's (high impact).
        Director => "director",
        /// The signature of security, for changes of high impact.
        Security => "security",
    }
);

/// Signatures that changes need, by their impact, and the costs that decide it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalMatrix {
    /// Monthly cost from which a change is of medium impact, dollars; less is low.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub medium_from_usd: f64,
    /// Monthly cost above which a change is of high impact, dollars.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub high_above_usd: f64,
    /// Signatures for low impact; none is automatic.
    pub low: Vec<Signature>,
    /// Signatures for medium impact.
    pub medium: Vec<Signature>,
    /// Signatures for high impact; at least one.
    pub high: Vec<Signature>,
}

impl Default for ApprovalMatrix {
    fn default() -> Self {
        ApprovalMatrix {
            medium_from_usd: 100.0,
            high_above_usd: 1000.0,
            low: Vec::new(),
            medium: vec![Signature::Manager],
            high: vec![Signature::Director, Signature::Security],
        }
    }
}

impl ApprovalMatrix {
    /// Returns the impact that a monthly cost alone gives a change.
    #[must_use]
    pub fn impact_by_cost(&self, monthly: Money) -> Impact {
        let usd = monthly.usd().abs();
        if usd < self.medium_from_usd {
            Impact::Low
        } else if usd <= self.high_above_usd {
            Impact::Medium
        } else {
            Impact::High
        }
    }

    /// Returns the signatures that an impact needs.
    #[must_use]
    pub fn signatures(&self, impact: Impact) -> &[Signature] {
        match impact {
            Impact::Low => &self.low,
            Impact::Medium => &self.medium,
            Impact::High => &self.high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_the_specifications_borders() {
        let matrix = ApprovalMatrix::default();
        let level = |usd: f64| matrix.impact_by_cost(Money::from_usd(usd));
        assert_eq!(
            (level(0.0), level(99.99), level(100.0)),
            (Impact::Low, Impact::Low, Impact::Medium)
        );
        assert_eq!(
            (level(1000.0), level(1000.01), level(-2000.0)),
            (Impact::Medium, Impact::High, Impact::High)
        );
    }
}
