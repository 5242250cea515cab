//! The approval matrix on the wire, as A-286 to A-288 write it: `cost: "100 to 1000 per
//! month"`, `approval: "director plus security"`.

use reeve_audit::FieldCode;
use reeve_recommend::approval::Signature;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Problem;
use crate::wire::form::enumeration;

/// Approval matrix: the signatures that a change needs, by its impact.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalMatrixBody {
    /// Changes of low impact.
    pub low_impact: ApprovalRowBody,
    /// Changes of medium impact.
    pub medium_impact: ApprovalRowBody,
    /// Changes of high impact.
    pub high_impact: ApprovalRowBody,
    /// Monthly cost from which a change is of medium impact, dollars.
    pub medium_from: f64,
    /// Monthly cost above which a change is of high impact, dollars.
    pub high_above: f64,
}

/// A row of the approval matrix.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalRowBody {
    /// Cost in words, such as `below 100 per month`, `100 to 1000 per month`, `above 1000 per
    /// month`.
    #[schema(example = "100 to 1000 per month")]
    pub cost: String,
    /// Risk that has the same impact whatever the cost: `low`, `medium`, `high`.
    pub risk: &'static str,
    /// `auto`, or the signatures in words, such as `director plus security`.
    #[schema(example = "director plus security")]
    pub approval: String,
    /// Signatures: `manager`, `director`, `security`.
    pub signatures: Vec<&'static str>,
}

/// A change of the approval matrix. What is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalMatrixPut {
    /// Changes of low impact.
    #[serde(default)]
    pub low_impact: ApprovalRowPut,
    /// Changes of medium impact.
    #[serde(default)]
    pub medium_impact: ApprovalRowPut,
    /// Changes of high impact.
    #[serde(default)]
    pub high_impact: ApprovalRowPut,
    /// Monthly cost from which a change is of medium impact, dollars.
    pub medium_from: Option<f64>,
    /// Monthly cost above which a change is of high impact, dollars.
    pub high_above: Option<f64>,
}

/// A row of the approval matrix to set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRowPut {
    /// Cost in words; neighbouring rows must agree.
    pub cost: Option<String>,
    /// Ignored unless it names another risk than the row's own, which is refused.
    pub risk: Option<String>,
    /// `auto`, or signatures in words: `manager`, `director plus security`.
    pub approval: Option<String>,
    /// Signatures; the same as `approval`.
    #[schema(value_type = Option<Vec<enumeration::Signature>>)]
    pub signatures: Option<Vec<String>>,
}

impl From<&ApprovalMatrix> for ApprovalMatrixBody {
    fn from(of: &ApprovalMatrix) -> Self {
        let row = |cost: String, risk: &'static str, signatures: &[Signature]| ApprovalRowBody {
            cost,
            risk,
            approval: words(signatures),
            signatures: signatures
                .iter()
                .map(|signature| signature.as_str())
                .collect(),
        };

        let (from, above) = (of.medium_from_usd, of.high_above_usd);
        ApprovalMatrixBody {
            low_impact: row(format!("below {from} per month"), "low", &of.low),
            medium_impact: row(format!("{from} to {above} per month"), "medium", &of.medium),
            high_impact: row(format!("above {above} per month"), "high", &of.high),
            medium_from: from,
            high_above: above,
        }
    }
}

fn words(signatures: &[Signature]) -> String {
    if signatures.is_empty() {
        return "auto".to_owned();
    }
    signatures
        .iter()
        .map(|signature| signature.as_str())
        .collect::<Vec<_>>()
        .join(" plus ")
}

