//! The judgement of `cost_optimizer`: pure, from facts to proposals or to a reason for abstaining.
//!
//! Requirements, made exact:
//!
//! | rule | window | fires when |
//! |---|---|---|
//! | `downsize_underutilized` | 14 d | p95 CPU below 20 %, 90 % of the points there, and a smaller size holds every measured peak of the whole history and the growth of the next weeks: one of the family, else a much cheaper one of another |
//! | `upgrade_throttled` | 3 d | mean and median CPU above 90 %, or a burstable machine held at its baseline without credits; the cheapest size of any family that has more of what is short |
//! | `identify_idle_resources` | all, 7 d | no work in any dimension in the whole history, and CPU that rounds to 0 % (mean below 0.5, p99 below 1: no cloud ever reports an exact 0) and hardly any traffic; no database connection at all; a volume or an address attached to nothing; a NAT gateway or a load balancer that nothing goes through. Work at times that come again is a schedule, as advice |
//! | `suggest_reserved_instances` | all | a level of commitment for the machines of an account together that would have lost in no week and saved in those it was tried on |
//!
//! `required_tags`, a setting of Reeve's own, adds tags that costs are allocated by (`tags`).
//!
//! What was not measured is listed in `not_measured`, lowers the confidence and is never read as
//! idle. Members of scaling groups are judged with their group (`group`); spot capacity, stopped
//! resources and opted-out ones are left alone. One resource gets one of the first three findings,
//! the most telling one, because they would undo each other. Sources: requirements A-030 to
//! A-037, and what users of such advisers complain about.

mod agent;
mod ahead;
mod bill;
mod burstable;
mod commitment;
mod cost_increase;
mod dimension;
mod downsize;
mod ended;
mod evidence;
mod fit;
mod gate;
mod group;
mod hourly_use;
mod idle;
mod idleness;
mod larger;
mod margin;
mod outlook;
mod price;
mod replaced;
mod retrospect;
mod rhythm;
mod schedule;
mod settings;
mod tags;
mod throttled;
mod unused;
mod volume;
mod work;

#[cfg(test)]
pub(crate) mod tests;

use reeve_estate::{Metric, ResourceKind};
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::{Facts, Judgement};

use evidence::CostEvidence;

pub use agent::CostOptimizer;
pub(crate) use burstable::baseline_percent;
pub use retrospect::held;
pub(crate) use work::CPU_PERCENT as CPU_IN_USE_PERCENT;

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
    Metric::CapacityUnits,
    Metric::RequestRate,
];

/// A rule: its proposal, or the reason why it makes none.
type Rule = fn(&CostEvidence<'_>) -> Result<Proposal, Abstention>;

/// The models a judgement reads.
pub const MODELS: &[&str] = &["demand", "usage"];

/// Judges one resource by the rules, and its tags whatever the rules find.
#[must_use]
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = judge_use(facts);
    if let Some(outcome) = tags::judge(facts) {
        judgement.take(outcome);
    }
    judgement
}

fn judge_use(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    if facts.resource.kind == ResourceKind::ScalingGroup {
        return group::judge(facts);
    }
    if let Err(abstention) = gate::admit(facts.resource, facts.catalogue) {
        judgement.abstentions.push(abstention);
        return judgement;
    }
    if facts.resource.kind == ResourceKind::Volume {
        judgement.take(volume::judge(facts));
        return judgement;
    }
    if reeve_recommend::change::Unused::from_kind(facts.resource.kind).is_some() {
        judgement.take(unused::judge(facts));
        return judgement;
    }

    let evidence = CostEvidence::new(facts);
    let rightsizing = evidence.settings.rightsizing;
    let rules: [(bool, Rule); 3] = [
        (true, idle::judge),
        (rightsizing, throttled::judge),
        (rightsizing, downsize::judge),
    ];

    for (_, rule) in rules.into_iter().filter(|(enabled, _)| *enabled) {
        judgement.take(rule(&evidence));
        if !judgement.proposals.is_empty() {
            // One change at a time is enough.
            break;
        }
    }

    if facts.resource.kind == ResourceKind::VirtualMachine {
        judgement
            .abstentions
            .push(commitment::left_to_the_account());
    }

    judgement
}
