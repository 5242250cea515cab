//! The judgement of `cost_optimizer`: pure, from facts to proposals or to a reason for abstaining.
//!
//! The specification's four rules, made exact:
//!
//! | rule | window | fires when |
//! |---|---|---|
//! | `downsize_underutilized` | 14 d | p95 CPU below 20 %, 90 % of the points there, and a smaller size holds every measured peak of the whole history and the growth of the next weeks: one of the family, else a much cheaper one of another |
//! | `upgrade_throttled` | 3 d | mean and median CPU above 90 %, or a burstable machine held at its baseline without credits; the cheapest size of any family that has more of what is short |
//! | `identify_idle_resources` | all, 7 d | no work in any dimension in the whole history, and CPU that rounds to 0 % (mean below 0.5, p99 below 1: no cloud ever reports an exact 0) and hardly any traffic; no database connection at all; a volume attached to nothing. Work at times that come again is a schedule, as advice |
//! | `suggest_reserved_instances` | 30 d | running 95 % of the hours, even from day to day, not growing, and working more of the hours than the commitment breaks even at |
//!
//! What was not measured is listed in `not_measured`, lowers the confidence and is never read as idle. Members of scaling
//! groups, spot capacity, stopped resources and opted-out ones are left alone. One resource gets one of the first three
//! findings, the most telling one, because they would undo each other. Sources: the specification; complaints 1 to 16 in
//! the design's lessons.

mod ahead;
mod bill;
mod burstable;
mod commitment;
mod confidence;
mod downsize;
mod evidence;
mod fit;
mod gate;
mod idle;
mod larger;
mod margin;
mod price;
mod procedure;
mod proposal;
mod retrospect;
mod rhythm;
mod schedule;
mod throttled;
mod trust;
mod volume;
mod weigh;
mod words;
mod work;

#[cfg(test)]
pub(crate) mod tests;

use jiff::Timestamp;
use reeve_estate::{Catalogue, Metric, Resource, ResourceKind, Series};

pub(crate) use procedure::{precondition, resize, step, subject};
pub use proposal::{Abstention, Proposal};
pub use retrospect::{HORIZON_DAYS, held, look_back};
pub use trust::{Trust, trust_group};
pub(crate) use weigh::{Hazards, risk};
pub use weigh::{impact_by_cost, is_production, non_production};
pub(crate) use words::thousands;

use crate::guardrail::Guardrails;
use evidence::Evidence;

/// Days of history a judgement looks at.
pub const HISTORY_DAYS: i64 = 30;

/// The metrics a judgement reads.
pub const METRICS: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::MemoryUtilization,
    Metric::NetworkIn,
    Metric::NetworkOut,
    Metric::DiskRead,
    Metric::DiskWrite,
    Metric::DiskReadOps,
    Metric::DiskWriteOps,
    Metric::DatabaseConnections,
    Metric::CpuCreditBalance,
];

/// Everything a judgement of one resource may look at.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The resource as last observed.
    pub resource: &'a Resource,
    /// Its series over the last [`HISTORY_DAYS`], each sorted by time.
    pub series: &'a [Series],
    /// The volumes attached to it.
    pub volumes: &'a [Resource],
    /// Specifications and prices.
    pub catalogue: &'a Catalogue,
    /// The limits a step is chosen within.
    pub guardrails: &'a Guardrails,
    /// When its size last changed, as far as Reeve knows: older samples tell of another machine and are not looked at.
    pub unchanged_since: Option<Timestamp>,
    /// Now.
    pub now: Timestamp,
}

/// What came of judging one resource.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    /// What to do, at most one a recommendation type.
    pub proposals: Vec<Proposal>,
    /// Why nothing else.
    pub abstentions: Vec<Abstention>,
}

/// Judges one resource by the four rules.
#[must_use]
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    if let Err(abstention) = gate::admit(facts.resource) {
        judgement.abstentions.push(abstention);
        return judgement;
    }
    if facts.resource.kind == ResourceKind::Volume {
        judgement.take(volume::judge(facts));
        return judgement;
    }
    let evidence = Evidence::of(facts);
    for rule in [idle::judge, throttled::judge, downsize::judge, commitment::judge] {
        judgement.take(rule(&evidence));
        if !judgement.proposals.is_empty() {
            // A machine that should stop, grow or shrink is no machine to commit to, and one change at a time is enough.
            break;
        }
    }
    judgement
}

/// The tag by which infrastructure as code owns a resource, `key=value`.
#[must_use]
pub fn owned_by_code(resource: &Resource) -> Option<String> {
    gate::managed_by(resource)
}

/// Whether a tag keeps a resource out of everything.
#[must_use]
pub fn left_alone(resource: &Resource) -> bool {
    gate::opted_out(resource)
}

impl Judgement {
    fn take(&mut self, outcome: Result<Proposal, Abstention>) {
        match outcome {
            Ok(proposal) => self.proposals.push(proposal),
            Err(abstention) => self.abstentions.push(abstention),
        }
    }
}
