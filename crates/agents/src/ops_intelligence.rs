//! The judgement of `ops_intelligence`: failures before they happen.
//!
//! | rule | of | finds |
//! |---|---|---|
//! | `predict_disk_full` | volumes, databases, machines | storage that is full within the days of the warning, with the change that enlarges it |
//! | `identify_memory_leaks` | machines, databases | memory that grows between restarts, as advice |
//! | `auto_remediate` | resources that a runbook is for | known issues, with the change that the runbook names |
//! | `failure_prediction` | machines, target groups, certificates, databases, regions | events that the cloud has scheduled, failed status checks, targets that load balancers find unhealthy, certificates in use about to expire, maintenance that waits, events of databases, replicas that fall behind, as advice; quotas nearly used up, with the request for more |
//! | `suggest_maintenance_windows` | databases | a maintenance window at a busy time, with the change that moves it |
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
mod maintenance;
mod measured;
mod quiet;
mod quota;
mod replica;
mod runbook;
mod runbook_finding;
mod settings;
mod storage;
mod target;
mod window;

#[cfg(test)]
mod tests;

use reeve_estate::{Metric, ResourceKind, ResourceState};
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::region_quota::REGION;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::RecommendationType;

use settings::Thresholds;
use target::TARGET_GROUP;

pub use agent::OpsIntelligence;

/// Metrics of the judged resource.
const METRICS: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::DiskUtilization,
    Metric::FreeStorage,
    Metric::MemoryUtilization,
    Metric::ReplicaLag,
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
            if resource.kind == ResourceKind::VirtualMachine {
                judgement.take(health::judge(facts, &settings));
                judgement.take(target::judge(facts, &settings));
            } else {
                database(facts, &settings, &mut judgement);
            }
        }
        kind if kind.as_str() == CERTIFICATE => {
            judgement.take(certificate::judge(facts, &settings));
        }
        kind if kind.as_str() == TARGET_GROUP => {
            judgement.take(target::judge_group(facts, &settings));
        }
        kind if kind.as_str() == REGION => {
            for judged in quota::judge(facts, &settings) {
                judgement.take(judged);
            }
        }
        _ => {}
    }
    runbook::judge(facts, &mut judgement);

    judgement
}

/// Judges what RDS alone tells of a database.
fn database(facts: &Facts<'_>, settings: &Thresholds, judgement: &mut Judgement) {
    judgement.take(certificate::judge_database(facts, settings));
    judgement.take(maintenance::judge(facts, settings));
    judgement.take(maintenance::judge_events(facts, settings));
    judgement.take(replica::judge(facts, settings));
    judgement.take(window::judge(facts, settings));
}
