//! Relations between resources, as the provider's description of one of them names the other.

use crate::named;
use crate::resource::ResourceId;

named!(
    /// Kind of a relation, read from the resource that has it: a volume is `attached_to` a machine.
    RelationKind {
        /// A disk, an address or an interface and what it is attached to.
        AttachedTo => "attached_to",
        /// A machine and its scaling group, a user and its group, a database and its cluster.
        MemberOf => "member_of",
        /// A resource and the firewall, policy or security group that guards it.
        ProtectedBy => "protected_by",
        /// A resource and the key that encrypts it.
        EncryptedWith => "encrypted_with",
        /// A resource and the role that it may act as.
        MayAssume => "may_assume",
        /// A load balancer, route or topic and where it sends traffic.
        RoutesTo => "routes_to",
        /// A resource and the network or subnet that it is in.
        LocatedIn => "located_in",
        /// A resource and the image, snapshot or template that it was made from.
        CreatedFrom => "created_from",
        /// An identity and the policy that grants it permissions.
        Granted => "granted",
        /// A trail, bucket or cluster and where it writes its log.
        LogsTo => "logs_to",
        /// An alarm and what it notifies or watches.
        Notifies => "notifies",
        /// A security group and the group whose members it lets in.
        Admits => "admits",
        /// A role or a resource with a policy, and an identity or account that the policy lets in.
        Trusts => "trusts",
    }
);

/// A relation from one resource to another, which need not be known to Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relation {
    /// Kind of the relation.
    pub kind: RelationKind,
    /// Resource that the relation points to.
    pub target: ResourceId,
}

impl Relation {
    /// A relation to a resource.
    pub fn to(kind: RelationKind, target: impl Into<String>) -> Self {
        Relation {
            kind,
            target: ResourceId::new(target),
        }
    }
}
