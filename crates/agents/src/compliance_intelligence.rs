//! The judgement of `compliance_intelligence`: checks of controls over the configurations of
//! resources.
//!
//! Requirements. Every check of the catalogue (`reeve_controls`) that proves a control
//! of one of the agent's frameworks is asked of each resource of its kind. Each answer is evidence;
//! a failure is a finding about the aspect that is the check. What could not be read is neither: it
//! is evidence that says `unknown`, and it keeps an earlier finding as it is.
//! docs/agents/compliance_intelligence.md.

mod agent;
mod finding;
mod replacement;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use reeve_controls::{
    ControlCatalogue, ControlCheck, ControlSubject, PreparedControl, Related, is_recommended,
};
use reeve_estate::ResourceKind;
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult};
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Judgement};

pub use agent::ComplianceIntelligence;

/// Judges one resource by the checks that prove controls of these frameworks.
fn judge(
    facts: &Facts<'_>,
    catalogue: &ControlCatalogue,
    frameworks: &BTreeSet<String>,
) -> Judgement {
    let mut judgement = Judgement::default();
    let resource = facts.resource;
    let Some(document) = facts.document else {
        judgement.abstentions.push(Abstention {
            kind: None,
            aspect: None,
            code: "configuration_not_read",
            detail: "its configuration was not read".to_owned(),
            decisive: false,
        });
        return judgement;
    };

    let subject = ControlSubject {
        id: resource.id.as_str(),
        provider: resource.provider,
        kind: resource.kind,
        account: &resource.account,
        region: &resource.region,
        document: document.json(),
        targets: related(facts, true),
        sources: related(facts, false),
        complete: complete_kinds(facts, catalogue),
    };

    let hash = document.hash();
    let wanted = |check: &ControlCheck| catalogue.is_asked(check, frameworks);
    let mut prepared = PreparedControl::new(&subject, facts.now);
    for (check, verdict) in catalogue.judge(&prepared, wanted) {
        let kind = finding::kind(check);
        let values = verdict.values_by_path();
        match verdict.answer {
            CheckAnswer::Fail if is_recommended(facts.settings, check.severity) => {
                judgement.proposals.push({
                    let is_own = catalogue.is_own_check(&check.id);
                    finding::propose(facts, (check, is_own), &verdict, &mut prepared)
                })
            }
            CheckAnswer::Fail => judgement.abstentions.push(
                Abstention::decided(kind, "severity_not_recommended", verdict.why.clone())
                    .with_aspect(&check.id),
            ),
            CheckAnswer::Pass | CheckAnswer::NotApplicable => judgement.abstentions.push(
                Abstention::decided(kind, "check_passed", verdict.why.clone())
                    .with_aspect(&check.id),
            ),
            CheckAnswer::Unknown => judgement.abstentions.push(
                Abstention::unjudged(kind, "check_unknown", verdict.why.clone())
                    .with_aspect(&check.id),
            ),
        }
        judgement.evidence.push(CheckResult {
            check: check.id.clone(),
            answer: verdict.answer,
            why: verdict.why,
            values,
            document: Some(hash.clone()),
        });
    }

    judgement
}

/// Kinds that checks of the resource must know completely, and that are.
fn complete_kinds(facts: &Facts<'_>, catalogue: &ControlCatalogue) -> Vec<ResourceKind> {
    let resource = facts.resource;
    let checks = catalogue.checks_of(resource.provider, resource.kind);
    checks
        .iter()
        .flat_map(|check| check.complete.iter().copied())
        .filter(|kind| facts.relations.is_complete(resource, *kind))
        .collect()
}

/// The resources around the judged one, in one direction of their relations.
fn related<'a>(facts: &Facts<'a>, targets: bool) -> Vec<Related<'a>> {
    let neighbours = facts.relations.neighbours(facts.resource, targets);
    neighbours
        .map(|neighbour| Related {
            relation: neighbour.relation,
            id: neighbour.id.as_str(),
            kind: neighbour.resource.map(|resource| resource.kind),
            document: neighbour.document.map(|document| document.json()),
        })
        .collect()
}
