//! The one table of which record becomes which class.
//!
//! | record | class |
//! |---|---|
//! | security anomaly | Detection Finding |
//! | firing of an alert rule | Detection Finding |
//! | recommendation of a compliance check | Compliance Finding |
//! | incident | Incident Finding ([`super::incident`]) |
//! | any other security recommendation: exposure, access, encryption, patches | Detection Finding |
//!
//! Other records (costs, performance) are no security findings and have no class.

use reeve_alerts::{AlertRule, AttackId, Firing, FiringStatus};
use reeve_anomalies::{Anomaly, AnomalyClass, AnomalyStatus, FeedbackKind};
use reeve_recommend::agent::AgentType;
use reeve_recommend::log_entry::severity;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationType};

use super::{Affected, CheckedControl, CloudPlace, FindingStatus, OcsfEventClass, OcsfFinding};

/// Returns the finding of an anomaly; `None` for one that is not of security. `is_first` is `true`
/// for its detection.
#[must_use]
pub fn anomaly(anomaly: &Anomaly, is_first: bool) -> Option<OcsfFinding> {
    if anomaly.class != AnomalyClass::Security {
        return None;
    }

    let said = anomaly.current_feedback().map(|said| said.kind);
    let status = match anomaly.status {
        AnomalyStatus::Open => FindingStatus::New,
        AnomalyStatus::Acknowledged => FindingStatus::InProgress,
        AnomalyStatus::Resolved => match said {
            Some(FeedbackKind::False | FeedbackKind::Planned | FeedbackKind::NewNormal) => {
                FindingStatus::Suppressed
            }
            _ => FindingStatus::Resolved,
        },
    };

    let place = &anomaly.place;
    let cloud = place.provider.as_ref().map(|provider| CloudPlace {
        provider: provider.clone(),
        account: place.account.clone().unwrap_or_default(),
        region: place.region.clone().unwrap_or_default(),
    });
    let modified = anomaly.resolved_at.unwrap_or(anomaly.last_at);
    Some(OcsfFinding {
        class: OcsfEventClass::Detection,
        uid: anomaly.id.0.clone(),
        title: anomaly.title.clone(),
        description: anomaly.title.clone(),
        severity: severity(anomaly.severity),
        status,
        activity: status.activity(is_first),
        types: vec!["anomaly".to_owned()],
        created_at: anomaly.detected_at,
        modified_at: modified.max(anomaly.detected_at),
        first_seen_at: anomaly.started_at,
        last_seen_at: anomaly.last_at,
        confidence: None,
        cloud,
        affected: Some(Affected {
            uid: place.id.clone(),
            name: place.name.clone(),
            kind: place.kind.clone(),
        }),
        techniques: Vec::new(),
        evidence: anomaly.evidence.clone(),
        remediation: Some(anomaly.advice.clone()).filter(|advice| !advice.is_empty()),
        control: None,
        incident: Some(anomaly.incident.0.clone()),
    })
}

/// Returns the finding of a recommendation; `None` for one that is not of security.
#[must_use]
pub fn recommendation(recommendation: &Recommendation, is_first: bool) -> Option<OcsfFinding> {
    if recommendation.kind.category() != "security" {
        return None;
    }

    let status = match recommendation.status {
        Status::Dismissed => FindingStatus::Suppressed,
        status if status.is_end() => FindingStatus::Resolved,
        Status::Open => FindingStatus::New,
        _ => FindingStatus::InProgress,
    };
    let origin = &recommendation.origin;
    let is_check = recommendation.kind == RecommendationType::Compliance
        || origin.agent_type == AgentType::COMPLIANCE_INTELLIGENCE;
    let subject = &recommendation.subject;
    let control = is_check.then(|| CheckedControl {
        control: subject
            .aspect
            .clone()
            .unwrap_or_else(|| origin.rule.clone()),
        passes: recommendation.status == Status::Succeeded,
    });

    Some(OcsfFinding {
        class: if is_check {
            OcsfEventClass::Compliance
        } else {
            OcsfEventClass::Detection
        },
        uid: recommendation.id.0.clone(),
        title: recommendation.title.clone(),
        description: recommendation.explanation.action.clone(),
        severity: severity(recommendation.priority),
        status,
        activity: status.activity(is_first),
        types: vec![recommendation.kind.as_str().to_owned(), origin.rule.clone()],
        created_at: recommendation.created_at,
        modified_at: recommendation.updated_at,
        first_seen_at: recommendation.created_at,
        last_seen_at: recommendation.updated_at,
        confidence: Some(recommendation.confidence),
        cloud: Some(CloudPlace {
            provider: subject.provider.as_str().to_owned(),
            account: subject.account.clone(),
            region: subject.region.clone(),
        }),
        affected: Some(Affected {
            uid: subject.id.0.clone(),
            name: subject.name.clone(),
            kind: subject.kind.as_str().to_owned(),
        }),
        techniques: Vec::new(),
        evidence: recommendation
            .explanation
            .factors
            .iter()
            .map(ToString::to_string)
            .collect(),
        remediation: Some(recommendation.explanation.action.clone()),
        control,
        incident: None,
    })
}

/// Returns the finding of a firing. The rule gives its techniques.
#[must_use]
pub fn firing(firing: &Firing, rule: &AlertRule, is_first: bool) -> OcsfFinding {
    let status = match firing.status {
        FiringStatus::Open => FindingStatus::New,
        FiringStatus::Acknowledged => FindingStatus::InProgress,
        FiringStatus::Resolved => FindingStatus::Resolved,
    };
    let group = firing.group_by.iter().zip(firing.group.values());
    let evidence = group
        .map(|(name, value)| format!("{name}: {}", value.unwrap_or_default()))
        .chain([format!("{} entries match", firing.count)]);

    OcsfFinding {
        class: OcsfEventClass::Detection,
        uid: firing.id.0.clone(),
        title: firing.rule_name.clone(),
        description: rule.settings.condition.clone(),
        severity: firing.severity,
        status,
        activity: status.activity(is_first),
        types: vec!["alert".to_owned()],
        created_at: firing.detected_at,
        modified_at: firing.handled_at.unwrap_or(firing.detected_at),
        first_seen_at: firing.first_at,
        last_seen_at: firing.last_at,
        confidence: None,
        cloud: None,
        affected: None,
        techniques: rule
            .settings
            .attack
            .iter()
            .map(AttackId::as_str)
            .filter(|id| id.starts_with('T') && !id.starts_with("TA"))
            .map(str::to_owned)
            .collect(),
        evidence: evidence.collect(),
        remediation: rule.settings.runbook.clone(),
        control: None,
        incident: None,
    }
}
