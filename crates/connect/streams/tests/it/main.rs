//! Receivers over real HTTP, against strict fakes that refuse what the real ones refuse.

#![allow(clippy::unwrap_used)]

mod collector;
mod event_hub;
mod hec;
mod https;
mod kafka;
mod otlp;
mod splunk;
mod syslog;

use jiff::Timestamp;
use reeve_connect_outbound::OutboundPolicy;
use reeve_streams::StreamRecord;

/// A policy that lets this machine be reached.
fn local() -> OutboundPolicy {
    OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        ..OutboundPolicy::default()
    }
}

/// Records with JSON bodies of a size.
fn records(from: u64, count: u64, size: usize) -> Vec<StreamRecord> {
    (from..from + count)
        .map(|sequence| {
            let padding = "x".repeat(size);
            let body = format!("{{\"event_id\":\"entry-{sequence}\",\"padding\":\"{padding}\"}}");
            StreamRecord {
                sequence,
                event_id: format!("entry-{sequence}"),
                resource_id: Some(format!("i-{}", sequence % 7)),
                timestamp: Timestamp::from_millisecond(1_800_000_000_007).unwrap(),
                recorded_at: Timestamp::from_second(1_800_000_000).unwrap(),
                body: body.into_bytes(),
            }
        })
        .collect()
}
