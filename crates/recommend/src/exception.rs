//! Exceptions: a guardrail's limit that people lift for one plan, once, with a reason and the signatures it needs.
//!
//! Without them a limit that a finding exceeds by nature (a larger size costs more than 5 % more) would refuse it for ever, for
//! people too, and the only way out would be to lift the limit for everything.

use jiff::Timestamp;

use crate::action::ActionId;
use crate::approval::ApprovalId;
use crate::guardrail::Block;

/// Guardrails that limit what one plan changes. The others protect the estate as a whole (kill switch, breaker, blast radius) or
/// pass with time (cool-down, freezes, windows), and have switches of their own.
const EXCEPTABLE: [&str; 3] =
    ["cost_impact.max_increase", "cost_impact.max_decrease", "performance_impact.max_degradation"];

/// Returns `true` if people may grant an exception to the guardrail.
#[must_use]
pub fn is_exceptable(guardrail: &str) -> bool {
    EXCEPTABLE.contains(&guardrail)
}

/// The part of an approval request that asks for an exception.
#[derive(Debug, Clone, PartialEq)]
pub struct ExceptionRequest {
    /// Guardrail, as in the specification (`cost_impact.max_increase`).
    pub guardrail: String,
    /// Limit at the time of the request, percent.
    pub limit: f64,
    /// Value of the plan, percent; the exception covers no higher one.
    pub value: f64,
    /// Action that used the exception up.
    pub used_by: Option<ActionId>,
}

impl ExceptionRequest {
    /// Asks for an exception to a block; `None` where the guardrail allows none.
    #[must_use]
    pub fn of(block: &Block) -> Option<Self> {
        is_exceptable(block.guardrail).then(|| ExceptionRequest {
            guardrail: block.guardrail.to_owned(),
            limit: block.limit,
            value: block.value,
            used_by: None,
        })
    }
}

/// A granted exception, kept with the recommendation until its plan begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Exception {
    /// Guardrail.
    pub guardrail: String,
    /// Highest value that it covers, percent.
    pub value: f64,
    /// Hash of the only plan that it covers.
    pub plan_hash: String,
    /// Reason given by the requester.
    pub reason: String,
    /// The approval request that was signed.
    pub approval: ApprovalId,
    /// E-mail addresses of the signers.
    pub granted_by: Vec<String>,
    /// End of its validity.
    pub expires_at: Timestamp,
}

impl Exception {
    /// Returns `true` if the exception covers a value of a guardrail for a plan at a time.
    #[must_use]
    pub fn covers(&self, guardrail: &str, value: f64, plan_hash: Option<&str>, now: Timestamp) -> bool {
        self.guardrail == guardrail
            && value <= self.value + 0.05
            && plan_hash == Some(self.plan_hash.as_str())
            && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_exception_covers_one_guardrail_one_plan_up_to_a_value_until_its_end() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let exception = Exception {
            guardrail: "cost_impact.max_increase".to_owned(),
            value: 100.3,
            plan_hash: "ab".to_owned(),
            reason: "it is throttled".to_owned(),
            approval: ApprovalId("1".to_owned()),
            granted_by: vec!["mia@example.com".to_owned()],
            expires_at: "2026-11-27T10:00:00Z".parse().unwrap(),
        };
        assert!(exception.covers("cost_impact.max_increase", 100.3, Some("ab"), now));
        assert!(!exception.covers("cost_impact.max_decrease", 100.3, Some("ab"), now));
        assert!(!exception.covers("cost_impact.max_increase", 101.0, Some("ab"), now), "the price rose meanwhile");
        assert!(!exception.covers("cost_impact.max_increase", 100.3, Some("cd"), now));
        assert!(!exception.covers("cost_impact.max_increase", 100.3, None, now));
        assert!(!exception.covers("cost_impact.max_increase", 100.3, Some("ab"), exception.expires_at));
    }

    #[test]
    fn what_protects_the_whole_estate_has_no_exception() {
        for guardrail in ["kill_switch", "circuit_breaker", "change_freeze", "cool_down", "scope", "exclusion"] {
            assert!(!is_exceptable(guardrail), "{guardrail}");
        }
    }
}
