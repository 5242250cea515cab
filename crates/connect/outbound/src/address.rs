//! Recognition of public addresses: unicast and globally reachable by the IANA special-purpose
//! registries (RFC 6890 and successors). All others are inside of somebody's network, or nowhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not public: first address and prefix length.
const NOT_PUBLIC_V4: [([u8; 4], u8); 16] = [
    ([0, 0, 0, 0], 8),        // this host
    ([10, 0, 0, 0], 8),       // private
    ([100, 64, 0, 0], 10),    // shared by carriers; some clouds' metadata
    ([127, 0, 0, 0], 8),      // loopback
    ([168, 63, 129, 16], 32), // Azure's wire server
    ([169, 254, 0, 0], 16),   // link-local; metadata of most clouds
    ([172, 16, 0, 0], 12),    // private
    ([192, 0, 0, 0], 24),     // protocol assignments
    ([192, 0, 2, 0], 24),     // documentation
    ([192, 88, 99, 0], 24),   // 6to4 relays, retired
    ([192, 168, 0, 0], 16),   // private
    ([198, 18, 0, 0], 15),    // benchmarks
    ([198, 51, 100, 0], 24),  // documentation
    ([203, 0, 113, 0], 24),   // documentation
    ([224, 0, 0, 0], 4),      // multicast
    ([240, 0, 0, 0], 4),      // reserved, broadcast
];

/// Returns `true` if the address is a public unicast address. IPv6 forms that carry an IPv4 address
/// are judged by that address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC_V4.iter().any(|(first, length)| {
        let mask = u32::MAX << (32 - u32::from(*length));
        bits & mask == u32::from_be_bytes(*first)
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(carried) = carried_v4(address) {
        return is_public_v4(carried);
    }

    let [first, second, ..] = address.segments();
    // 2000::/3 is all that is given out; inside it: 2001::/23 protocol assignments (Teredo among
    // them), 2001:db8::/32 and 3fff::/20 documentation.
    let global = first & 0xe000 == 0x2000;
    let assigned = first == 0x2001 && second < 0x0200;
    let documentation =
        (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);

    global && !assigned && !documentation
}

/// The IPv4 address that packets to this IPv6 address end up at: mapped, compatible, NAT64
/// (64:ff9b::/96, 64:ff9b:1::/48) and 6to4 (2002::/16).
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));

    match segments {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] => Some(join(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 1, _, _, _, _, _] => Some(Ipv4Addr::UNSPECIFIED),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn public_and_not() {
        let cases = [
            ("1.1.1.1", true),
            ("8.8.8.8", true),
            ("100.63.255.255", true),
            ("100.128.0.0", true),
            ("172.15.255.255", true),
            ("172.32.0.0", true),
            ("223.255.255.255", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("100.100.100.200", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("168.63.129.16", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.192", false),
            ("192.168.1.1", false),
            ("198.19.0.1", false),
            ("203.0.113.9", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700:4700::1111", true),
            ("2a00:1450::1", true),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("::ffff:8.8.8.8", true),
            ("::ffff:0:10.0.0.1", false),
            ("::10.0.0.1", false),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::8.8.8.8", true),
            ("64:ff9b:1::8.8.8.8", false),
            ("2002:7f00:1::", false),
            ("2002:a00:1::", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("3fff::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("100::1", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");
        }
    }
}
