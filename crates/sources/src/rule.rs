//! Mapping rules: which series make up which metric, and which label names the resource.
//!
//! `value = offset + scale * series / divide_by`, per series; then the series of one resource are
//! combined. A counter is read as its rate per second. So memory in use is
//! `node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes` with scale -100 and offset 100.

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{Metric, ResourceKind, named};
use serde::{Deserialize, Serialize};

use crate::selector::{Selector, is_label_name};

named!(
    /// Kind of a series' values.
    Reading {
        /// The value itself, averaged over five minutes.
        Gauge => "gauge",
        /// A number that only grows until its program restarts; it is read as its rate per second.
        Counter => "counter",
    }
);

named!(
    /// Combination of the series of one resource.
    Combine {
        Mean => "mean",
        Min => "min",
        Max => "max",
        Sum => "sum",
    }
);

/// Property of a resource that a label's value is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// Identifier that the provider gave.
    Id,
    /// The name; a port behind it is ignored.
    Name,
    /// The private address; a port behind it is ignored.
    PrivateIp,
    /// The value of the tag with this key.
    Tag(String),
}

impl Locator {
    /// Returns the name on the wire and in the store.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Locator::Id => "id",
            Locator::Name => "name",
            Locator::PrivateIp => "private_ip",
            Locator::Tag(_) => "tag",
        }
    }
}

/// Rule that makes samples of a metric from series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RuleDraft", into = "RuleDraft")]
pub struct MappingRule {
    /// The metric that the series make up.
    pub metric: Metric,
    /// Kind of the resources; `None` for every kind that has the metric.
    pub kind: Option<ResourceKind>,
    pub series: Selector,
    /// Series with the same labels that they are divided by.
    pub divide_by: Option<Selector>,
    /// Kind of the values of `series`; `divide_by` is always a gauge.
    pub reading: Reading,
    /// Factor on the value of the series.
    pub scale: f64,
    /// Summand, after the factor.
    pub offset: f64,
    /// Combination of several series of a resource.
    pub combine: Combine,
    /// Label whose value names the resource.
    pub label: String,
    /// Property of the resource that the value is compared with.
    pub locator: Locator,
}

/// A mapping rule as it is written, field by field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleDraft {
    /// Name of the metric.
    pub metric: String,
    /// Name of the kind.
    pub kind: Option<String>,
    /// Selector of the series.
    pub series: String,
    /// Selector of the divisors.
    pub divide_by: Option<String>,
    /// `gauge` (the default) or `counter`.
    pub reading: Option<String>,
    /// Factor; 1 unless given.
    pub scale: Option<f64>,
    /// Summand; 0 unless given.
    pub offset: Option<f64>,
    /// `mean` (the default), `min`, `max` or `sum`.
    pub combine: Option<String>,
    /// Label; `instance` unless given.
    pub label: Option<String>,
    /// `id`, `name`, `private_ip` or `tag`.
    pub locate_by: String,
    /// Key of the tag.
    pub tag: Option<String>,
}

/// Reads the rules of a source.
///
/// # Errors
/// The field that breaks a rule, such as `rules[2].series`.
pub fn read_rules(drafts: Vec<RuleDraft>) -> Result<Vec<MappingRule>, FieldError> {
    if drafts.len() > crate::MAX_RULES {
        return Err(FieldError::new(
            "rules",
            FieldCode::InvalidValue,
            format!("must be at most {}", crate::MAX_RULES),
        ));
    }
    drafts
        .into_iter()
        .enumerate()
        .map(|(place, draft)| MappingRule::read(draft, &format!("rules[{place}]")))
        .collect()
}

/// Reads a rule as it is stored.
impl TryFrom<RuleDraft> for MappingRule {
    type Error = FieldError;

    fn try_from(draft: RuleDraft) -> Result<Self, FieldError> {
        MappingRule::read(draft, "rule")
    }
}

impl From<MappingRule> for RuleDraft {
    fn from(rule: MappingRule) -> Self {
        rule.draft()
    }
}

