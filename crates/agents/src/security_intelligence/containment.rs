//! Measures that contain an attack on keys, users and roles: the proposal and the plan of each.
//!
//! Each is a row of the catalogue of changes, leads back, and has high risk: whoever uses the
//! credentials is refused. A user or role is blocked by an inline policy that denies everything,
//! which no other policy can override; its sessions are revoked by one that refuses credentials
//! issued until now (`aws:TokenIssueTime`).

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_controls::change_by_row;
use reeve_estate::{Document, Resource, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use reeve_recommend::judgement::event::{AnomalyReport, ContainmentRequest, Measure};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};

use super::isolation;
use crate::configuration_fact::ConfigurationFact;

/// Names of the changes, by measure and kind of resource.
const CHANGES: &[(Measure, &str, &str)] = &[
    (
        Measure::DeactivateKey,
        "access_key",
        "deactivate_access_key",
    ),
    (Measure::BlockPrincipal, "iam_user", "block_user"),
    (Measure::BlockPrincipal, "iam_role", "block_role"),
    (Measure::RevokeSessions, "iam_user", "revoke_user_sessions"),
    (Measure::RevokeSessions, "iam_role", "revoke_role_sessions"),
];

/// Returns the names of the changes that contain attacks.
pub(super) fn changes() -> impl Iterator<Item = &'static str> {
    CHANGES.iter().map(|(_, _, change)| *change)
}

/// Returns `true` for a change that is a measure against an attack alone, and mends no check.
pub(crate) fn is_against_attacks(change: &str) -> bool {
    CHANGES
        .iter()
        .any(|(measure, _, name)| *name == change && *measure != Measure::DeactivateKey)
}

/// Kinds whose configurations the measures read.
pub(super) const KINDS: &[&str] = &["access_key", "iam_user", "iam_role"];

/// Attack that a measure is taken against.
pub(super) struct Attack<'a> {
    pub(super) title: &'a str,
    pub(super) severity: Priority,
    pub(super) evidence: &'a [String],
    /// Code that names the anomaly or incident: `anomaly:7`.
    pub(super) code: String,
    /// Anomaly score, 0 to 1; 1 where a playbook of people asks.
    pub(super) score: f64,
    /// Number of readings, or of findings, that show it.
    pub(super) readings: u64,
}

impl<'a> From<&'a AnomalyReport> for Attack<'a> {
    fn from(threat: &'a AnomalyReport) -> Self {
        Self {
            title: &threat.title,
            severity: threat.severity,
            evidence: &threat.evidence,
            code: format!("anomaly:{}", threat.anomaly.0),
            score: threat.score,
            readings: threat.readings,
        }
    }
}

impl<'a> From<&'a ContainmentRequest> for Attack<'a> {
    fn from(request: &'a ContainmentRequest) -> Self {
        Self {
            title: &request.title,
            severity: request.severity,
            evidence: &request.evidence,
            code: format!("incident:{}", request.incident.0),
            score: 1.0,
            readings: request.evidence.len() as u64,
        }
    }
}

/// Measure that a critical threat by credentials leads to: a key is deactivated, a user blocked, and
/// the sessions of a role are revoked, since services go on with new ones.
pub(super) fn measure_for(kind: ResourceKind) -> Option<Measure> {
    match kind.as_str() {
        "access_key" => Some(Measure::DeactivateKey),
        "iam_user" => Some(Measure::BlockPrincipal),
        "iam_role" => Some(Measure::RevokeSessions),
        _ => None,
    }
}

/// Makes the proposal of a measure on an identity or a key.
///
/// # Errors
/// The reason why there is nothing to do, or nothing that Reeve can do.
pub(super) fn proposal(
    resource: &Resource,
    document: Option<&Document>,
    measure: Measure,
    attack: &Attack<'_>,
    now: Timestamp,
) -> Result<Proposal, Abstention> {
    let refused = |code, words: String| {
        Abstention::decided(RecommendationType::IamOptimization, code, words)
            .with_aspect(measure.as_str())
    };
    let kind = resource.kind.as_str();
    let named = CHANGES
        .iter()
        .find(|(of, on, _)| *of == measure && *on == kind);
    let row = named.and_then(|(_, _, change)| ConfigurationRow::named(change));
    let Some(row) = row else {
        let words = format!("{measure} is no measure on a {}", kind.replace('_', " "));
        return Err(refused("no_measure", words.replace('_', " ")));
    };
    if resource.id.as_str().contains(":role/aws-service-role/") {
        let words = "it is a role of an AWS service, which only AWS changes";
        return Err(refused("service_role", words.to_owned()));
    }
    let Some(document) = document else {
        let words = format!("the configuration of {} was not read", resource.name);
        return Err(refused("not_read", words));
    };

    let mut given = BTreeMap::new();
    if measure == Measure::RevokeSessions {
        // Whole seconds, as IAM compares times.
        let until = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        given.insert("until".to_owned(), serde_json::Value::from(until));
    }
    let change = change_by_row(row, resource, document, &given, now)
        .map_err(|why| refused("no_change", why.as_str().to_owned()))?;

    Ok(fact(resource, row, &change, measure, attack).about(resource))
}

fn fact(
    resource: &Resource,
    row: &ConfigurationRow,
    change: &ConfigurationChange,
    measure: Measure,
    attack: &Attack<'_>,
) -> ConfigurationFact {
    let (before, after, security) = match measure {
        Measure::DeactivateKey => (
            "Deactivate ",
            ", which an attacker may use",
            "the key opens nothing any more",
        ),
        Measure::RevokeSessions => (
            "Revoke the sessions of ",
            ", whose credentials an attacker may use",
            "temporary credentials that were carried away are refused",
        ),
        _ => (
            "Block ",
            ", whose credentials an attacker may use",
            "whoever has its credentials is refused every call",
        ),
    };
    let loses = row.loses.unwrap_or("Whoever uses it is refused");

    let mut path = Path::default();
    path.ask(
        "Do findings point to an intruder who uses it?",
        true,
        attack.title,
    );
    path.ask(
        "Does rolling back restore its access?",
        true,
        "the policy or the state of before comes back",
    );
    let mut factors = Factors::from([
        (FactorKind::Measured, attack.title.to_owned()),
        (FactorKind::Consequence, loses.to_owned()),
    ]);
    factors.extend(
        attack
            .evidence
            .iter()
            .take(isolation::MOST_EVIDENCE)
            .map(|text| (FactorKind::Measured, text.clone())),
    );

    ConfigurationFact {
        kind: RecommendationType::IamOptimization,
        rule: isolation::RULE,
        title: title(before, &resource.name, after),
        aspect: measure.as_str().to_owned(),
        priority: attack.severity,
        risk: Impact::High,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "None".to_owned(),
            performance_degradation_percent: None,
            performance: loses.to_owned(),
            security: security.to_owned(),
        },
        effort: Effort::Low,
        plan: Some(Plan::new(change, resource.id.as_str())),
        reason_code: attack.code.clone(),
        action: format!("{}.", title(before, &resource.name, after)),
        factors,
        data_points: u64::try_from(attack.evidence.len()).unwrap_or(u64::MAX),
        path,
    }
}
