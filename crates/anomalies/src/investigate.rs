//! Judgement of an investigation: metrics beside the anomaly, the hypotheses that follow, and their
//! presentation to a reader.

mod companions;
mod hypotheses;
mod reader;

pub(crate) use companions::{Companion, companions, first_needed};
pub(crate) use hypotheses::{HypothesisContext, hypotheses};
pub(crate) use reader::log_lookup;