impl MappingRule {
    fn read(draft: RuleDraft, place: &str) -> Result<MappingRule, FieldError> {
        let wrong = |field: &str, message: String| {
            FieldError::new(format!("{place}.{field}"), FieldCode::InvalidValue, message)
        };

        let metric = one_of(
            "metric",
            Some(&draft.metric),
            Metric::parse,
            &Metric::all(),
            Metric::as_str,
            &wrong,
        )?;
        let metric = metric.ok_or_else(|| wrong("metric", "must be given".to_owned()))?;
        let kind = kind(metric, draft.kind.as_deref(), &wrong)?;

        let selector = |field: &str, text: &str| {
            Selector::parse(text).map_err(|error| wrong(field, error.to_string()))
        };
        let series = selector("series", &draft.series)?;

        let divide_by = draft.divide_by.filter(|text| !text.trim().is_empty());
        let divide_by = divide_by
            .map(|text| selector("divide_by", &text))
            .transpose()?;
        let reading = draft.reading.as_deref();
        let reading = one_of(
            "reading",
            reading,
            Reading::parse,
            Reading::ALL,
            Reading::as_str,
            &wrong,
        )?;

        let combine = draft.combine.as_deref();
        let combine = one_of(
            "combine",
            combine,
            Combine::parse,
            Combine::ALL,
            Combine::as_str,
            &wrong,
        )?;

        let (scale, offset) = (draft.scale.unwrap_or(1.0), draft.offset.unwrap_or(0.0));
        if !scale.is_finite() || scale == 0.0 {
            return Err(wrong("scale", "must be a number other than 0".to_owned()));
        }
        if !offset.is_finite() {
            return Err(wrong("offset", "must be a number".to_owned()));
        }

        let label = draft
            .label
            .filter(|label| !label.is_empty())
            .unwrap_or_else(|| "instance".to_owned());
        if !is_label_name(&label) {
            return Err(wrong(
                "label",
                format!("{label:?} is not the name of a label"),
            ));
        }

        let locator = locator(&draft.locate_by, draft.tag, &wrong)?;
        let (reading, combine) = (
            reading.unwrap_or(Reading::Gauge),
            combine.unwrap_or(Combine::Mean),
        );
        Ok(MappingRule {
            metric,
            kind,
            series,
            divide_by,
            reading,
            scale,
            offset,
            combine,
            label,
            locator,
        })
    }

    /// Returns the rule as it is written.
    #[must_use]
    pub fn draft(&self) -> RuleDraft {
        RuleDraft {
            metric: self.metric.as_str().to_owned(),
            kind: self.kind.map(|kind| kind.as_str().to_owned()),
            series: self.series.to_string(),
            divide_by: self.divide_by.as_ref().map(ToString::to_string),
            reading: Some(self.reading.as_str().to_owned()),
            scale: Some(self.scale),
            offset: Some(self.offset),
            combine: Some(self.combine.as_str().to_owned()),
            label: Some(self.label.clone()),
            locate_by: self.locator.as_str().to_owned(),
            tag: match &self.locator {
                Locator::Tag(key) => Some(key.clone()),
                _ => None,
            },
        }
    }

    /// Returns the value of a resource from those of its series, which are divided already; `None`
    /// without any.
    pub(crate) fn combined(&self, values: &[f64]) -> Option<f64> {
        let scaled = values.iter().map(|value| self.offset + self.scale * value);
        match self.combine {
            _ if values.is_empty() => None,
            Combine::Mean => Some(scaled.sum::<f64>() / values.len() as f64),
            Combine::Sum => Some(scaled.sum()),
            Combine::Min => scaled.reduce(f64::min),
            Combine::Max => scaled.reduce(f64::max),
        }
    }

    /// Returns the value as it is stored; `None` for one that the metric cannot have. Rounding may
    /// leave a share slightly outside of 0 to 100.
    #[must_use]
    pub fn stored(&self, value: f64) -> Option<f64> {
        const ROUNDING: f64 = 0.5;
        let percent = self.metric.unit() == reeve_estate::Unit::Percent;
        let most = if percent { 100.0 } else { f64::MAX };
        let slack = if percent { ROUNDING } else { 0.0 };
        (value >= -slack && value <= most + slack).then(|| value.clamp(0.0, most))
    }
}

type Wrong<'w> = dyn Fn(&str, String) -> FieldError + 'w;

fn one_of<T: Copy>(
    field: &str,
    given: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    wrong: &Wrong<'_>,
) -> Result<Option<T>, FieldError> {
    let Some(given) = given.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };

    let known = || {
        all.iter()
            .map(|one| name(*one))
            .collect::<Vec<_>>()
            .join(", ")
    };

    parse(given)
        .map(Some)
        .ok_or_else(|| wrong(field, format!("{given:?} is not one of {}", known())))
}

