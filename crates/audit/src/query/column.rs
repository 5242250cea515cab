//! Fields that a query can name, and the columns of a segment among them.

use crate::entry::SubmitterField;

/// A typed field of an entry that is also a column of a stored segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueryColumn {
    EventId,
    Timestamp,
    RecordedAt,
    EventType,
    Category,
    Severity,
    ActorType,
    ActorId,
    ActorEmail,
    ActorIpAddress,
    ActorUserAgent,
    ActorSessionId,
    ResourceType,
    ResourceId,
    ResourceCloudProvider,
    ResourceAccountId,
    ResourceRegion,
    ActionOperation,
    ActionStatus,
    ActionMethod,
    /// `metadata.request_id`.
    RequestId,
}

impl QueryColumn {
    /// Every column, in the order of declaration.
    pub const ALL: [Self; 21] = [
        Self::EventId,
        Self::Timestamp,
        Self::RecordedAt,
        Self::EventType,
        Self::Category,
        Self::Severity,
        Self::ActorType,
        Self::ActorId,
        Self::ActorEmail,
        Self::ActorIpAddress,
        Self::ActorUserAgent,
        Self::ActorSessionId,
        Self::ResourceType,
        Self::ResourceId,
        Self::ResourceCloudProvider,
        Self::ResourceAccountId,
        Self::ResourceRegion,
        Self::ActionOperation,
        Self::ActionStatus,
        Self::ActionMethod,
        Self::RequestId,
    ];

    /// The dotted name in a query and in an entry.
    pub const fn field_name(self) -> &'static str {
        match self {
            Self::EventId => "event_id",
            Self::Timestamp => "timestamp",
            Self::RecordedAt => "recorded_at",
            Self::EventType => "event_type",
            Self::Category => "category",
            Self::Severity => "severity",
            Self::ActorType => "actor.type",
            Self::ActorId => "actor.id",
            Self::ActorEmail => "actor.email",
            Self::ActorIpAddress => "actor.ip_address",
            Self::ActorUserAgent => "actor.user_agent",
            Self::ActorSessionId => "actor.session_id",
            Self::ResourceType => "resource.type",
            Self::ResourceId => "resource.id",
            Self::ResourceCloudProvider => "resource.cloud_provider",
            Self::ResourceAccountId => "resource.account_id",
            Self::ResourceRegion => "resource.region",
            Self::ActionOperation => "action.operation",
            Self::ActionStatus => "action.status",
            Self::ActionMethod => "action.method",
            Self::RequestId => "metadata.request_id",
        }
    }

    /// The column's name in a stored segment.
    pub const fn segment_name(self) -> &'static str {
        match self {
            Self::ActorType => "actor_type",
            Self::ActorId => "actor_id",
            Self::ActorEmail => "actor_email",
            Self::ActorIpAddress => "actor_ip_address",
            Self::ActorUserAgent => "actor_user_agent",
            Self::ActorSessionId => "actor_session_id",
            Self::ResourceType => "resource_type",
            Self::ResourceId => "resource_id",
            Self::ResourceCloudProvider => "resource_cloud_provider",
            Self::ResourceAccountId => "resource_account_id",
            Self::ResourceRegion => "resource_region",
            Self::ActionOperation => "action_operation",
            Self::ActionStatus => "action_status",
            Self::ActionMethod => "action_method",
            Self::RequestId => "request_id",
            top_level => top_level.field_name(),
        }
    }

    /// Returns `true` if the column holds a timestamp; all others hold text.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Timestamp | Self::RecordedAt)
    }
}

/// Value of an entry that a condition reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPath {
    /// Field that is a column of a segment.
    Column(QueryColumn),
    /// `user`: `actor.id` or `actor.email`.
    User,
    /// `tags`: a label in `metadata.tags`, or a resource tag by its name, its value or
    /// `name=value`.
    Tags,
    /// `metadata.tags`.
    MetadataTags,
    /// `metadata.api_version`.
    ApiVersion,
    /// `resource.tags`: any value of a resource tag.
    ResourceTags,
    /// `resource.tags.NAME`: the tag of that name.
    ResourceTag(String),
    /// `changes`: anything, to ask whether it exists.
    Changes,
    /// `changes.before` and a path inside it.
    Before(Vec<String>),
    /// `changes.after` and a path inside it.
    After(Vec<String>),
    /// `metadata` and a path inside its open members; never empty.
    Metadata(Vec<String>),
    /// A member of `submitted_by`.
    Submitter(SubmitterField),
}

impl From<QueryColumn> for FieldPath {
    fn from(column: QueryColumn) -> Self {
        Self::Column(column)
    }
}
