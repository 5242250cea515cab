//! Daily sums of flows, by interface, direction, peer, service port and decision.
//!
//! A connection has records in both directions, and security groups decide about the side that opens
//! it. That side is found by TCP flags where the format has them; else by the ports, since clients
//! take ephemeral ones. Where neither tells, either side may have opened it, and both are summed: a
//! connection must not be cut because it was taken for its answer. The other direction's records
//! count as answers.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use ipnet::IpNet;

use crate::collapse::{MOST_FLOWS, collapse};
use crate::record::{FlowAction, FlowDirection, FlowLine, FlowRecord};
use crate::rules::has_ports;
use crate::sums::{DAY_S, DayCoverage, FlowCounts, FlowKey, day_of};

const HOUR_S: i64 = 3600;

/// First port that no well-known service has. Load balancers and NAT gateways open connections from
/// here on.
const FIRST_REGISTERED: u16 = 1024;
/// First port that operating systems open connections from.
const FIRST_EPHEMERAL: u16 = 32_768;

/// TCP flags of the packet that opens a connection.
const SYN: u8 = 2;
/// TCP flags of the packet that answers it.
const SYN_ACK: u8 = 18;

/// Sums of a part of a flow log.
#[derive(Debug, Clone, Default)]
pub struct FlowBatch {
    pub flows: Vec<(FlowKey, FlowCounts)>,
    /// Coverage by interface and day.
    pub coverage: Vec<((String, i32), DayCoverage)>,
    /// Lines with a flow.
    pub records: u64,
    /// Intervals without traffic (`NODATA`).
    pub empty: u64,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
    /// Flows of interfaces whose own addresses are unknown, without a direction in the format.
    pub undirected: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
}

/// Sums records until the sums are taken.
#[derive(Debug)]
pub struct Aggregator<'a> {
    /// Own addresses of interfaces.
    own: &'a HashMap<String, Vec<IpAddr>>,
    flows: BTreeMap<FlowKey, FlowCounts>,
    coverage: BTreeMap<(String, i32), DayCoverage>,
    batch: FlowBatch,
}

impl<'a> Aggregator<'a> {
    /// Starts without sums; `own` are the addresses of the interfaces.
    #[must_use]
    pub fn new(own: &'a HashMap<String, Vec<IpAddr>>) -> Self {
        Aggregator {
            own,
            flows: BTreeMap::new(),
            coverage: BTreeMap::new(),
            batch: FlowBatch::default(),
        }
    }

