//! Parts of the benchmark, by the names that they are asked for.

use anyhow::Result;

use crate::data::Data;
use crate::{
    anomalies, behavior, causes, confidence, forecast, interruption, leak, purchase, saturation,
    scaling, sizing, workload,
};

/// A part of the benchmark: prints its rows and says whether each goal was reached.
pub(crate) type Part = fn(&Data) -> Result<()>;

/// Every part, by the name it is asked for.
pub(crate) const PARTS: &[(&str, Part)] = &[
    ("anomalies", anomalies::run),
    ("behavior", behavior::run),
    ("causes", causes::run),
    ("chains", behavior::chains::run),
    ("confidence", confidence::run),
    ("held-out", behavior::held_out),
    ("interruption", interruption::run),
    ("forecast", forecast::run),
    ("leak", leak::run),
    ("purchase", purchase::run),
    ("saturation", saturation::run),
    ("scaling", scaling::run),
    ("sizing", sizing::run),
    ("workload", workload::run),
];
