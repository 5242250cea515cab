//! The only crate that knows HTTP: routes, wire types, errors, OpenAPI, and the embedded dashboard.
//!
//! Every route is added through [`guard::Guarded`] with what it asks for; [`router()`] puts them
//! behind limits, security headers and one error shape. No adapter is known here: everything comes
//! in through ports ([`app::Ports`]).

mod api_calls;
pub mod app;
mod attempts;
pub mod backups;
mod body_budget;
mod caller;
mod change;
pub mod connection_counts;
mod dashboard;
mod description;
pub mod erasures;
pub mod error;
mod estate_searches;
pub mod extract;
pub mod guard;
mod iam_policy;
pub mod identify;
pub mod incident_report;
pub mod lake_catalogue;
mod leftover;
pub mod log_entry;
pub mod metric_intake;
pub mod paging;
mod password_workers;
pub mod prices;
pub mod retention;
pub mod router;
mod routes;
pub mod scope;
pub mod self_checks;
pub mod streams;
mod time;
pub mod verification;
pub mod wire;

pub use app::{App, AppSettings, BillSyncer, Ports, Syncer};
pub use connection_counts::ConnectionCounts;
pub use error::{Code, Problem};
pub use iam_policy::{PolicyWish, iam_policy};
pub use identify::{STANDBY_KEY, TrustedProxies};
pub use metric_intake::{MetricIntake, WriteError, WriteStatus};
pub use router::{metrics_router, openapi, router, rules};
pub use routes::audit_logs::aggregations::named_counts;
pub use routes::audit_logs::alerts::firings::firing_record;
pub use routes::audit_logs::alerts::ready::add_first_rules;
pub use routes::budgets::budget_alert_record;
pub use routes::intelligence::records::{
    action_record, anomaly_record, incident_record, recommendation_record,
};
