//! Adapters that only the program knows: they join one room's port to another room's service.

pub(crate) mod attachments;
pub(crate) mod backups;
pub(crate) mod bill_sources;
pub(crate) mod bills;
pub(crate) mod calendars;
pub(crate) mod carrier;
pub(crate) mod clock;
pub(crate) mod clouds;
pub(crate) mod configurations;
pub(crate) mod containment;
pub(crate) mod database_loads;
pub(crate) mod databases;
#[cfg(test)]
mod doors;
pub(crate) mod flows;
pub(crate) mod lake_catalogue;
pub(crate) mod log_reader;
pub(crate) mod log_sources;
pub(crate) mod metrics;
pub(crate) mod own_checks;
pub(crate) mod publish;
pub(crate) mod record_forms;
pub(crate) mod recorder;
pub(crate) mod retention;
pub(crate) mod running;
pub(crate) mod security_lake;
pub(crate) mod security_tools;
pub(crate) mod spot;
pub(crate) mod spot_markets;
mod spot_successors;
pub(crate) mod streams;
pub(crate) mod sync_entry;
pub(crate) mod syncer;
pub(crate) mod tier_places;
pub(crate) mod typesetter;
pub(crate) mod verifier;
