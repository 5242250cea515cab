//! Records of VPC flow logs: the default format, custom formats, and lines of them.
//!
//! Amazon VPC user guide, "Flow log records". A format is the `LogFormat` of a flow log, the header
//! line of a file, or the columns of a Parquet file. Refused: formats without a field that the sums
//! are made of, and lines with values that are none.

use std::net::IpAddr;

reeve_estate::named!(
    /// Direction of a connection, as its interface sees it.
    FlowDirection {
        /// A peer opened it.
        Ingress => "ingress",
        /// The interface opened it.
        Egress => "egress",
    }
);

reeve_estate::named!(
    /// Decision of security groups and network ACLs.
    FlowAction {
        Accepted => "accepted",
        Refused => "refused",
    }
);

/// Flow between two addresses over an aggregation interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRecord {
    pub interface: String,
    pub source: IpAddr,
    pub destination: IpAddr,
    pub source_port: u16,
    pub destination_port: u16,
    /// IANA number of the protocol.
    pub protocol: u8,
    pub packets: u64,
    pub bytes: u64,
    /// Unix time of the first packet, seconds.
    pub start_s: i64,
    /// Unix time of the last packet, seconds.
    pub end_s: i64,
    pub action: FlowAction,
    /// TCP flags of all packets, where the format has them.
    pub tcp_flags: Option<u8>,
    /// Direction of the packets, where the format has it.
    pub packets_go: Option<FlowDirection>,
}

/// Line of a flow log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowLine {
    Flow(FlowRecord),
    /// No traffic in the interval (`NODATA`), or records that were left out of it (`SKIPDATA`).
    Empty {
        interface: String,
        start_s: i64,
        end_s: i64,
        is_skipped: bool,
    },
}

/// Format that flows cannot be summed from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the flow log's format has no {field}: use the default format, or one with interface-id, srcaddr, dstaddr, srcport, dstport, protocol, packets, start, end, action and log-status"
)]
pub struct FormatError {
    /// Field that is missing.
    pub field: &'static str,
}

/// Line that is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value:?}")]
pub struct LineError {
    /// Field whose value is none.
    pub field: &'static str,
    /// Value as it stands in the line.
    pub value: String,
}

/// Fields that are read, in the order of [`FlowFormat::places`].
const FIELDS: [&str; 14] = [
    "interface-id",
    "srcaddr",
    "dstaddr",
    "srcport",
    "dstport",
    "protocol",
    "start",
    "end",
    "action",
    "log-status",
    "packets",
    "bytes",
    "tcp-flags",
    "flow-direction",
];

/// Number of fields, from the first, that a format must have.
const NEEDED: usize = 11;

/// Fields of the default format.
const DEFAULT: &str = "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status";

/// Places of the fields in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowFormat {
    places: [Option<usize>; FIELDS.len()],
}

impl Default for FlowFormat {
    /// Returns the default format, version 2.
    fn default() -> Self {
        FlowFormat {
            places: places(DEFAULT.split(' ')),
        }
    }
}

fn places<'f>(fields: impl Iterator<Item = &'f str>) -> [Option<usize>; FIELDS.len()] {
    let mut places = [None; FIELDS.len()];
    for (place, field) in fields.enumerate() {
        if let Some(known) = FIELDS.iter().position(|known| *known == field) {
            places[known] = Some(place);
        }
    }
    places
}

impl FlowFormat {
    /// Reads the `LogFormat` of a flow log: `${version} ${interface-id} ..`.
    ///
    /// # Errors
    /// A field is missing that the sums are made of.
    pub fn from_template(template: &str) -> Result<FlowFormat, FormatError> {
        let fields = template
            .split_whitespace()
            .map(|field| field.trim_start_matches("${").trim_end_matches('}'));
        FlowFormat::of(fields)
    }

