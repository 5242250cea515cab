//! Part of unusual spending that one resource of the bill makes.

use serde::{Deserialize, Serialize};

/// Cost of a resource during a cost anomaly, and as much as it would have cost before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Identifier of the resource as the bill has it; empty where the charges name none.
    pub resource: String,
    /// Description of the product.
    pub description: String,
    /// Cost during the anomaly.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub observed: f64,
    /// Cost of as long a time before it.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub expected: f64,
    pub currency: String,
}

impl Contribution {
    /// Identifier of the resource as inventories have it: a bill may name it by ARN or path.
    #[must_use]
    pub fn resource_id(&self) -> &str {
        let last = self.resource.rsplit(['/', ':']).next().unwrap_or_default();
        if last.is_empty() {
            &self.resource
        } else {
            last
        }
    }

    pub(crate) fn name(&self) -> &str {
        if self.resource.is_empty() {
            &self.description
        } else {
            self.resource_id()
        }
    }

    pub(crate) fn amounts(&self) -> String {
        format!(
            "{:.2} instead of {:.2} {}",
            self.observed, self.expected, self.currency
        )
    }

    pub(crate) fn words(&self) -> String {
        let resource = if self.resource.is_empty() {
            "no resource named"
        } else {
            self.resource.as_str()
        };
        format!("{resource}, {}: {}", self.description, self.amounts())
    }
}
