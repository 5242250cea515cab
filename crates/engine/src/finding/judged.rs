//! A resource with its judgement: what runs and foreseen findings hand to the keeping of
//! recommendations.

use reeve_estate::{PriceCatalogue, Resource};
use reeve_recommend::judgement::Judgement;

/// A resource that was judged.
pub(crate) struct Judged {
    pub(crate) resource: Resource,
    pub(crate) judgement: Judgement,
    /// `true` for findings of an event: earlier answers to findings of its kind do not count.
    pub(crate) is_emergency: bool,
}

impl Judged {
    /// Joins a resource and its judgement, without the proposals that a protection refuses.
    pub(crate) fn new(resource: Resource, mut judgement: Judgement) -> Self {
        // Protections read specifications, which no imported price file changes.
        judgement.protect(&resource, PriceCatalogue::builtin());
        Judged {
            resource,
            judgement,
            is_emergency: false,
        }
    }
}
