//! Changes of a resource between two observations, whoever made them.
//!
//! An attribute unknown in one of the two is no change: a cloud that denies the reading of tags has
//! not removed them.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::connection::ConnectionId;
use crate::kind::ResourceKind;
use crate::named;
use crate::resource::{Resource, ResourceId, ResourceState};

/// Values are kept up to this length, characters.
const MOST_CHARS: usize = 500;

named!(
    /// Attributes that are compared, those with the largest effect on behavior first. They have the
    /// names that plans use.
    Attribute {
        /// Size of the machine or database.
        InstanceType => "instance_type",
        /// Provisioned storage, in GiB.
        StorageGib => "storage_gib",
        StorageType => "storage_type",
        Iops => "iops",
        /// Last start of a machine.
        LaunchedAt => "launched_at",
        /// Lifecycle state, such as running or stopped.
        State => "state",
        /// Number of members that a scaling group keeps.
        DesiredCapacity => "desired_capacity",
        /// The least of them.
        MinSize => "min_size",
        /// The most of them.
        MaxSize => "max_size",
        /// A machine's security groups.
        SecurityGroups => "security_groups",
        /// Operating system or engine.
        Platform => "platform",
        Architecture => "architecture",
        /// Standby in another zone.
        MultiAz => "multi_az",
        /// The zone a database's primary runs in.
        Zone => "zone",
        Replicas => "replicas",
        /// The scaling group it belongs to.
        Group => "group",
        /// Machine that a volume is attached to.
        AttachedTo => "attached_to",
        /// Tags: those that differ, `name=value`, one a line.
        Tags => "tags",
    }
);

impl Attribute {
    /// Returns `true` if measurements from before a change of this attribute describe another load
    /// than those after it, of a resource of this kind: another size, another kind of disk. A
    /// restart, a tag or another zone leaves them comparable.
    #[must_use]
    pub fn changes_load(self, kind: ResourceKind) -> bool {
        match self {
            Attribute::InstanceType
            | Attribute::StorageType
            | Attribute::Iops
            | Attribute::Platform
            | Attribute::Architecture => true,
            // A volume's size decides its throughput. The storage of databases grows by itself, and
            // their processors do not notice.
            Attribute::StorageGib => kind == ResourceKind::Volume,
            _ => false,
        }
    }
}

/// One attribute that two looks at a resource saw differently. When in between it changed is not
/// known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceChange {
    pub resource: ResourceId,
    /// The connection that saw it.
    pub connection: ConnectionId,
    /// Attribute that changed.
    pub attribute: Attribute,
    /// Last observation with the old value.
    pub last_seen_at: Timestamp,
    /// First observation with the new value.
    pub seen_at: Timestamp,
    /// The value before, as text of at most 500 characters.
    pub before: String,
    /// Value of the later observation, as text of at most 500 characters.
    pub after: String,
}

/// Returns the changes from one observation to a later one. Empty if the resource was gone in the
/// earlier one, or if the order is reversed.
#[must_use]
pub fn between(known: &Resource, seen: &Resource) -> Vec<ResourceChange> {
    if known.state == ResourceState::Deleted || known.observed_at > seen.observed_at {
        return Vec::new();
    }

    let compared = Attribute::ALL
        .iter()
        .filter(|attribute| **attribute != Attribute::Tags);
    let pairs = compared.filter_map(|attribute| {
        Some((
            *attribute,
            value(known, *attribute)?,
            value(seen, *attribute)?,
        ))
    });

    pairs
        .chain(tags(known, seen))
        .filter(|(_, before, after)| before != after)
        .map(|(attribute, before, after)| ResourceChange {
            resource: seen.id.clone(),
            connection: seen.connection.clone(),
            attribute,
            last_seen_at: known.observed_at,
            seen_at: seen.observed_at,
            before: clipped(&before),
            after: clipped(&after),
        })
        .collect()
}

/// A value as text; `None` where it is not known.
fn value(resource: &Resource, attribute: Attribute) -> Option<String> {
    let spec = &resource.specification;
    let list = |mut all: Vec<&str>| {
        all.sort_unstable();
        Some(all.join(",")).filter(|text| !text.is_empty())
    };

    match attribute {
        Attribute::InstanceType => spec.instance_type.clone(),
        Attribute::StorageGib => spec.storage_gib.map(|gib| gib.to_string()),
        Attribute::StorageType => spec.storage_type.clone(),
        Attribute::Iops => spec.iops.map(|iops| iops.to_string()),
        // Of all else it is when it was made.
        Attribute::LaunchedAt if resource.kind == ResourceKind::VirtualMachine => {
            resource.created_at.map(|at| at.to_string())
        }
        Attribute::State => Some(resource.state.as_str().to_owned()),
        Attribute::DesiredCapacity => spec.capacity.map(|resource| resource.desired.to_string()),
        Attribute::MinSize => spec.capacity.map(|resource| resource.min.to_string()),
        Attribute::MaxSize => spec.capacity.map(|resource| resource.max.to_string()),
        Attribute::SecurityGroups => {
            list(spec.security_groups.iter().map(String::as_str).collect())
        }
        Attribute::Platform => spec.platform.clone(),
        Attribute::Architecture => spec.architecture.clone(),
        Attribute::MultiAz => spec.multi_az.map(|both| both.to_string()),
        Attribute::Zone => spec.zone.clone(),
        Attribute::Replicas => list(spec.replicas.iter().map(String::as_str).collect()),
        Attribute::Group => resource.group.as_ref().map(|group| group.0.clone()),
        Attribute::AttachedTo => list(
            resource
                .attached_to
                .iter()
                .map(ResourceId::as_str)
                .collect(),
        ),
        Attribute::LaunchedAt | Attribute::Tags => None,
    }
}

