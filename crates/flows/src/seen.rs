//! Flows of an interface over days, as judgements and pages read them.

use ipnet::IpNet;

use crate::record::{FlowAction, FlowDirection};
use crate::sums::{DayCoverage, FlowCounts};

/// Flows of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowDay {
    pub day: i32,
    pub flows: u64,
}

/// Flows between an interface and a peer over days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFlow {
    pub direction: FlowDirection,
    pub peer: IpNet,
    pub protocol: u8,
    pub port: u16,
    pub action: FlowAction,
    /// Days with flows, in order.
    pub days: Vec<FlowDay>,
    /// Counts of all days.
    pub counts: FlowCounts,
}

impl SeenFlow {
    /// Adds the counts of a day.
    pub fn add(&mut self, day: i32, counts: &FlowCounts) {
        self.counts.add(counts);
        let flows = counts.records();
        match self.days.binary_search_by_key(&day, |known| known.day) {
            Ok(at) => self.days[at].flows += flows,
            Err(at) => self.days.insert(at, FlowDay { day, flows }),
        }
    }
}

/// Coverage of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoverageDay {
    pub day: i32,
    pub coverage: DayCoverage,
}

impl CoverageDay {
    /// Hours with records that a day needs to count as covered: a delivery that is late, and the
    /// hour in which an interface was made, leave gaps.
    const HOURS: u32 = 22;

    /// Returns `true` if the records of the day are complete enough to conclude from.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.coverage.hours.count_ones() >= Self::HOURS && self.coverage.skipped == 0
    }
}

/// Flows and coverage of one interface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InterfaceFlows {
    pub interface: String,
    pub flows: Vec<SeenFlow>,
    /// Days with records, in order.
    pub coverage: Vec<CoverageDay>,
}
