//! `required_tags`: tags that every machine should have, so that its cost can be allocated. A
//! missing one is proposed with a value that has a source: the value of the volumes attached to the
//! machine, else the value that the setting names.
//!
//! Nothing is guessed: volumes that disagree, or a key that nobody gave a value, are abstentions.
//! One tag is proposed at a time, the first missing one of the setting; the next run proposes the
//! next.

use std::collections::BTreeSet;

use reeve_audit::Obstacle;
use reeve_estate::{Provider, ResourceKind};
use reeve_learn::calibrate::Signs;
use reeve_recommend::change::TagResource;
use reeve_recommend::guardrail::ownership::{is_opted_out, owned_by_code};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::{shortened, title};
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};

use super::settings;
use crate::confidence::{STATE_CAP, stated};

const KIND: RecommendationType = RecommendationType::ResourceTagging;

/// Characters of a tag that a title shows at most.
const MOST_TAG: usize = 32;

/// Value of a missing tag with its source.
struct Sourced {
    value: String,
    source: String,
    /// Resources that carry the value.
    witnesses: u64,
}

/// Proposes the first required tag that a machine lacks; `None` where no tag is required of the
/// resource.
pub(super) fn judge(facts: &Facts<'_>) -> Option<Result<Proposal, Abstention>> {
    let required = facts.settings.names(&settings::REQUIRED_TAGS);
    let machine = facts.resource;
    if required.is_empty()
        || machine.provider != Provider::Aws
        || machine.kind != ResourceKind::VirtualMachine
        || is_opted_out(machine)
    {
        return None;
    }

    let required: Vec<(&str, Option<&str>)> =
        required.iter().map(|name| key_and_value(name)).collect();
    let missing: Vec<_> = required
        .iter()
        .filter(|(key, _)| machine.tag(key).is_none())
        .collect();

    if missing.is_empty() {
        return Some(Err(Abstention::decided(
            KIND,
            "tags_complete",
            "it has every required tag",
        )));
    }

    let mut reasons = Vec::new();
    for (key, configured) in missing {
        match sourced(facts, key, *configured) {
            Ok(found) => return Some(Ok(propose(facts, key, found))),
            Err(obstacle) => reasons.push(String::from(obstacle)),
        }
    }

    Some(Err(Abstention::unjudged(
        KIND,
        "no_tag_value",
        reasons.join("; "),
    )))
}

/// Splits `CostCenter=4711` into key and value; a name without a value has a key alone.
fn key_and_value(name: &str) -> (&str, Option<&str>) {
    match name.split_once('=') {
        Some((key, value)) => (
            key.trim(),
            Some(value.trim()).filter(|value| !value.is_empty()),
        ),
        None => (name.trim(), None),
    }
}

fn sourced(facts: &Facts<'_>, key: &str, configured: Option<&str>) -> Result<Sourced, Obstacle> {
    let carried: Vec<&str> = facts
        .volumes
        .iter()
        .filter_map(|volume| volume.tag(key))
        .collect();
    let values: BTreeSet<&str> = carried.iter().copied().collect();

    match (values.len(), values.first(), configured) {
        (1, Some(value), _) => {
            let source = format!(
                "{} of {} attached volumes have {key}={value}",
                carried.len(),
                facts.volumes.len()
            );
            Ok(Sourced {
                value: (*value).to_owned(),
                source,
                witnesses: carried.len() as u64,
            })
        }
        (0, _, Some(value)) => {
            let source = format!(
                "the setting {} names {key}={value}",
                settings::REQUIRED_TAGS.path
            );
            Ok(Sourced {
                value: value.to_owned(),
                source,
                witnesses: 0,
            })
        }
        (0, _, None) => Err(Obstacle::of(format_args!(
            "{key} is missing: no attached volume has it, and the setting names no value for it"
        ))),
        (count, ..) => Err(Obstacle::of(format_args!(
            "{key} is missing: its volumes have {count} different values"
        ))),
    }
}

fn propose(facts: &Facts<'_>, key: &str, found: Sourced) -> Proposal {
    let machine = facts.resource;
    let Sourced {
        value,
        source,
        witnesses,
    } = found;
    let tag = format!("{key}={value}");
    let mut path = Path::default();
    path.ask(
        format!("Does it lack the required tag {key}?"),
        true,
        "the inventory lists no such tag",
    );
    path.ask("Is the value known?", true, source.clone());

    // Each volume with the value counts as one observation that agrees (rule of succession); a
    // value that a person named needs none.
    let trust = match witnesses {
        0 => stated(STATE_CAP),
        count => stated(100.0 * (count + 1) as f64 / (count + 2) as f64),
    };
    let iac = owned_by_code(machine);
    let hazards = Hazards {
        iac: iac.is_some(),
        ..Hazards::default()
    };
    let change = TagResource {
        state: machine.state,
        key: key.to_owned(),
        from: None,
        to: value,
    };

    let cost = "none; the machine's cost is allocated by the tag".to_owned();
    let performance = "none: the machine keeps serving".to_owned();
    let mut proposal = Proposal::new(
        KIND,
        "required_tags",
        title(
            "Tag ",
            &machine.name,
            &format!(" with {}", shortened(&tag, MOST_TAG)),
        ),
        subject(machine, None),
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: performance.clone(),
            security: "permissions that depend on tags may apply to it".to_owned(),
        },
        Explanation::new(
            format!("Tag {} ({}) with {tag}", machine.name, machine.id),
            risk(machine, hazards),
        )
        .with_factors(Factors::from([
            (
                FactorKind::Measured,
                format!("The required tag {key} is missing"),
            ),
            (
                FactorKind::Measured,
                format!("Source of the value: {source}"),
            ),
            (
                FactorKind::Confidence,
                trust.words_of_state("No past day can try a tag"),
            ),
        ]))
        .with_data_points(witnesses.min(facts.volumes.len() as u64))
        .with_cost_reduction(cost)
        .with_performance_impact(performance)
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(Priority::Low)
    .with_confidence(
        trust.percent,
        Trust::new(trust.raw, Some(STATE_CAP), &Signs::default()),
    )
    .with_impact_level(impact_level(
        &facts.guardrails.approval_matrix,
        machine,
        None,
        None,
        hazards,
    ))
    .with_monthly_cost(machine.monthly_cost)
    .with_plan(Plan::new(&change, machine.id.as_str()))
    .with_reason_codes(vec!["required_tag_missing".to_owned()]);

    if let Some(tool) = iac {
        iac_note(&mut proposal, &tool);
    }

    proposal
}
