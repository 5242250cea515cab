//! Exchange with other security tools, in both directions.
//!
//! In: a source ([`AlertSource`]) has a token of its own and a format. Each alert that it pushes is
//! read into one form ([`AlertReport`]), weighed ([`AlertWeight`]), kept as an [`InboundAlert`] and
//! joined to the incident that it is a part of ([`AlertIntake`]). Out: [`ocsf`] writes Reeve's own
//! findings as OCSF classes, for webhooks. This crate does no I/O: calling the sender back is the
//! port [`AlertCaller`].

mod alert;
mod callback;
mod format;
mod intake;
mod join;
mod log_entry;
pub mod ocsf;
mod port;
mod report;
mod severity_name;
mod source;
mod upkeep;
mod weight;

pub use alert::{
    AlertEnd, AlertStatus, AlertVerdict, Callback, InboundAlert, InboundAlertId, JudgedAlert,
    SenderAlert,
};
pub use callback::{CallbackMethod, CallbackRequest, CloseCallback};
pub use format::{AlertField, AlertFormat, FieldMapping, FormatRefusal, MAX_ALERTS, read};
pub use intake::{AlertIntake, Intake, IntakePorts};
pub use join::InboundAlertMembers;
pub use port::{
    AlertCaller, AlertSourceStore, InboundAlertFilter, InboundAlertStore, SourceCounts,
};
pub use report::AlertReport;
pub use source::{
    AlertSource, AlertSourceId, EXPIRE_AFTER_DAYS, PastRefusal, SourceState, TOKEN_PREFIX,
    read_callback, read_expiry, read_mapping, read_name,
};
pub use upkeep::{AlertUpkeep, UpkeepPorts};
pub use weight::{AlertWeight, AssetPresence, TrackRecord, WeightFactor};
