//! Peers of flows: public and private addresses, and what tells a conversation from a scan.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::seen::SeenFlow;

/// Most packets of a scan: an attempt to connect, its acknowledgement and its reset.
const SCAN_PACKETS: u64 = 3;

/// Returns `true` if addresses of a network are on the internet.
#[must_use]
pub fn is_public(peer: &IpNet) -> bool {
    match peer.addr() {
        IpAddr::V4(address) => {
            let is_shared = address.octets()[0] == 100 && (64..128).contains(&address.octets()[1]);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_broadcast()
                || is_shared)
        }
        IpAddr::V6(address) => {
            let first = address.segments()[0];
            let is_unique_local = first & 0xfe00 == 0xfc00;
            !(address.is_loopback()
                || is_unique_local
                || first & 0xffc0 == 0xfe80
                || address.is_multicast())
        }
    }
}

/// Returns `true` if two sides talked: a scan of TCP ends after three packets, and one of another
/// protocol has no answer.
#[must_use]
pub fn is_conversation(flow: &SeenFlow) -> bool {
    match flow.protocol {
        6 => flow.counts.largest_packets > SCAN_PACKETS,
        _ => flow.counts.answers > 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_of_the_internet_are_public() {
        for (peer, public) in [
            ("10.0.0.1/32", false),
            ("172.20.0.1/32", false),
            ("192.168.1.1/32", false),
            ("100.64.0.1/32", false),
            ("169.254.169.254/32", false),
            ("203.0.113.9/32", true),
            ("0.0.0.0/0", true),
            ("2001:db8::1/128", true),
            ("fd00::1/128", false),
            ("fe80::1/128", false),
        ] {
            assert_eq!(is_public(&peer.parse().unwrap()), public, "{peer}");
        }
    }
}
