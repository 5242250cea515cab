//! Evidence for and against an action being ordinary, and the score computed from it.

use std::borrow::Cow;

/// Largest score that is reached by raising.
const MOST_RAISED: f64 = 0.999;

/// Subject of a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BehaviorReason {
    /// Meaning of the operation, whoever calls it.
    Meaning,
    /// Parameters of the call.
    Parameters,
    /// Rarity of the operation.
    Rarity,
    /// From where, or in which region.
    Place,
    Time,
    /// Number of calls within a span.
    Volume,
    /// Earlier actions of the principal.
    Sequence,
    /// Outcome of the action.
    Outcome,
    /// Identity of the principal and its credentials.
    Identity,
    /// Failed sign-ins to several accounts from one network.
    Guessing,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct BehaviorEvidence {
    /// Subject of the evidence.
    pub reason: BehaviorReason,
    /// Log-odds that the evidence adds; a negative weight supports an ordinary action.
    pub weight: f64,
    /// Description, to be read after the event; empty where it only lowers the score.
    pub words: Cow<'static, str>,
}

/// Score of an action, with its evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BehaviorJudgement {
    /// From 0 (ordinary) to 1 (needs attention).
    pub score: f64,
    /// All evidence, the largest weight first.
    pub evidence: Vec<BehaviorEvidence>,
}

impl BehaviorJudgement {
    /// The logistic of the sum of all weights.
    pub(crate) fn from_evidence(mut evidence: Vec<BehaviorEvidence>) -> Self {
        let sum: f64 = evidence.iter().map(|one| one.weight).sum();
        evidence.sort_by(|a, b| {
            b.weight
                .total_cmp(&a.weight)
                .then_with(|| a.words.cmp(&b.words))
        });

        Self {
            score: logistic(sum),
            evidence,
        }
    }

    /// Raises the score to at least this much, for a reason.
    pub(crate) fn raise(&mut self, least: f64, reason: BehaviorReason, words: String) {
        let least = least.min(MOST_RAISED);
        if least > self.score {
            let log_odds = |score: f64| (score / (1.0 - score)).ln();
            let sum: f64 = self.evidence.iter().map(|one| one.weight).sum();
            self.evidence.push(BehaviorEvidence {
                reason,
                weight: log_odds(least) - sum,
                words: words.into(),
            });
            *self = Self::from_evidence(std::mem::take(&mut self.evidence));
        }
    }

    /// The reasons in words, the heaviest first; those that make an event look ordinary are left
    /// out.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.evidence
            .iter()
            .filter(|one| one.weight > 0.0 && !one.words.is_empty())
            .map(|one| one.words.as_ref())
    }

    /// Returns the log-odds that all evidence of one reason adds.
    pub fn weight_of(&self, reason: BehaviorReason) -> f64 {
        self.evidence
            .iter()
            .filter(|one| one.reason == reason)
            .map(|one| one.weight)
            .sum()
    }
}

/// `1 / (1 + e^-x)`.
fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Evidence as it gathers.
#[derive(Debug, Default)]
pub(crate) struct EvidenceList {
    evidence: Vec<BehaviorEvidence>,
}

impl EvidenceList {
    /// Adds a weight, unless it is nothing.
    pub(crate) fn add(
        &mut self,
        reason: BehaviorReason,
        weight: f64,
        words: impl Into<Cow<'static, str>>,
    ) {
        if weight.abs() >= 0.005 {
            self.evidence.push(BehaviorEvidence {
                reason,
                weight,
                words: words.into(),
            });
        }
    }

    /// Adds a weight whose words are costly to write and needed only where it raises the score.
    pub(crate) fn add_with(
        &mut self,
        reason: BehaviorReason,
        weight: f64,
        words: impl FnOnce() -> String,
    ) {
        let words = if weight >= 0.005 {
            words()
        } else {
            String::new()
        };
        self.add(reason, weight, words);
    }

    /// Returns the log-odds of everything added so far.
    pub(crate) fn sum(&self) -> f64 {
        self.evidence.iter().map(|one| one.weight).sum()
    }

    pub(crate) fn judgement(self) -> BehaviorJudgement {
        BehaviorJudgement::from_evidence(self.evidence)
    }
}
