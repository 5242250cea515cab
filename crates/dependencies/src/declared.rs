//! Edges that configurations declare.

use reeve_estate::{RelationKind, ResourceId, ResourceKind};

use crate::edge::{EdgeSource, EdgeStrength};

/// A relation of the configuration, read as a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) dependent: ResourceId,
    pub(crate) dependency: ResourceId,
    pub(crate) relation: RelationKind,
    pub(crate) source: EdgeSource,
    pub(crate) strength: EdgeStrength,
}

/// Reads a relation as a dependency; `None` for relations without an effect on what runs: where a
/// resource was made from, and rules about who is let in.
pub(crate) fn declared(
    (owner, owner_kind): (&ResourceId, Option<ResourceKind>),
    relation: RelationKind,
    target: &ResourceId,
) -> Option<Declared> {
    let owner_kind = owner_kind.map_or("", ResourceKind::as_str);
    let is_reversed = match relation {
        RelationKind::CreatedFrom | RelationKind::Admits | RelationKind::Trusts => return None,
        // A machine needs its disks, a group its members; a user has the permissions of its group.
        RelationKind::AttachedTo => true,
        RelationKind::MemberOf => owner_kind != "iam_user",
        _ => false,
    };
    let strength = match relation {
        RelationKind::RoutesTo | RelationKind::AttachedTo | RelationKind::MemberOf => {
            EdgeStrength::Strong
        }
        RelationKind::ProtectedBy
        | RelationKind::EncryptedWith
        | RelationKind::MayAssume
        | RelationKind::Granted => EdgeStrength::Moderate,
        _ => EdgeStrength::Weak,
    };
    let source = match (relation, owner_kind) {
        (RelationKind::RoutesTo, "target_group") => EdgeSource::TargetGroup,
        (RelationKind::RoutesTo, "load_balancer" | "classic_load_balancer") => EdgeSource::Listener,
        _ => EdgeSource::Relation,
    };

    let (dependent, dependency) = match is_reversed {
        true => (target, owner),
        false => (owner, target),
    };
    Some(Declared {
        dependent: dependent.clone(),
        dependency: dependency.clone(),
        relation,
        source,
        strength,
    })
}

/// Returns `true` if the neighbors of a node that was reached by a relation are followed. A key, a
/// network or a role is shared by much that has nothing else in common.
pub(crate) const fn is_followed(relation: RelationKind) -> bool {
    matches!(
        relation,
        RelationKind::RoutesTo | RelationKind::AttachedTo | RelationKind::MemberOf
    )
}

/// Returns `true` if traffic passes along a relation, so that flow logs can show it.
pub(crate) const fn carries_traffic(source: EdgeSource, relation: RelationKind) -> bool {
    matches!(source, EdgeSource::TargetGroup | EdgeSource::Listener)
        && matches!(relation, RelationKind::RoutesTo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_points_from_the_dependent_to_what_it_needs() {
        let check = |kind: &str, relation, expected: Option<(&str, &str)>| {
            let (owner, target) = (ResourceId::new("owner"), ResourceId::new("target"));
            let found = declared((&owner, ResourceKind::named(kind)), relation, &target);
            let found = found.map(|one| (one.dependent.0, one.dependency.0));
            let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(found, expected, "{kind} {relation}");
        };
        let (forward, back) = (Some(("owner", "target")), Some(("target", "owner")));
        check("load_balancer", RelationKind::RoutesTo, forward);
        check("volume", RelationKind::AttachedTo, back);
        check("virtual_machine", RelationKind::MemberOf, back);
        check("iam_user", RelationKind::MemberOf, forward);
        check("virtual_machine", RelationKind::ProtectedBy, forward);
        check("virtual_machine", RelationKind::CreatedFrom, None);
        check("security_group", RelationKind::Admits, None);
    }
}
