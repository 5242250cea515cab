//! State in SQL: users and tokens, connections and inventory, agents and their recommendations,
//! settings, and the lease of the active server.
//!
//! SQLite by default, PostgreSQL by configuration; the same statements and the same migrations on
//! both. It implements the ports [`reeve_access::AccessStore`], [`reeve_access::SavedSearchStore`],
//! [`reeve_estate::EstateStore`] and [`reeve_recommend::ports::AgentStore`],
//! [`reeve_recommend::rollout::RolloutStore`], [`reeve_alerts::AlertStore`], [`reeve_exports::ExportStore`]
//! for [`Store`].
//!
//! Domain types are not serialised: each has a row format of its own in `rows`, versioned, so that
//! a newer program reads what an older one wrote. Credentials are sealed by the [`Vault`] before
//! they reach a column. Every statement is a literal with bound parameters; what varies (filters)
//! is put together from literals alone.

mod access;
mod address;
mod agents;
mod alert;
mod alert_source;
mod anomaly;
mod attack_chain;
mod batch;
mod bill_source;
mod budget;
mod channel;
mod cursor;
mod database;
mod database_load;
mod delivery;
mod derived;
mod drift;
mod estate;
mod evidence;
mod export;
mod fault;
mod filter;
mod flows;
mod inbound_alert;
mod incident;
mod inventory_totals;
mod lease;
mod lesson;
mod log_source;
mod metric_source;
mod migrate;
mod models;
mod objective;
mod open;
mod predictive;
mod price_file;
mod report;
mod retention;
mod rollout;
mod rows;
mod runbook;
mod saved_search;
mod savings_totals;
mod setting;
mod spot;
mod state_digest;
mod stream;
mod threat;
mod transfer;
mod value_list;
mod vault;
mod versioned;
mod webhook;
mod workload;
mod workspace;

pub use database::{DatabaseOptions, Store};
pub use fault::SettingError;
pub use lease::{Lease, LogHead};
pub use open::OpenError;
pub use state_digest::RowDigest;
pub use transfer::{TransferError, import};
pub use vault::{Vault, VaultError};