fn kind(
    metric: Metric,
    given: Option<&str>,
    wrong: &Wrong<'_>,
) -> Result<Option<ResourceKind>, FieldError> {
    let Some(given) = given.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };

    let kind = ResourceKind::parse(given)
        .ok_or_else(|| wrong("kind", format!("{given:?} is not a kind")))?;
    if kind.has_metric(metric) {
        return Ok(Some(kind));
    }

    Err(wrong(
        "kind",
        format!("resources of the kind {kind} have no metric {metric}"),
    ))
}

fn locator(given: &str, tag: Option<String>, wrong: &Wrong<'_>) -> Result<Locator, FieldError> {
    let tag = tag.filter(|key| !key.is_empty());
    if given != "tag" && tag.is_some() {
        return Err(wrong("tag", "goes with locate_by tag alone".to_owned()));
    }

    match (given, tag) {
        ("id", _) => Ok(Locator::Id),
        ("name", _) => Ok(Locator::Name),
        ("private_ip", _) => Ok(Locator::PrivateIp),
        ("tag", Some(key)) if key.chars().count() <= 256 => Ok(Locator::Tag(key)),
        ("tag", Some(_)) => Err(wrong("tag", "must have at most 256 characters".to_owned())),
        ("tag", None) => Err(wrong("tag", "must name the key of the tag".to_owned())),
        (other, _) => Err(wrong(
            "locate_by",
            format!("{other:?} is not one of id, name, private_ip, tag"),
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn draft() -> RuleDraft {
        RuleDraft {
            metric: "memory_utilization".into(),
            series: "node_memory_MemAvailable_bytes".into(),
            divide_by: Some("node_memory_MemTotal_bytes".into()),
            scale: Some(-100.0),
            offset: Some(100.0),
            locate_by: "private_ip".into(),
            ..RuleDraft::default()
        }
    }

    #[test]
    fn a_rule_is_read_with_its_defaults_and_written_again() {
        let rules = read_rules(vec![draft()]).unwrap();
        let rule = &rules[0];
        assert_eq!(
            (rule.reading, rule.combine, rule.label.as_str()),
            (Reading::Gauge, Combine::Mean, "instance")
        );
        assert_eq!(read_rules(vec![rule.draft()]).unwrap(), rules);
        assert_eq!(rule.combined(&[0.25, 0.75]), Some(50.0));
        assert_eq!(rule.combined(&[]), None);
        assert_eq!(
            (rule.stored(100.3), rule.stored(101.0), rule.stored(-3.0)),
            (Some(100.0), None, None)
        );
        assert_eq!(rule.stored(f64::NAN), None);
    }

    #[test]
    fn wrong_fields_are_named() {
        let cases: [(RuleDraft, &str); 9] = [
            (
                RuleDraft {
                    metric: "memory".into(),
                    ..draft()
                },
                "rules[0].metric",
            ),
            (
                RuleDraft {
                    metric: String::new(),
                    ..draft()
                },
                "rules[0].metric",
            ),
            (
                RuleDraft {
                    kind: Some("volume".into()),
                    ..draft()
                },
                "rules[0].kind",
            ),
            (
                RuleDraft {
                    series: "{}".into(),
                    ..draft()
                },
                "rules[0].series",
            ),
            (
                RuleDraft {
                    divide_by: Some("a{".into()),
                    ..draft()
                },
                "rules[0].divide_by",
            ),
            (
                RuleDraft {
                    scale: Some(0.0),
                    ..draft()
                },
                "rules[0].scale",
            ),
            (
                RuleDraft {
                    label: Some("a-b".into()),
                    ..draft()
                },
                "rules[0].label",
            ),
            (
                RuleDraft {
                    locate_by: "hostname".into(),
                    ..draft()
                },
                "rules[0].locate_by",
            ),
            (
                RuleDraft {
                    locate_by: "tag".into(),
                    ..draft()
                },
                "rules[0].tag",
            ),
        ];

        for (draft, field) in cases {
            assert_eq!(read_rules(vec![draft]).unwrap_err().path, field);
        }

        assert_eq!(
            read_rules(vec![draft(); crate::MAX_RULES + 1])
                .unwrap_err()
                .path,
            "rules"
        );
    }
}
