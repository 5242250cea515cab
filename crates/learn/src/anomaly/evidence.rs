//! Evidence against a row: one quantity that both the score and the alarm derive from.
//!
//! A row's *odds* grow with its distance from the usual and with the surprise of its signs; odds of
//! 1 are a score of a half. The distance that makes odds of 1 belongs to the series: it starts at
//! ten usual distances and rises while more than one row in fifty passes it, because on a metric
//! that idles and bursts a fixed bar was passed by 13 to 34 % of rows, which tells nothing. An
//! alarm weighs the same odds with the surprise added: what was never seen before is news even
//! where it is not far.

/// Usual distances of a row whose odds are 1, where the series gives no reason for more.
const STRANGE: f64 = 10.0;
/// Power of the logarithm of a distance: it keeps usual distances low.
const STEEP: i32 = 3;
/// Nats of all signs together that weigh as much in an alarm as odds of 1.
const SURPRISE_NATS: f64 = 1.3;
/// Share of its odds that a surprise of that many nats adds to a row.
const SURPRISE_SHARE: f64 = 0.2;
/// Share of rows that may pass the bar.
const RARE: f64 = 0.02;
/// Rise of the bar's logarithm with each row that passes it.
const RISE: f64 = 0.02;
/// Rows of one event that raise the bar: a long outage is one event, not the habit of a series.
const RAISING_ROWS: u32 = 24;
/// Rise of the bar's logarithm at the most.
const MOST_RISE: f64 = 6.0;
/// Rows before which the bar stays where it starts.
const SETTLED: f64 = 100.0;
/// Rows before which signs have too little past to be surprising,
pub(super) const BEGINNING: f64 = 150.0;
/// and the rows after which the bar is still twice as high, because the usual distance itself is a
/// guess.
const BEGINNING_DOUBT: f64 = 8.0;
/// Share of a row's score that carries over to the next row, so that the end of an event still
/// belongs to it.
const FADES: f64 = 0.9;

/// State of the evidence of one series.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnomalyEvidence {
    /// Rise of the bar above [`STRANGE`], as a logarithm.
    rise: f64,
    /// Rows in succession that passed the bar.
    passed: u32,
    score: f64,
}

impl AnomalyEvidence {
    /// Weighs a row by its distance in usual ones and the nats of its signs, and learns from it how
    /// high the bar is. `points` is the number of rows that the signs have seen. Returns the
    /// evidence for an alarm.
    pub(super) fn add(&mut self, distance: f64, nats: f64, points: f64) -> f64 {
        let beginning = points < BEGINNING;
        let doubt = if beginning {
            1.0 + BEGINNING_DOUBT / points
        } else {
            1.0
        };
        let bar = STRANGE * doubt * self.rise.exp();

        let surprise = if beginning { 0.0 } else { nats / SURPRISE_NATS };
        let odds = (distance.ln_1p() / bar.ln_1p()).powi(STEEP) * (1.0 + SURPRISE_SHARE * surprise);
        let passes = odds >= 1.0;
        self.passed = if passes {
            self.passed.saturating_add(1)
        } else {
            0
        };

        if points > SETTLED {
            let step = if passes && self.passed <= RAISING_ROWS {
                RISE
            } else {
                -RISE * RARE
            };
            self.rise = (self.rise + step).clamp(0.0, MOST_RISE);
        }

        self.score = (odds / (1.0 + odds)).max(FADES * self.score);
        odds + surprise
    }

    /// Returns the score of the last row, 0 to 1. It fades by a tenth a row once the series is
    /// usual again.
    pub(super) fn score(&self) -> f64 {
        self.score
    }

    /// Starts a new run of rows; the bar stays.
    pub(super) fn resume(&mut self) {
        self.passed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_a_half_at_ten_usual_distances() {
        let score = |distance: f64, nats: f64| {
            let mut evidence = AnomalyEvidence::default();
            evidence.add(distance, nats, 1_000.0);
            evidence.score()
        };
        assert!((score(10.0, 0.0) - 0.5).abs() < 1e-12);

        assert!(score(0.0, 0.0) == 0.0 && score(3.0, 0.0) < 0.2 && score(1e9, 0.0) < 1.0);
        assert!(score(1e8, 0.0) < score(1e9, 0.0) - 1e-5);
        assert!(
            score(8.0, 3.0) > score(8.0, 0.0),
            "a surprise adds to a distance"
        );
    }

    #[test]
    fn the_bar_rises_until_few_rows_pass_it_and_falls_again() {
        let mut evidence = AnomalyEvidence::default();
        let mut high = |rows: std::ops::Range<u32>, every: u32, far: f64| {
            let mut passes = |row: u32| {
                evidence.add(
                    if row.is_multiple_of(every) { far } else { 0.5 },
                    0.0,
                    f64::from(row + 200),
                );
                evidence.passed > 0
            };
            rows.filter(|row| passes(*row)).count()
        };
        assert!(high(0..500, 5, 40.0) > 50, "bursts are news at first");

        assert!(
            high(500..4_500, 5, 40.0) < 120,
            "and then the habit of the series"
        );
        assert!(
            high(4_500..4_600, 50, 400.0) == 2,
            "what is ten times higher still is not"
        );
        high(4_600..20_000, 5, 0.5);
        assert!(
            high(20_000..20_001, 1, 15.0) == 1,
            "a calm fortnight lowers the bar"
        );
    }

    #[test]
    fn a_long_event_raises_the_bar_no_more_than_a_day_of_hours() {
        let mut evidence = AnomalyEvidence::default();
        (0..1_000).for_each(|row| {
            evidence.add(200.0, 0.0, f64::from(row + 200));
        });
        assert!(
            evidence.score() > 0.5 && evidence.rise < 0.5,
            "{evidence:?}"
        );
    }
}
