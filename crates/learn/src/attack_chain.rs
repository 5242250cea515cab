//! Attack chains: the probability that the steps of a principal are an attack that goes on, and of
//! the stage that comes next.
//!
//! Two Markov chains over the stages of an attack, one of intruders and one of ordinary work, each
//! with the share of unusual steps in every stage. The evidence of a sequence is the sum of the
//! logarithms of their ratios. It never falls below the prior: ordinary work of years does not
//! vouch for the step of today (the cumulative sum of Page 1954), and where it falls back to the
//! prior a new chain begins. What lies above the prior halves with every day. Probabilities are
//! calibrated by a logistic regression on the evidence (Platt 1999).
//!
//! Pure: no clock, no file, no randomness.

mod fit;
mod fitted;

pub use fit::{LabelledSequence, LabelledStep, fit, next_of_attack};
pub use fitted::FITTED;

/// Number of stages.
pub const STAGES: usize = 7;
/// Number of bands of surprise.
pub const BANDS: usize = 3;
/// Time in which evidence above the prior halves, in milliseconds.
const HALF_LIFE_MS: f64 = 24.0 * 3_600_000.0;
/// Most that the order of two stages, or the surprise of one, may count for, in log-odds: the data
/// are few, and no single step decides.
const MOST_WEIGHT: f64 = 2.5;

/// Stage of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttackStage {
    /// Looks around.
    Reconnaissance,
    /// Takes credentials, runs commands, moves on.
    Access,
    /// Makes a way to come back.
    Persistence,
    /// Takes more rights.
    Escalation,
    /// Blinds monitoring and opens networks.
    Evasion,
    /// Takes data out.
    Exfiltration,
    /// Destroys, encrypts or consumes.
    Impact,
}

impl AttackStage {
    /// Every stage, in the order of an attack.
    pub const ALL: [Self; STAGES] = [
        Self::Reconnaissance,
        Self::Access,
        Self::Persistence,
        Self::Escalation,
        Self::Evasion,
        Self::Exfiltration,
        Self::Impact,
    ];

    /// Returns its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reconnaissance => "reconnaissance",
            Self::Access => "access",
            Self::Persistence => "persistence",
            Self::Escalation => "escalation",
            Self::Evasion => "evasion",
            Self::Exfiltration => "exfiltration",
            Self::Impact => "impact",
        }
    }

    /// Returns the stage of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }

    /// Returns `true` for a stage that does harm: data is lost or taken.
    #[must_use]
    pub const fn harms(self) -> bool {
        matches!(self, Self::Exfiltration | Self::Impact)
    }
}

/// A step: its stage, and how unusual it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttackChainStep {
    pub stage: AttackStage,
    /// Behavior score of the event, 0 to 1.
    pub score: f64,
    /// Milliseconds since the epoch.
    pub at_ms: i64,
}

impl AttackChainStep {
    /// Band of surprise: ordinary, raised, unusual.
    #[must_use]
    pub fn band(&self) -> usize {
        match self.score {
            score if score >= 0.5 => 2,
            score if score >= 0.15 => 1,
            _ => 0,
        }
    }
}

/// Process that makes steps, as probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Process {
    /// First stage of a sequence.
    pub first: [f64; STAGES],
    /// Next stage by the last one.
    pub next: [[f64; STAGES]; STAGES],
    /// No further step, by the last stage.
    pub end: [f64; STAGES],
    /// Band of surprise by stage.
    pub bands: [[f64; BANDS]; STAGES],
}

/// Model of attack chains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainModel {
    pub attack: Process,
    pub ordinary: Process,
    /// Stage of an intruder's next step by the last stage seen, where there is a next one.
    pub follows: [[f64; STAGES]; STAGES],
    /// Log-odds of an attack before any step.
    pub prior: f64,
    /// Slope and offset of the calibration of the probability that an attack goes on.
    pub calibration: (f64, f64),
}

/// Evidence about the steps of one principal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AttackChainBelief {
    /// Log-odds above the prior at `at_ms`; never negative.
    evidence: f64,
    last: Option<AttackStage>,
    at_ms: i64,
}

impl AttackChainBelief {
    /// Returns the log-odds above the prior at a time.
    #[must_use]
    pub fn evidence(&self, at_ms: i64) -> f64 {
        let away = at_ms.saturating_sub(self.at_ms).max(0) as f64 / HALF_LIFE_MS;
        self.evidence * (-away).exp2()
    }

    /// Adds a step. Returns `false` where the evidence fell back to the prior: the chain is over.
    pub fn add(&mut self, model: &ChainModel, step: &AttackChainStep) -> bool {
        let before = self.evidence(step.at_ms);
        self.evidence = (before + model.weight(self.last, step)).max(0.0);
        self.at_ms = self.at_ms.max(step.at_ms);
        self.last = (self.evidence > 0.0).then_some(step.stage);
        self.last.is_some()
    }

    /// Takes over the evidence of the principal that handed over to this one.
    pub fn join(&mut self, other: &AttackChainBelief) {
        if other.evidence(self.at_ms) > self.evidence {
            *self = *other;
        }
    }

    /// Returns the calibrated probability that the steps are an attack that goes on.
    #[must_use]
    pub fn goes_on(&self, model: &ChainModel, at_ms: i64) -> f64 {
        if self.last.is_none() {
            return 0.0;
        }
        model.calibrated(self.evidence(at_ms))
    }

    /// Returns the probability of each stage as the next step of an attack. Their sum is the
    /// probability that the attack goes on.
    #[must_use]
    pub fn next(&self, model: &ChainModel, at_ms: i64) -> [f64; STAGES] {
        let goes_on = self.goes_on(model, at_ms);
        match self.last {
            Some(last) => model.follows[last as usize].map(|share| goes_on * share),
            None => [0.0; STAGES],
        }
    }
}

impl ChainModel {
    /// Log-odds that a step adds.
    fn weight(&self, last: Option<AttackStage>, step: &AttackChainStep) -> f64 {
        let (stage, band) = (step.stage as usize, step.band());
        let of = |process: &Process| match last {
            Some(last) => {
                // The share among further steps: that ordinary work ends sooner says nothing.
                let last = last as usize;
                process.next[last][stage] / (1.0 - process.end[last]).max(1e-6)
            }
            None => process.first[stage],
        };
        let ratio = |attack: f64, ordinary: f64| {
            (attack.max(1e-6) / ordinary.max(1e-6))
                .ln()
                .clamp(-MOST_WEIGHT, MOST_WEIGHT)
        };

        ratio(of(&self.attack), of(&self.ordinary))
            + ratio(
                self.attack.bands[stage][band],
                self.ordinary.bands[stage][band],
            )
    }

    fn calibrated(&self, evidence: f64) -> f64 {
        let (slope, offset) = self.calibration;
        logistic(slope * (self.prior + evidence) + offset)
    }
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests;
