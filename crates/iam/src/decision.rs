//! Decisions about requests, with the statements that decided.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::policy_set::PolicyKind;

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionOutcome {
    Allow,
    /// A statement denies it.
    ExplicitDeny,
    /// Nothing allows it.
    ImplicitDeny,
    /// It depends on a condition or a policy that is not known.
    Unknown,
}

/// Statement of a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct StatementRef {
    pub kind: PolicyKind,
    pub policy: Arc<str>,
    /// `Sid`, or the number of the statement.
    pub statement: String,
}

impl fmt::Display for StatementRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.kind.label();
        write!(formatter, "{} of {label} {}", self.statement, self.policy)
    }
}

/// Manner in which something stops a request that the caller's own policies name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockerKind {
    /// A statement denies.
    Deny,
    /// A boundary, session policy or policy of the organisation does not allow.
    NotAllowed,
    /// A condition of the statement that would allow is not satisfied.
    Condition,
}

/// Something that stops a request that the caller's own policies name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Blocker {
    pub by: BlockerKind,
    pub kind: PolicyKind,
    /// Policy, or the level of the organisation.
    pub policy: Arc<str>,
    /// Statement; none where no statement allows.
    pub statement: Option<String>,
}

impl fmt::Display for Blocker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.kind.label();
        let policy = &self.policy;
        match (self.by, &self.statement) {
            (BlockerKind::Deny, Some(statement)) => {
                write!(formatter, "{statement} of {label} {policy} denies it")
            }
            (BlockerKind::Condition, Some(statement)) => write!(
                formatter,
                "the condition of {statement} of {label} {policy} is not satisfied"
            ),
            _ => write!(formatter, "{label} {policy} does not allow it"),
        }
    }
}

/// Decision about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessDecision {
    pub outcome: DecisionOutcome,
    /// Statements that decided: those that allow, or the one that denies.
    pub statements: Vec<StatementRef>,
    /// Reasons against a request that a policy of the caller or of the resource names.
    pub blockers: Vec<Blocker>,
    /// Condition keys and policies that are not known and would decide.
    pub unknown: Vec<String>,
}

impl AccessDecision {
    /// Returns the decision in one sentence.
    #[must_use]
    pub fn why(&self) -> String {
        let statements: Vec<String> = self.statements.iter().map(ToString::to_string).collect();
        let blockers: Vec<String> = self.blockers.iter().map(ToString::to_string).collect();
        match self.outcome {
            DecisionOutcome::Allow => format!("allowed by {}", statements.join(" and ")),
            DecisionOutcome::ExplicitDeny => format!("denied by {}", statements.join(" and ")),
            DecisionOutcome::Unknown => format!("depends on {}", self.unknown.join(", ")),
            DecisionOutcome::ImplicitDeny if blockers.is_empty() => {
                "no statement allows it".to_owned()
            }
            DecisionOutcome::ImplicitDeny => blockers.join("; "),
        }
    }
}
