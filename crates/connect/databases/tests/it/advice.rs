//! Advice of a report, by rule.

use anyhow::{Context as _, Result};
use reeve_databases::{DatabaseAdvice, DatabaseReport};

/// Objects that advice of a rule is about.
pub(crate) fn found<'r>(report: &'r DatabaseReport, rule: &str) -> Vec<&'r str> {
    let of_rule = report.advice.iter().filter(|advice| advice.rule == rule);
    of_rule.map(|advice| advice.object.as_str()).collect()
}

/// The first advice of a rule.
pub(crate) fn advice_of<'r>(report: &'r DatabaseReport, rule: &str) -> Result<&'r DatabaseAdvice> {
    let of_rule = report.advice.iter().find(|advice| advice.rule == rule);
    of_rule.with_context(|| format!("no advice of {rule}"))
}
