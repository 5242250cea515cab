//! Exclusions: findings that people do not want, with a reason and an end.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::judgement::evidence::{CheckAnswer, JudgementEvidence};
use crate::recommendation::{RecommendationSubject, RecommendationType};

/// An exclusion's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExclusionId(pub String);

/// Resources and kinds for which nothing is recommended. A member that is `None` matches
/// everything; at least one of resource, account, kind and
/// aspect is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    pub id: ExclusionId,
    /// The provider's identifier of a resource.
    pub resource: Option<String>,
    pub account: Option<String>,
    /// A kind of recommendation.
    pub kind: Option<RecommendationType>,
    /// Part of the resource, such as a check: the aspect of the findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    /// Reason of the exclusion.
    pub reason: String,
    /// End of the exclusion; `None` keeps it until somebody removes it.
    pub until: Option<Timestamp>,
    /// E-mail address of the user who created it.
    pub by: String,
    pub at: Timestamp,
}

impl Exclusion {
    /// Returns `true` if the exclusion is in force at a time.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Returns `true` if the exclusion matches a recommendation of this kind on this subject.
    #[must_use]
    pub fn covers(&self, subject: &RecommendationSubject, kind: RecommendationType) -> bool {
        // Exclusions of earlier releases have the name of a database, and must keep excluding it.
        let is_named = |id: &String| {
            subject
                .id
                .database_name()
                .is_some_and(|database| database.name == id)
        };
        self.resource
            .as_ref()
            .is_none_or(|id| *id == subject.id.0 || is_named(id))
            && self
                .account
                .as_ref()
                .is_none_or(|account| *account == subject.account)
            && self.kind.is_none_or(|excluded| excluded == kind)
            && self
                .aspect
                .as_ref()
                .is_none_or(|aspect| subject.aspect.as_ref() == Some(aspect))
    }

    /// Returns `true` if it is an exception of a check: a person accepts that the result failed. It
    /// names the check and covers the resource; what excludes a kind of recommendation alone says
    /// nothing about results.
    #[must_use]
    pub fn accepts(&self, found: &JudgementEvidence) -> bool {
        let is = |own: &Option<String>, other: &str| own.as_ref().is_none_or(|own| own == other);
        found.result.answer == CheckAnswer::Fail
            && self.kind.is_none()
            && self.aspect.as_ref() == Some(&found.result.check)
            && is(&self.resource, &found.resource.0)
            && is(&self.account, &found.account)
    }
}

/// The first exclusion that holds now and covers a recommendation.
#[must_use]
pub fn excluded<'a>(
    all: &'a [Exclusion],
    subject: &RecommendationSubject,
    kind: RecommendationType,
    now: Timestamp,
) -> Option<&'a Exclusion> {
    all.iter()
        .find(|exclusion| exclusion.holds(now) && exclusion.covers(subject, kind))
}
