//! Quality measures of probabilities: Brier score and its skill, calibration error over bins of
//! equal mass, and the confusion matrix of a decision at one half.

/// The mean squared error of probabilities (Brier 1950), 0 to 1; `None` without pairs.
#[must_use]
pub fn brier(pairs: &[(f64, bool)]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }

    let sum: f64 = pairs
        .iter()
        .map(|(p, held)| (p - f64::from(u8::from(*held))).powi(2))
        .sum();
    Some(sum / pairs.len() as f64)
}

/// Share of the base rate's Brier score that the probabilities take away: 1 is perfect, 0 the base
/// rate, below 0 worse. The base rate is the pairs' own, which no forecaster could know: a hard
/// yardstick. `None` when all went one way.
#[must_use]
pub fn brier_skill(pairs: &[(f64, bool)]) -> Option<f64> {
    let own = brier(pairs)?;
    let rate = pairs.iter().filter(|(_, held)| *held).count() as f64 / pairs.len() as f64;
    let reference = rate * (1.0 - rate);
    (reference > 0.0).then(|| 1.0 - own / reference)
}

/// Expected calibration error over bins of equal mass (Nguyen and O'Connor 2015): the mean distance
/// between what was said and what came. Finite samples alone make it about `0.8 * sqrt(p (1 - p) *
/// bins / n)`. `None` without pairs or bins.
#[must_use]
pub fn adaptive_ece(pairs: &[(f64, bool)], bins: usize) -> Option<f64> {
    if pairs.is_empty() || bins == 0 {
        return None;
    }

    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (n, bins) = (sorted.len(), bins.min(sorted.len()));
    let mut total = 0.0;

    for bin in 0..bins {
        let part = &sorted[bin * n / bins..(bin + 1) * n / bins];
        let said: f64 = part.iter().map(|(p, _)| p).sum();
        let came = part.iter().filter(|(_, held)| *held).count() as f64;
        total += (said - came).abs();
    }

    Some(total / n as f64)
}

/// Decisions counted against what came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Said yes, was yes.
    pub true_positive: u64,
    /// Said yes, was no.
    pub false_positive: u64,
    /// Said no, was no.
    pub true_negative: u64,
    /// Said no, was yes.
    pub false_negative: u64,
}

impl std::iter::Sum for Confusion {
    fn sum<I: Iterator<Item = Confusion>>(parts: I) -> Confusion {
        parts.fold(Confusion::default(), |sum, part| Confusion {
            true_positive: sum.true_positive + part.true_positive,
            false_positive: sum.false_positive + part.false_positive,
            true_negative: sum.true_negative + part.true_negative,
            false_negative: sum.false_negative + part.false_negative,
        })
    }
}

impl Confusion {
    /// Counts a decision, `said`, against the truth, `was`.
    pub fn count(&mut self, said: bool, was: bool) {
        match (said, was) {
            (true, true) => self.true_positive += 1,
            (true, false) => self.false_positive += 1,
            (false, false) => self.true_negative += 1,
            (false, true) => self.false_negative += 1,
        }
    }

    /// Number of counted decisions.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.true_positive + self.false_positive + self.true_negative + self.false_negative
    }

    /// The four figures; `None` without decisions. A precision or recall of nothing at all is 0.
    #[must_use]
    pub fn scores(self) -> Option<CalibrationScores> {
        let total = self.total();
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                0.0
            } else {
                part as f64 / whole as f64
            }
        };
        let precision = share(self.true_positive, self.true_positive + self.false_positive);

        let recall = share(self.true_positive, self.true_positive + self.false_negative);
        let sum = precision + recall;
        let f1 = if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        };

        (total > 0).then(|| CalibrationScores {
            accuracy: share(self.true_positive + self.true_negative, total),
            precision,
            recall,
            f1,
        })
    }
}

/// Accuracy, precision, recall and F1, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationScores {
    /// Share of decisions that were right.
    pub accuracy: f64,
    /// Share of the yes that were right.
    pub precision: f64,
    /// Share of what was yes that was found.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// The figures of decisions at a probability of one half; `None` without pairs.
#[must_use]
pub fn scores(pairs: &[(f64, bool)]) -> Option<CalibrationScores> {
    let mut confusion = Confusion::default();
    pairs
        .iter()
        .for_each(|(p, held)| confusion.count(*p >= 0.5, *held));
    confusion.scores()
}
