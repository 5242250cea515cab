//! Failures of checks as proposals.

use reeve_controls::{ControlCheck, ControlVerdict, PreparedControl, Topic, given_values};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::{TITLE_CHARACTERS, shortened};
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};

use super::replacement::EncryptedReplacement;
use crate::configuration_fact::ConfigurationFact;

/// Rule of every finding: a control's check failed.
const RULE: &str = "failed_check";
/// Longest name in a title, characters.
const LONGEST_NAME: usize = 32;

/// Returns the type of the findings of a check, by its topics.
pub(super) fn kind(check: &ControlCheck) -> RecommendationType {
    let is_about = |topics: &[Topic]| check.topics.iter().any(|topic| topics.contains(topic));
    if is_about(&[Topic::EncryptionAtRest, Topic::EncryptionInTransit]) {
        RecommendationType::Encryption
    } else if is_about(&[
        Topic::LeastPrivilege,
        Topic::Authentication,
        Topic::MultiFactor,
        Topic::CredentialRotation,
        Topic::UnusedAccess,
    ]) {
        RecommendationType::IamOptimization
    } else if is_about(&[Topic::Patching]) {
        RecommendationType::PatchManagement
    } else if check.kind.as_str() == "security_group" {
        RecommendationType::SecurityGroup
    } else {
        RecommendationType::Compliance
    }
}

/// Makes the proposal of a failed check.
pub(super) fn propose(
    facts: &Facts<'_>,
    (check, is_own): (&ControlCheck, bool),
    verdict: &ControlVerdict,
    prepared: &mut PreparedControl<'_>,
) -> Proposal {
    let resource = facts.resource;
    let change = facts.document.and_then(|document| {
        let given = given_values(facts.settings);
        check.change(prepared, resource, document, &given).ok()
    });
    // The cloud encrypts no volume and no database in place: an encrypted one takes its place.
    let replacement = match change {
        None if check.remediation.replaces => EncryptedReplacement::of(facts),
        _ => None,
    };
    let replaced = replacement
        .as_ref()
        .and_then(|replacement| replacement.assessment(check));
    let impact = match (&change, &replaced) {
        (Some(change), _) => change.row().risk,
        (None, Some(_)) => Impact::High,
        (None, None) => impact(check.severity),
    };
    let mut path = Path::default();
    path.ask(format!("{}?", check.title), false, verdict.why.clone());

    let mut factors = Factors::from([
        (FactorKind::Measured, verdict.why.clone()),
        (FactorKind::Consequence, check.why.clone()),
    ]);
    if is_own {
        let origin = format!(
            "The check {} comes from your folder of own checks.",
            check.id
        );
        factors.add(FactorKind::Confidence, origin);
    }

    if let Some(replacement) = &replacement {
        replacement.explain(resource, &mut factors);
    }

    let effort = if change.is_some() {
        Effort::Low
    } else {
        Effort::Medium
    };
    let row = change.as_ref().map(ConfigurationChange::row);
    let assessment = replaced.unwrap_or_else(|| assessment(check, row));
    let target = resource.id.as_str();
    let plan = change.map(|change| Plan::new(&change, target));
    let plan = plan.or_else(|| replacement?.plan(target));
    let fact = ConfigurationFact {
        kind: kind(check),
        rule: RULE,
        title: failure(&resource.name, &check.title),
        aspect: check.id.clone(),
        priority: check.severity,
        risk: impact,
        impact: assessment,
        effort,
        plan,
        reason_code: check.id.clone(),
        action: check.remediation.text.clone(),
        factors,
        data_points: 1,
        path,
    };
    fact.about(resource)
}

/// Effects of mending a failure, by the change that does it where there is one.
fn assessment(check: &ControlCheck, row: Option<&ConfigurationRow>) -> ImpactAssessment {
    let unknown = ImpactAssessment {
        cost_percent: None,
        cost: "Not measured: the price of the setting is not known".to_owned(),
        performance_degradation_percent: None,
        performance: "Not measured".to_owned(),
        security: check.why.clone(),
    };
    let Some(row) = row else {
        return unknown;
    };

    let (cost_percent, cost) = match row.billed {
        Some(billed) => (None, billed.to_owned()),
        None => (Some(0.0), "None: the setting is not charged".to_owned()),
    };
    let (performance_degradation_percent, performance) = match (row.loses, row.restarts) {
        (None, false) => (
            Some(0.0),
            "None: the resource serves on as before".to_owned(),
        ),
        (Some(loses), _) => (None, loses.to_owned()),
        (None, true) => (None, "The resource restarts".to_owned()),
    };
    ImpactAssessment {
        cost_percent,
        cost,
        performance_degradation_percent,
        performance,
        ..unknown
    }
}

/// Title of a failure; a long sentence loses its end, which the finding's page has.
fn failure(resource: &str, check: &str) -> String {
    let name = shortened(resource, LONGEST_NAME);
    let text = format!("{name} fails the check “{check}”");
    if text.chars().count() <= TITLE_CHARACTERS {
        return text;
    }
    let kept: String = text.chars().take(TITLE_CHARACTERS - 2).collect();
    format!("{}…”", kept.trim_end())
}

const fn impact(severity: Priority) -> Impact {
    match severity {
        Priority::Critical | Priority::High => Impact::High,
        Priority::Medium => Impact::Medium,
        Priority::Low => Impact::Low,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_controls::ControlCatalogue;

    use super::*;

    #[test]
    fn findings_have_the_type_of_their_topic() {
        for (check, expected) in [
            (
                "aws.ec2.no_ssh_from_everywhere",
                RecommendationType::SecurityGroup,
            ),
            ("aws.sqs.queue_encrypted", RecommendationType::Encryption),
            (
                "aws.iam.access_key_rotated",
                RecommendationType::IamOptimization,
            ),
            (
                "aws.rds.database_takes_minor_upgrades",
                RecommendationType::PatchManagement,
            ),
            (
                "aws.s3.blocks_public_access",
                RecommendationType::Compliance,
            ),
        ] {
            let check = ControlCatalogue::builtin().check(check).unwrap();

            assert_eq!(kind(check), expected, "{}", check.id);
        }
    }
}
