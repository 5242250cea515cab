//! Searching and counting on the wire. A point in time is RFC 3339, `now`, or a distance from it
//! such as `now-24h`.

use std::collections::BTreeMap;

use reeve_audit::query::QueryField;
use reeve_ledger::LeftOut;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::log::entry::EntryBody;

/// Filters of entries, their order, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EntryListParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000, example = 100)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0, example = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
    /// In the query language.
    pub query: Option<String>,
    /// From this time on (by `timestamp`): RFC 3339, `now`, or a distance from it such as
    /// `now-24h`.
    pub start_time: Option<String>,
    /// Up to this time.
    pub end_time: Option<String>,
    /// Column to sort by, `-` before it for the greatest first; the newest by sequence first unless
    /// given.
    #[param(example = "-timestamp")]
    pub sort: Option<String>,
}

/// A search in the log: query, filters, period, order and page.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchBody {
    /// In the query language; absent or empty finds everything.
    #[schema(example = "event_type:authentication.* AND status:failed AND timestamp:>now-24h")]
    pub query: Option<String>,
    /// From this time on (by `timestamp`): RFC 3339, `now`, or a distance from it such as
    /// `now-24h`.
    pub start_time: Option<String>,
    /// Up to this time.
    pub end_time: Option<String>,
    /// Simple filters; all must hold.
    #[serde(default)]
    pub filters: FiltersBody,
    /// At most this many (1 to 1000).
    #[schema(default = 50)]
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before, with the same order.
    pub cursor: Option<String>,
    /// Order by sequence; the newest first unless given. Exports read the oldest first.
    pub order: Option<SearchOrder>,
    /// Column to sort by in place of the sequence, `-` before it for the greatest first:
    /// `timestamp`, `-severity`, `actor.email`. Entries without a value come last. A sorted search
    /// looks at every match and reaches 10,000 entries with `offset` and `limit`; `cursor` goes on
    /// from there.
    #[schema(example = "-timestamp")]
    pub sort: Option<String>,
    /// Counts all matches; true unless given. A client that reads page after page needs the total
    /// once.
    pub count: Option<bool>,
    /// Fields whose values are counted over all matches, at most ten: any field of the query
    /// language (`event_type`, `user`, `resource.tags.env`, `metadata.team`), or spans of time
    /// (`hour`, `day`, `timestamp:5m`, `recorded_at:week`). Two with `>` between them are nested:
    /// `day>severity`, `user>actor.ip_address`.
    #[serde(default)]
    #[schema(example = json!(["event_type", "user", "day"]))]
    pub aggregations: Vec<String>,
    /// Values told of each, most first (1 to 1000); spans of time are all told.
    #[schema(default = 100, minimum = 1, maximum = 1000)]
    pub aggregation_limit: Option<u32>,
}

/// Simple filters. A value is taken whole; `*` is a wildcard.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FiltersBody {
    /// Actor id or e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// The event type before its first dot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Outcome: `success`, `failed`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Name of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Interface of the request: `api`, `console`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Type of the actor: `user`, `service`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_type: Option<String>,
    /// IP address, `10.0.*`, or CIDR. `ip` is understood too.
    #[serde(alias = "ip", skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Resource id or name. Names are read from the tag `name`, `metadata.resource_name` and the
    /// member `name` of the state before and after a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The filters there are, by the name on the wire.
macro_rules! filters {
    ($($name:ident),+ $(,)?) => {
        impl FiltersBody {
            /// The filters that are given, by name.
            pub fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
                [$((stringify!($name), &self.$name)),+]
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value.as_deref().filter(|value| !value.is_empty())?)))
            }

            /// The filters with these names and values; names that are none are left out.
            #[must_use]
            pub fn new(given: &BTreeMap<String, String>) -> Self {
                FiltersBody { $($name: given.get(stringify!($name)).cloned()),+ }
            }
        }
    };
}

filters!(
    user,
    event_type,
    category,
    severity,
    status,
    operation,
    method,
    actor_type,
    ip_address,
    resource_type,
    resource_id,
    resource,
    cloud_provider,
    account_id,
    region,
    request_id,
);

/// Order in which the entries of a search are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchOrder {
    /// The highest sequence first.
    #[default]
    NewestFirst,
    /// The lowest sequence first.
    OldestFirst,
}

