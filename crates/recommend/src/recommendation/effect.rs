//! Expected effect of a change on one figure.

use reeve_estate::named;
use serde::{Deserialize, Serialize};

named!(
    /// Unit of a figure that a change affects.
    EffectUnit {
        /// Cost of a database's planner, summed over the calls of its statements.
        PlannerCost => "planner_cost",
        /// Rows that statements read, summed over their calls.
        RowsExamined => "rows_examined",
        Bytes => "bytes",
        Milliseconds => "milliseconds",
        Seconds => "seconds",
        Percent => "percent",
        Count => "count",
        /// A number in the unit of the setting that is changed.
        Value => "value",
    }
);

/// A figure before a change, and as it is expected afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExpectedEffect {
    pub before: f64,
    /// `None` where no figure can be given.
    pub after: Option<f64>,
    pub unit: EffectUnit,
}
