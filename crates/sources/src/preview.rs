//! Previews of rules on the series that a source has: which map to which resources, and why the
//! others do not.

use std::collections::{BTreeSet, HashMap};

use crate::index::{IndexedResource, ResourceIndex, Unmatched};
use crate::intake::Intake;
use crate::labels::Labels;
use crate::rule::{MappingRule, Reading};

/// Series shown of a rule.
const SHOWN: usize = 200;
/// Names of metrics shown that no rule selects.
const NAMES: usize = 500;

/// A series that a rule selects.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Labels of the series.
    pub labels: Labels,
    /// Its value in the metric's unit, before the series of a resource are combined; `None` if one
    /// point does not tell it.
    pub value: Option<f64>,
    /// The resource that it belongs to, or the reason why it belongs to none.
    pub outcome: Result<IndexedResource, Unmatched>,
}

/// Series of one rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RulePreview {
    /// Series that the rule selects.
    pub series: u64,
    /// Those of them that belong to a resource.
    pub mapped: u64,
    /// Resources that they belong to.
    pub resources: u64,
    /// The first of the series, some that belong to a resource and some that do not.
    pub matches: Vec<Match>,
}

impl RulePreview {
    /// Returns the preview of a rule over series with their values.
    #[must_use]
    pub fn new(matches: Vec<Match>) -> RulePreview {
        let (mapped, unmapped): (Vec<Match>, Vec<Match>) =
            matches.into_iter().partition(|one| one.outcome.is_ok());
        let resources: BTreeSet<_> = mapped
            .iter()
            .filter_map(|one| one.outcome.as_ref().ok().map(|found| &found.id))
            .collect();
        let (resources, count) = (resources.len() as u64, mapped.len() as u64);
        let series = count + unmapped.len() as u64;
        let room = SHOWN - unmapped.len().min(SHOWN / 2);
        let mut matches: Vec<Match> = mapped.into_iter().take(room).collect();
        matches.extend(unmapped.into_iter().take(SHOWN - matches.len()));

        RulePreview {
            series,
            mapped: count,
            resources,
            matches,
        }
    }

    /// Returns the preview of a rule over series whose values Prometheus computed.
    #[must_use]
    pub fn over(
        rule: &MappingRule,
        series: Vec<(Labels, f64)>,
        index: &ResourceIndex,
    ) -> RulePreview {
        let one = |(labels, value): (Labels, f64)| {
            let outcome = index.locate(rule, &labels).cloned();
            Match {
                labels,
                value: Some(value).filter(|value| value.is_finite()),
                outcome,
            }
        };
        RulePreview::new(series.into_iter().map(one).collect())
    }
}

/// Preview of rules on a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preview {
    /// By rule, in order.
    pub rules: Vec<RulePreview>,
    /// Names of metrics that no rule selects, with the number of series of each.
    pub unselected: Vec<(String, u64)>,
    /// `true` if nothing was left out.
    pub complete: bool,
}

/// Returns what rules would make of the series that were pushed lately.
#[must_use]
pub fn preview(intake: &Intake, index: &ResourceIndex, rules: &[MappingRule]) -> Preview {
    let recent = &intake.recent;
    let selected: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| {
            [
                Some(rule.series.name()),
                rule.divide_by.as_ref().map(|divisor| divisor.name()),
            ]
        })
        .flatten()
        .collect();
    let names = recent.names().filter(|(name, _)| !selected.contains(name));

    let unselected: Vec<(String, u64)> = names
        .take(NAMES)
        .map(|(name, series)| (name.to_owned(), series))
        .collect();
    let rules = rules
        .iter()
        .map(|rule| of_rule(intake, index, rule))
        .collect();
    Preview {
        rules,
        unselected,
        complete: recent.is_complete(),
    }
}

fn of_rule(intake: &Intake, index: &ResourceIndex, rule: &MappingRule) -> RulePreview {
    let divisors: HashMap<Labels, f64> = rule
        .divide_by
        .iter()
        .flat_map(|divisor| {
            let all = intake.recent.of(divisor.name()).into_iter();
            all.filter(|(labels, _)| divisor.matches(labels))
                .map(|(labels, value)| (labels.without_name(), value))
        })
        .collect();

    let one = |(labels, value): (&Labels, f64)| {
        let located = index.locate(rule, labels).cloned();
        let divided = match &rule.divide_by {
            None => Ok(value),
            Some(divisor) => divisors
                .get(&labels.without_name())
                .map(|by| value / by)
                .ok_or_else(|| divisor.to_string()),
        };
        let value = match &divided {
            Ok(value) if rule.reading == Reading::Gauge => Some(rule.offset + rule.scale * value),
            _ => None,
        };
        let outcome =
            located.and_then(|found| divided.map(|_| found).map_err(Unmatched::NoDivisor));
        Match {
            labels: labels.clone(),
            value: value.filter(|value| value.is_finite()),
            outcome,
        }
    };

    let all = intake.recent.of(rule.series.name()).into_iter();
    RulePreview::new(
        all.filter(|(labels, _)| rule.series.matches(labels))
            .map(one)
            .collect(),
    )
}
