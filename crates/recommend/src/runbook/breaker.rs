//! Outcomes of runbooks, and the circuit breakers that follow from them.
//!
//! A change that went through and did not help counts as failed: the condition decides, not the
//! cloud's answer. Failures open the breaker of a resource and a runbook, and failures over all
//! resources that of the runbook. What an open breaker covers is left to people.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, ResourceId, TimeSpan, named};
use serde::{Deserialize, Serialize};

use super::name::RunbookName;
use crate::action::ActionId;
use crate::recommendation::RecommendationId;

/// Failures of a runbook that open its breakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerLimits {
    /// Failures on one resource.
    pub failures: u32,
    /// Failures on all resources together.
    pub of_all: u32,
    /// Time in which they are counted.
    pub window: TimeSpan,
    /// Time after which an open breaker closes unless a person closes it before.
    pub open_for: TimeSpan,
}

named!(
    /// Outcome of one application of a runbook.
    Outcome {
        /// The change is made, and the time of the verification has not come.
        Verifying => "verifying",
        /// The condition no longer holds.
        Effective => "effective",
        /// The change was made, and the condition holds.
        Ineffective => "ineffective",
        /// The condition could not be evaluated after the change.
        Unverified => "unverified",
        /// The change failed or was rolled back by Reeve.
        Failed => "failed",
        /// A person took the change back.
        TakenBack => "taken_back",
    }
);

impl Outcome {
    /// Returns `true` if it counts as a failure. A change whose effect is not known did not help as
    /// far as anyone can tell.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Outcome::Ineffective | Outcome::Unverified | Outcome::Failed
        )
    }
}

/// Application of a runbook to a resource: one action and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Application {
    pub action: ActionId,
    pub recommendation: RecommendationId,
    pub runbook: RunbookName,
    pub connection: ConnectionId,
    pub resource: ResourceId,
    /// Name of the resource.
    pub name: String,
    pub started_at: Timestamp,
    /// End of the change.
    pub finished_at: Timestamp,
    /// Time from which the condition is looked at.
    pub verify_at: Timestamp,
    pub outcome: Outcome,
    /// Values that the outcome rests on.
    pub detail: String,
    /// Time of the outcome; `None` while it is open.
    pub settled_at: Option<Timestamp>,
}

/// Resource of a breaker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BreakerResource {
    pub connection: ConnectionId,
    pub id: ResourceId,
    /// Name of the resource.
    pub name: String,
}

/// Circuit breaker of a runbook on one resource, or on all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    pub runbook: RunbookName,
    /// `None` for the breaker of the runbook on all resources.
    pub resource: Option<BreakerResource>,
    pub opened_at: Timestamp,
    /// Time at which it closes unless a person closes it before.
    pub closes_at: Timestamp,
    /// Failures that opened it.
    pub failures: u32,
    /// The last of them, in words.
    pub reason: String,
    /// Time at which it closed; `None` while it is open.
    pub closed_at: Option<Timestamp>,
    /// Person who closed it; `None` where the time did.
    pub closed_by: Option<String>,
}

impl Breaker {
    /// Returns `true` while it keeps the runbook from being applied.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.closed_at.is_none() && now < self.closes_at
    }

    /// Returns `true` if it is the breaker of a runbook on all resources or on this one.
    #[must_use]
    pub fn covers(
        &self,
        runbook: &RunbookName,
        connection: &ConnectionId,
        resource: &ResourceId,
    ) -> bool {
        self.runbook == *runbook
            && self
                .resource
                .as_ref()
                .is_none_or(|own| own.connection == *connection && own.id == *resource)
    }

    /// End of the time in which it was open: failures until then are counted no more.
    fn ended_at(&self) -> Timestamp {
        self.closed_at.unwrap_or(self.closes_at)
    }
}

/// State of a runbook on a resource, for a judgement.
#[derive(Debug, Clone, PartialEq)]
pub enum Gate {
    /// It may be applied. The count is that of failures within the window.
    Free { failures: u32 },
    /// The last change is being verified until a time.
    Verifying { until: Timestamp },
    /// A breaker is open.
    Open(Breaker),
}

impl Gate {
    /// Returns the state of a runbook on a resource, by the breakers and the applications of all.
    /// The breaker of the runbook comes before that of the resource.
    #[must_use]
    pub fn of(
        runbook: (&RunbookName, &BreakerLimits),
        (connection, resource): (&ConnectionId, &ResourceId),
        breakers: &[Breaker],
        applications: &[Application],
        now: Timestamp,
    ) -> Gate {
        let (name, limits) = runbook;
        let mut open = breakers
            .iter()
            .filter(|one| one.covers(name, connection, resource) && one.is_open(now));
        let first = open.next();
        if let Some(found) = open.find(|one| one.resource.is_none()).or(first) {
            return Gate::Open(found.clone());
        }

        let own = applications.iter().filter(|one| {
            one.runbook == *name && one.connection == *connection && one.resource == *resource
        });
        let verifying = own
            .clone()
            .filter(|one| one.outcome == Outcome::Verifying)
            .map(|one| one.verify_at)
            .max();
        if let Some(until) = verifying {
            return Gate::Verifying { until };
        }

        let since = now - seconds(limits.window);
        let failures = own.filter(|one| one.outcome.is_failure() && one.started_at >= since);
        Gate::Free {
            failures: u32::try_from(failures.count()).unwrap_or(u32::MAX),
        }
    }
}

/// Breakers that a failed application opens, given all applications of the runbook, this one among
/// them, and the breakers that there are. Failures until a breaker closed are not counted again; one
/// that the time has closed opens at the first failure.
#[must_use]
pub fn opened_by(
    failed: &Application,
    limits: &BreakerLimits,
    applications: &[Application],
    breakers: &[Breaker],
    now: Timestamp,
) -> Vec<Breaker> {
    let own = BreakerResource {
        connection: failed.connection.clone(),
        id: failed.resource.clone(),
        name: failed.name.clone(),
    };
    let window = now - seconds(limits.window);
    let is_own =
        |one: &&Application| one.connection == failed.connection && one.resource == failed.resource;

    let mut opened = Vec::new();
    for (resource, most) in [(Some(own), limits.failures), (None, limits.of_all)] {
        let known = breakers.iter().find(|one| {
            one.runbook == failed.runbook
                && match (&one.resource, &resource) {
                    (Some(one), Some(own)) => {
                        (&one.connection, &one.id) == (&own.connection, &own.id)
                    }
                    (None, None) => true,
                    _ => false,
                }
        });
        if known.is_some_and(|known| known.is_open(now)) {
            continue;
        }
        let since = known.map_or(window, |known| window.max(known.ended_at()));
        // Nothing but time has closed it: the first failure shows that nothing has changed.
        let is_untried = known.is_some_and(|known| known.closed_by.is_none() && since > window);
        let most = if is_untried { 1 } else { most };
        let failures = applications
            .iter()
            .filter(|one| one.runbook == failed.runbook && one.outcome.is_failure())
            .filter(|one| resource.is_none() || is_own(one))
            .filter(|one| one.settled_at.is_some_and(|at| at >= since))
            .count();
        let failures = u32::try_from(failures).unwrap_or(u32::MAX);
        if failures >= most {
            opened.push(Breaker {
                runbook: failed.runbook.clone(),
                resource,
                opened_at: now,
                closes_at: now + seconds(limits.open_for),
                failures,
                reason: failed.detail.clone(),
                closed_at: None,
                closed_by: None,
            });
        }
    }
    opened
}

fn seconds(span: TimeSpan) -> SignedDuration {
    SignedDuration::from_secs(i64::try_from(span.seconds()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
