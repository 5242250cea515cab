//! SIGMA rules: detection rules of the community (<https://github.com/SigmaHQ/sigma-specification>,
//! version 2.1) become alert rules.
//!
//! A rule is imported whole or refused: a condition that is understood in part would find something
//! else. What is not supported is named with its line. Sources: `product: aws, service:
//! cloudtrail`, whose fields are mapped to where the CloudTrail import keeps them.

mod condition;
mod detection;
mod yaml;

use reeve_audit::query::{Expr, Query};

use crate::mitre::AttackId;
use crate::settings::{RuleDraft, RuleSettings};
use yaml::{Value, YamlNode};

/// Longest text of rules, bytes.
pub const MAX_SIGMA_BYTES: usize = 1 << 20;

/// Window of imported rules. They have no threshold of their own: each match is a finding, and
/// those of one user within the window are told together.
const WINDOW: &str = "5m";

/// Reason why a rule is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigmaProblem {
    /// Line of the text, from 1.
    pub line: usize,
    /// Reason for the author of the rule.
    pub message: String,
}

/// A rule of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct SigmaRule {
    /// Title, as far as there is one.
    pub title: String,
    /// Line at which it begins, from 1.
    pub line: usize,
    /// Settings of an alert rule, or the reasons against.
    pub settings: Result<RuleSettings, Vec<SigmaProblem>>,
}

impl SigmaProblem {
    fn new(line: usize, message: impl Into<String>) -> Self {
        SigmaProblem {
            line,
            message: message.into(),
        }
    }
}

/// Reads rules, one or several documents of YAML.
///
/// # Errors
/// The text is too long or is not YAML.
pub fn read_sigma(text: &str) -> Result<Vec<SigmaRule>, SigmaProblem> {
    if text.len() > MAX_SIGMA_BYTES {
        return Err(SigmaProblem::new(
            1,
            format!(
                "the text has {} bytes; the limit is {MAX_SIGMA_BYTES}",
                text.len()
            ),
        ));
    }
    Ok(yaml::documents(text)?.iter().map(rule).collect())
}

fn rule(document: &YamlNode) -> SigmaRule {
    let title = document.text("title").unwrap_or_default().to_owned();
    SigmaRule {
        settings: settings(document, &title),
        title,
        line: document.line,
    }
}

fn settings(document: &YamlNode, title: &str) -> Result<RuleSettings, Vec<SigmaProblem>> {
    let mut problems = Vec::new();
    if !matches!(document.value, Value::Map(_)) {
        return Err(vec![SigmaProblem::new(
            document.line,
            "is not a rule: a rule is a mapping with title and detection",
        )]);
    }

    if title.trim().is_empty() {
        problems.push(SigmaProblem::new(document.line, "title is missing"));
    }

    source(document, &mut problems);
    let severity = severity(document, &mut problems);
    let expr = detection::read(document, &mut problems);
    let Some(expr) = expr.filter(|_| problems.is_empty()) else {
        return Err(problems);
    };

    let draft = RuleDraft {
        name: title.trim().chars().take(100).collect(),
        description: description(document),
        condition: printed(expr, document.line)?,
        count: 1,
        window: WINDOW.to_owned(),
        group_by: vec!["user".to_owned()],
        severity: severity.to_owned(),
        attack: attack(document),
        ..RuleDraft::default()
    };

    let at = |error: reeve_audit::FieldError| SigmaProblem::new(document.line, error.to_string());
    RuleSettings::read(draft).map_err(|errors| errors.into_iter().map(at).collect())
}

/// The condition in the query language. It must read back as what was meant.
fn printed(expr: Expr, line: usize) -> Result<String, Vec<SigmaProblem>> {
    let query = Query { expr };
    let text = query.to_string();

    match Query::parse(&text) {
        Ok(read) if read == query => Ok(text),
        Ok(_) => Err(vec![SigmaProblem::new(
            line,
            "cannot be written in the query language",
        )]),
        Err(error) => Err(vec![SigmaProblem::new(
            line,
            format!("cannot be written in the query language: {error}"),
        )]),
    }
}

fn source(document: &YamlNode, problems: &mut Vec<SigmaProblem>) {
    let Some(source) = document.member("logsource") else {
        problems.push(SigmaProblem::new(document.line, "logsource is missing"));
        return;
    };

    let (product, service) = (source.text("product"), source.text("service"));
    if (product, service) != (Some("aws"), Some("cloudtrail")) {
        let named = [source.text("category"), product, service]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        let message = format!(
            "the log source {named:?} is not supported; supported is product aws, service cloudtrail"
        );
        problems.push(SigmaProblem::new(source.line, message));
    }
}

fn severity(document: &YamlNode, problems: &mut Vec<SigmaProblem>) -> &'static str {
    let Some(level) = document.member("level") else {
        return "medium";
    };
    match level.scalar() {
        Some("informational") => "info",
        Some("low") => "low",
        Some("medium") => "medium",
        Some("high") => "high",
        Some("critical") => "critical",
        _ => {
            let message = "level must be informational, low, medium, high or critical";
            problems.push(SigmaProblem::new(level.line, message));
            "medium"
        }
    }
}

/// Tactics and techniques among the tags; other tags are of no use here.
fn attack(document: &YamlNode) -> Vec<String> {
    let tags = document
        .member("tags")
        .map(YamlNode::texts)
        .unwrap_or_default();
    let mut ids: Vec<_> = tags
        .into_iter()
        .filter_map(AttackId::of_sigma_tag)
        .collect();
    ids.dedup();

    ids.into_iter()
        .take(20)
        .map(|id| id.as_str().to_owned())
        .collect()
}

/// The description with the origin, which the licences of published rules ask to be kept.
fn description(document: &YamlNode) -> String {
    let mut text = document
        .text("description")
        .unwrap_or_default()
        .trim()
        .to_owned();

    let origin = match (document.text("id"), document.text("author")) {
        (Some(id), Some(author)) => format!("SIGMA rule {id} by {author}"),
        (Some(id), None) => format!("SIGMA rule {id}"),
        (None, Some(author)) => format!("SIGMA rule by {author}"),
        (None, None) => "SIGMA rule".to_owned(),
    };

    if !text.is_empty() {
        text = text.chars().take(1500).collect::<String>() + "\n\n";
    }

    text + &origin.chars().take(400).collect::<String>()
}

#[cfg(test)]
mod tests;
