//! The judgement of `workload_classifier`: the class of each machine, database and scaling group,
//! and what is recommended from it.
//!
//! | class | A-103 to A-106 | check | finding |
//! |---|---|---|---|
//! | production | high_availability | a database without a standby | a standby, as a change (AWS) |
//! | | | a scaling group that may shrink to one member | two members at least, as a change (AWS) |
//! | | | a machine that serves alone | two zones, as an architecture |
//! | development | cost_optimized | a machine that runs at nights and on weekends | a scheduler's tag as a change, or an architecture |
//! | batch | interruptible | jobs on on-demand capacity | spot capacity, as an architecture |
//! | analytics | burst_capable | bursts on a size paid around the clock | a burstable size as a change, or an architecture |
//!
//! Findings with a change come from `apply_best_practices`, the others from
//! `recommend_architectures`. What `cost_optimizer` finds on a resource is left to it. Classes:
//! `classify`; docs/agents/workload_classifier.md.

mod agent;
mod availability;
mod burst;
mod classify;
mod finding;
mod nights;
mod retrospect;
mod settings;
mod shape;
mod signals;
mod spot;

#[cfg(test)]
mod tests;

use reeve_estate::{Metric, ResourceKind, ResourceState};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::workload::{Unclassified, WorkloadClass};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::RecommendationType;

use crate::cost_optimizer;
use finding::WorkloadCase;
use settings::WorkloadThresholds;

pub use agent::WorkloadClassifier;

/// The metrics a judgement reads: those of `cost_optimizer`, because its findings come first.
pub const METRICS: &[Metric] = cost_optimizer::METRICS;

/// Types of every finding.
const KINDS: [RecommendationType; 5] = [
    availability::KIND,
    nights::KIND,
    spot::KIND,
    burst::KIND,
    burst::ADVICE,
];

/// Judges one machine, database or scaling group.
#[must_use]
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let settings = WorkloadThresholds::from(facts.settings);
    let mut judgement = Judgement::default();
    let classified = classify::classify(facts, &settings);
    judgement.outputs.put(classified.classification.clone());
    if let Err(abstention) = admit(facts, &settings) {
        judgement.abstentions.push(abstention);
        return judgement;
    }

    let classification = &classified.classification;
    let Some(class) = classification.class else {
        judgement
            .abstentions
            .push(unclassified(classification.unclassified.as_ref()));
        return judgement;
    };

    if settings.checks(class) {
        let case = WorkloadCase {
            facts,
            settings: &settings,
            classified: &classified,
            class,
        };
        judgement.take(check(&case));
    }

    let found = judgement
        .proposals
        .iter()
        .map(|proposal| Some(proposal.kind));
    let judged: Vec<_> = found
        .chain(
            judgement
                .abstentions
                .iter()
                .map(|abstention| abstention.kind),
        )
        .collect();

    for kind in KINDS
        .into_iter()
        .filter(|kind| !judged.contains(&Some(*kind)))
    {
        // A finding of the class that the resource had before is no longer one.
        let detail = format!("it is {}, which has no such check", class.as_str());
        judgement
            .abstentions
            .push(Abstention::decided(kind, "other_class", detail));
    }

    judgement
}

/// Returns an abstention if nothing may be recommended for a resource; it is classified all the
/// same.
fn admit(facts: &Facts<'_>, settings: &WorkloadThresholds) -> Result<(), Abstention> {
    let resource = facts.resource;
    let out = |code, detail: String, decisive| {
        Err(Abstention {
            kind: None,
            aspect: None,
            code,
            detail,
            decisive,
        })
    };

    if !settings.opportunities {
        return out(
            "switched_off",
            "the setting optimization_opportunities.enabled is off".to_owned(),
            true,
        );
    }

    if is_opted_out(resource) {
        return Err(Abstention::opted_out());
    }

    match resource.state {
        ResourceState::Running | ResourceState::Available => Ok(()),
        ResourceState::Changing => out(
            "changing",
            "it is on its way between states".to_owned(),
            false,
        ),
        _ => out("not_running", "it does not run".to_owned(), true),
    }
}

fn unclassified(reason: Option<&Unclassified>) -> Abstention {
    let code = match reason.map(|reason| reason.code.as_str()) {
        Some("signals_contradict") => "signals_contradict",
        Some("signals_too_few") => "signals_too_few",
        Some("switched_off") => "switched_off",
        _ => "thin_data",
    };

    let detail = reason
        .map(|reason| reason.detail.clone())
        .unwrap_or_default();
    Abstention {
        kind: None,
        aspect: None,
        code,
        detail,
        decisive: false,
    }
}

fn check(case: &WorkloadCase<'_>) -> Result<Proposal, Abstention> {
    let (kind, check): (_, fn(&WorkloadCase<'_>) -> _) = match case.class {
        WorkloadClass::Production => (availability::KIND, availability::check),
        WorkloadClass::Development => (nights::KIND, nights::check),
        WorkloadClass::Batch => (spot::KIND, spot::check),
        WorkloadClass::Analytics => (burst::KIND, burst::check),
    };

    let machine = case.facts.resource.kind == ResourceKind::VirtualMachine;
    if !machine && case.class != WorkloadClass::Production {
        let detail = format!(
            "only machines are checked for {} workloads",
            case.class.as_str()
        );
        return Err(Abstention::decided(kind, "kind_not_covered", detail));
    }

    left_to_cost_optimizer(case, kind)?;
    check(case)
}

/// Abstains where `cost_optimizer` finds the resource idle, or another size for it: one change at a
/// time, and one agent type a finding.
fn left_to_cost_optimizer(
    case: &WorkloadCase<'_>,
    kind: RecommendationType,
) -> Result<(), Abstention> {
    use RecommendationType::{IdleResourceCleanup, InstanceType, RightSize};

    let judged = cost_optimizer::judge(&Facts {
        settings: &AgentSettings::default(),
        ..*case.facts
    });
    let sizes = matches!(case.class, WorkloadClass::Analytics);
    let found = judged
        .proposals
        .into_iter()
        .find(|proposal| match proposal.kind {
            IdleResourceCleanup => true,
            RightSize | InstanceType => sizes,
            _ => false,
        });

    match found {
        Some(proposal) => {
            let detail = format!(
                "{} of cost_optimizer proposes: {}",
                proposal.rule, proposal.title
            );
            Err(Abstention::decided(kind, "left_to_cost_optimizer", detail))
        }
        None => Ok(()),
    }
}
