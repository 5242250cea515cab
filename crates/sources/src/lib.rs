//! Sources beside the clouds' own interfaces: metric sources with the rules by which their series
//! become samples of resources, and the buckets that bills are read from.
//!
//! A Prometheus server pushes series (`remote_write`) or is queried for them (`query`). A
//! [`MappingRule`] says which series make up which of Reeve's metrics and which label names the
//! resource. This crate does no I/O: decoding and querying are in `connect/prometheus`.

mod bill;
mod index;
mod intake;
mod labels;
mod preview;
mod promql;
mod ready;
mod rule;
mod selector;
mod source;
mod store;

pub use bill::{BillSource, BillSourceId, BillSourceStore, BillSync, read_bucket, read_prefix};
pub use index::{IndexedResource, Needs, ResourceIndex, Unmatched};
pub use intake::{Intake, IntakeCounts, PERIOD_S, PushedSeries, Taken};
pub use labels::Labels;
pub use preview::{Match, Preview, RulePreview, preview};
pub use promql::{range_expression, series_expression};
pub use ready::{ReadyMapping, ready_mappings};
pub use rule::{Combine, Locator, MappingRule, Reading, RuleDraft, read_rules};
pub use selector::{Selector, SelectorError};
pub use source::{
    MAX_RULES, MetricSource, MetricSourceId, QueryCredentials, SourceKind, SourceSync, SyncState,
    TOKEN_PREFIX, read_name,
};
pub use store::MetricSourceStore;
