//! Findings of Reeve as classes of the Open Cybersecurity Schema Framework, version 1.5.0.
//!
//! [`OcsfFinding`] holds what the classes have in common and writes it; `records` says which record
//! becomes which class. A finding keeps its `finding_info.uid` from its creation over every update
//! to its closing.

mod incident;
mod records;

use jiff::Timestamp;
use reeve_audit::Severity;
use serde_json::{Map, Value, json};

pub use incident::incident;
pub use records::{anomaly, firing, recommendation};

/// Version of the schema that findings are written in.
pub const VERSION: &str = "1.5.0";
/// Category of all classes of findings.
const CATEGORY: u64 = 2;

/// Class of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OcsfEventClass {
    /// Result of a check of a configuration.
    Compliance,
    /// Detection: an anomaly, a firing of an alert rule, an exposure.
    Detection,
    /// Incident: detections that are parts of one attack.
    Incident,
}

impl OcsfEventClass {
    const fn uid(self) -> u64 {
        match self {
            OcsfEventClass::Compliance => 2003,
            OcsfEventClass::Detection => 2004,
            OcsfEventClass::Incident => 2005,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            OcsfEventClass::Compliance => "Compliance Finding",
            OcsfEventClass::Detection => "Detection Finding",
            OcsfEventClass::Incident => "Incident Finding",
        }
    }
}

/// Step in the life of a finding that a message reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Create,
    Update,
    Close,
}

impl Activity {
    const fn id(self) -> u64 {
        match self {
            Activity::Create => 1,
            Activity::Update => 2,
            Activity::Close => 3,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Activity::Create => "Create",
            Activity::Update => "Update",
            Activity::Close => "Close",
        }
    }
}

/// Status of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingStatus {
    New,
    InProgress,
    /// Reviewed, and found harmless or wrong.
    Suppressed,
    Resolved,
}

impl FindingStatus {
    const fn id(self) -> u64 {
        match self {
            FindingStatus::New => 1,
            FindingStatus::InProgress => 2,
            FindingStatus::Suppressed => 3,
            FindingStatus::Resolved => 4,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            FindingStatus::New => "New",
            FindingStatus::InProgress => "In Progress",
            FindingStatus::Suppressed => "Suppressed",
            FindingStatus::Resolved => "Resolved",
        }
    }

    /// Returns the step that a message with this status reports.
    fn activity(self, is_first: bool) -> Activity {
        match self {
            FindingStatus::Suppressed | FindingStatus::Resolved => Activity::Close,
            _ if is_first => Activity::Create,
            _ => Activity::Update,
        }
    }
}

/// Resource of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affected {
    pub uid: String,
    pub name: String,
    pub kind: String,
}

/// Cloud account of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudPlace {
    /// `aws`, `azure`, `gcp`.
    pub provider: String,
    pub account: String,
    /// Empty where it has none.
    pub region: String,
}

/// Check of a compliance finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedControl {
    /// Identifier of the check.
    pub control: String,
    /// `true` once the resource passes.
    pub passes: bool,
}

/// A finding before it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct OcsfFinding {
    pub class: OcsfEventClass,
    /// Identifier of the record in Reeve.
    pub uid: String,
    pub title: String,
    pub description: String,
    pub severity: Severity,
    pub status: FindingStatus,
    pub activity: Activity,
    /// Kinds of the finding, most general first.
    pub types: Vec<String>,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    pub first_seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// Percent, 0 to 100; `None` for a finding without one.
    pub confidence: Option<f64>,
    pub cloud: Option<CloudPlace>,
    pub affected: Option<Affected>,
    pub techniques: Vec<String>,
    /// Sentences that say why.
    pub evidence: Vec<String>,
    /// Advice to people; `None` without one.
    pub remediation: Option<String>,
    pub control: Option<CheckedControl>,
    /// Incident that the finding is a part of.
    pub incident: Option<String>,
}

/// Members of an event. Those that are unknown are left out.
struct Members(Map<String, Value>);

impl Members {
    /// Returns the members that every class begins with.
    fn of(class: OcsfEventClass, activity: Activity, severity: Severity) -> Members {
        let (severity_id, severity) = severity_of(severity);
        let mut members = Members(Map::new());
        members.extend(json!({
            "class_uid": class.uid(),
            "class_name": class.name(),
            "category_uid": CATEGORY,
            "category_name": "Findings",
            "activity_id": activity.id(),
            "activity_name": activity.name(),
            "type_uid": class.uid() * 100 + activity.id(),
            "type_name": format!("{}: {}", class.name(), activity.name()),
            "severity_id": severity_id,
            "severity": severity,
        }));
        members
    }

    /// Adds the members of an object.
    fn extend(&mut self, object: Value) {
        if let Value::Object(further) = object {
            self.0.extend(further);
        }
    }

    fn add(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }
}

