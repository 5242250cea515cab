//! Surprise of a sign, measured against its own past maxima.
//!
//! A sign (a residual over its scale, say) has tails of its own in every series: what is rare in
//! one happens hourly in the next. So each is held against the maxima of its own past blocks, whose
//! logarithms follow a Gumbel law (Gumbel, "Statistics of Extremes", 1958; a heavy tail in the sign
//! itself is a Gumbel tail in its logarithm). Maxima of blocks forget how points cluster within
//! one, which a threshold on single points does not.

/// Euler's constant, the mean of the standard Gumbel law.
const EULER: f64 = 0.577_215_664_9;
/// Scale of a Gumbel law of standard deviation 1: sqrt(6)/pi.
const SCALE_PER_DEVIATION: f64 = 0.779_696_801_2;

/// Prior of the logarithm of a block's maximum, and the rate at which data overrules it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prior {
    /// Points in a block.
    pub(crate) block: u32,
    /// Mean believed, with this weight in blocks. A weight of none leaves it to the first block.
    pub(crate) mean: (f64, f64),
    /// Standard deviation believed, with this weight in blocks.
    pub(crate) deviation: (f64, f64),
    /// Deviations beyond the mean at which a maximum is cut before it is learnt from.
    pub(crate) cut: f64,
    /// Share that a new block has at the least.
    pub(crate) share: f64,
    pub(crate) least: f64,
    /// Compares the logarithm of the sign with its maxima if `true`, else the sign itself.
    pub(crate) log: bool,
}

/// A sign's past maxima.
#[derive(Debug, Clone)]
pub(crate) struct Peaks {
    highest: f64,
    left: u32,
    blocks: f64,
    mean: f64,
    variance: f64,
    location: f64,
    scale: f64,
    /// The sign below which nothing is surprising.
    quiet: f64,
}

impl Peaks {
    /// Before the first point.
    pub(crate) fn new(prior: &Prior) -> Self {
        let mut new = Self {
            highest: 0.0,
            left: prior.block,
            blocks: 0.0,
            mean: 0.0,
            variance: 0.0,
            location: 0.0,
            scale: 1.0,
            quiet: f64::INFINITY,
        };

        if prior.mean.1 > 0.0 {
            new.settle(prior);
        }

        new
    }

    /// The surprise of a sign in nats: minus the logarithm of the share of blocks whose maximum
    /// would pass it, 0 where it is nothing much. The sign is learnt from afterwards.
    pub(crate) fn surprise(&mut self, sign: f64, prior: &Prior) -> f64 {
        let surprise = if sign > self.quiet {
            (image(sign, prior) - self.location) / self.scale
        } else {
            0.0
        };

        if sign > self.highest {
            self.highest = sign;
        }

        self.left -= 1;
        if self.left == 0 {
            self.learn(prior);
        }

        surprise
    }

    /// The sign that is passed in one block of so many (as a natural logarithm).
    pub(crate) fn level(&self, nats: f64) -> f64 {
        (self.location + nats * self.scale).exp() - 1.0
    }

    fn learn(&mut self, prior: &Prior) {
        let mut highest = image(self.highest, prior);
        if self.blocks >= 3.0 || prior.mean.1 > 0.0 {
            let (mean, deviation) = self.belief(prior);
            highest = highest.min(mean + prior.cut * deviation);
        }

        self.blocks += 1.0;
        let share = (1.0 / self.blocks).max(prior.share);
        let off = highest - self.mean;
        self.mean += share * off;
        self.variance = (1.0 - share) * (self.variance + share * off * off);
        self.highest = 0.0;
        self.left = prior.block;

        if self.blocks >= 2.0 || prior.mean.1 > 0.0 {
            self.settle(prior);
        }
    }

    fn belief(&self, prior: &Prior) -> (f64, f64) {
        let weighed = |own: f64, (believed, weight): (f64, f64)| {
            (self.blocks * own + weight * believed) / (self.blocks + weight).max(f64::MIN_POSITIVE)
        };
        let mean = weighed(self.mean, prior.mean);

        let spread = if prior.mean.1 > 0.0 {
            self.variance + (self.mean - mean).powi(2)
        } else {
            self.variance
        };
        let variance = weighed(spread, (prior.deviation.0.powi(2), prior.deviation.1));

        (mean, variance.sqrt().max(prior.least))
    }

    fn settle(&mut self, prior: &Prior) {
        let (mean, deviation) = self.belief(prior);
        self.scale = deviation * SCALE_PER_DEVIATION;
        self.location = mean - EULER * self.scale;
        self.quiet = if prior.log {
            self.location.exp() - 1.0
        } else {
            self.location
        };
    }
}

fn image(sign: f64, prior: &Prior) -> f64 {
    if prior.log {
        sign.max(0.0).ln_1p()
    } else {
        sign
    }
}