/// A page of entries, newest first unless sorted otherwise.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EntryListBody {
    pub items: Vec<EntryBody>,
    /// Number of matches.
    pub total: u64,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Part of the period that lies in the cold tier and was not searched; absent if everything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutBody>,
}

/// A page of entries, with counts where asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SearchAnswer {
    /// Entries, in the order asked for.
    pub items: Vec<EntryBody>,
    /// Number of matches; absent when `count` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Counts over all matches, by the name they were asked for with.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aggregations: BTreeMap<String, CountsBody>,
    /// Part of the period that lies in the cold tier and was not searched; absent if everything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutBody>,
}

/// Segments of the cold tier that a search passed over, and the entries in them, whether they match
/// or not. A restore makes them searchable.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LeftOutBody {
    pub segments: u64,
    pub entries: u64,
}

impl LeftOutBody {
    pub(crate) fn of(left_out: LeftOut) -> Option<Self> {
        (left_out.segments > 0).then_some(LeftOutBody {
            segments: left_out.segments,
            entries: left_out.entries,
        })
    }
}

/// Counts of each value among the matches.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct CountsBody {
    /// Values, most first; spans of time by their first instant, oldest first.
    pub buckets: Vec<CountBody>,
    /// Number of different values, also of those that were not told.
    pub distinct: u64,
    /// The sum of the counts that were not told.
    pub other: u64,
    /// Entries without a value.
    pub missing: u64,
}

/// Count of a value.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CountBody {
    pub value: String,
    /// Number of entries that have it.
    pub count: u64,
    /// Counts of the second field among these entries, if the aggregation is nested; at most 100
    /// values.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion)]
    pub nested: Option<CountsBody>,
}

/// Period and filters of the entries to count.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct StatsParams {
    /// In the query language.
    pub query: Option<String>,
    /// From this time on (by `timestamp`); 24 hours before the end unless given.
    pub start_time: Option<String>,
    /// Up to this time; now unless given.
    pub end_time: Option<String>,
    /// Names as in a search's `aggregations`, with commas between them. The answer has their counts
    /// in `aggregations`, and the lists of the usual six are empty.
    #[param(example = "event_type,resource.tags.env,recorded_at:1h")]
    pub by: Option<String>,
    /// Length of the spans of `by_time`: `minute`, `5m`, `15m`, `hour`, `day`, `week` or `month`.
    /// Hours for periods up to three days, else days, unless given.
    pub interval: Option<String>,
    /// Values told of each, most first (1 to 1000).
    #[param(default = 10, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

/// The log at a glance, within what the caller may see.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StatsBody {
    /// Entries in the period.
    pub total: u64,
    pub by_event_type: Vec<CountBody>,
    /// By user (e-mail address, else actor id).
    pub by_user: Vec<CountBody>,
    /// Counts by identifier of the resource.
    pub by_resource: Vec<CountBody>,
    pub by_severity: Vec<CountBody>,
    pub by_status: Vec<CountBody>,
    /// By span of `timestamp`, oldest first.
    pub by_time: Vec<CountBody>,
    /// Entries with severity high or critical.
    pub security_events: u64,
    /// Counts asked for with `by`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aggregations: BTreeMap<String, CountsBody>,
    /// Size of the whole signed log, entries; the checkpoint tells it too.
    pub log_size: u64,
    /// Part of the period that lies in the cold tier and was not counted; absent if everything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutBody>,
}

/// A field of the query language.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct QueryFieldBody {
    /// Name in a query.
    #[schema(example = "action.status")]
    pub name: &'static str,
    /// `text`, `time`, `address`, `name` (one of `values`) or `open` (members with values of any
    /// kind).
    pub kind: &'static str,
    /// The names that the field can hold, if that is a closed list.
    pub values: &'static [&'static str],
    /// `true` if entries can be sorted by it.
    pub sortable: bool,
}

impl From<QueryField> for QueryFieldBody {
    fn from(field: QueryField) -> Self {
        let QueryField {
            name,
            kind,
            values,
            sortable,
        } = field;
        QueryFieldBody {
            name,
            kind: kind.as_str(),
            values,
            sortable,
        }
    }
}

/// Selection of a live view, and its starting point.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LiveParams {
    /// In the query language.
    pub query: Option<String>,
    /// Only entries with a sequence above this one, those already there first. The header
    /// `Last-Event-ID` goes before it. Without either, only new entries.
    pub after: Option<u64>,
}
