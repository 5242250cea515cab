//! Network flows on the wire: flow logs as sources, flows of a resource, and the rules that a
//! security group needs.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{
    CheckAnswer, FlowAction, FlowDirection, FlowSourceState, GroupRuleUse,
};

/// Flow log, as its last reading left it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FlowSourceBody {
    /// Identifier of the flow log.
    pub id: String,
    pub connection_id: String,
    pub region: String,
    /// Network, subnet or interface that it is of.
    pub source_of: String,
    /// Bucket with its folder, or log group.
    pub destination: String,
    pub state: FlowSourceState,
    /// Reason of a failure, or of a source that is not read; empty otherwise.
    pub detail: String,
    /// Records of traffic that were read.
    pub records: u64,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
    /// Records that could not be read, or whose direction is not known.
    pub unreadable: u64,
    /// Time of the newest flow; null before the first.
    pub newest_at: Option<String>,
    pub read_at: String,
}

/// Days of the flows of a resource.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ResourceFlowParams {
    /// Days before now (1 to 400); 30 unless given.
    pub days: Option<u32>,
}

/// Flows of the network interfaces of a resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceFlowsBody {
    pub days: u32,
    /// Network interfaces that are looked at, at most 100.
    pub interfaces: Vec<String>,
    /// Flows, the most frequent first, at most 500.
    pub items: Vec<ResourceFlowBody>,
    /// Number of flows.
    pub total: u64,
    /// Flows and coverage by day.
    pub by_day: Vec<ResourceFlowDayBody>,
    /// Flow logs of the connection. Without any, nothing arrives.
    pub sources: u64,
}

/// Flows between the resource and a peer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceFlowBody {
    pub direction: FlowDirection,
    /// Address of the peer; a network where its peers were too many to be kept apart.
    pub peer: String,
    /// `tcp`, `udp`, `icmp`, or a number.
    pub protocol: String,
    pub port: u16,
    pub action: FlowAction,
    pub flows: u64,
    pub packets: u64,
    pub bytes: u64,
    /// Days with flows.
    pub days: u32,
    pub first_at: String,
    pub last_at: String,
}

/// Flows of one day.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceFlowDayBody {
    /// Date, such as `2026-11-28`.
    pub date: String,
    pub accepted: u64,
    pub refused: u64,
    /// Interfaces with records of the whole day.
    pub covered: u32,
}

/// Rule of a security group, and its use in the learning window.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GroupRuleBody {
    pub direction: FlowDirection,
    /// `tcp`, `udp`, `icmp`, a number, or `all`.
    pub protocol: String,
    pub from_port: u16,
    pub to_port: u16,
    /// Network, security group or prefix list.
    pub peer: String,
    /// Reason for which it is kept.
    pub reason: GroupRuleUse,
    pub flows: u64,
    /// Peers that used it.
    pub peers: u64,
    /// Days of the window with flows.
    pub days: u32,
    /// Time of its last flow; null where none was seen.
    pub last_at: Option<String>,
}

/// Flow that the rules to keep would cut.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CutFlowBody {
    pub direction: FlowDirection,
    pub peer: String,
    pub protocol: String,
    pub port: u16,
    /// `scan`, `admin_port` or `not_seen_lately`.
    pub reason: String,
    pub flows: u64,
    pub bytes: u64,
    pub days: u32,
    pub last_at: String,
}

/// Flows of a day that are kept, and those that would be cut.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GroupFlowDayBody {
    /// Date, such as `2026-11-28`.
    pub date: String,
    pub kept: u64,
    pub cut: u64,
    /// Interfaces with records of the whole day.
    pub covered: u32,
}

/// Coverage of a network interface in the learning window.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FlowCoverageBody {
    pub interface: String,
    pub covered_days: u32,
    /// Intervals of which AWS left records out.
    pub skipped: u64,
}

/// Security group, and the rules that its traffic needs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GroupRulesBody {
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub region: String,
    pub connection_id: String,
    /// `fail` if it permits more than is used, `pass` if it does not, `unknown` without coverage.
    pub result: CheckAnswer,
    /// The answer as a sentence.
    pub why: String,
    /// Days of the learning window; 0 where nothing could be learned.
    pub window_days: u32,
    /// Rules to keep.
    pub rules: Vec<GroupRuleBody>,
    /// Present rules.
    pub present: Vec<GroupRuleBody>,
    /// Flows that would be cut, the most recent first, at most 50.
    pub cut: Vec<CutFlowBody>,
    /// Number of flows that would be cut.
    pub cut_total: u64,
    /// Flows by day of the window.
    pub days: Vec<GroupFlowDayBody>,
    /// Interfaces with their coverage, the least covered first, at most 20.
    pub interfaces: Vec<FlowCoverageBody>,
    /// Number of interfaces that have the group.
    pub interfaces_total: u64,
    /// Reasons for which Reeve does not exchange the group by itself.
    pub obstacles: Vec<String>,
    /// First time of this answer without another in between.
    pub since: String,
    /// Entry of the log that recorded it.
    pub event_id: String,
}
