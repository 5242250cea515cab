//! Exclusions: findings that people do not want, with a reason and an end.

use jiff::Timestamp;

use crate::recommendation::{RecommendationType, Subject};

/// An exclusion's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExclusionId(pub String);

/// What is not recommended, and why. What is `None` holds for all; at least one of resource, account and kind is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// Identifier.
    pub id: ExclusionId,
    /// The provider's identifier of a resource.
    pub resource: Option<String>,
    /// An account.
    pub account: Option<String>,
    /// A kind of recommendation.
    pub kind: Option<RecommendationType>,
    /// Why.
    pub reason: String,
    /// When it ends; `None` is when somebody removes it.
    pub until: Option<Timestamp>,
    /// Who made it (e-mail address).
    pub by: String,
    /// When.
    pub at: Timestamp,
}

impl Exclusion {
    /// Whether it still holds.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Whether it covers a recommendation of this kind on this subject.
    #[must_use]
    pub fn covers(&self, subject: &Subject, kind: RecommendationType) -> bool {
        self.resource.as_ref().is_none_or(|id| *id == subject.id.0)
            && self.account.as_ref().is_none_or(|account| *account == subject.account)
            && self.kind.is_none_or(|excluded| excluded == kind)
    }
}

/// The first exclusion that holds now and covers a recommendation.
#[must_use]
pub fn excluded<'a>(
    all: &'a [Exclusion],
    subject: &Subject,
    kind: RecommendationType,
    now: Timestamp,
) -> Option<&'a Exclusion> {
    all.iter().find(|exclusion| exclusion.holds(now) && exclusion.covers(subject, kind))
}
