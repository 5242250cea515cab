//! Own addresses of a network interface.

use std::net::IpAddr;

use serde_json::Value;

/// Returns the private addresses that the description of an interface lists, in the form of
/// `DescribeNetworkInterfaces`. The first address may be among them twice.
#[must_use]
pub fn interface_addresses(document: &Value) -> Vec<IpAddr> {
    let listed = |list: &str, name: &str| -> Vec<IpAddr> {
        let items = document.get(list).and_then(Value::as_array);
        let items = items.into_iter().flatten();
        let texts = items.filter_map(|item| item.get(name).and_then(Value::as_str));
        texts.filter_map(|text| text.parse().ok()).collect()
    };

    let mut addresses = listed("privateIpAddressesSet", "privateIpAddress");
    addresses.extend(listed("ipv6AddressesSet", "ipv6Address"));
    let first = document.get("privateIpAddress").and_then(Value::as_str);
    addresses.extend(first.and_then(|text| text.parse::<IpAddr>().ok()));
    addresses
}
