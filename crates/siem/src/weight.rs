//! Weight of an alert of another tool: the sender's severity, corrected by how often the source was
//! wrong and by whether its asset exists in the estate. Each factor carries its reason.

use reeve_audit::Severity;
use serde::{Deserialize, Serialize};

use crate::severity_name;

/// Verdicts that a source without any is taken to have as right ones: one false alarm alone says
/// little about a source.
const PRIOR: f64 = 5.0;
/// Factor of an alert about an asset that no inventory has.
const ASSET_UNKNOWN: f64 = 0.6;
/// Factor of an alert that names no asset.
const ASSET_NOT_NAMED: f64 = 0.85;

/// Weight of an alert from 0 to 1, and the severity that follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertWeight {
    #[serde(with = "severity_name")]
    pub severity: Severity,
    /// Product of the factors.
    pub value: f64,
    pub factors: Vec<WeightFactor>,
}

/// One factor of a weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightFactor {
    /// `severity`, `track_record` or `asset`.
    pub name: String,
    pub value: f64,
    /// Reason in a sentence.
    pub reason: String,
}

/// Verdicts of people on the alerts of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrackRecord {
    /// Alerts with a verdict.
    pub judged: u64,
    /// Alerts that people called false.
    pub false_positives: u64,
}

/// Presence of an alert's asset in the estate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssetPresence {
    /// The estate has it, under this name.
    Known(String),
    /// The alert names one that the estate does not have.
    Unknown(String),
    /// The alert names none.
    NotNamed,
}

impl AlertWeight {
    /// Multiplies the factors of an alert; the severity follows from the product.
    #[must_use]
    pub fn of(
        severity: Severity,
        names_severity: bool,
        record: TrackRecord,
        asset: &AssetPresence,
    ) -> AlertWeight {
        let factors = vec![
            severity_factor(severity, names_severity),
            record_factor(record),
            asset_factor(asset),
        ];
        let value: f64 = factors.iter().map(|factor| factor.value).product();

        AlertWeight {
            severity: severity_of(value),
            value,
            factors,
        }
    }
}

fn factor(name: &str, value: f64, reason: String) -> WeightFactor {
    WeightFactor {
        name: name.to_owned(),
        value,
        reason,
    }
}

fn severity_factor(severity: Severity, named: bool) -> WeightFactor {
    let value = match severity {
        Severity::Critical => 1.0,
        Severity::High => 0.75,
        Severity::Medium => 0.5,
        Severity::Low => 0.25,
        Severity::Info => 0.1,
    };
    let reason = if named {
        format!("The sender calls it {severity}.")
    } else {
        format!("The sender names no severity; {severity} is assumed.")
    };
    factor("severity", value, reason)
}

#[allow(clippy::cast_precision_loss)] // Counts of verdicts are far below 2^52.
fn record_factor(record: TrackRecord) -> WeightFactor {
    let TrackRecord {
        judged,
        false_positives,
    } = record;
    let value = 1.0 - false_positives as f64 / (judged as f64 + PRIOR);
    let reason = match judged {
        0 => "No alert of this source has a verdict yet.".to_owned(),
        _ => format!(
            "People called {false_positives} of the {judged} judged alerts of this source false."
        ),
    };
    factor("track_record", value, reason)
}

fn asset_factor(asset: &AssetPresence) -> WeightFactor {
    match asset {
        AssetPresence::Known(name) => factor("asset", 1.0, format!("{name} exists in the estate.")),
        AssetPresence::Unknown(name) => factor(
            "asset",
            ASSET_UNKNOWN,
            format!("{name} is not in the estate."),
        ),
        AssetPresence::NotNamed => factor(
            "asset",
            ASSET_NOT_NAMED,
            "The alert names no asset.".to_owned(),
        ),
    }
}

/// Bounds lie between the values of [`severity_factor`], so that an alert of a source without false
/// alarms about a known asset keeps its severity.
fn severity_of(value: f64) -> Severity {
    match value {
        v if v >= 0.8 => Severity::Critical,
        v if v >= 0.6 => Severity::High,
        v if v >= 0.35 => Severity::Medium,
        v if v >= 0.15 => Severity::Low,
        _ => Severity::Info,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(severity: Severity, judged: u64, wrong: u64, asset: &AssetPresence) -> AlertWeight {
        let record = TrackRecord {
            judged,
            false_positives: wrong,
        };
        AlertWeight::of(severity, true, record, asset)
    }

    #[test]
    fn a_right_source_about_a_known_asset_keeps_its_severity() {
        let known = AssetPresence::Known("web-1".to_owned());
        for severity in Severity::ALL {
            assert_eq!(weighed(*severity, 40, 0, &known).severity, *severity);
        }
    }

    #[test]
    fn false_alarms_and_unknown_assets_lower_it() {
        let known = AssetPresence::Known("web-1".to_owned());
        let one = weighed(Severity::High, 1, 1, &known);
        assert_eq!(one.severity, Severity::High, "one says little");

        let many = weighed(Severity::High, 20, 16, &known);
        assert_eq!(many.severity, Severity::Low);
        assert_eq!(
            many.factors[1].reason,
            "People called 16 of the 20 judged alerts of this source false."
        );

        let elsewhere = AssetPresence::Unknown("i-0".to_owned());
        let unknown = weighed(Severity::Critical, 0, 0, &elsewhere);
        assert_eq!(unknown.severity, Severity::High);
        assert_eq!(unknown.factors[2].reason, "i-0 is not in the estate.");

        let no_asset = weighed(Severity::Critical, 0, 0, &AssetPresence::NotNamed);
        assert_eq!(no_asset.severity, Severity::Critical);
    }
}
