//! Receivers of streams, by the one guarded way out.
//!
//! Each sends a batch and answers once the receiver has confirmed it. Errors say whether waiting, a
//! person or a smaller batch helps, and never hold a secret, not even one that a receiver echoes.

mod answer;
mod event_hub;
mod https;
mod kafka;
mod otlp;
mod splunk;
mod syslog;

use std::time::Duration;

pub use event_hub::EventHubSink;
pub use https::HttpsSink;
pub use kafka::{KafkaSink, KafkaTopic};
pub use otlp::OtlpSink;
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
pub use splunk::SplunkSink;
pub use syslog::SyslogSink;

/// Returns the client of streams: a receiver that has not answered after half a minute is asked
/// again.
#[must_use]
pub fn client(policy: OutboundPolicy) -> Outbound {
    let limits = OutboundLimits {
        time: Duration::from_secs(30),
        body: 256 << 10,
        redirects: 0,
    };
    Outbound::new(policy, limits)
}
