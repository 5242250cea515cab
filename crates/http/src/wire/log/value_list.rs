//! Lists of values on the wire.

use reeve_access::ValueList;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;

/// A list of values without what it holds.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ValueListBody {
    /// Name; a query compares with it as `field:@NAME`.
    #[schema(example = "known_addresses")]
    pub name: String,
    pub description: String,
    pub size: u64,
    /// Version, sent back with a change.
    pub version: u64,
    /// Time of the last change.
    pub updated_at: String,
    /// E-mail address of the user who made it.
    pub updated_by: String,
}

impl From<&ValueList> for ValueListBody {
    fn from(list: &ValueList) -> Self {
        ValueListBody {
            name: list.name.clone(),
            description: list.description.clone(),
            size: list.values.len() as u64,
            version: list.version,
            updated_at: time::text_ms(list.updated_at_ms),
            updated_by: list.updated_by.clone(),
        }
    }
}

/// A list of values.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ValueListValuesBody {
    #[serde(flatten)]
    pub about: ValueListBody,
    /// Addresses, networks and texts, in order.
    pub values: Vec<String>,
}

/// Values of a list, all of them.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueListPut {
    /// Purpose, at most 500 characters.
    #[serde(default)]
    pub description: String,
    /// Addresses, networks (`10.0.0.0/8`) and texts, at most 10,000.
    #[schema(example = json!(["10.0.0.0/8", "203.0.113.7", "alice@example.com"]))]
    pub values: Vec<String>,
    /// Version that was read; absent or 0 for a new list.
    #[serde(default)]
    pub version: u64,
}