fn product() -> Value {
    json!({
        "name": "Reeve",
        "vendor_name": "Reeve",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn milliseconds(at: Timestamp) -> Value {
    Value::from(at.as_millisecond())
}

fn severity_of(severity: Severity) -> (u64, &'static str) {
    match severity {
        Severity::Info => (1, "Informational"),
        Severity::Low => (2, "Low"),
        Severity::Medium => (3, "Medium"),
        Severity::High => (4, "High"),
        Severity::Critical => (5, "Critical"),
    }
}

impl OcsfFinding {
    /// Returns the finding with a status that it has from now on. A check that was resolved passes.
    #[must_use]
    pub fn with_status(mut self, status: FindingStatus) -> OcsfFinding {
        self.status = status;
        self.activity = status.activity(false);
        if let Some(control) = &mut self.control {
            control.passes = status == FindingStatus::Resolved;
        }
        self
    }

    /// Writes the finding. `page` is its address in Reeve.
    #[must_use]
    pub fn write(&self, page: Option<&str>) -> Value {
        let mut members = Members::of(self.class, self.activity, self.severity);
        members.extend(json!({
            "status_id": self.status.id(),
            "status": self.status.name(),
            "time": milliseconds(self.created_at),
            "start_time": milliseconds(self.first_seen_at),
            "end_time": milliseconds(self.last_seen_at),
            "message": self.title,
            "metadata": self.metadata(),
            "finding_info": self.info(page),
        }));

        members.add("cloud", self.cloud.as_ref().map(cloud));
        members.add("resources", self.resources());
        members.add("confidence_score", self.confidence.map(rounded));
        members.add(
            "remediation",
            self.remediation
                .as_ref()
                .map(|desc| json!({ "desc": desc })),
        );
        members.add("compliance", self.control.as_ref().map(compliance));
        members.add("evidences", self.evidences());
        members.add(
            "is_alert",
            (self.class == OcsfEventClass::Detection)
                .then(|| Value::from(self.activity == Activity::Create)),
        );
        Value::Object(members.0)
    }

    fn metadata(&self) -> Value {
        let mut metadata = json!({
            "version": VERSION,
            "product": product(),
            "profiles": ["cloud"],
        });
        if let Some(incident) = &self.incident {
            metadata["correlation_uid"] = Value::from(incident.clone());
        }
        metadata
    }

    fn info(&self, page: Option<&str>) -> Value {
        let mut info = json!({
            "uid": self.uid,
            "title": self.title,
            "desc": self.description,
            "types": self.types,
            "created_time": milliseconds(self.created_at),
            "modified_time": milliseconds(self.modified_at),
            "first_seen_time": milliseconds(self.first_seen_at),
            "last_seen_time": milliseconds(self.last_seen_at),
        });
        if let Some(page) = page {
            info["src_url"] = Value::from(page);
        }
        if !self.techniques.is_empty() {
            info["attacks"] = self.techniques.iter().map(|id| attack(id)).collect();
        }
        info
    }

    fn resources(&self) -> Option<Value> {
        let affected = self.affected.as_ref()?;
        let mut resource = json!({
            "uid": affected.uid,
            "name": affected.name,
            "type": affected.kind,
        });
        if let Some(cloud) = &self.cloud
            && !cloud.region.is_empty()
        {
            resource["region"] = Value::from(cloud.region.clone());
        }
        Some(json!([resource]))
    }

    fn evidences(&self) -> Option<Value> {
        (!self.evidence.is_empty()).then(|| json!([{ "data": { "reasons": self.evidence } }]))
    }
}

fn attack(id: &str) -> Value {
    match id.split_once('.') {
        Some((technique, _)) => {
            json!({ "technique": { "uid": technique }, "sub_technique": { "uid": id } })
        }
        None => json!({ "technique": { "uid": id } }),
    }
}

fn cloud(place: &CloudPlace) -> Value {
    let mut cloud = json!({
        "provider": place.provider,
        "account": { "uid": place.account },
    });
    if !place.region.is_empty() {
        cloud["region"] = Value::from(place.region.clone());
    }
    cloud
}

fn compliance(checked: &CheckedControl) -> Value {
    let (status_id, status) = if checked.passes {
        (1, "Pass")
    } else {
        (3, "Fail")
    };
    json!({ "control": checked.control, "status_id": status_id, "status": status })
}

#[allow(clippy::cast_possible_truncation)] // A percentage.
fn rounded(percent: f64) -> Value {
    Value::from(percent.clamp(0.0, 100.0).round() as i64)
}

/// A finding that tells a receiver that it is reached.
#[must_use]
pub fn test_finding(now: Timestamp) -> Value {
    OcsfFinding {
        class: OcsfEventClass::Detection,
        uid: "test".to_owned(),
        title: "Test message of Reeve".to_owned(),
        description: "A person tested this webhook. Nothing was detected.".to_owned(),
        severity: Severity::Info,
        status: FindingStatus::Resolved,
        activity: Activity::Close,
        types: vec!["test".to_owned()],
        created_at: now,
        modified_at: now,
        first_seen_at: now,
        last_seen_at: now,
        confidence: None,
        cloud: None,
        affected: None,
        techniques: Vec::new(),
        evidence: Vec::new(),
        remediation: None,
        control: None,
        incident: None,
    }
    .write(None)
}

#[cfg(test)]
mod tests;
