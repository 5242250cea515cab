//! Exceptions: a guardrail's limit that people lift for one plan, once, with a reason and the
//! signatures it needs.
//!
//! Without them a limit that a finding exceeds by nature (a larger size costs more than 5 % more)
//! would refuse it for ever, for people too, and the only way out would be to lift the limit for
//! everything.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::action::ActionId;
use crate::approval::ApprovalId;
use crate::guardrail::{GuardrailBlock, GuardrailName};

/// Part of an approval request: the exception that is requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExceptionRequest {
    pub guardrail: GuardrailName,
    /// Limit at the time of the request, percent.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub limit: f64,
    /// Value of the plan, percent; the exception covers none that is further from the limit.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub value: f64,
    /// Action that used the exception up.
    pub used_by: Option<ActionId>,
}

impl ExceptionRequest {
    /// Asks for an exception to a block; `None` where the guardrail allows none.
    #[must_use]
    pub fn from_block(block: &GuardrailBlock) -> Option<Self> {
        block.guardrail.is_exceptable().then_some(ExceptionRequest {
            guardrail: block.guardrail,
            limit: block.limit,
            value: block.value,
            used_by: None,
        })
    }
}

/// A granted exception, kept with the recommendation until its plan begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exception {
    pub guardrail: GuardrailName,
    /// Value that it covers, percent: the highest, or the lowest uptime.
    #[serde(serialize_with = "reeve_estate::finite")]
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
    pub fn covers(
        &self,
        guardrail: GuardrailName,
        value: f64,
        plan_hash: Option<&str>,
        now: Timestamp,
    ) -> bool {
        let reaches = match guardrail {
            // A few seconds of downtime more are a thousandth of a percent of thirty days.
            GuardrailName::MinUptime => value >= self.value - 0.001,
            _ => value <= self.value + 0.05,
        };
        self.guardrail == guardrail
            && reaches
            && plan_hash == Some(self.plan_hash.as_str())
            && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn granted(guardrail: GuardrailName, value: f64) -> Exception {
        Exception {
            guardrail,
            value,
            plan_hash: "ab".to_owned(),
            reason: "it is throttled".to_owned(),
            approval: ApprovalId("1".to_owned()),
            granted_by: vec!["mia@example.com".to_owned()],
            expires_at: "2026-11-27T10:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn an_exception_covers_one_guardrail_one_plan_up_to_a_value_until_its_end() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let exception = granted(GuardrailName::MaxIncrease, 100.3);
        assert!(exception.covers(GuardrailName::MaxIncrease, 100.3, Some("ab"), now));
        assert!(!exception.covers(GuardrailName::MaxDecrease, 100.3, Some("ab"), now));
        assert!(
            !exception.covers(GuardrailName::MaxIncrease, 101.0, Some("ab"), now),
            "the price rose meanwhile"
        );
        assert!(!exception.covers(GuardrailName::MaxIncrease, 100.3, Some("cd"), now));
        assert!(!exception.covers(GuardrailName::MaxIncrease, 100.3, None, now));
        assert!(!exception.covers(
            GuardrailName::MaxIncrease,
            100.3,
            Some("ab"),
            exception.expires_at
        ));
    }

    #[test]
    fn an_exception_to_the_uptime_covers_no_lower_one() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let exception = granted(GuardrailName::MinUptime, 99.792);
        assert!(exception.covers(GuardrailName::MinUptime, 99.792, Some("ab"), now));
        assert!(exception.covers(GuardrailName::MinUptime, 99.85, Some("ab"), now));
        assert!(
            !exception.covers(GuardrailName::MinUptime, 99.7, Some("ab"), now),
            "it was down once more"
        );
    }

    #[test]
    fn what_protects_the_whole_estate_has_no_exception() {
        let exceptable: Vec<_> = GuardrailName::ALL
            .iter()
            .filter(|name| name.is_exceptable())
            .collect();
        let limits_of_one_plan = [
            GuardrailName::MaxIncrease,
            GuardrailName::MaxDecrease,
            GuardrailName::MaxDegradation,
            GuardrailName::MinUptime,
        ];

        assert_eq!(exceptable, limits_of_one_plan.iter().collect::<Vec<_>>());
    }
}
