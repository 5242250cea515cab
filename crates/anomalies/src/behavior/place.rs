//! Origin of an entry: the prefix of its address, the country that its source names, and its
//! region. No country is looked up for an address.

use std::net::IpAddr;

use reeve_audit::Json;
use reeve_learn::behavior::BehaviorPlace;

use super::{BehaviorSource, short};

/// The place of an entry. What a service passed on has the address of the service, which says
/// nothing.
pub(super) fn locate(source: &BehaviorSource<'_>, passed_on: bool) -> BehaviorPlace {
    let address = source.entry.actor.ip_address.filter(|_| !passed_on);
    BehaviorPlace {
        network: address.map(network).unwrap_or_default(),
        public: address.is_some_and(public),
        region: short(source.entry.resource.region.as_deref().unwrap_or_default()),
        country: country(source)
            .map(short)
            .unwrap_or_default()
            .to_ascii_uppercase(),
    }
}

/// The country as `metadata.country` or, one level deeper, a location has it.
fn country<'a>(source: &BehaviorSource<'a>) -> Option<&'a str> {
    let extra = &source.entry.metadata.extra;
    let named = |object: &'a Json| {
        ["country", "country_code", "countryCode"]
            .iter()
            .find_map(|name| super::any_case(object, name))
    };

    let plain = ["country", "country_code"]
        .iter()
        .find_map(|name| extra.get(name));
    let nested = || {
        ["location", "geo", "geoip"]
            .iter()
            .find_map(|name| extra.get(name))
            .and_then(named)
    };

    plain
        .or_else(nested)
        .and_then(Json::as_str)
        .filter(|text| !text.is_empty())
}

/// `/24` of IPv4, `/48` of IPv6.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    }
}

fn public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_unspecified()
                || shared)
        }
        IpAddr::V6(v6) => {
            !(v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn prefixes_and_private_addresses() {
        for (address, prefix, outside) in [
            ("203.0.113.77", "203.0.113.0/24", true),
            ("10.1.2.3", "10.1.2.0/24", false),
            ("100.64.0.1", "100.64.0.0/24", false),
            ("2001:db8:1:2::3", "2001:db8:1::/48", true),
            ("::ffff:192.168.1.9", "192.168.1.0/24", false),
            ("fd00::1", "fd00:0:0::/48", false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(
                (network(address).as_str(), public(address)),
                (prefix, outside)
            );
        }
    }
}
