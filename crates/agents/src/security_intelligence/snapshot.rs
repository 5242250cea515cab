//! Snapshot of a volume of a machine under attack: evidence that stays when the attacker, or the
//! repair, changes the disk.

use reeve_estate::{Provider, Resource, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::SnapshotVolume;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, RecommendationType,
};

use super::containment::Attack;
use crate::configuration_fact::ConfigurationFact;

/// Rule of the findings.
pub(super) const RULE: &str = "preserve_evidence";

/// Makes the proposal for one volume of the machine.
///
/// # Errors
/// The reason why Reeve cannot snapshot it.
pub(super) fn proposal(volume: &Resource, attack: &Attack<'_>) -> Result<Proposal, Abstention> {
    let refused = |words: String| {
        Abstention::decided(RecommendationType::Compliance, "no_volume", words).with_aspect(RULE)
    };
    if volume.kind != ResourceKind::Volume {
        return Err(refused(format!("{} is no volume", volume.id)));
    }
    if volume.provider != Provider::Aws {
        return Err(refused("Reeve snapshots volumes on AWS alone".to_owned()));
    }

    let mut path = Path::default();
    path.ask(
        "Is it a disk of a machine that an intruder uses?",
        true,
        attack.title,
    );
    let change = SnapshotVolume {
        state: volume.state,
    };
    let fact = ConfigurationFact {
        kind: RecommendationType::Compliance,
        rule: RULE,
        title: title("Snapshot ", &volume.name, " as evidence"),
        aspect: RULE.to_owned(),
        priority: attack.severity,
        risk: Impact::Low,
        impact: ImpactAssessment {
            cost_percent: None,
            cost: "The snapshot is charged by its size until it is deleted".to_owned(),
            performance_degradation_percent: Some(0.0),
            performance: "None: the volume stays in use".to_owned(),
            security: "What is on the disk now can be investigated later".to_owned(),
        },
        effort: Effort::Low,
        plan: Some(Plan::new(&change, volume.id.as_str())),
        reason_code: attack.code.clone(),
        action: format!("{}.", title("Snapshot ", &volume.name, " as evidence")),
        factors: Factors::from([
            (FactorKind::Measured, attack.title.to_owned()),
            (
                FactorKind::Consequence,
                "The snapshot stays when the rest is rolled back: it is evidence".to_owned(),
            ),
        ]),
        data_points: u64::try_from(attack.evidence.len()).unwrap_or(u64::MAX),
        path,
    };
    Ok(fact.about(volume))
}
