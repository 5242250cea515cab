//! Keys and counts of the sums that flows are kept in, by interface, peer, service port and day.

use ipnet::IpNet;

use crate::record::{FlowAction, FlowDirection};

pub(crate) const DAY_S: i64 = 86_400;

/// Returns the day of a time, in days since 1970 (UTC).
#[must_use]
pub fn day_of(second: i64) -> i32 {
    i32::try_from(second.div_euclid(DAY_S)).unwrap_or(i32::MAX)
}

/// Returns the first second of a day.
#[must_use]
pub fn first_second(day: i32) -> i64 {
    i64::from(day) * DAY_S
}

/// Properties that flows which are summed together share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey {
    pub interface: String,
    /// Days since 1970 (UTC).
    pub day: i32,
    pub direction: FlowDirection,
    /// Address of the peer; every address where the peers were too many to be kept apart.
    pub peer: IpNet,
    /// IANA number of the protocol.
    pub protocol: u8,
    /// Port of the side that did not open the connection; 0 for protocols without ports.
    pub port: u16,
    pub action: FlowAction,
}

/// Counts of flows that are summed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowCounts {
    /// Unix time of the first packet, seconds.
    pub first_s: i64,
    pub last_s: i64,
    /// Records of the side that opened the connections.
    pub flows: u64,
    /// Records of the other side.
    pub answers: u64,
    pub packets: u64,
    pub bytes: u64,
    /// Packets of the largest record of the side that opened the connections.
    pub largest_packets: u64,
}

impl FlowCounts {
    /// Returns the number of records of both sides.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.flows + self.answers
    }

    /// Adds the counts of further flows.
    pub fn add(&mut self, more: &FlowCounts) {
        let is_empty = self.records() == 0;
        self.first_s = match is_empty {
            true => more.first_s,
            false => self.first_s.min(more.first_s),
        };
        self.last_s = self.last_s.max(more.last_s);
        self.flows += more.flows;
        self.answers += more.answers;
        self.packets += more.packets;
        self.bytes += more.bytes;
        self.largest_packets = self.largest_packets.max(more.largest_packets);
    }
}

/// Records that were delivered of an interface and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayCoverage {
    /// Hours with a record, one bit each; an interval without traffic has a record too.
    pub hours: u32,
    pub records: u64,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
}

impl DayCoverage {
    /// Adds the coverage of further records.
    pub fn add(&mut self, more: &DayCoverage) {
        self.hours |= more.hours;
        self.records += more.records;
        self.skipped += more.skipped;
    }
}