    /// Returns the number of sums that are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flows.len() + self.coverage.len()
    }

    /// Returns `true` if nothing was added since the sums were taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Counts a line that could not be read.
    pub fn unreadable(&mut self) {
        self.batch.unreadable += 1;
    }

    /// Adds a line to the sums of its day.
    pub fn add(&mut self, line: FlowLine) {
        match line {
            FlowLine::Flow(record) => {
                self.cover(&record.interface, record.start_s, record.end_s, (1, 0));
                self.batch.records += 1;
                self.flow(record);
            }
            FlowLine::Empty {
                interface,
                start_s,
                end_s,
                is_skipped,
            } => {
                self.cover(&interface, start_s, end_s, (0, u64::from(is_skipped)));
                self.batch.empty += u64::from(!is_skipped);
                self.batch.skipped += u64::from(is_skipped);
            }
        }
    }

    /// Puts sums of each interface and day together where they are too many, so that a file of any
    /// size is summed in bounded memory.
    pub fn bound(&mut self) {
        let mut by_day: BTreeMap<(String, i32), Vec<(FlowKey, FlowCounts)>> = BTreeMap::new();
        for (key, counts) in std::mem::take(&mut self.flows) {
            let day = (key.interface.clone(), key.day);
            by_day.entry(day).or_default().push((key, counts));
        }
        let bounded = by_day
            .into_values()
            .flat_map(|sums| collapse(sums, MOST_FLOWS));
        self.flows = bounded.collect();
    }

    /// Takes the sums, and starts anew.
    pub fn take(&mut self) -> FlowBatch {
        let mut batch = std::mem::take(&mut self.batch);
        batch.flows = std::mem::take(&mut self.flows).into_iter().collect();
        batch.coverage = std::mem::take(&mut self.coverage).into_iter().collect();
        batch
    }

    fn cover(&mut self, interface: &str, start_s: i64, end_s: i64, (records, skipped): (u64, u64)) {
        // Aggregation intervals last ten minutes at most; a longer one is a fault of the line.
        let end_s = end_s.min(start_s + HOUR_S);
        for second in [start_s, end_s] {
            let hour = second.rem_euclid(DAY_S) / HOUR_S;
            let key = (interface.to_owned(), day_of(second));
            self.coverage.entry(key).or_default().hours |= 1 << hour;
        }

        let first = self
            .coverage
            .entry((interface.to_owned(), day_of(start_s)))
            .or_default();
        first.records += records;
        first.skipped += skipped;
    }

    fn flow(&mut self, record: FlowRecord) {
        let Some(is_incoming) = self.is_incoming(&record) else {
            self.batch.undirected += 1;
            return;
        };

        let openings =
            opens(&record).map_or([Some(true), Some(false)], |opens| [Some(opens), None]);
        for is_opening in openings.into_iter().flatten() {
            self.sum(&record, is_incoming, is_opening);
        }
    }

    fn sum(&mut self, record: &FlowRecord, is_incoming: bool, is_opening: bool) {
        let direction = match is_incoming == is_opening {
            true => FlowDirection::Ingress,
            false => FlowDirection::Egress,
        };
        let (peer, port) = (
            if is_incoming {
                record.source
            } else {
                record.destination
            },
            if is_opening {
                record.destination_port
            } else {
                record.source_port
            },
        );

        let key = FlowKey {
            interface: record.interface.clone(),
            day: day_of(record.start_s),
            direction,
            peer: IpNet::from(peer),
            protocol: record.protocol,
            port,
            action: record.action,
        };
        self.flows.entry(key).or_default().add(&FlowCounts {
            first_s: record.start_s,
            last_s: record.end_s,
            flows: u64::from(is_opening),
            answers: u64::from(!is_opening),
            packets: record.packets,
            bytes: record.bytes,
            largest_packets: if is_opening { record.packets } else { 0 },
        });
    }

    /// Returns `true` if the packets of a record came to the interface; `None` where nothing tells.
    fn is_incoming(&self, record: &FlowRecord) -> Option<bool> {
        let own = self
            .own
            .get(&record.interface)
            .map_or(&[][..], Vec::as_slice);
        if own.contains(&record.destination) {
            return Some(true);
        }
        if own.contains(&record.source) {
            return Some(false);
        }
        record
            .packets_go
            .map(|direction| direction == FlowDirection::Ingress)
    }
}

