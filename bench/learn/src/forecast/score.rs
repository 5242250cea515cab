//! Errors, coverage and pinball loss, by method and by part of the horizon.

use super::series::Series;

/// Forecasting method that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Ours,
    Daily,
    Weekly,
    Last,
}

const METHODS: [(Method, &str); 4] = [
    (Method::Ours, "Reeve"),
    (Method::Daily, "seasonal naive, day"),
    (Method::Weekly, "seasonal naive, week"),
    (Method::Last, "last value"),
];

/// Parts the horizon is divided into.
const PARTS: usize = 6;

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: f64,
    error: f64,
    inside: f64,
    pinball: f64,
}

/// Scores of the methods on one series.
pub(super) struct Score {
    pub origins: usize,
    name: String,
    horizon: usize,
    /// Mean absolute error of the daily naive forecast over the whole series: the unit of MASE.
    unit: f64,
    sums: [[Sums; PARTS]; METHODS.len()],
}

impl Score {
    pub(super) fn new(series: &Series, hours: usize) -> Self {
        let values = &series.grid.values;
        let errors: Vec<f64> = values
            .iter()
            .zip(&values[series.day.min(values.len())..])
            .map(|(a, b)| (a - b).abs())
            .collect();

        let known: Vec<f64> = errors
            .into_iter()
            .filter(|error| error.is_finite())
            .collect();
        let unit = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let sums = [[Sums::default(); PARTS]; METHODS.len()];

        Score {
            origins: 0,
            name: series.name.clone(),
            horizon: hours * series.day / 24,
            unit,
            sums,
        }
    }

    pub(super) fn add(
        &mut self,
        method: Method,
        step: usize,
        truth: f64,
        [low, middle, high]: [f64; 3],
    ) {
        let sums = &mut self.sums[method as usize][(step - 1) * PARTS / self.horizon];
        let pinball = |level: f64, at: f64| {
            if truth >= at {
                level * (truth - at)
            } else {
                (1.0 - level) * (at - truth)
            }
        };

        sums.count += 1.0;
        sums.error += (truth - middle).abs();
        sums.inside += f64::from(u8::from(low <= truth && truth <= high));
        sums.pinball += pinball(0.05, low) + pinball(0.5, middle) + pinball(0.95, high);
    }

    fn total(&self, method: Method) -> Sums {
        self.sums[method as usize]
            .iter()
            .fold(Sums::default(), |sum, part| Sums {
                count: sum.count + part.count,
                error: sum.error + part.error,
                inside: sum.inside + part.inside,
                pinball: sum.pinball + part.pinball,
            })
    }

    fn mase(&self, method: Method) -> f64 {
        let total = self.total(method);
        total.error / total.count / self.unit
    }

    fn coverage(&self, method: Method) -> f64 {
        let total = self.total(method);
        total.inside / total.count
    }

    fn coverage_of_part(&self, method: Method, part: usize) -> f64 {
        let sums = self.sums[method as usize][part];
        if sums.count > 0.0 {
            sums.inside / sums.count
        } else {
            f64::NAN
        }
    }

    fn relative(&self, method: Method) -> f64 {
        self.total(method).error / self.total(Method::Daily).error
    }
}

/// Prints a table of methods. Series count alike; `relative` is the geometric mean over series.
pub(super) fn print(title: &str, scores: &[&Score]) {
    let origins: usize = scores.iter().map(|score| score.origins).sum();
    println!("\n{title}: {} series, {origins} origins\n", scores.len());
    println!(
        "| method | MASE | MASE / daily naive | geometric mean | 90 % covers | by sixths of the horizon | pinball / daily naive |"
    );
    println!("|---|---|---|---|---|---|---|");

    for (method, name) in METHODS {
        let mase = mean(scores, |score| score.mase(method));
        let naive = mean(scores, |score| score.mase(Method::Daily));
        let relative = mean(scores, |score| score.relative(method).ln()).exp();
        let covers = 100.0 * mean(scores, |score| score.coverage(method));
        let parts: Vec<String> = (0..PARTS)
            .map(|part| {
                format!(
                    "{:.1}",
                    100.0 * mean(scores, |score| score.coverage_of_part(method, part))
                )
            })
            .collect();
        let pinball = mean(scores, |score| {
            (score.total(method).pinball / score.total(Method::Daily).pinball).ln()
        })
        .exp();
        println!(
            "| {name} | {mase:.3} | {:.3} | {relative:.3} | {covers:.1} | {} | {pinball:.3} |",
            mase / naive,
            parts.join(" ")
        );
    }

    if std::env::var_os("REEVE_BENCH_SERIES").is_some() {
        for score in scores {
            let (ours, covers) = (
                score.relative(Method::Ours),
                100.0 * score.coverage(Method::Ours),
            );
            println!(
                "- {}: {ours:.3} of daily naive, covers {covers:.1} %, {} origins",
                score.name, score.origins
            );
        }
    }
}

/// Error against the daily naive forecast, on the worse of the two means, and what the interval
/// covers, in percent; printed, too.
pub(super) fn summary(title: &str, scores: &[&Score]) -> (f64, f64) {
    let ratio = mean(scores, |score| score.mase(Method::Ours))
        / mean(scores, |score| score.mase(Method::Daily));
    let relative = mean(scores, |score| score.relative(Method::Ours).ln()).exp();
    let weekly = mean(scores, |score| {
        (score.relative(Method::Ours) / score.relative(Method::Weekly)).ln()
    })
    .exp();
    let (worse, covers) = (
        ratio.max(relative),
        100.0 * mean(scores, |score| score.coverage(Method::Ours)),
    );
    println!(
        "\n{title}: {worse:.3} of the daily naive error, {weekly:.3} of the weekly one; the 90 % interval covers {covers:.1} %."
    );

    (worse, covers)
}

/// The mean of what is finite: a part of the horizon without truths counts nowhere.
fn mean(scores: &[&Score], value: impl Fn(&Score) -> f64) -> f64 {
    let found: Vec<f64> = scores
        .iter()
        .map(|score| value(score))
        .filter(|value| value.is_finite())
        .collect();
    found.iter().sum::<f64>() / found.len().max(1) as f64
}
