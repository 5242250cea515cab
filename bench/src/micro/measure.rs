//! Timing: rounds of a task over a batch; the median round counts, and the spread is reported.

use std::time::{Duration, Instant};

/// Rounds measured after one that only warms up.
pub(crate) const ROUNDS: usize = 9;

/// One line of the table.
pub(crate) struct Row {
    /// Operation on each entry.
    pub(crate) what: &'static str,
    /// Durability reached when the clock stopped.
    pub(crate) durability: &'static str,
    /// Entries in a round.
    pub(crate) entries: usize,
    /// Duration of the median round.
    pub(crate) median: Duration,
    /// Duration of the fastest round.
    pub(crate) fastest: Duration,
    /// Duration of the slowest round.
    pub(crate) slowest: Duration,
}

impl Row {
    /// Microseconds an entry in the median round.
    pub(crate) fn micros(&self) -> f64 {
        self.median.as_secs_f64() * 1e6 / self.entries as f64
    }

    /// Entries a second in the median round.
    pub(crate) fn rate(&self) -> f64 {
        self.entries as f64 / self.median.as_secs_f64()
    }

    /// Half the distance between slowest and fastest round, as a share of the median.
    pub(crate) fn spread(&self) -> f64 {
        (self.slowest.as_secs_f64() - self.fastest.as_secs_f64()) / 2.0 / self.median.as_secs_f64()
    }
}

/// Runs `round` over `entries` entries a few times. The first run is not counted.
pub(crate) fn measure(
    what: &'static str,
    durability: &'static str,
    entries: usize,
    mut round: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Row> {
    round()?;
    let mut times = Vec::with_capacity(ROUNDS);

    for _ in 0..ROUNDS {
        let start = Instant::now();
        round()?;
        times.push(start.elapsed());
    }

    times.sort_unstable();
    Ok(Row {
        what,
        durability,
        entries,
        median: times[ROUNDS / 2],
        fastest: times[0],
        slowest: times[ROUNDS - 1],
    })
}
