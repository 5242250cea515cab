//! Series of the machine that a volume is attached to, as a fact of the volume.

use reeve_estate::SampleSeries;

/// Series of the first machine that a volume is attached to, over the history of the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MachineSeries(pub Vec<SampleSeries>);
