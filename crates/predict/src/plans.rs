//! Plans of predictive rules: changes that the clouds offer without a person's hand.

use reeve_estate::Resource;
use reeve_recommend::change::{FailOver, RequestQuota, RunDocument};
use reeve_recommend::plan::Plan;

pub use reeve_recommend::plan::relief::{grow, replicate, scale_until};

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

/// A quota in the account and region of a resource is requested to be raised.
#[must_use]
pub fn request_quota(resource: &Resource, service: &str, code: &str, from: u32, to: u32) -> Plan {
    let change = RequestQuota {
        state: resource.state,
        service: service.to_owned(),
        quota: code.to_owned(),
        from,
        to,
    };
    Plan::new(&change, resource.id.as_str())
}

/// A document runs on a machine, or on the members of a group.
#[must_use]
pub fn run_document(resource: &Resource, document: &str, members: bool, occasion: &str) -> Plan {
    let change = RunDocument {
        state: resource.state,
        document: document.to_owned(),
        members,
        occasion: occasion.to_owned(),
    };
    Plan::new(&change, resource.id.as_str())
}
