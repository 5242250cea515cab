//! Lists of indicators on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use reeve_anomalies::threat::ThreatList;

use crate::time;

/// A list of indicators, without them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ThreatListBody {
    pub name: String,
    /// `api`, or `file` for one that lies in `threat-lists/` of the data directory and is changed
    /// there alone.
    pub source: String,
    pub indicator_count: u64,
    /// Time of storing, or of the file's last change.
    pub updated_at: String,
    /// User who stored it.
    pub updated_by: String,
}

/// A list with its text.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ThreatListTextBody {
    #[serde(flatten)]
    pub about: ThreatListBody,
    /// The indicators, one a line: `value[,name[,date]]`, where the value is an address, a network
    /// (`198.51.100.0/24`) or `user_agent:` and a part of one.
    pub indicators: String,
}

/// New content of a list.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreatListPut {
    /// The indicators, one a line: `value[,name[,date]]`, where the value is an address, a network
    /// (`198.51.100.0/24`) or `user_agent:` and a part of one. What follows `#` is passed over.
    pub indicators: String,
}

impl From<&ThreatList> for ThreatListBody {
    fn from(list: &ThreatList) -> Self {
        ThreatListBody {
            name: list.name.clone(),
            source: if list.from_file { "file" } else { "api" }.to_owned(),
            indicator_count: list.indicators,
            updated_at: time::text(list.updated_at),
            updated_by: list.by.clone(),
        }
    }
}
