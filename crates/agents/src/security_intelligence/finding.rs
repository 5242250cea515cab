//! Choke points as proposals.

use std::collections::BTreeMap;

use reeve_controls::change_by_row;
use reeve_estate::{Document, Resource};
use reeve_exposure::ChokePoint;
use reeve_iam::AccessReach;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use reeve_recommend::judgement::estate::EstateFacts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use reeve_recommend::words::first_of;

use super::unused_finding::KEY_CHANGE;
use crate::configuration_fact::ConfigurationFact;

/// Rule of every finding: a setting that opens a path.
const RULE: &str = "exposed_resources";
/// Most resources that a sentence names.
const MOST_NAMED: usize = 5;

/// Returns the type of findings about a kind of resource; `None` for kinds without a setting that
/// opens a path.
pub(super) fn kind(resource: &str) -> Option<RecommendationType> {
    match resource {
        "security_group" => Some(RecommendationType::SecurityGroup),
        "iam_role" => Some(RecommendationType::IamOptimization),
        "backup_vault" | "bucket" | "container_registry" | "database" | "database_snapshot"
        | "encryption_key" | "function" | "image" | "kubernetes_cluster" | "queue"
        | "search_domain" | "secret" | "snapshot" | "stream" | "topic" | "warehouse" => {
            Some(RecommendationType::Compliance)
        }
        _ => None,
    }
}

/// Names of the changes that close a setting of a kind, the narrowest first.
const CHANGES: &[(&str, &str)] = &[
    ("security_group", "revoke_open_rule"),
    ("bucket", "block_public_access"),
    ("image", "make_image_private"),
    ("database", "make_database_private"),
    ("database_snapshot", "make_database_snapshot_private"),
    ("queue", "remove_public_queue_statements"),
    ("queue", "make_queue_private"),
    ("topic", "make_topic_private"),
    ("secret", "remove_public_secret_statements"),
    ("secret", "make_secret_private"),
    ("function", "make_function_private"),
    ("container_registry", "remove_public_repository_statements"),
    ("container_registry", "make_repository_private"),
    ("kubernetes_cluster", "make_cluster_endpoint_private"),
];

/// Returns the names of the changes that close settings and deactivate keys.
pub(crate) fn changes() -> impl Iterator<Item = &'static str> {
    CHANGES.iter().map(|(_, name)| *name).chain([KEY_CHANGE])
}

fn change(
    facts: &EstateFacts<'_>,
    resource: &Resource,
    document: &Document,
    point: &ChokePoint,
) -> Option<ConfigurationChange> {
    let rules = point.permission.clone().map(|permission| vec![permission]);
    let is_group = resource.kind.as_str() == "security_group";
    if is_group && rules.is_none() {
        return None;
    }

    let given: BTreeMap<_, _> = rules
        .map(|rules| ("rules".to_owned(), serde_json::Value::from(rules)))
        .into_iter()
        .collect();
    CHANGES
        .iter()
        .filter(|(kind, _)| *kind == resource.kind.as_str())
        .filter_map(|(_, name)| ConfigurationRow::named(name))
        .find_map(|row| change_by_row(row, resource, document, &given, facts.now).ok())
}