    /// Reads the header line of a file, or the names of the columns of a Parquet file, which have
    /// underscores.
    ///
    /// # Errors
    /// As [`FlowFormat::from_template`].
    pub fn from_names<'n>(names: impl Iterator<Item = &'n str>) -> Result<FlowFormat, FormatError> {
        let names: Vec<String> = names.map(|name| name.replace('_', "-")).collect();
        FlowFormat::of(names.iter().map(String::as_str))
    }

    fn of<'f>(fields: impl Iterator<Item = &'f str>) -> Result<FlowFormat, FormatError> {
        let places = places(fields);
        match (0..NEEDED).find(|field| places[*field].is_none()) {
            Some(missing) => Err(FormatError {
                field: FIELDS[missing],
            }),
            None => Ok(FlowFormat { places }),
        }
    }

    /// Returns `true` if a line is the header of a file.
    #[must_use]
    pub fn is_header(line: &str) -> bool {
        let mut words = line.split_whitespace();
        words.any(|word| word == "interface-id" || word == "srcaddr")
    }

    /// Returns `true` if the column of a place is read.
    #[must_use]
    pub fn reads(&self, place: usize) -> bool {
        self.places.contains(&Some(place))
    }

    /// Reads a line of a text file.
    ///
    /// # Errors
    /// A value of the line is none of its field.
    pub fn line(&self, line: &str) -> Result<FlowLine, LineError> {
        let cells: Vec<&str> = line.split_whitespace().collect();
        self.record(|place| cells.get(place).copied())
    }

    /// Reads a record by the cell at each place.
    ///
    /// # Errors
    /// As [`FlowFormat::line`].
    pub fn record<'c>(
        &self,
        cell: impl Fn(usize) -> Option<&'c str>,
    ) -> Result<FlowLine, LineError> {
        let text = |field: usize| {
            let found = self.places[field].and_then(&cell);
            found
                .map(str::trim)
                .filter(|text| !text.is_empty() && *text != "-")
        };
        let wrong = |field: usize| LineError {
            field: FIELDS[field],
            value: text(field).unwrap_or("-").to_owned(),
        };
        let seconds = |field: usize| {
            let read = text(field).and_then(|text| text.parse::<i64>().ok());
            read.filter(|seconds| (0..=253_402_300_799).contains(seconds))
        };

        let interface = text(0).ok_or_else(|| wrong(0))?.to_owned();
        let start_s = seconds(6).ok_or_else(|| wrong(6))?;
        let end_s = seconds(7).ok_or_else(|| wrong(7))?.max(start_s);
        match text(9) {
            Some("OK") => {}
            Some(status @ ("NODATA" | "SKIPDATA")) => {
                return Ok(FlowLine::Empty {
                    interface,
                    start_s,
                    end_s,
                    is_skipped: status == "SKIPDATA",
                });
            }
            _ => return Err(wrong(9)),
        }

        let address = |field: usize| {
            text(field)
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| wrong(field))
        };
        // Protocols without ports have a dash in some formats and a zero in others.
        let port = |field: usize| match text(field) {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| wrong(field)),
        };
        let count = |field: usize| text(field).and_then(|text| text.parse().ok()).unwrap_or(0);

        Ok(FlowLine::Flow(FlowRecord {
            interface,
            source: address(1)?,
            destination: address(2)?,
            source_port: port(3)?,
            destination_port: port(4)?,
            protocol: text(5)
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| wrong(5))?,
            packets: count(10),
            bytes: count(11),
            start_s,
            end_s,
            action: match text(8) {
                Some("ACCEPT") => FlowAction::Accepted,
                Some("REJECT") => FlowAction::Refused,
                _ => return Err(wrong(8)),
            },
            tcp_flags: text(12).and_then(|text| text.parse().ok()),
            packets_go: text(13).and_then(FlowDirection::parse),
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LINE: &str = "2 123456789010 eni-1235b8ca123456789 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK";

    #[test]
    fn the_default_format_is_read() {
        let FlowLine::Flow(record) = FlowFormat::default().line(LINE).unwrap() else {
            panic!("a flow");
        };
        assert_eq!(record.interface, "eni-1235b8ca123456789");
        assert_eq!(
            (record.source_port, record.destination_port, record.protocol),
            (20641, 22, 6)
        );
        assert_eq!((record.packets, record.bytes), (20, 4249));
        assert_eq!(record.action, FlowAction::Accepted);
    }

    #[test]
    fn a_custom_format_puts_fields_elsewhere() {
        let template = "${vpc-id} ${flow-direction} ${tcp-flags} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${start} ${end} ${action} ${log-status}";
        let by_template = FlowFormat::from_template(template).unwrap();
        let header = "vpc_id flow_direction tcp_flags interface_id srcaddr dstaddr srcport dstport protocol packets start end action log_status";
        let by_columns = FlowFormat::from_names(header.split(' ')).unwrap();
        assert_eq!(by_template, by_columns);
        assert!(FlowFormat::is_header(&header.replace('_', "-")));

        let line = "vpc-1 ingress 2 eni-1 203.0.113.5 10.0.0.4 40000 443 6 7 1418530010 1418530070 REJECT OK";
        let FlowLine::Flow(record) = by_template.line(line).unwrap() else {
            panic!("a flow");
        };
        assert_eq!(record.tcp_flags, Some(2));
        assert_eq!(record.packets_go, Some(FlowDirection::Ingress));
        assert_eq!(record.action, FlowAction::Refused);
    }

    #[test]
    fn intervals_without_records_are_told_apart() {
        let line = |status: &str| {
            format!("2 123456789010 eni-1 - - - - - - - 1431280876 1431280934 - {status}")
        };
        for (status, skipped) in [("NODATA", false), ("SKIPDATA", true)] {
            let read = FlowFormat::default().line(&line(status)).unwrap();
            assert!(
                matches!(read, FlowLine::Empty { is_skipped, .. } if is_skipped == skipped),
                "{status}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_names_its_field() {
        let missing = FlowFormat::from_template("${version} ${srcaddr} ${dstaddr}").unwrap_err();
        assert_eq!(missing.field, "interface-id");

        let format = FlowFormat::default();
        for (from, to, field) in [
            ("172.31.16.21", "nowhere", "dstaddr"),
            (" 22 ", " 70000 ", "dstport"),
            ("ACCEPT", "MAYBE", "action"),
            ("1418530010", "yesterday", "start"),
            (" OK", " FINE", "log-status"),
        ] {
            let error = format.line(&LINE.replace(from, to)).unwrap_err();
            assert_eq!(error.field, field);
        }
        assert_eq!(format.line("").unwrap_err().field, "interface-id");
    }
}
