//! Features of a resource's history that predict the success of a change, scaled to about unit
//! size.
//!
//! For each past day a rule computes its distance from breaking the change: a *margin* of 1 is as
//! safe as can be, 0 the limit, below 0 broken. The features come from the series of margins alone,
//! so that every rule is measured alike: the width of the margin beside its own variation, the
//! direction of its trend, and the probability that the worst of the coming days stays above 0 when
//! daily worst cases are Gumbel distributed (Coles, "An Introduction to Statistical Modeling of
//! Extreme Values", 2001).

use super::logit;

/// The figures' names, in their order.
pub const FEATURES: [&str; 16] = [
    "days_tried",
    "margin_in_deviations",
    "margin_after_trend",
    "smallest_margin",
    "share_of_tight_days",
    "recent_shift",
    "trend",
    "variation",
    "days_since_tight",
    "worst_case_stays_clear",
    "day_coverage",
    "unmeasured",
    "production",
    "age",
    "never_tight",
    "tight_a_month_before",
];

/// Days the change has to hold.
const HORIZON_DAYS: f64 = 14.0;
/// Days of a month.
const MONTH_DAYS: f64 = 30.0;
/// A margin below this is tight.
const TIGHT: f64 = 0.1;
const EULER: f64 = 0.577_215_664_901_532_9;

/// Daily margins, oldest first; `None` for a day that could not be judged.
pub type Daily = Vec<Option<f64>>;

/// Input of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Signs {
    /// Daily margins, oldest first.
    pub margins: Daily,
    /// Held-out days the change was tried on.
    pub tried: u64,
    /// Number of deciding metrics that were not measured.
    pub unmeasured: f64,
    /// `true` for a resource in production; `None` when unknown.
    pub production: Option<bool>,
    /// Days since the resource was made.
    pub age_days: Option<f64>,
}

/// The figures, in the order of [`FEATURES`], each within about -3 to 3. Without margins those that
/// need them are 0.
#[must_use]
pub fn features(signs: &Signs) -> Vec<f64> {
    let known: Vec<(f64, f64)> = signs
        .margins
        .iter()
        .enumerate()
        .filter_map(|(day, margin)| {
            margin
                .filter(|m| m.is_finite())
                .map(|m| (day as f64, m.clamp(-3.0, 1.0)))
        })
        .collect();

    let days = signs.margins.len().max(1) as f64;
    let shape = Shape::new(&known, days);
    vec![
        (1.0 + signs.tried as f64).ln() / 1.7 - 1.0,
        shape.in_deviations,
        shape.after_trend,
        shape.smallest,
        shape.tight_share * 2.0,
        shape.recent,
        shape.trend,
        shape.variation,
        shape.since_tight,
        shape.clear,
        known.len() as f64 / days - 0.5,
        signs.unmeasured.clamp(0.0, 4.0) / 2.0,
        signs
            .production
            .map_or(0.0, |yes| if yes { 1.0 } else { -1.0 }),
        signs.age_days.map_or(0.0, |age| {
            ((1.0 + age.max(0.0)).ln() / 2.0 - 2.0).clamp(-2.0, 2.0)
        }),
        shape.never_tight,
        shape.month_before,
    ]
}

#[derive(Debug, Default)]
struct Shape {
    in_deviations: f64,
    after_trend: f64,
    smallest: f64,
    tight_share: f64,
    recent: f64,
    trend: f64,
    variation: f64,
    since_tight: f64,
    clear: f64,
    never_tight: f64,
    month_before: f64,
}

impl Shape {
    fn new(known: &[(f64, f64)], days: f64) -> Shape {
        if known.len() < 3 {
            return Shape::default();
        }

        let n = known.len() as f64;
        let mean = known.iter().map(|(_, m)| m).sum::<f64>() / n;
        let middle = known.iter().map(|(d, _)| d).sum::<f64>() / n;
        let spread: f64 = known.iter().map(|(d, _)| (d - middle).powi(2)).sum();
        let slope = known
            .iter()
            .map(|(d, m)| (d - middle) * (m - mean))
            .sum::<f64>()
            / spread.max(1.0);

        let around = known
            .iter()
            .map(|(d, m)| (m - mean - slope * (d - middle)).powi(2))
            .sum::<f64>();
        let deviation = (around / (n - 2.0).max(1.0)).sqrt().max(0.02);
        let whole = (known.iter().map(|(_, m)| (m - mean).powi(2)).sum::<f64>() / n)
            .sqrt()
            .max(0.02);
        let last =
            known.iter().rev().take(3).map(|(_, m)| m).sum::<f64>() / known.len().min(3) as f64;

        // Only the part of a slope that stands out of its own error is carried on.
        let error = deviation / spread.max(1.0).sqrt();
        let carried = slope.signum() * (slope.abs() - error).max(0.0);
        let ahead = mean + carried * (days - middle + HORIZON_DAYS / 2.0);
        let tight = known
            .iter()
            .rev()
            .find(|(_, m)| *m < TIGHT)
            .map(|(day, _)| days - day);

        Shape {
            in_deviations: squash(mean / whole, 3.0),
            after_trend: squash(ahead / deviation, 3.0),
            smallest: known.iter().map(|(_, m)| *m).fold(1.0, f64::min).max(-1.5),
            tight_share: known.iter().filter(|(_, m)| *m < TIGHT).count() as f64 / n,
            recent: squash((last - mean) / whole, 2.0),
            trend: (slope * HORIZON_DAYS).clamp(-1.5, 1.5),
            variation: (deviation.ln() / 2.0 + 1.0).clamp(-2.0, 2.0),
            since_tight: tight.map_or(1.0, |since| (since / days).min(1.0)),
            clear: logit(stays_clear(ahead, deviation)) / 3.0,
            never_tight: if tight.is_none() { 1.0 } else { 0.0 },
            month_before: if month_before(known, days) { 1.0 } else { 0.0 },
        }
    }
}

/// Returns `true` if one of the days a month before the coming ones was tight: month-end load
/// recurs, and thirty days show it once.
fn month_before(known: &[(f64, f64)], days: f64) -> bool {
    let (from, until) = (days - MONTH_DAYS, days - MONTH_DAYS + HORIZON_DAYS);
    known
        .iter()
        .any(|(day, margin)| *margin < TIGHT && (from..until).contains(day))
}

/// Returns the probability that the smallest of the coming days' margins stays above 0, when the
/// daily shortfall is Gumbel distributed.
fn stays_clear(mean: f64, deviation: f64) -> f64 {
    let scale = deviation * 6.0_f64.sqrt() / std::f64::consts::PI;
    let location = -mean - EULER * scale;
    (-HORIZON_DAYS * (location / scale).exp()).exp()
}

fn squash(value: f64, unit: f64) -> f64 {
    1.5 * (value / unit).tanh()
}
