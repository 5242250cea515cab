//! Rules as PromQL, for a Prometheus server that is queried.

use crate::intake::PERIOD_S;
use crate::rule::{Combine, MappingRule, Reading};

/// Returns the expression of a rule's values: one series a value of the label that names the
/// resource.
#[must_use]
pub fn range_expression(rule: &MappingRule) -> String {
    let combine = match rule.combine {
        Combine::Mean => "avg",
        other => other.as_str(),
    };
    format!(
        "{combine} by ({}) ({})",
        rule.label,
        series_expression(rule)
    )
}

/// Returns the expression of a rule's series with all of their labels, before those of a resource
/// are combined.
#[must_use]
pub fn series_expression(rule: &MappingRule) -> String {
    let function = match rule.reading {
        Reading::Gauge => "avg_over_time",
        Reading::Counter => "rate",
    };
    let series = format!("{function}({}[{PERIOD_S}s])", rule.series);
    let divided = match &rule.divide_by {
        Some(divisor) => format!("{series} / avg_over_time({divisor}[{PERIOD_S}s])"),
        None => series,
    };

    format!("{} + {} * ({divided})", rule.offset, rule.scale)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ready_mappings;

    #[test]
    fn rules_are_written_as_expressions() {
        let rules = ready_mappings().remove(0).rules;
        assert_eq!(
            range_expression(&rules[0]),
            "avg by (instance) (100 + -100 * (avg_over_time(node_memory_MemAvailable_bytes[300s]) \
             / avg_over_time(node_memory_MemTotal_bytes[300s])))"
        );

        assert_eq!(
            range_expression(&rules[1]),
            "avg by (instance) (100 + -100 * (rate(node_cpu_seconds_total{mode=\"idle\"}[300s])))"
        );
    }
}
