//! Network flows of an estate: flow-log records, their daily sums, and the least rules of a
//! security group that permit what was used.
//!
//! Pure: it reads no clock, no network and no disk. [`FlowFormat`] reads records of any flow-log format,
//! an [`Aggregator`] sums them by interface, peer, service port and day, and [`least_rules`] judges a
//! security group over the sums of its interfaces. Sums are kept behind the port [`FlowStore`].
//!
//! A day without records is no day without traffic: coverage is known by interface and day, and
//! nothing is concluded without it.

mod aggregate;
mod collapse;
mod flow_log;
mod interface;
mod least;
mod peers;
mod record;
mod refused;
mod rules;
mod seen;
mod store;
mod sums;

pub use aggregate::{Aggregator, FlowBatch};
pub use collapse::{MOST_FLOWS, collapse};
pub use flow_log::{FlowLog, FlowLogDestination, FlowLogError, LogCursor};
pub use interface::interface_addresses;
pub use least::{
    Abstained, CutFlow, DayCount, GroupFacts, InterfaceCoverage, LeastRules, LeastSettings,
    RuleUse, TightRule, least_rules,
};
pub use peers::{is_conversation, is_public};
pub use record::{
    FlowAction, FlowDirection, FlowFormat, FlowLine, FlowRecord, FormatError, LineError,
};
pub use refused::{Harm, cut_by, refused_before};
pub use rules::{FlowRule, RuleError, RulePeer, protocol_text, rules_of};
pub use seen::{CoverageDay, FlowDay, InterfaceFlows, SeenFlow};
pub use store::{FlowQuery, FlowSource, FlowStore, SourceState};
pub use sums::{DayCoverage, FlowCounts, FlowKey, day_of, first_second};