impl ApprovalMatrixPut {
    /// Returns the matrix after the change. Amounts are checked where they are stored.
    ///
    /// # Errors
    /// 422 naming the field.
    pub fn applied(self, before: &ApprovalMatrix) -> Result<ApprovalMatrix, Problem> {
        let shown = ApprovalMatrixBody::from(before);
        let costs = [
            (&self.low_impact, "low_impact", &shown.low_impact),
            (&self.medium_impact, "medium_impact", &shown.medium_impact),
            (&self.high_impact, "high_impact", &shown.high_impact),
        ];

        let (mut from, mut above) = (
            Border::new("medium_from", self.medium_from),
            Border::new("high_above", self.high_above),
        );
        for (row, name, answered) in costs {
            if row
                .risk
                .as_deref()
                .is_some_and(|risk| risk != answered.risk)
            {
                return Err(wrong(
                    &format!("{name}.risk"),
                    &format!("is {:?} in this row", answered.risk),
                ));
            }
            // What was answered and sent back unchanged says nothing about the row beside it.
            let Some(cost) = row.cost.as_deref().filter(|cost| *cost != answered.cost) else {
                continue;
            };
            let field = format!("{name}.cost");
            match (name, range(cost)) {
                ("low_impact", Some((None, Some(to)))) => from.set(&field, to)?,
                ("medium_impact", Some((Some(low), Some(high)))) => {
                    from.set(&field, low)?;
                    above.set(&field, high)?;
                }
                ("high_impact", Some((Some(low), None))) => above.set(&field, low)?,
                _ => {
                    return Err(wrong(
                        &field,
                        &format!("must be written as {:?}", answered.cost),
                    ));
                }
            }
        }

        Ok(ApprovalMatrix {
            medium_from_usd: from.value(before.medium_from_usd),
            high_above_usd: above.value(before.high_above_usd),
            low: self.low_impact.signatures("low_impact", &before.low)?,
            medium: self
                .medium_impact
                .signatures("medium_impact", &before.medium)?,
            high: self.high_impact.signatures("high_impact", &before.high)?,
        })
    }
}

/// A border between two rows, which both may name.
struct Border {
    given: Option<f64>,
    companion: (&'static str, Option<f64>),
}

impl Border {
    fn new(name: &'static str, companion: Option<f64>) -> Border {
        Border {
            given: None,
            companion: (name, companion),
        }
    }

    fn set(&mut self, field: &str, value: f64) -> Result<(), Problem> {
        match self.given.replace(value) {
            Some(other) if other != value => Err(wrong(
                field,
                &format!("must agree with the row beside it, which says {other}"),
            )),
            _ => Ok(()),
        }
    }

    /// The amount in words, else the companion, else the stored one.
    fn value(&self, stored: f64) -> f64 {
        self.given.or(self.companion.1).unwrap_or(stored)
    }
}

impl ApprovalRowPut {
    fn signatures(self, name: &str, before: &[Signature]) -> Result<Vec<Signature>, Problem> {
        let in_words = self.approval.filter(|text| *text != words(before));
        let (field, names) = match (in_words, self.signatures) {
            (Some(text), _) => (format!("{name}.approval"), split(&text)),
            (None, Some(names)) => (format!("{name}.signatures"), names),
            (None, None) => return Ok(before.to_vec()),
        };
        let mut found = Vec::new();

        for name in names {
            let signature = Signature::parse(&name.trim().to_lowercase()).ok_or_else(|| {
                wrong(
                    &field,
                    "must be auto, or some of manager, director, security",
                )
            })?;
            if !found.contains(&signature) {
                found.push(signature);
            }
        }

        Ok(found)
    }
}

/// Names in `director plus security`, `by manager`, `director and security`; none in `auto`.
fn split(text: &str) -> Vec<String> {
    let text = text.trim().to_lowercase();
    let text = text.strip_prefix("by ").unwrap_or(&text);
    if text == "auto" {
        return Vec::new();
    }

    let joined = text
        .replace(" plus ", ",")
        .replace(" and ", ",")
        .replace('+', ",");
    joined
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect()
}

/// Lowest and highest amount of `below 100 per month`, `100 to 1000 per month`, `above 1000 per
/// month`.
fn range(text: &str) -> Option<(Option<f64>, Option<f64>)> {
    let text = text.trim().to_lowercase();
    let text = text.strip_prefix("cost ").unwrap_or(&text);
    let text = text.strip_suffix("per month").map_or(text, str::trim_end);
    let amount = |text: &str| {
        text.trim()
            .trim_start_matches('$')
            .parse::<f64>()
            .ok()
            .filter(|usd| usd.is_finite())
    };

    if let Some(rest) = text.strip_prefix("below ") {
        return Some((None, Some(amount(rest)?)));
    }
    if let Some(rest) = text.strip_prefix("above ") {
        return Some((Some(amount(rest)?), None));
    }

    let (low, high) = text.split_once(" to ")?;
    Some((Some(amount(low)?), Some(amount(high)?)))
}

fn wrong(field: &str, message: &str) -> Problem {
    Problem::field(
        format!("approval_matrix.{field}"),
        FieldCode::InvalidValue,
        message.to_owned(),
    )
}
