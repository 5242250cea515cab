//! Origin of a recommendation: the agent type whose finding it is, the rule that found it, and what
//! caused it.
//!
//! Ownership, permission, expiry and supersession follow from the origin. A finding belongs to
//! agents of its own type alone: permission for savings must never become a permission to cut
//! machines off. A finding without such an agent is advice.

use serde::{Deserialize, Serialize};

use crate::agent::AgentType;

/// Identifier of an anomaly, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AnomalyId(pub String);

/// Identifier of an incident: that of the anomaly which it began with, or one that Reeve made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IncidentId(pub String);

/// Identifier of a predictive rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleId(pub String);

/// Agent type, rule and cause of a recommendation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Type of agent that may own the recommendation and act on it.
    pub agent_type: AgentType,
    /// Action of the agent type that found it (`downsize_underutilized`, `auto_quarantine`, ...).
    pub rule: String,
    /// Event that led to the finding.
    pub cause: OriginCause,
}

/// Event that led to a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginCause {
    /// A run of an agent over its scope.
    Run,
    Anomaly(AnomalyId),
    /// A predictive rule that fired.
    PredictiveRule(RuleId),
    /// A playbook that was run on an incident.
    Incident(IncidentId),
    /// An event of the log that woke the agent type, by the identifier of its entry.
    Event(String),
    /// A person, by e-mail address.
    Person(String),
}

impl OriginCause {
    /// Name of the cause in records and on the wire.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            OriginCause::Run => "run",
            OriginCause::Anomaly(_) => "anomaly",
            OriginCause::PredictiveRule(_) => "predictive_rule",
            OriginCause::Incident(_) => "incident",
            OriginCause::Event(_) => "event",
            OriginCause::Person(_) => "person",
        }
    }

    /// Identifier of the anomaly, rule, incident or person; `None` for a run.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            OriginCause::Run => None,
            OriginCause::Anomaly(id) => Some(&id.0),
            OriginCause::PredictiveRule(id) => Some(&id.0),
            OriginCause::Incident(id) => Some(&id.0),
            OriginCause::Event(entry) => Some(entry),
            OriginCause::Person(email) => Some(email),
        }
    }

    /// Reads a cause back from its name and identifier; `None` for an unknown name or a missing
    /// identifier.
    #[must_use]
    pub fn parse(kind: &str, id: Option<&str>) -> Option<OriginCause> {
        let id = || id.map(str::to_owned);
        match kind {
            "run" => Some(OriginCause::Run),
            "anomaly" => id().map(|id| OriginCause::Anomaly(AnomalyId(id))),
            "predictive_rule" => id().map(|id| OriginCause::PredictiveRule(RuleId(id))),
            "incident" => id().map(|id| OriginCause::Incident(IncidentId(id))),
            "event" => id().map(OriginCause::Event),
            "person" => id().map(OriginCause::Person),
            _ => None,
        }
    }

    /// Returns `true` if a run of an agent decides whether the finding still holds. The anomaly or
    /// the rule decides about its own findings: the use of a machine does not tell that a threat is
    /// over.
    #[must_use]
    pub const fn is_judged_by_runs(&self) -> bool {
        matches!(self, OriginCause::Run)
    }
}

impl Origin {
    /// Reconstructs the origin of a recommendation that was stored without one: releases before
    /// format 2 named the rule, put the anomaly or predictive rule into the reason codes, and gave
    /// the finding to any agent in scope (`held_by`).
    #[must_use]
    pub fn of_earlier_release(held_by: AgentType, rule: &str, reason_codes: &[String]) -> Origin {
        let after = |prefix: &str| {
            reason_codes
                .iter()
                .find_map(|code| code.strip_prefix(prefix))
                .map(str::to_owned)
        };

        let (agent_type, cause) = match (after("anomaly:"), after("rule:")) {
            (Some(id), _) => (
                AgentType::SECURITY_INTELLIGENCE,
                OriginCause::Anomaly(AnomalyId(id)),
            ),
            (None, Some(id)) => (
                usual_type(rule).unwrap_or(held_by),
                OriginCause::PredictiveRule(RuleId(id)),
            ),
            (None, None) => (held_by, OriginCause::Run),
        };

        Origin {
            agent_type,
            rule: rule.to_owned(),
            cause,
        }
    }
}

/// Agent type under which Reeve's own predictive rules request a response. The next evaluation of a
/// rule replaces it by the rule's own type.
fn usual_type(response: &str) -> Option<AgentType> {
    match response {
        "expand_storage" | "request_limit_increase" | "prepare_failover" => {
            Some(AgentType::OPS_INTELLIGENCE)
        }
        "create_read_replica" => Some(AgentType::DB_OPTIMIZER),
        "pre_scale" | "warm_cache" | "scale_up" => Some(AgentType::PERFORMANCE_OPTIMIZER),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_read_back_as_written() {
        let causes = [
            OriginCause::Run,
            OriginCause::Anomaly(AnomalyId("a".to_owned())),
            OriginCause::PredictiveRule(RuleId("r".to_owned())),
            OriginCause::Incident(IncidentId("i".to_owned())),
            OriginCause::Event("e-1".to_owned()),
            OriginCause::Person("ann@example.com".to_owned()),
        ];
        for cause in causes {
            assert_eq!(
                OriginCause::parse(cause.kind(), cause.id()).as_ref(),
                Some(&cause)
            );
        }
        assert_eq!(
            (
                OriginCause::parse("anomaly", None),
                OriginCause::parse("whim", Some("x"))
            ),
            (None, None)
        );
    }

    #[test]
    fn findings_of_earlier_releases_go_back_to_their_own_type() {
        let codes = |codes: &[&str]| {
            codes
                .iter()
                .map(|code| (*code).to_owned())
                .collect::<Vec<_>>()
        };

        let check = |rule: &str, reason_codes: &[&str], expected: AgentType, kind: &str| {
            let origin =
                Origin::of_earlier_release(AgentType::COST_OPTIMIZER, rule, &codes(reason_codes));
            assert_eq!(
                (origin.agent_type, origin.cause.kind()),
                (expected, kind),
                "{rule}"
            );
        };

        check(
            "auto_quarantine",
            &["security_anomaly", "anomaly:7"],
            AgentType::SECURITY_INTELLIGENCE,
            "anomaly",
        );

        check(
            "expand_storage",
            &["predictive_rule", "rule:9"],
            AgentType::OPS_INTELLIGENCE,
            "predictive_rule",
        );

        check(
            "create_read_replica",
            &["predictive_rule", "rule:9"],
            AgentType::DB_OPTIMIZER,
            "predictive_rule",
        );

        check(
            "downsize_underutilized",
            &["cpu_below_20"],
            AgentType::COST_OPTIMIZER,
            "run",
        );
    }
}