/// The tags that differ, before and after.
fn tags(known: &Resource, seen: &Resource) -> Option<(Attribute, String, String)> {
    if known.tags.is_empty() || seen.tags.is_empty() {
        return None;
    }

    let names: BTreeSet<&String> = known.tags.keys().chain(seen.tags.keys()).collect();
    let differ = |name: &&&String| known.tags.get(**name) != seen.tags.get(**name);
    let listed = |resource: &Resource| {
        let lines = names
            .iter()
            .filter(differ)
            .filter_map(|name| Some(format!("{name}={}", resource.tags.get(*name)?)));
        lines.collect::<Vec<_>>().join("\n")
    };

    Some((Attribute::Tags, listed(known), listed(seen)))
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS - 1) {
        Some((end, last)) if end + last.len_utf8() < text.len() => {
            format!("{}\u{2026}", &text[..end])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::provider::Provider;
    use crate::resource::{Capacity, Specification};

    fn machine() -> Resource {
        Resource {
            id: ResourceId::new("i-1"),
            connection: ConnectionId("c".to_owned()),
            provider: Provider::Aws,
            account: "1".to_owned(),
            region: "us-east-1".to_owned(),
            service: "ec2".to_owned(),
            kind: ResourceKind::VirtualMachine,
            name: "web".to_owned(),
            state: ResourceState::Running,
            specification: Specification {
                instance_type: Some("m5.large".to_owned()),
                security_groups: vec!["sg-2".to_owned(), "sg-1".to_owned()],
                capacity: Some(Capacity {
                    min: 1,
                    desired: 2,
                    max: 4,
                }),
                ..Specification::default()
            },
            purchase: None,
            tags: [("Owner", "ann"), ("Env", "prod")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: Some(Timestamp::UNIX_EPOCH),
            observed_at: Timestamp::from_second(1_000).unwrap(),
        }
    }

    fn check(change: impl Fn(&mut Resource), expect: &[(&str, &str, &str)]) {
        let known = machine();
        let mut seen = Resource {
            observed_at: Timestamp::from_second(1_300).unwrap(),
            ..known.clone()
        };
        change(&mut seen);
        let changes = between(&known, &seen);
        let found: Vec<_> = changes
            .iter()
            .map(|one| {
                (
                    one.attribute.as_str(),
                    one.before.as_str(),
                    one.after.as_str(),
                )
            })
            .collect();
        assert_eq!(found, expect);

        let span = |one: &ResourceChange| (one.last_seen_at.as_second(), one.seen_at.as_second());
        assert!(changes.iter().all(|one| span(one) == (1_000, 1_300)));
    }

    #[test]
    fn differences_are_changes_and_unknown_values_are_not() {
        check(|_| (), &[]);
        check(
            |seen| {
                seen.specification.instance_type = Some("m5.xlarge".to_owned());
                seen.created_at = Some(Timestamp::from_second(1_200).unwrap());
            },
            &[
                ("instance_type", "m5.large", "m5.xlarge"),
                (
                    "launched_at",
                    "1970-01-01T00:00:00Z",
                    "1970-01-01T00:20:00Z",
                ),
            ],
        );

        check(
            |seen| seen.state = ResourceState::Stopped,
            &[("state", "running", "stopped")],
        );
        check(
            |seen| {
                seen.specification.capacity = Some(Capacity {
                    min: 1,
                    desired: 3,
                    max: 6,
                })
            },
            &[("desired_capacity", "2", "3"), ("max_size", "4", "6")],
        );

        check(|seen| seen.specification.security_groups.reverse(), &[]);
        check(
            |seen| seen.specification.security_groups = vec!["sg-3".to_owned()],
            &[("security_groups", "sg-1,sg-2", "sg-3")],
        );
        check(
            |seen| {
                seen.tags.insert("Owner".to_owned(), "bob".to_owned());
                seen.tags.insert("Team".to_owned(), "web".to_owned());
            },
            &[("tags", "Owner=ann", "Owner=bob\nTeam=web")],
        );

        let unknown = |seen: &mut Resource| {
            seen.specification = Specification::default();
            seen.tags.clear();
            seen.created_at = None;
        };
        check(unknown, &[]);

        check(
            |seen| {
                seen.tags.insert("Owner".to_owned(), "\u{e9}".repeat(2_000));
            },
            &[(
                "tags",
                "Owner=ann",
                &format!("Owner={}\u{2026}", "\u{e9}".repeat(493)),
            )],
        );
    }

    #[test]
    fn a_look_that_is_older_or_follows_a_removal_tells_nothing() {
        let known = machine();
        let stopped = Resource {
            state: ResourceState::Stopped,
            ..known.clone()
        };
        assert_eq!(between(&known, &stopped).len(), 1, "of the same moment");

        let older = Resource {
            observed_at: Timestamp::UNIX_EPOCH,
            ..stopped.clone()
        };
        assert!(between(&known, &older).is_empty());

        let gone = Resource {
            state: ResourceState::Deleted,
            ..known
        };
        assert!(between(&gone, &stopped).is_empty());

        let database = Resource {
            kind: ResourceKind::Database,
            ..machine()
        };
        let made_anew = Resource {
            created_at: Some(Timestamp::MAX),
            ..database.clone()
        };
        assert!(
            between(&database, &made_anew).is_empty(),
            "when it was made is no start"
        );
    }
}
