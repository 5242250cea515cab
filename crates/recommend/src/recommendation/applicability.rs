//! Applicability of a recommendation: ready to apply, blocked and by what, or advice that has no
//! plan.

use reeve_estate::named;

use crate::approval::Signature;

named!(
    /// State of a recommendation's applicability.
    ApplicabilityState {
        /// Nothing holds it back; it runs at once or after its signatures.
        Ready => "ready",
        /// A guardrail, a policy, a mode or the state of the resource refuses it now.
        Blocked => "blocked",
        /// It has no plan; a person carries it out.
        AdviceOnly => "advice_only",
    }
);

/// Applicability with its reason, for a request by a person at this moment.
#[derive(Debug, Clone, PartialEq)]
pub enum Applicability {
    /// It would run, after these signatures where there are any.
    Ready(Vec<Signature>),
    /// It would be refused.
    Blocked {
        /// Guardrail (`cost_impact.max_increase`), or `agent_mode`, `connection`, `resource`,
        /// `action`.
        by: String,
        /// Limit and value, in words.
        reason: String,
        /// `true` where people may grant an exception.
        exceptable: bool,
    },
    /// Reeve has no plan for it.
    AdviceOnly(String),
}

impl Applicability {
    /// The state without its reason.
    #[must_use]
    pub const fn state(&self) -> ApplicabilityState {
        match self {
            Applicability::Ready(_) => ApplicabilityState::Ready,
            Applicability::Blocked { .. } => ApplicabilityState::Blocked,
            Applicability::AdviceOnly(_) => ApplicabilityState::AdviceOnly,
        }
    }
}