/// Returns `true` if the sender of a record's packets opened the connection; `None` where nothing
/// tells.
fn opens(record: &FlowRecord) -> Option<bool> {
    // Answers are not refused: security groups are stateful.
    if record.action == FlowAction::Refused {
        return Some(true);
    }
    if let Some(flags) = record.tcp_flags.filter(|_| record.protocol == 6) {
        if flags & SYN_ACK == SYN_ACK {
            return Some(false);
        }
        if flags & SYN == SYN {
            return Some(true);
        }
    }
    if !has_ports(record.protocol) {
        return Some(true);
    }

    let (source, destination) = (record.source_port, record.destination_port);
    let is_told = |service: u16, client: u16| {
        (service < FIRST_REGISTERED && client >= FIRST_REGISTERED)
            || (service < FIRST_EPHEMERAL && client >= FIRST_EPHEMERAL)
    };
    match (is_told(destination, source), is_told(source, destination)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::record::FlowFormat;

    fn sums(lines: &[&str]) -> FlowBatch {
        let own = [("eni-1".to_owned(), vec!["10.0.0.4".parse().unwrap()])].into();
        let mut aggregator = Aggregator::new(&own);
        for line in lines {
            aggregator.add(FlowFormat::default().line(line).unwrap());
        }
        aggregator.take()
    }

    #[test]
    fn a_request_and_its_answer_are_one_connection() {
        let batch = sums(&[
            "2 1 eni-1 10.0.9.9 10.0.0.4 51515 443 6 9 900 1418530010 1418530070 ACCEPT OK",
            "2 1 eni-1 10.0.0.4 10.0.9.9 443 51515 6 8 9000 1418530010 1418530070 ACCEPT OK",
        ]);
        let [(key, counts)] = batch.flows.as_slice() else {
            panic!("{batch:?}");
        };
        assert_eq!(
            (key.direction, key.port, key.peer.to_string().as_str()),
            (FlowDirection::Ingress, 443, "10.0.9.9/32")
        );
        assert_eq!((counts.flows, counts.answers), (1, 1));
        assert_eq!((counts.packets, counts.largest_packets), (17, 9));
    }

    #[test]
    fn flags_tell_the_opening_side_where_ports_do_not() {
        let template = "${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${start} ${end} ${action} ${log-status} ${tcp-flags}";
        let format = FlowFormat::from_template(template).unwrap();
        let own = [("eni-1".to_owned(), vec!["10.0.0.4".parse().unwrap()])].into();
        let mut aggregator = Aggregator::new(&own);
        // A connection to a port above the client's own.
        for line in [
            "eni-1 10.0.9.9 10.0.0.4 40000 50051 6 5 1418530010 1418530070 ACCEPT OK 3",
            "eni-1 10.0.0.4 10.0.9.9 50051 40000 6 5 1418530010 1418530070 ACCEPT OK 19",
        ] {
            aggregator.add(format.line(line).unwrap());
        }
        let batch = aggregator.take();
        assert_eq!(batch.flows.len(), 1);
        assert_eq!(batch.flows[0].0.port, 50051);
        assert_eq!(batch.flows[0].0.direction, FlowDirection::Ingress);
    }

    #[test]
    fn a_connection_that_either_side_may_have_opened_is_summed_as_both() {
        // A load balancer's connection from a low port.
        let batch = sums(&["2 1 eni-1 10.0.9.9 10.0.0.4 5000 8080 6 9 900 0 60 ACCEPT OK"]);
        let found: Vec<(FlowDirection, u16)> = batch
            .flows
            .iter()
            .map(|(key, _)| (key.direction, key.port))
            .collect();
        assert_eq!(
            found,
            [
                (FlowDirection::Ingress, 8080),
                (FlowDirection::Egress, 5000)
            ]
        );

        let refused = sums(&["2 1 eni-1 10.0.9.9 10.0.0.4 5000 8080 6 9 900 0 60 REJECT OK"]);
        assert_eq!(refused.flows.len(), 1);
        assert_eq!(refused.flows[0].0.direction, FlowDirection::Ingress);
    }

    #[test]
    fn coverage_counts_hours_with_and_without_traffic() {
        let batch = sums(&[
            "2 1 eni-1 10.0.9.9 10.0.0.4 51515 443 6 9 900 0 60 ACCEPT OK",
            "2 1 eni-1 - - - - - - - 3600 3660 - NODATA",
            "2 1 eni-1 - - - - - - - 7200 7260 - SKIPDATA",
        ]);
        let [((interface, day), coverage)] = batch.coverage.as_slice() else {
            panic!("{batch:?}");
        };
        assert_eq!((interface.as_str(), *day), ("eni-1", 0));
        assert_eq!(coverage.hours, 0b111);
        assert_eq!((coverage.records, coverage.skipped), (1, 1));
    }

    #[test]
    fn an_unknown_interface_without_a_direction_is_counted() {
        let batch = sums(&["2 1 eni-9 10.0.9.9 10.0.0.7 51515 443 6 9 900 0 60 ACCEPT OK"]);
        assert!(batch.flows.is_empty());
        assert_eq!((batch.records, batch.undirected), (1, 1));
    }
}