/// Makes the proposal of a choke point.
pub(super) fn propose(
    facts: &EstateFacts<'_>,
    resource: &Resource,
    document: Option<&Document>,
    kind: RecommendationType,
    point: &ChokePoint,
) -> Proposal {
    let change = document.and_then(|document| change(facts, resource, document, point));
    let impact = change
        .as_ref()
        .map_or(Impact::High, |change| change.row().risk);
    let closes = format!(
        "Closing it alone cuts every path from outside to {}: {}",
        counted(point.closes.len()),
        first_of(&point.closes, MOST_NAMED, ", ")
    );

    let mut path = Path::default();
    for step in &point.path {
        path.ask(
            format!(
                "Does {} {} let outsiders pass?",
                step.edge.replace('_', " "),
                step.resource
            ),
            true,
            step.says.clone(),
        );
    }
    let steps: Vec<&str> = point.path.iter().map(|step| step.says.as_str()).collect();
    let factors = Factors::from([
        (FactorKind::Measured, format!("Path: {}", steps.join("; "))),
        (FactorKind::Consequence, closes.clone()),
    ]);

    let fact = ConfigurationFact {
        kind,
        rule: RULE,
        title: title(
            "Close ",
            &resource.name,
            &format!(": it exposes {}", counted(point.closes.len())),
        ),
        aspect: point.rule.clone(),
        priority: match point.matters {
            0 => Priority::High,
            _ => Priority::Critical,
        },
        risk: impact,
        impact: assessment(&closes, change.as_ref().map(ConfigurationChange::row)),
        effort: match change {
            Some(_) => Effort::Low,
            None => Effort::Medium,
        },
        plan: change.map(|change| Plan::new(&change, resource.id.as_str())),
        reason_code: format!("exposed_by_{}", point.edge),
        action: format!(
            "Close this setting, or name the outsiders that need it: {}.",
            point.rule
        ),
        factors,
        data_points: u64::try_from(point.closes.len()).unwrap_or(u64::MAX),
        path,
    };
    fact.about(resource)
}

/// Rule of the findings about principals.
const ESCALATION: &str = "privilege_escalation";

/// Makes the finding about a principal that can become an administrator.
pub(super) fn escalation(resource: &Resource, way: &AccessReach) -> Proposal {
    let mut path = Path::default();
    for step in &way.path {
        let actions: Vec<&str> = step
            .allowed_by
            .iter()
            .map(|used| used.action.as_str())
            .collect();
        path.ask(
            format!("{}?", step.title),
            true,
            format!("{} allow it, on {}", actions.join(" and "), step.target),
        );
    }

    let steps: Vec<&str> = way.path.iter().map(|step| step.title.as_str()).collect();
    let consequence = format!(
        "Whoever has its credentials is an administrator of the account after {}",
        match steps.len() {
            1 => "one step".to_owned(),
            number => format!("{number} steps"),
        }
    );
    let statements: Vec<String> = way
        .path
        .first()
        .into_iter()
        .flat_map(|step| &step.allowed_by)
        .flat_map(|used| used.statements.iter().cloned())
        .collect();

    let fact = ConfigurationFact {
        kind: RecommendationType::IamOptimization,
        rule: ESCALATION,
        title: title("", &resource.name, " can become an administrator"),
        aspect: ESCALATION.to_owned(),
        priority: Priority::Critical,
        risk: Impact::High,
        impact: assessment(&consequence, None),
        effort: Effort::Medium,
        plan: None,
        reason_code: ESCALATION.to_owned(),
        action: format!(
            "Narrow the statements that allow the first step to what it needs: {}.",
            statements.join(", ")
        ),
        factors: Factors::from([
            (FactorKind::Measured, format!("Path: {}", steps.join("; "))),
            (FactorKind::Consequence, consequence),
        ]),
        data_points: u64::try_from(way.path.len()).unwrap_or(u64::MAX),
        path,
    };
    fact.about(resource)
}

/// Returns the answer about a principal that becomes no administrator with certainty. What is not
/// known ends no earlier finding.
pub(super) fn no_escalation(is_known: bool) -> Abstention {
    let kind = RecommendationType::IamOptimization;
    let abstention = if is_known {
        Abstention::decided(
            kind,
            "no_escalation",
            "no certain way makes it an administrator",
        )
    } else {
        Abstention::unjudged(
            kind,
            "escalation_unknown",
            "policies or conditions that decide are not known",
        )
    };
    abstention.with_aspect(ESCALATION)
}

fn assessment(closes: &str, row: Option<&ConfigurationRow>) -> ImpactAssessment {
    let loses = row
        .and_then(|row| row.loses)
        .unwrap_or("Outsiders that use the path lose it");
    ImpactAssessment {
        cost_percent: Some(0.0),
        cost: "None: the setting is not charged".to_owned(),
        performance_degradation_percent: None,
        performance: loses.to_owned(),
        security: closes.to_owned(),
    }
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 resource".to_owned(),
        count => format!("{count} resources"),
    }
}
