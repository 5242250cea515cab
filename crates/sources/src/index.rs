//! The estate as labels name it: resources by identifier, name, private address and tag.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use reeve_estate::{Resource, ResourceId, ResourceKind};

use crate::labels::Labels;
use crate::rule::{Locator, MappingRule};

/// Properties of resources that the rules of a source compare with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Private addresses, which only configurations have.
    pub addresses: bool,
    /// Keys of tags that rules compare with.
    pub tags: BTreeSet<String>,
}

impl Needs {
    /// Returns the properties that rules compare with.
    #[must_use]
    pub fn of(rules: &[MappingRule]) -> Needs {
        let mut needs = Needs::default();
        for rule in rules {
            match &rule.locator {
                Locator::PrivateIp => needs.addresses = true,
                Locator::Tag(key) => drop(needs.tags.insert(key.clone())),
                Locator::Id | Locator::Name => {}
            }
        }
        needs
    }
}

/// A resource that labels can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedResource {
    /// Identifier of the resource.
    pub id: ResourceId,
    pub name: String,
    pub kind: ResourceKind,
}

/// Reason why a series belongs to no resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmatched {
    /// The series has no such label.
    NoLabel(String),
    /// No resource has the property.
    NoResource(String),
    /// Several resources have it.
    Ambiguous(String, usize),
    /// The resource is of a kind that the rule or the metric is not for.
    OtherKind(ResourceId, ResourceKind),
    /// There is no series to divide by with the same labels.
    NoDivisor(String),
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmatched::NoLabel(label) => write!(f, "the series has no label {label}"),
            Unmatched::NoResource(value) => write!(f, "no resource has {value}"),
            Unmatched::Ambiguous(value, count) => write!(f, "{count} resources have {value}"),
            Unmatched::OtherKind(id, kind) => {
                write!(f, "{id} is a {kind}, which the rule is not for")
            }
            Unmatched::NoDivisor(series) => write!(f, "no series of {series} has the same labels"),
        }
    }
}

/// Resources by what labels may name them by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceIndex {
    resources: Vec<IndexedResource>,
    ids: HashMap<String, Vec<usize>>,
    names: HashMap<String, Vec<usize>>,
    addresses: HashMap<String, Vec<usize>>,
    tags: HashMap<(String, String), Vec<usize>>,
}

impl ResourceIndex {
    /// Adds a resource with its private addresses. A resource that two connections see is one.
    pub fn add(&mut self, resource: &Resource, addresses: &[String], needs: &Needs) {
        if resource.kind.metrics().is_empty() || self.ids.contains_key(resource.id.as_str()) {
            return;
        }

        let place = self.resources.len();
        let (id, name) = (resource.id.clone(), resource.name.clone());
        self.ids.entry(id.0.clone()).or_default().push(place);

        // Exporters label an RDS instance with its name; two of one name are ambiguous, and neither
        // gets the other's samples.
        if let Some(database) = id.database_name() {
            self.ids
                .entry(database.name.to_owned())
                .or_default()
                .push(place);
        }

        if !name.is_empty() {
            self.names.entry(name.clone()).or_default().push(place);
        }

        for address in addresses {
            self.addresses
                .entry(address.clone())
                .or_default()
                .push(place);
        }

        for key in &needs.tags {
            if let Some(value) = resource.tag(key) {
                self.tags
                    .entry((key.clone(), value.to_owned()))
                    .or_default()
                    .push(place);
            }
        }

        self.resources.push(IndexedResource {
            id,
            name,
            kind: resource.kind,
        });
    }

    /// Returns the number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Returns `true` if there are no resources.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// Returns the resource that a series belongs to by a rule.
    ///
    /// # Errors
    /// The reason why it belongs to none.
    pub fn locate(
        &self,
        rule: &MappingRule,
        labels: &Labels,
    ) -> Result<&IndexedResource, Unmatched> {
        let value = labels
            .get(&rule.label)
            .ok_or_else(|| Unmatched::NoLabel(rule.label.clone()))?;
        let found = self.candidates(&rule.locator, value);
        let fits = |place: &&usize| {
            let kind = self.resources[**place].kind;
            rule.kind
                .map_or_else(|| kind.has_metric(rule.metric), |wanted| wanted == kind)
        };
        let fitting: Vec<&usize> = found.iter().filter(fits).collect();

        let described = || match &rule.locator {
            Locator::Tag(key) => format!("the tag {key}={value}"),
            Locator::Id => format!("the identifier {value}"),
            Locator::Name => format!("the name {value}"),
            Locator::PrivateIp => format!("the private address {value}"),
        };

        match (fitting.as_slice(), found.first()) {
            ([one], _) => Ok(&self.resources[**one]),
            ([], None) => Err(Unmatched::NoResource(described())),
            ([], Some(other)) => {
                let other = &self.resources[*other];
                Err(Unmatched::OtherKind(other.id.clone(), other.kind))
            }
            (several, _) => Err(Unmatched::Ambiguous(described(), several.len())),
        }
    }

    fn candidates(&self, locator: &Locator, value: &str) -> &[usize] {
        let found = match locator {
            Locator::Id => self.ids.get(value),
            Locator::Name => self
                .names
                .get(value)
                .or_else(|| self.names.get(host(value))),
            Locator::PrivateIp => self.addresses.get(host(value)),
            Locator::Tag(key) => self.tags.get(&(key.clone(), value.to_owned())),
        };
        found.map_or(&[], Vec::as_slice)
    }
}

/// Returns the host of `host:port`, `[address]:port`, or a host alone.
fn host(value: &str) -> &str {
    if let Some(inner) = value.strip_prefix('[') {
        return inner.split(']').next().unwrap_or(inner);
    }
    match value.rsplit_once(':') {
        // More than one colon without brackets is an address of IPv6 without a port.
        Some((host, port))
            if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            host
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn a_port_is_no_part_of_a_host() {
        for (value, expected) in [
            ("10.0.0.1:9100", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.1"),
            ("web-1:9100", "web-1"),
            ("web:blue", "web:blue"),
            ("[fd00::1]:9100", "fd00::1"),
            ("[fd00::1", "fd00::1"),
            ("fd00::1", "fd00::1"),
            ("", ""),
        ] {
            assert_eq!(host(value), expected, "{value}");
        }
    }
}
