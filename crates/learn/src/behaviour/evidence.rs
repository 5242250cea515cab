//! What speaks for and against a deed, and the score that comes of it.

use std::borrow::Cow;

/// Nothing is raised to certainty.
const MOST_RAISED: f64 = 0.999;

/// What a piece of evidence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// What the action means, whoever does it.
    Meaning,
    /// What its parameters say.
    Parameters,
    /// How rare the action is.
    Rarity,
    /// From where, or in which region.
    Place,
    /// At what time.
    Time,
    /// How much.
    Volume,
    /// What came before it.
    Sequence,
    /// How it went.
    Outcome,
    /// Who did it, and with what.
    Identity,
    /// Failed sign-ins to several accounts from one network.
    Guessing,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What it is about.
    pub reason: Reason,
    /// What it adds to the log-odds; negative speaks for an ordinary deed.
    pub weight: f64,
    /// In words, to be read after the deed; empty where it only lowers.
    pub words: Cow<'static, str>,
}

/// What was judged of a deed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// From 0 (ordinary) to 1 (somebody must look).
    pub score: f64,
    /// Everything that was weighed, the heaviest first.
    pub evidence: Vec<Evidence>,
}

impl Judgement {
    /// The logistic of the sum of all weights.
    pub(crate) fn of(mut evidence: Vec<Evidence>) -> Self {
        let sum: f64 = evidence.iter().map(|one| one.weight).sum();
        evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.words.cmp(&b.words)));
        Self { score: logistic(sum), evidence }
    }

    /// Raises the score to at least this much, for a reason.
    pub(crate) fn raise(&mut self, least: f64, reason: Reason, words: String) {
        let least = least.min(MOST_RAISED);
        if least > self.score {
            let log_odds = |score: f64| (score / (1.0 - score)).ln();
            let sum: f64 = self.evidence.iter().map(|one| one.weight).sum();
            self.evidence.push(Evidence { reason, weight: log_odds(least) - sum, words: words.into() });
            *self = Self::of(std::mem::take(&mut self.evidence));
        }
    }

    /// The reasons in words, the heaviest first; those that make a deed look ordinary are left out.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.evidence.iter().filter(|one| one.weight > 0.0 && !one.words.is_empty()).map(|one| one.words.as_ref())
    }

    /// What everything about one reason adds to the log-odds.
    pub fn weight_of(&self, reason: Reason) -> f64 {
        self.evidence.iter().filter(|one| one.reason == reason).map(|one| one.weight).sum()
    }
}

/// `1 / (1 + e^-x)`.
fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Evidence as it gathers.
#[derive(Debug, Default)]
pub(crate) struct Scale {
    evidence: Vec<Evidence>,
}

impl Scale {
    /// Adds a weight, unless it is nothing.
    pub(crate) fn add(&mut self, reason: Reason, weight: f64, words: impl Into<Cow<'static, str>>) {
        if weight.abs() >= 0.005 {
            self.evidence.push(Evidence { reason, weight, words: words.into() });
        }
    }

    /// Adds a weight whose words are costly to write and needed only where it raises the score.
    pub(crate) fn add_with(&mut self, reason: Reason, weight: f64, words: impl FnOnce() -> String) {
        let words = if weight >= 0.005 { words() } else { String::new() };
        self.add(reason, weight, words);
    }

    /// Everything added.
    pub(crate) fn judgement(self) -> Judgement {
        Judgement::of(self.evidence)
    }
}
