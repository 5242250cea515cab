//! What a report advises.

use anyhow::{Context as _, Result};
use reeve_databases::{Advice, Report};

/// Objects that advice of a rule is about.
pub(crate) fn found<'r>(report: &'r Report, rule: &str) -> Vec<&'r str> {
    let of_rule = report.advice.iter().filter(|advice| advice.rule == rule);
    of_rule.map(|advice| advice.object.as_str()).collect()
}

/// The first advice of a rule.
pub(crate) fn advice<'r>(report: &'r Report, rule: &str) -> Result<&'r Advice> {
    let of_rule = report.advice.iter().find(|advice| advice.rule == rule);
    of_rule.with_context(|| format!("no advice of {rule}"))
}
