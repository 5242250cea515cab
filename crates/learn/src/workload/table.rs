//! The table that a shape is judged by: each row is a property of the shape, and its weight for
//! each class.
//!
//! A property holds fully, not at all, or in part: between two values of a figure it grows from 0
//! to 1. Weights are logarithms of odds, set by hand from what each class of work is;
//! `docs/learning/trends.md` has what was measured with them.

use super::shape::Features;

/// Row of the table.
struct Row {
    /// The property in words.
    name: &'static str,
    /// Figure; `None` where it was not measured.
    figure: fn(&Features) -> Option<f64>,
    /// Value at which the property begins, and at which it holds fully.
    span: (f64, f64),
    /// Weights by class: production, development, batch, analytics.
    weights: [f64; 4],
}

/// A property that a shape has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Property {
    /// The property in words.
    pub name: &'static str,
    /// Weights by class, in the order of [`super::WorkloadClass::ALL`].
    pub weights: [f64; 4],
}

const ROWS: [Row; 18] = [
    Row {
        name: "quiet on weekends",
        figure: |f| Some(f.weekend),
        span: (-0.4, -1.0),
        weights: [-1.0, 2.2, -0.6, 0.2],
    },
    Row {
        name: "works on weekends",
        figure: |f| Some(f.weekend),
        span: (-0.3, 0.0),
        weights: [0.4, -1.2, 0.6, -0.1],
    },
    Row {
        name: "idle in most hours",
        figure: |f| Some(f.idle),
        span: (0.4, 0.7),
        weights: [-2.0, 0.9, 0.8, -0.3],
    },
    Row {
        name: "never idle",
        figure: |f| Some(f.idle),
        span: (0.2, 0.05),
        weights: [0.8, -1.2, -1.2, 0.8],
    },
    Row {
        name: "bursts above its usual load",
        figure: |f| Some(f.bursts),
        span: (0.9, 1.5),
        weights: [-1.8, 0.4, 0.3, 0.5],
    },
    Row {
        name: "bursts from nothing to a multiple",
        figure: |f| Some(f.bursts),
        span: (2.6, 3.4),
        weights: [-0.8, -0.6, 1.2, -0.6],
    },
    Row {
        name: "uses the whole processor at times",
        figure: |f| Some(f.highest),
        span: (60.0, 85.0),
        weights: [-0.2, -0.6, 0.8, 0.3],
    },
    Row {
        name: "never uses half of the processor",
        figure: |f| Some(f.highest),
        span: (50.0, 30.0),
        weights: [0.2, 0.8, -1.2, -0.2],
    },
    Row {
        name: "at the same hours every day",
        figure: |f| Some(f.days_alike),
        span: (0.5, 0.8),
        weights: [0.3, 0.2, 1.0, -1.4],
    },
    Row {
        name: "at other hours every day",
        figure: |f| Some(f.days_alike),
        span: (0.35, 0.1),
        weights: [-0.8, 0.1, 0.0, 0.6],
    },
    Row {
        name: "either on or off",
        figure: |f| Some(f.between),
        span: (0.12, 0.04),
        weights: [-0.8, 0.2, 1.0, -0.9],
    },
    Row {
        name: "rises and falls gradually",
        figure: |f| Some(f.between),
        span: (0.35, 0.5),
        weights: [1.0, -0.2, -1.2, -0.8],
    },
    Row {
        name: "busy in few hours",
        figure: |f| Some(f.busy),
        span: (0.2, 0.1),
        weights: [-0.6, 0.9, 0.1, -0.2],
    },
    Row {
        name: "every hour like the hour before",
        figure: |f| Some(f.hours_alike),
        span: (0.6, 0.9),
        weights: [1.0, 0.3, -0.2, -1.0],
    },
    Row {
        name: "traffic follows the processor",
        figure: |f| f.traffic,
        span: (0.6, 0.9),
        weights: [0.6, 0.0, -0.2, -0.2],
    },
    Row {
        name: "traffic does not follow the processor",
        figure: |f| f.traffic,
        span: (0.4, 0.1),
        weights: [-0.8, 0.2, 0.4, 0.2],
    },
    Row {
        name: "reads and writes disks more than networks",
        figure: |f| f.disk,
        span: (0.5, 2.0),
        weights: [-0.8, -0.3, 0.3, 0.8],
    },
    Row {
        name: "answers networks more than it uses disks",
        figure: |f| f.disk,
        span: (-0.5, -2.0),
        weights: [0.6, 0.1, -0.4, -0.8],
    },
];

/// Returns the properties of a shape, each with the weights that it adds.
#[must_use]
pub fn properties(features: &Features) -> Vec<Property> {
    let of = |row: &Row| {
        let value = (row.figure)(features)?;
        let (begins, full) = row.span;
        let share = ((value - begins) / (full - begins)).clamp(0.0, 1.0);
        (share > 0.0).then(|| Property {
            name: row.name,
            weights: row.weights.map(|weight| weight * share),
        })
    };
    ROWS.iter().filter_map(of).collect()
}

/// Returns the sum of properties by class.
#[must_use]
pub fn scores(properties: &[Property]) -> [f64; 4] {
    std::array::from_fn(|class| {
        properties
            .iter()
            .map(|property| property.weights[class])
            .sum()
    })
}

/// Returns the probability of each class by its scores.
#[must_use]
pub fn probabilities(scores: [f64; 4]) -> [f64; 4] {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let odds = scores.map(|score| (score - most).exp());
    let total: f64 = odds.iter().sum();
    odds.map(|one| one / total)
}
