//! Fit of a model to sequences of which it is known which steps an attack made.

use super::{AttackChainBelief, AttackChainStep, BANDS, ChainModel, Process, STAGES, logistic};

/// Counts that every row borrows from the shares over all rows: few data say little of one stage.
const BORROWED: f64 = 12.0;
/// Added to every count besides (Laplace): what was never seen may happen.
const SMOOTHING: f64 = 0.5;
/// Steps of Newton's method for the calibration.
const NEWTON_STEPS: usize = 60;
/// Penalty on the distance of the calibration from none, against separation.
const RIDGE: f64 = 1.0;

/// A step, and whether an attack made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledStep {
    pub step: AttackChainStep,
    pub attack: bool,
}

/// Steps of one principal. One with a step of an attack is an attack's.
pub type LabelledSequence = Vec<LabelledStep>;

/// Returns the next step that an attack makes after a position, where the attack has begun by then.
#[must_use]
pub fn next_of_attack(sequence: &[LabelledStep], position: usize) -> Option<&AttackChainStep> {
    let has_begun = sequence.iter().take(position + 1).any(|one| one.attack);
    let mut after = sequence.iter().skip(position + 1);
    after
        .find(|one| one.attack)
        .filter(|_| has_begun)
        .map(|one| &one.step)
}

/// Fits a model; `prior` is the share of attacks among sequences that the probabilities are made
/// for.
#[must_use]
pub fn fit(sequences: &[LabelledSequence], prior: f64) -> ChainModel {
    let is_attack = |sequence: &&LabelledSequence| sequence.iter().any(|one| one.attack);
    let (attacks, ordinary): (Vec<_>, Vec<_>) = sequences.iter().partition(is_attack);
    let mut model = ChainModel {
        attack: process(&attacks),
        ordinary: process(&ordinary),
        follows: follows(&attacks),
        prior: (prior / (1.0 - prior)).ln(),
        calibration: (1.0, 0.0),
    };

    // Both kinds of sequence have their share by the prior.
    let mut points: Vec<(f64, f64, f64)> = Vec::new();
    for (kind, share) in [(&attacks, prior), (&ordinary, 1.0 - prior)] {
        let weight = share / kind.len().max(1) as f64;
        for sequence in kind {
            let mut belief = AttackChainBelief::default();
            for (position, one) in sequence.iter().enumerate() {
                if belief.add(&model, &one.step) {
                    let label = f64::from(next_of_attack(sequence, position).is_some());
                    points.push((belief.evidence(one.step.at_ms), label, weight));
                }
            }
        }
    }

    model.calibration = calibrate(&model, &points);
    model
}

/// Shares of the stage of the next attack step by the last stage seen.
fn follows(attacks: &[&LabelledSequence]) -> [[f64; STAGES]; STAGES] {
    let mut counts = [[0.0; STAGES]; STAGES];
    for sequence in attacks {
        for (position, one) in sequence.iter().enumerate() {
            if let Some(next) = next_of_attack(sequence, position) {
                counts[one.step.stage as usize][next.stage as usize] += 1.0;
            }
        }
    }
    shrunk(counts)
}

fn process(sequences: &[&LabelledSequence]) -> Process {
    let mut first = [[0.0; STAGES]];
    let mut next = [[0.0; STAGES + 1]; STAGES];
    let mut bands = [[0.0; BANDS]; STAGES];
    for sequence in sequences {
        for (at, one) in sequence.iter().enumerate() {
            let stage = one.step.stage as usize;
            bands[stage][one.step.band()] += 1.0;
            if at == 0 {
                first[0][stage] += 1.0;
            }
            let after = sequence.get(at + 1);
            next[stage][after.map_or(STAGES, |one| one.step.stage as usize)] += 1.0;
        }
    }

    let next = shrunk(next);
    Process {
        first: shrunk(first)[0],
        next: next.map(|row| std::array::from_fn(|stage| row[stage])),
        end: next.map(|row| row[STAGES]),
        bands: shrunk(bands),
    }
}

/// Counts as shares, each row drawn towards the shares over all rows.
fn shrunk<const ROWS: usize, const COLUMNS: usize>(
    counts: [[f64; COLUMNS]; ROWS],
) -> [[f64; COLUMNS]; ROWS] {
    let all: f64 = counts.iter().flatten().sum::<f64>() + SMOOTHING * COLUMNS as f64;
    let pooled: [f64; COLUMNS] = std::array::from_fn(|column| {
        (counts.iter().map(|row| row[column]).sum::<f64>() + SMOOTHING) / all
    });
    counts.map(|row| {
        let sum: f64 = row.iter().sum::<f64>() + BORROWED;
        std::array::from_fn(|column| (row[column] + BORROWED * pooled[column]) / sum)
    })
}

/// Slope and offset of the logistic regression of the label on the log-odds.
fn calibrate(model: &ChainModel, points: &[(f64, f64, f64)]) -> (f64, f64) {
    let all: f64 = points.iter().map(|(_, _, weight)| weight).sum();
    let scale = points.len() as f64 / all.max(f64::MIN_POSITIVE);
    let (mut slope, mut offset) = (1.0_f64, 0.0_f64);

    for _ in 0..NEWTON_STEPS {
        let (mut gradient, mut hessian) = ([RIDGE * (slope - 1.0), 0.0], [RIDGE, 0.0, 1e-9]);
        for (evidence, label, weight) in points {
            let x = model.prior + evidence;
            let p = logistic(slope * x + offset);
            let (residual, curvature) =
                (weight * scale * (p - label), weight * scale * p * (1.0 - p));
            gradient[0] += residual * x;
            gradient[1] += residual;
            hessian[0] += curvature * x * x;
            hessian[1] += curvature * x;
            hessian[2] += curvature;
        }

        let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        if determinant.abs() < 1e-12 {
            break;
        }
        // Half steps: the curve is steep where both kinds are told apart well.
        slope -= 0.5 * (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant;
        offset -= 0.5 * (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant;
    }

    if slope.is_finite() && offset.is_finite() && slope > 0.0 {
        (slope, offset)
    } else {
        (1.0, 0.0)
    }
}
