//! Accounts, addresses and resources by which findings are recognized as parts of one attack. An
//! anomaly joins an incident by them, and so does every other member of an incident.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// Names that findings of one attack have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttackKeys {
    /// Accounts that were used or tried: names of users, `role/session`, access keys.
    pub principals: BTreeSet<String>,
    /// Addresses of the callers.
    pub addresses: BTreeSet<IpAddr>,
    /// Resources by the names that the log has for them.
    pub resources: BTreeSet<String>,
}

impl AttackKeys {
    /// Returns `true` if two findings are parts of one attack: they share an account, a resource,
    /// or an address or network of the internet. Everybody of an office has its private network in
    /// common.
    #[must_use]
    pub fn is_linked_to(&self, other: &AttackKeys) -> bool {
        let public = |keys: &AttackKeys| -> BTreeSet<String> {
            let addresses = keys.addresses.iter().copied();
            addresses
                .filter(|address| !is_private(*address))
                .map(network)
                .collect()
        };

        !self.principals.is_disjoint(&other.principals)
            || !self.resources.is_disjoint(&other.resources)
            || !public(self).is_disjoint(&public(other))
    }

    /// Returns what two findings have in common; `None` if nothing.
    #[must_use]
    pub fn shared_with(&self, other: &AttackKeys) -> Option<String> {
        if let Some(address) = self.addresses.intersection(&other.addresses).next() {
            return Some(format!("the same address {address}"));
        }
        if self
            .principals
            .intersection(&other.principals)
            .next()
            .is_some()
        {
            return Some("the same account".to_owned());
        }
        if let Some(resource) = self.resources.intersection(&other.resources).next() {
            return Some(format!("the same resource {resource}"));
        }

        let near = |one: &IpAddr| {
            other
                .addresses
                .iter()
                .find(|other| network(**other) == network(*one))
                .copied()
        };

        let address = self
            .addresses
            .iter()
            .copied()
            .find(|one| near(one).is_some())?;
        Some(format!("the same network {}", network(address)))
    }

    /// Adds the names of another finding.
    pub fn extend(&mut self, other: &AttackKeys) {
        self.principals.extend(other.principals.iter().cloned());
        self.addresses.extend(other.addresses.iter().copied());
        self.resources.extend(other.resources.iter().cloned());
    }
}

/// Returns `true` for an address that many organizations use inside.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// The network that one owner usually has: 24 bits of an IPv4 address, 64 of an IPv6 address.
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(v6) => {
            let bits = u128::from(v6) & !u128::from(u64::MAX);
            format!("{}/64", std::net::Ipv6Addr::from(bits))
        }
    }
}
