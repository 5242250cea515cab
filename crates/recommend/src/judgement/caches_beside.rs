//! Caches in the network of a database, as a fact of the database.

use super::service_load::MeasuredResource;

/// Cache nodes that are located in a network of the database, each with its series over the history
/// of the run. Whether they hold what the database is asked for is not known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CachesBeside(pub Vec<MeasuredResource>);
