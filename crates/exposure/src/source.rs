//! Senders of traffic, as rules see them: ranges of addresses, and security groups.

use ipnet::IpNet;

/// Bits by which a range may be narrower than a part of the internet and still count as open to
/// it: 3.0.0.0/8 has more than 16 million addresses of strangers.
const WIDE_BITS: u8 = 8;

/// Halves of the IPv4 internet, so that 0.0.0.0/1 beside 128.0.0.0/1 is as open as 0.0.0.0/0.
const INTERNET_V4: [&str; 2] = ["0.0.0.0/1", "128.0.0.0/1"];
/// Global unicast addresses (RFC 4291, section 2.4).
const INTERNET_V6: [&str; 1] = ["2000::/3"];
/// Ranges that no packet of the internet comes from (RFC 1918, 6598, 3927, 4193).
const PRIVATE: [&str; 7] = [
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "169.254.0.0/16",
    "127.0.0.0/8",
    "fc00::/7",
];

/// Version of the internet protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    V4,
    V6,
}

impl Family {
    pub(crate) fn of(range: &IpNet) -> Family {
        match range {
            IpNet::V4(_) => Family::V4,
            IpNet::V6(_) => Family::V6,
        }
    }

    /// Range that a default route and an open rule name.
    pub(crate) fn everything(self) -> &'static str {
        match self {
            Family::V4 => "0.0.0.0/0",
            Family::V6 => "::/0",
        }
    }
}

/// Sender of traffic.
#[derive(Debug, Clone)]
pub(crate) struct ExposureSource<'a> {
    /// Ranges of its addresses. A rule that admits one of them admits the sender.
    pub(crate) ranges: Vec<IpNet>,
    /// Security groups that it is a member of.
    pub(crate) groups: Vec<&'a str>,
    is_internet: bool,
}

impl<'a> ExposureSource<'a> {
    pub(crate) fn internet(family: Family) -> ExposureSource<'a> {
        let ranges: &[&str] = match family {
            Family::V4 => &INTERNET_V4,
            Family::V6 => &INTERNET_V6,
        };
        ExposureSource {
            ranges: parsed(ranges),
            groups: Vec::new(),
            is_internet: true,
        }
    }

    pub(crate) fn inside(ranges: Vec<IpNet>, groups: Vec<&'a str>) -> ExposureSource<'a> {
        ExposureSource {
            ranges,
            groups,
            is_internet: false,
        }
    }

    /// Returns the source with the groups of a resource that passes its traffic on.
    pub(crate) fn with_groups(mut self, groups: Vec<&'a str>) -> ExposureSource<'a> {
        self.groups = groups;
        self
    }

    /// Returns the sender with one of its ranges alone.
    pub(crate) fn at(&self, range: IpNet) -> ExposureSource<'a> {
        ExposureSource {
            ranges: vec![range],
            ..self.clone()
        }
    }

    /// Returns `true` if a range has the sender's addresses: all of one of its ranges, or of the
    /// internet so much that it is open. Of an inside range any part counts: the addresses of a
    /// load balancer change within its subnets.
    pub(crate) fn is_admitted_by(&self, range: &IpNet) -> bool {
        self.ranges
            .iter()
            .any(|own| covers(range, own) || self.touches(range, own))
    }

    fn touches(&self, range: &IpNet, own: &IpNet) -> bool {
        covers(own, range)
            && (!self.is_internet
                || (range.prefix_len() - own.prefix_len() < WIDE_BITS && !is_private(range)))
    }
}

/// Returns `true` if a range covers another one of the same family.
pub(crate) fn covers(range: &IpNet, other: &IpNet) -> bool {
    match (range, other) {
        (IpNet::V4(range), IpNet::V4(other)) => range.contains(other),
        (IpNet::V6(range), IpNet::V6(other)) => range.contains(other),
        _ => false,
    }
}

fn is_private(range: &IpNet) -> bool {
    parsed(&PRIVATE)
        .iter()
        .any(|private| covers(private, range))
}

fn parsed(ranges: &[&str]) -> Vec<IpNet> {
    ranges
        .iter()
        .filter_map(|range| range.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_as_the_internet_if_strangers_have_them() {
        for (range, is_open) in [
            ("0.0.0.0/0", true),
            ("0.0.0.0/1", true),
            ("128.0.0.0/1", true),
            ("3.0.0.0/8", true),
            ("10.0.0.0/8", false),
            ("203.0.113.0/24", false),
            ("198.51.100.7/32", false),
            ("::/0", false),
        ] {
            let range: IpNet = range.parse().unwrap();
            let source = ExposureSource::internet(Family::V4);
            assert_eq!(source.is_admitted_by(&range), is_open, "{range}");
        }

        let v6 = ExposureSource::internet(Family::V6);
        for (range, is_open) in [
            ("::/0", true),
            ("2000::/3", true),
            ("2001:db8::/32", false),
            ("fc00::/7", false),
        ] {
            let range: IpNet = range.parse().unwrap();
            assert_eq!(v6.is_admitted_by(&range), is_open, "{range}");
        }
    }

    #[test]
    fn an_inside_sender_is_admitted_by_any_part_of_its_subnet() {
        let source = ExposureSource::inside(parsed(&["10.0.1.0/24"]), Vec::new());
        for (range, is_admitted) in [
            ("10.0.0.0/16", true),
            ("10.0.1.7/32", true),
            ("10.0.2.0/24", false),
        ] {
            let range: IpNet = range.parse().unwrap();
            assert_eq!(source.is_admitted_by(&range), is_admitted, "{range}");
        }
    }
}
