//! Kinds of resources: names from a table, not a closed set.
//!
//! A kind is known by its name alone (`security_group`), so that a row that a later version wrote,
//! or a connector's own kind, is read and kept without loss. The table ([`Kinds`]) says what else
//! is known of a kind: its class, the providers' own types, its wording and its icon.

mod table;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{LazyLock, PoisonError, RwLock};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use table::{KindClass, KindInfo, Kinds};

/// Longest name of a kind, bytes.
const LONGEST_NAME: usize = 64;
/// Most names that are not in the table. They live as long as the process, so their number is
/// bounded.
const MOST_FOREIGN: usize = 4096;

/// Names that are not in the table and were met in this process.
static FOREIGN: LazyLock<RwLock<BTreeSet<&'static str>>> = LazyLock::new(RwLock::default);

/// Kind of a resource, the same for every cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceKind(&'static str);

macro_rules! kinds {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)+) => {
        // The constants are patterns of matches, written as the variants of the enums beside them.
        #[allow(non_upper_case_globals)]
        impl ResourceKind {
            $($(#[$doc])* pub const $constant: ResourceKind = ResourceKind($name);)+
        }
    };
}

kinds! {
    /// EC2 instance, Azure virtual machine, GCE instance.
    VirtualMachine = "virtual_machine";
    /// EBS volume, managed disk, persistent disk.
    Volume = "volume";
    /// RDS instance, Azure Database, Cloud SQL.
    Database = "database";
    /// S3 bucket, storage container, GCS bucket.
    Bucket = "bucket";
    LoadBalancer = "load_balancer";
    /// Auto Scaling group, scale set, managed instance group.
    ScalingGroup = "scaling_group";
    /// Elastic IP address: a public address that stays with the account.
    IpAddress = "ip_address";
    /// NAT gateway: the way out of a private network.
    NatGateway = "nat_gateway";
    /// EBS snapshot: a copy of a volume at a time.
    Snapshot = "snapshot";
    Image = "image";
    LaunchTemplate = "launch_template";
    /// Security group, network security group, firewall.
    SecurityGroup = "security_group";
    /// SQS queue.
    Queue = "queue";
    /// ElastiCache cluster: a Memcached cluster, or one node of Redis or Valkey.
    CacheNode = "cache_node";
    /// CloudFront distribution.
    Distribution = "distribution";
    /// Account, subscription or project. It is no row of an inventory: recommendations about all of
    /// its machines name it.
    Account = "account";
}

impl ResourceKind {
    /// Kinds whose inventory carries a typed [`Specification`](crate::Specification), which
    /// judgements compute with.
    pub const SPECIFIED: &'static [ResourceKind] = &[
        ResourceKind::VirtualMachine,
        ResourceKind::Volume,
        ResourceKind::Database,
        ResourceKind::Bucket,
        ResourceKind::LoadBalancer,
        ResourceKind::ScalingGroup,
        ResourceKind::IpAddress,
        ResourceKind::NatGateway,
    ];

    /// Returns the name on the wire and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the kind of a name that the table has or that a resource of this process has.
    /// Requests are read by this, so that nobody can make up kinds by asking for them.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let listed = Kinds::builtin().get_name(name).map(|info| info.kind);
        listed.or_else(|| {
            let foreign = FOREIGN.read().unwrap_or_else(PoisonError::into_inner);
            foreign.get(name).map(|name| ResourceKind(name))
        })
    }

    /// Returns the kind of a name, in the table or not: rows of the store and connectors are read
    /// by this. `None` for text that is no name of a kind (lower case letters, digits and `_`, at
    /// most 64), and beyond 4096 foreign names.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if let Some(kind) = Self::parse(name) {
            return Some(kind);
        }

        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
            return None;
        }

        let mut foreign = FOREIGN.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = foreign.get(name) {
            return Some(ResourceKind(name));
        }
        if foreign.len() >= MOST_FOREIGN {
            return None;
        }

        let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
        foreign.insert(kept);
        Some(ResourceKind(kept))
    }
}

impl Serialize for ResourceKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0)
    }
}

/// Reads a stored name, as [`ResourceKind::named`] does.
impl<'de> Deserialize<'de> for ResourceKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        ResourceKind::named(&name)
            .ok_or_else(|| D::Error::custom(format!("{name:?} is no kind of resource")))
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_table_and_of_later_versions_are_read_without_loss() {
        for kind in ResourceKind::SPECIFIED {
            assert_eq!(ResourceKind::parse(kind.as_str()), Some(*kind));
            assert_eq!(ResourceKind::named(kind.as_str()), Some(*kind));
        }

        assert_eq!(
            ResourceKind::parse("quantum_annealer"),
            None,
            "a request makes no kind up"
        );

        let later = ResourceKind::named("quantum_annealer");
        assert_eq!(later.map(ResourceKind::as_str), Some("quantum_annealer"));
        assert_eq!(
            (
                ResourceKind::parse("quantum_annealer"),
                ResourceKind::named("quantum_annealer")
            ),
            (later, later)
        );
    }

    #[test]
    fn text_that_is_no_name_is_refused() {
        for text in ["", "Bucket", "a b", "a-b", "é", &"a".repeat(65)] {
            assert_eq!(ResourceKind::named(text), None, "{text:?}");
        }
    }
}
