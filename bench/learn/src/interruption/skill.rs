//! Scores of probabilities.

/// Probabilities said, and what happened.
#[derive(Debug, Default)]
pub(crate) struct Forecasts(Vec<(f64, bool)>);

impl Forecasts {
    /// Adds a forecast with its outcome.
    pub(crate) fn add(&mut self, said: f64, happened: bool) {
        self.0.push((said.clamp(1e-7, 1.0 - 1e-7), happened));
    }

    /// Returns the number of predictions.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns what was said of the fifth with the lowest chances, on average, and the share of it
    /// that happened.
    pub(super) fn calmest_fifth(&self) -> (f64, f64) {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        sorted.truncate((sorted.len() / 5).max(1));
        let fifth = Self(sorted);
        (fifth.mean(|said, _| said), fifth.mean(|_, was| was))
    }

    pub(super) fn mean(&self, value: impl Fn(f64, f64) -> f64) -> f64 {
        self.0
            .iter()
            .map(|(said, happened)| value(*said, f64::from(*happened)))
            .sum::<f64>()
            / self.0.len().max(1) as f64
    }

    pub(super) fn brier(&self) -> f64 {
        self.mean(|said, was| (said - was).powi(2))
    }

    fn log_loss(&self) -> f64 {
        self.mean(|said, was| -(was * said.ln() + (1.0 - was) * (1.0 - said).ln()))
    }

    /// Expected calibration error over ten bins of equal count.
    pub(super) fn calibration_error(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = sorted.len().div_ceil(10).max(1);
        let bins = sorted.chunks(size).map(|bin| {
            let (said, was) = bin.iter().fold((0.0, 0.0), |sum, one| {
                (sum.0 + one.0, sum.1 + f64::from(one.1))
            });
            (said - was).abs()
        });

        bins.sum::<f64>() / sorted.len().max(1) as f64
    }

    /// The chance that one interrupted was given a higher risk than one that was not; ties count
    /// half.
    pub(super) fn order(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut below, mut sum, mut hits) = (0.0, 0.0, 0.0);

        for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
            let was = tied.iter().filter(|one| one.1).count() as f64;
            let not = tied.len() as f64 - was;
            sum += was * (below + not / 2.0);
            (below, hits) = (below + not, hits + was);
        }

        sum / (hits * below).max(1.0)
    }
}

/// Prints a row: ours, the price alone, the pool's rate alone.
pub(crate) fn row(world: &str, horizon: &str, kinds: &[&Forecasts; 3], base: f64) {
    let [ours, price, rate] = kinds;
    let constant = Forecasts(
        ours.0
            .iter()
            .map(|(_, happened)| (base, *happened))
            .collect(),
    );
    let log_skill = |one: &Forecasts| 1.0 - one.log_loss() / constant.log_loss();

    println!(
        "| {world} | {horizon} | {} | {:.3} % | {:.3} | {:.3} | {:.3} | {:.5} | {:.3} % | {:.3} | {:.3} |",
        ours.0.len(),
        100.0 * ours.mean(|_, was| was),
        1.0 - ours.brier() / constant.brier(),
        log_skill(ours),
        ours.order(),
        ours.calibration_error(),
        100.0 * ours.mean(|said, _| said),
        log_skill(price),
        log_skill(rate),
    );
}
