//! The judgement of `ops_intelligence`: failures before they happen.
//!
//! | rule | of | finds |
//! |---|---|---|
//! | `predict_disk_full` | volumes, databases, machines | storage that is full within the days of the warning, with the change that enlarges it |
//! | `identify_memory_leaks` | machines, databases | memory that grows between restarts, as advice |
//! | `failure_prediction` | machines, certificates, databases | events that the cloud has scheduled, failed status checks, certificates in use about to expire, as advice |
//!
//! Beside its runs it answers anomalies (`storage`: more storage) and predictive rules (`foreseen`:
//! storage, limits and failovers). docs/agents/ops_intelligence.md.

mod agent;
mod certificate;
mod dependencies;
mod disk;
mod disk_finding;
mod foreseen;
mod health;
mod leak;
mod measured;
mod quiet;
mod settings;
mod storage;

#[cfg(test)]
mod tests;

use reeve_estate::{Metric, ResourceKind, ResourceState};
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::RecommendationType;

use settings::Thresholds;

pub use agent::OpsIntelligence;

/// Metrics of the judged resource.
const METRICS: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::DiskUtilization,
    Metric::FreeStorage,
    Metric::MemoryUtilization,
];

/// Metrics of the machine that a volume is attached to.
const MACHINE_METRICS: &[Metric] = &[Metric::DiskUtilization];

/// Type of the findings that have no change of their own.
const PREVENTION: RecommendationType = RecommendationType::FailurePrevention;

/// Name of the kind of certificates.
const CERTIFICATE: &str = "certificate";

/// Judges one resource: each rule that covers its kind proposes or says why it does not.
fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    let resource = facts.resource;

    if is_opted_out(resource) {
        judgement.abstentions.push(Abstention::opted_out());
        return judgement;
    }

    let settings = Thresholds::from(facts.settings);
    match resource.kind {
        ResourceKind::Volume => judgement.take(disk::judge(facts, &settings)),
        ResourceKind::Database | ResourceKind::VirtualMachine => {
            // What is stopped fills no disk and holds no memory; its scheduled events stay.
            if resource.state != ResourceState::Stopped {
                judgement.take(disk::judge(facts, &settings));
                judgement.take(leak::judge(facts, &settings));
            }
            judgement.take(if resource.kind == ResourceKind::VirtualMachine {
                health::judge(facts, &settings)
            } else {
                certificate::judge_database(facts, &settings)
            });
        }
        kind if kind.as_str() == CERTIFICATE => {
            judgement.take(certificate::judge(facts, &settings));
        }
        _ => {}
    }

    judgement
}
