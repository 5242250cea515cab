//! From a backtest to a probability: what a proposal carries to be calibrated by, and the
//! calibration itself.

use reeve_learn::calibrate::{Calibrated, Calibrator, Signs, features};

use crate::agent::AgentType;
use crate::judgement::proposal::Proposal;
use crate::recommendation::{ConfidenceRange, FactorKind, RecommendationType};

/// Earlier recommendations up to which a calibration is weak.
const FEW: f64 = 10.0;

/// Inputs of a confidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trust {
    /// The backtest's own answer, 0 to 1.
    pub raw: f64,
    /// The figures beside it, in the order of `reeve_learn::calibrate::FEATURES`.
    pub features: Vec<f64>,
    /// At most this, percent, because something that decides was not measured.
    pub cap_percent: Option<f64>,
}

impl Trust {
    /// A confidence in percent that no backtest gave and no figure stands beside.
    #[must_use]
    pub fn stated(percent: f64) -> Self {
        Trust {
            raw: percent / 100.0,
            ..Trust::default()
        }
    }

    /// From a backtest's own answer, the highest confidence allowed, and the figures beside it.
    #[must_use]
    pub fn new(raw: f64, cap_percent: Option<f64>, signs: &Signs) -> Self {
        Trust {
            raw,
            features: features(signs),
            cap_percent,
        }
    }
}

/// The calibrator's name for the recommendations of an agent type and kind.
#[must_use]
pub fn trust_group(agent: AgentType, kind: RecommendationType) -> String {
    format!("{agent}/{kind}")
}

/// Says how many earlier recommendations of the kind a confidence is calibrated on.
fn examples_text(examples: f64) -> String {
    let number = examples.round();
    if number < 1.0 {
        return "No earlier recommendation of this kind has an outcome yet".to_owned();
    }

    let s = if number < 2.0 { "" } else { "s" };
    let few = if number < FEW {
        ", too few to be sure"
    } else {
        ""
    };

    format!("Calibrated on the outcome{s} of {number} earlier recommendation{s} of this kind{few}")
}

impl Proposal {
    /// Sets the confidence to the calibrated probability that the proposal holds, and says so in
    /// the explanation. A calibrator without examples leaves the backtest's answer as it is.
    pub fn calibrate(&mut self, agent: AgentType, by: &Calibrator) -> Option<Calibrated> {
        if by.examples() <= 0.0 {
            return None;
        }

        let found = by.calibrate(
            &trust_group(agent, self.kind),
            self.trust.raw,
            &self.trust.features,
        );
        let percent = found.probability * 100.0;
        let percent = self
            .trust
            .cap_percent
            .map_or(percent, |cap| percent.min(cap));
        self.confidence = (percent * 10.0).round() / 10.0;
        let range = ConfidenceRange {
            low_percent: found.low * 100.0,
            high_percent: found.high * 100.0,
        };
        self.explanation.confidence_range = Some(range);

        // Few examples make a wide range: it comes before the number in its middle, which is not to
        // be taken for more than it is.
        let text = format!(
            "{}: 90 % range {:.0} to {:.0} %, confidence {:.1} % (before calibration {:.1} %)",
            examples_text(found.examples),
            range.low_percent,
            range.high_percent,
            self.confidence,
            self.trust.raw * 100.0
        );
        self.explanation.factors.add(FactorKind::Confidence, text);

        Some(found)
    }
}
