//! Import of rules that others wrote.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::alert::rule::AlertRuleBody;

/// Rules of another system to import as alert rules.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertImport {
    /// `sigma`, the only format so far.
    pub format: Option<String>,
    /// The rules: one or several YAML documents.
    pub text: String,
}

/// Outcome of an import.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertImportBody {
    /// New rules, as drafts.
    pub imported: Vec<AlertRuleBody>,
    /// Rules that were not imported.
    pub refused: Vec<RefusedRuleBody>,
}

/// A rule that was not imported.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RefusedRuleBody {
    pub title: String,
    /// Reasons for which the rule is not imported.
    pub problems: Vec<RuleProblemBody>,
}

/// A reason why a rule was not imported.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RuleProblemBody {
    /// Line of the text, from 1.
    pub line: usize,
    pub message: String,
}
