//! Configurations of resources, their versions and relations, kinds and readings, on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{KindClass, ReadOutcome, RelationKind};

/// Moment of a configuration.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationParams {
    /// Moment, RFC 3339; default now.
    pub at: Option<String>,
}

/// Times of the two versions to compare.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DifferenceParams {
    /// Earlier moment, RFC 3339; default a day before the later one.
    pub from: Option<String>,
    /// Later moment, RFC 3339; default now.
    pub to: Option<String>,
}

/// The provider's description of a resource, with secrets removed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConfigurationBody {
    /// Identifier of the resource.
    pub resource_id: String,
    /// SHA-256 of the description in canonical JSON (RFC 8785).
    pub hash: String,
    /// First observation with this description.
    pub seen_at: String,
    /// First observation with another description; absent for the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Configuration as the cloud describes it.
    #[schema(value_type = Object)]
    pub configuration: serde_json::Value,
}

/// A version of a configuration.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct VersionBody {
    /// SHA-256 of the description; absent while the resource was gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Time at which this version was first seen.
    pub seen_at: String,
    /// First observation with another description; absent for the current version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// Members that differ between two moments.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DifferenceBody {
    /// Hash of the earlier description; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hash: Option<String>,
    /// Hash of the later description; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_hash: Option<String>,
    /// Members as they were; added members are missing.
    #[schema(value_type = Object)]
    pub before: serde_json::Value,
    /// Members as they became; removed members are missing.
    #[schema(value_type = Object)]
    pub after: serde_json::Value,
    /// `true` if there are more than a hundred members or a value was cut to 500 characters.
    pub is_cut: bool,
}

/// A relation between two resources, as the cloud describes it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RelationBody {
    /// Relation, such as `protected_by`.
    pub relation: RelationKind,
    /// `outgoing` from this resource, or `incoming` from the other one.
    pub direction: String,
    /// Identifier of the other resource.
    pub id: String,
    /// Its name; absent if Reeve does not know the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A kind of resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct KindBody {
    /// Name, as `type` of resources.
    #[serde(rename = "type")]
    pub kind: String,
    pub class: KindClass,
    /// Wording for one resource.
    pub title: String,
    /// Label for several resources.
    pub plural: String,
    /// Name of an icon.
    pub icon: String,
    /// The providers' own types, by provider.
    pub provider_types: BTreeMap<String, String>,
}

/// Account of reading one kind in one region.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct KindReadingBody {
    #[serde(rename = "type")]
    pub kind: String,
    /// Region; empty for global services.
    pub region: String,
    pub outcome: ReadOutcome,
    /// Permission that the reading needs.
    pub permission: String,
    /// Number of resources that were seen.
    pub seen: u64,
    /// Cause of what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Time of the reading.
    pub read_at: String,
    /// Time of the last complete reading; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_at: Option<String>,
}

/// Attribute that resources are counted by, and the same filters as the list of resources.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CountParams {
    /// `type`, `account`, `region`, `state`, or a tag as `tag:owner`.
    pub by: String,
    /// Query in the language of resource searches.
    pub query: Option<String>,
    pub connection: Option<String>,
    pub provider: Option<String>,
    pub account: Option<String>,
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
    pub service: Option<String>,
    /// Text in id, name or tags.
    pub text: Option<String>,
}

/// Number of resources with one value.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceCountBody {
    /// The value; empty for resources without the tag.
    pub value: String,
    pub count: u64,
}

/// Resources counted by an attribute, the most frequent values first.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceCountsBody {
    /// Attribute that resources are counted by.
    pub by: String,
    /// Values, the most frequent first.
    pub items: Vec<ResourceCountBody>,
    /// Number of all resources that were counted.
    pub total: u64,
}
