//! Table of the fields of each format that are read for each field of an alert. The first path that has a value
//! counts; for techniques and addresses the first that has a valid one.

use reeve_audit::Severity;
use serde_json::Value;

use super::{AlertField, AlertFormat};

/// Returns the paths of a field, most reliable first.
pub(super) fn paths(format: AlertFormat, field: AlertField) -> &'static [&'static str] {
    match format {
        AlertFormat::Ocsf => ocsf(field),
        AlertFormat::Cef => cef(field),
        AlertFormat::Elastic => elastic(field),
        AlertFormat::Splunk => splunk(field),
        AlertFormat::Json => &[],
    }
}

fn ocsf(field: AlertField) -> &'static [&'static str] {
    match field {
        AlertField::Id => &["finding_info.uid", "finding.uid", "metadata.uid"],
        AlertField::Title => &["finding_info.title", "finding.title", "message"],
        AlertField::Description => &["finding_info.desc", "finding.desc", "desc", "message"],
        AlertField::Severity => &["severity_id", "severity"],
        AlertField::Time => &["time", "finding_info.created_time"],
        AlertField::Status => &["status_id", "activity_id", "status"],
        AlertField::Rule => &["finding_info.analytic.uid", "finding_info.analytic.name"],
        AlertField::Technique => &[
            "finding_info.attacks.sub_technique.uid",
            "finding_info.attacks.technique.uid",
            "attacks.technique.uid",
        ],
        AlertField::Principal => &[
            "actor.user.uid",
            "actor.user.name",
            "evidences.actor.user.uid",
            "evidences.actor.user.name",
            "user.name",
        ],
        AlertField::Address => &["src_endpoint.ip", "evidences.src_endpoint.ip", "device.ip"],
        AlertField::Account => &["cloud.account.uid"],
        AlertField::Resource => &["resources.uid", "resources.name", "device.uid"],
        AlertField::Url => &["finding_info.src_url", "src_url"],
    }
}

fn cef(field: AlertField) -> &'static [&'static str] {
    match field {
        AlertField::Id => &["externalId", "eventId"],
        AlertField::Title => &["cef.name"],
        AlertField::Description => &["msg", "reason"],
        AlertField::Severity => &["cef.severity"],
        AlertField::Time => &["rt", "end", "start"],
        AlertField::Status => &["status", "outcome"],
        AlertField::Rule => &["cef.class"],
        AlertField::Technique => &["technique", "mitreTechnique", "MitreAttackTechnique"],
        AlertField::Principal => &["suser", "suid", "duser"],
        AlertField::Address => &["src", "c6a2", "dst"],
        AlertField::Account => &["accountId", "account"],
        AlertField::Resource => &["resourceId", "deviceExternalId", "dhost", "shost"],
        AlertField::Url => &["url", "request"],
    }
}

fn elastic(field: AlertField) -> &'static [&'static str] {
    match field {
        AlertField::Id => &["kibana.alert.uuid", "_id"],
        AlertField::Title => &["kibana.alert.rule.name", "rule.name"],
        AlertField::Description => &["kibana.alert.reason", "message"],
        AlertField::Severity => &["kibana.alert.severity", "kibana.alert.risk_score"],
        AlertField::Time => &["kibana.alert.start", "@timestamp"],
        AlertField::Status => &["kibana.alert.workflow_status", "kibana.alert.status"],
        AlertField::Rule => &["kibana.alert.rule.uuid", "kibana.alert.rule.rule_id"],
        AlertField::Technique => &[
            "kibana.alert.rule.threat.technique.subtechnique.id",
            "kibana.alert.rule.threat.technique.id",
            "threat.technique.id",
        ],
        AlertField::Principal => &["user.email", "user.name", "user.id"],
        AlertField::Address => &["source.ip", "client.ip", "host.ip"],
        AlertField::Account => &["cloud.account.id"],
        AlertField::Resource => &["cloud.instance.id", "host.id", "host.name"],
        AlertField::Url => &["kibana.alert.url"],
    }
}

fn splunk(field: AlertField) -> &'static [&'static str] {
    match field {
        AlertField::Id => &["event_id", "notable_id"],
        AlertField::Title => &["rule_title", "rule_name", "search_name", "source"],
        AlertField::Description => &["rule_description", "description", "_raw"],
        AlertField::Severity => &["urgency", "severity"],
        AlertField::Time => &["_time", "orig_time"],
        AlertField::Status => &["status", "status_label"],
        AlertField::Rule => &["rule_id", "savedsearch_name", "search_name"],
        AlertField::Technique => &[
            "annotations.mitre_attack",
            "annotations.mitre_attack.mitre_technique_id",
            "mitre_technique_id",
        ],
        AlertField::Principal => &["user", "src_user", "risk_object"],
        AlertField::Address => &["src", "src_ip", "dest_ip"],
        AlertField::Account => &["aws_account_id", "account_id", "vendor_account"],
        AlertField::Resource => &["resource_id", "dest", "dvc", "host"],
        AlertField::Url => &["drilldown_url", "results_link"],
    }
}

/// Returns `true` if a value of the status field says that the alert is over.
pub(super) fn is_closed(format: AlertFormat, path: &str, value: &str) -> bool {
    let value = value.to_lowercase();
    match (format, path) {
        // Suppressed, resolved, archived, deleted.
        (AlertFormat::Ocsf, "status_id") => ["3", "4", "5", "6"].contains(&value.as_str()),
        (AlertFormat::Ocsf, "activity_id") => value == "3",
        // Resolved and closed.
        (AlertFormat::Splunk, "status") if ["4", "5"].contains(&value.as_str()) => true,
        _ => {
            ["closed", "resolved", "recovered", "suppressed", "archived"].contains(&value.as_str())
        }
    }
}

/// Returns the severity of a value; `None` for one that the format does not have.
pub(super) fn severity(format: AlertFormat, path: &str, value: &Value) -> Option<Severity> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };

    match (number, format, path) {
        (Some(number), AlertFormat::Ocsf, _) => of_scale(number, &OCSF),
        (Some(number), AlertFormat::Elastic, _) => of_scale(number, &PERCENT),
        (Some(number), _, _) => of_scale(number, &TEN),
        (None, _, _) => of_word(value.as_str()?),
    }
}

/// Highest values of `info`, `low`, `medium`, `high`, `critical`. OCSF has 6 for `Fatal`; 0 is
/// unknown, and no severity.
const OCSF: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 6.0];
/// Risk scores of Elastic: 21, 47, 73 and 99 are those of its four severities.
const PERCENT: [f64; 5] = [0.0, 21.0, 47.0, 73.0, 100.0];
/// Scale of CEF: 0 to 3, 4 to 6, 7 and 8, 9 and 10.
const TEN: [f64; 5] = [-1.0, 3.0, 6.0, 8.0, 10.0];

fn of_scale(number: f64, highest: &[f64; 5]) -> Option<Severity> {
    let least = if highest == &OCSF { 1.0 } else { 0.0 };
    let of = |index: usize| Severity::ALL.get(index).copied();
    (number >= least)
        .then(|| highest.iter().position(|most| number <= *most))
        .flatten()
        .and_then(of)
}

fn of_word(word: &str) -> Option<Severity> {
    match word.trim().to_lowercase().as_str() {
        "critical" | "fatal" | "very-high" | "very high" => Some(Severity::Critical),
        "high" | "error" => Some(Severity::High),
        "medium" | "moderate" | "warning" => Some(Severity::Medium),
        "low" => Some(Severity::Low),
        "info" | "informational" | "information" => Some(Severity::Info),
        _ => None,
    }
}
