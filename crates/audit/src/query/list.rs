//! Lists of values that people keep, as a query compares with them: addresses, networks and texts.
//!
//! A query names a list (`actor.ip_address:@known_addresses`).
//! [`Query::with_lists`](super::Query::with_lists) puts the list's values in; until then no value
//! is on it.

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;

use super::fold::fold;
use crate::address::parse_address;

/// Values of a list, ready to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueList {
    /// Texts of the list, case folded.
    texts: HashSet<Box<str>>,
    /// Spans of addresses in order, both ends included, none touching another. An IPv4 address
    /// never lies in a span of IPv6.
    spans: Vec<(IpAddr, IpAddr)>,
}

impl ValueList {
    /// Returns a list of these values. An address or a network stands for its addresses, anything
    /// else for the text, ignoring case.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut list = Self::default();
        for value in values {
            match network(value) {
                Some(net) => list.spans.push((net.network(), net.broadcast())),
                None => {
                    list.texts.insert(fold(value).into());
                }
            }
        }

        list.spans.sort_unstable();
        list.spans.dedup_by(|next, before| {
            let inside = next.0 <= before.1;
            if inside {
                before.1 = before.1.max(next.1);
            }
            inside
        });

        list
    }

    /// Returns `true` if the value is on the list: as a text, or as an address in one of its
    /// networks.
    pub fn contains(&self, value: &str) -> bool {
        if !self.texts.is_empty() && self.texts.contains(fold(value).as_ref()) {
            return true;
        }
        !self.spans.is_empty()
            && value
                .parse()
                .is_ok_and(|address| self.contains_address(address))
    }

    fn contains_address(&self, address: IpAddr) -> bool {
        let after = self.spans.partition_point(|(first, _)| *first <= address);
        after
            .checked_sub(1)
            .is_some_and(|at| address <= self.spans[at].1)
    }
}

/// Returns the network that a text stands for; an address is a network of one.
pub fn network(text: &str) -> Option<IpNet> {
    parse_address(text)
        .map(IpNet::from)
        .or_else(|| text.parse::<IpNet>().ok().map(|net| net.trunc()))
}

/// Name of a list in a query, with its values once they are known.
#[derive(Clone, PartialEq, Eq)]
pub struct ListName {
    /// The name, as written after the `@`.
    pub name: String,
    /// The list's values; `None` until [`Query::with_lists`](super::Query::with_lists).
    pub(super) values: Option<Arc<ValueList>>,
}

impl ListName {
    /// Returns a name without values.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            values: None,
        }
    }

    /// Gives the name its values.
    #[must_use]
    pub fn with_values(self, values: Arc<ValueList>) -> Self {
        Self {
            values: Some(values),
            ..self
        }
    }

    /// Returns `true` if the value is on the list.
    pub fn contains(&self, value: &str) -> bool {
        self.values
            .as_ref()
            .is_some_and(|values| values.contains(value))
    }
}

impl fmt::Debug for ListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_networks_and_texts() {
        let list = ValueList::new([
            "10.0.0.0/9",
            "10.64.0.0/10",
            "192.168.1.7",
            "2001:db8::/32",
            "Alice@Example.com",
        ]);

        assert_eq!(
            list.spans.len(),
            3,
            "a network inside another is no span of its own"
        );

        for (value, expect) in [
            ("10.0.0.1", true),
            ("10.127.255.255", true),
            ("10.128.0.0", false),
            ("9.255.255.255", false),
            ("192.168.1.7", true),
            ("192.168.1.8", false),
            ("2001:db8::5", true),
            ("2001:DB8:0::5", true),
            ("::ffff:10.0.0.1", false),
            ("alice@example.COM", true),
            ("alice", false),
            ("10.0.0.0/9", false),
            ("", false),
        ] {
            assert_eq!(list.contains(value), expect, "{value}");
        }

        assert!(
            !ListName::new("x").contains("10.0.0.1"),
            "a list that is not known has no values"
        );
    }
}
