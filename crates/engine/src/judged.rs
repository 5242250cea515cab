//! A resource with its judgement: what runs and foreseen findings hand to the keeping of recommendations.

use reeve_estate::Resource;
use reeve_recommend::Judgement;

/// A resource that was judged.
pub(super) struct Judged {
    pub(super) resource: Resource,
    pub(super) judgement: Judgement,
}
