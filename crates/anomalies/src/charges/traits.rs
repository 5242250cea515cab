//! Subject of a charge, read from its description: providers have no column for an idle address or
//! a gateway's hour. Each text is read once.

use std::collections::HashMap;
use std::sync::Arc;

use reeve_estate::charge::Charge;

/// Subject of a charge, as far as savings depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Trait {
    /// An address that nothing uses.
    IdleAddress,
    /// An hour of a load balancer.
    BalancerHour,
    /// Data processed by a load balancer.
    BalancerUse,
    /// An hour of a NAT gateway.
    NatHour,
    /// Data processed by a NAT gateway.
    NatUse,
    /// Support of an engine's version beyond its standard life.
    ExtendedSupport,
    /// Block storage of the kind before the present one.
    OldVolume,
    /// An hour of a machine of an older generation; see [`OLD_FAMILIES`].
    OldMachine(&'static OldFamily),
    Snapshot,
    /// Objects stored in the dearest class.
    StandardStorage,
    /// Traffic to the internet.
    Egress,
    /// Traffic between zones or regions.
    BetweenZones,
    /// No subject that savings depend on.
    Other,
}

/// A family of machines with a newer one that does the same for less.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct OldFamily {
    pub(super) name: &'static str,
    pub(super) newer: &'static str,
    /// Thousandths that the newer one's public price is below: Linux, `large`, us-east-1, 2026-07.
    pub(super) below: i64,
}

/// From the price list in `estate::catalogue`: 0.1 to 0.096 an hour for m4, and so on.
const OLD_FAMILIES: [OldFamily; 7] = [
    OldFamily {
        name: "m3",
        newer: "m6i",
        below: 278,
    },
    OldFamily {
        name: "m4",
        newer: "m6i",
        below: 40,
    },
    OldFamily {
        name: "c3",
        newer: "c6i",
        below: 190,
    },
    OldFamily {
        name: "c4",
        newer: "c6i",
        below: 150,
    },
    OldFamily {
        name: "r3",
        newer: "r6i",
        below: 240,
    },
    OldFamily {
        name: "r4",
        newer: "r6i",
        below: 52,
    },
    OldFamily {
        name: "t2",
        newer: "t3",
        below: 103,
    },
];

/// Reads descriptions, each once.
#[derive(Debug, Default)]
pub(super) struct Traits {
    known: HashMap<Arc<str>, Trait>,
}

impl Traits {
    /// Returns the subject of a charge.
    pub(super) fn find(&mut self, charge: &Charge) -> Trait {
        let Some(description) = &charge.description else {
            return Trait::Other;
        };

        if let Some(known) = self.known.get(description) {
            return *known;
        }

        let found = read(&description.to_lowercase());
        self.known.insert(Arc::clone(description), found);
        found
    }
}

/// From a description in lower case.
fn read(text: &str) -> Trait {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let address = has(&["ip address", "ipv4", "elastic ip", "public ip", "static ip"]);

    if address
        && has(&[
            "idle",
            "unattached",
            "not attached",
            "unassociated",
            "unused",
            "reserved but not in use",
        ])
    {
        return Trait::IdleAddress;
    }

    if has(&["nat gateway"]) {
        return if has(&["processed", "per gb", "data"]) {
            Trait::NatUse
        } else {
            Trait::NatHour
        };
    }

    if has(&[
        "loadbalancer-hour",
        "load balancer-hour",
        "load balancer hour",
        "load balancer (or partial hour)",
    ]) {
        return Trait::BalancerHour;
    }

    if has(&[
        "capacity unit",
        "lcu-hour",
        "lcu hour",
        "processed by the load",
        "processed by the elastic load",
    ]) {
        return Trait::BalancerUse;
    }

    if has(&["extended support"]) {
        return Trait::ExtendedSupport;
    }
    if has(&["(gp2)", " gp2 "]) {
        return Trait::OldVolume;
    }

    if has(&[
        "instance hour",
        "instance-hour",
        "instance usage",
        "-instance",
        "boxusage",
    ]) && !has(&["dedicated", "reservation", "spot"])
        && let Some(family) = OLD_FAMILIES
            .iter()
            .find(|family| machine(text, family.name))
    {
        return Trait::OldMachine(family);
    }

    if has(&["snapshot"]) {
        return Trait::Snapshot;
    }

    if has(&[
        "between ec2 azs",
        "regional data transfer",
        "inter-az",
        "inter zone",
        "inter-region",
        "inter region",
    ]) {
        return Trait::BetweenZones;
    }

    if has(&[
        "data transfer out",
        "internet egress",
        "transfer out to internet",
        "egress",
    ]) {
        return Trait::Egress;
    }

    let stored = has(&[
        "storage used",
        "gb-month",
        "gb / month",
        "gb month",
        "data stored",
    ]);

    if stored
        && has(&[
            "standard storage",
            "first 50 tb",
            "hot lrs",
            "hot grs",
            "hot zrs",
            "standard tier",
        ])
    {
        return Trait::StandardStorage;
    }

    Trait::Other
}

/// Returns `true` if a text names a machine of a family: `m4.large`, also as `db.m4.large`.
fn machine(text: &str, family: &str) -> bool {
    text.match_indices(family).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|letter| !letter.is_ascii_alphanumeric())
            && text[at + family.len()..].starts_with('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_as_bills_have_them() {
        for (text, expect) in [
            (
                "$0.005 per Idle public IPv4 address per hour",
                Trait::IdleAddress,
            ),
            (
                "$0.005 per In-use public IPv4 address per hour",
                Trait::Other,
            ),
            ("$0.045 per NAT Gateway Hour", Trait::NatHour),
            (
                "$0.045 per GB Data Processed by NAT Gateways",
                Trait::NatUse,
            ),
            (
                "$0.0225 per Application LoadBalancer-hour (or partial hour)",
                Trait::BalancerHour,
            ),
            (
                "$0.008 per used Application load balancer capacity unit-hour (or partial hour)",
                Trait::BalancerUse,
            ),
            (
                "USD 0.10 per hour per vCPU running RDS Extended Support for MySQL 5.7 in Year 1",
                Trait::ExtendedSupport,
            ),
            (
                "$0.10 per GB-month of General Purpose SSD (gp2) provisioned storage - US West (Oregon)",
                Trait::OldVolume,
            ),
            (
                "$2.00 per On Demand Linux m4.10xlarge Instance Hour",
                Trait::OldMachine(&OLD_FAMILIES[1]),
            ),
            (
                "$0.085 per On Demand Linux c5.large Instance Hour",
                Trait::Other,
            ),
            (
                "$0.05 per GB-Month of snapshot data stored - US West (Oregon)",
                Trait::Snapshot,
            ),
            (
                "$0.090 per GB - first 10 TB / month data transfer out beyond the global free tier",
                Trait::Egress,
            ),
            ("$0.000 per GB - data transfer in per month", Trait::Other),
            (
                "$0.010 per GB - regional data transfer - in/out/between EC2 AZs",
                Trait::BetweenZones,
            ),
            (
                "$0.023 per GB - first 50 TB / month of storage used",
                Trait::StandardStorage,
            ),
        ] {
            assert_eq!(read(&text.to_lowercase()), expect, "{text}");
        }
    }
}
