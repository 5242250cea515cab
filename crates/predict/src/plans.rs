//! Plans of predictive rules: changes that the clouds offer without a person's hand.

use reeve_estate::Resource;
use reeve_recommend::change::FailOver;
use reeve_recommend::plan::Plan;
pub use reeve_recommend::relief::{grow, replicate, scale_until};

/// The standby of a database takes over now.
#[must_use]
pub fn fail_over(database: &Resource, from: &str, to: &str) -> Plan {
    let change = FailOver {
        state: database.state,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    Plan::new(&change, database.id.as_str())
}
