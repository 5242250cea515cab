//! An anomaly that tests share.

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::record::{Anomaly, AnomalyClass, AnomalyStatus, Place, Reading};

pub(crate) fn anomaly(metric: Option<Metric>, value: f64, expected: f64) -> Anomaly {
    let at = Timestamp::UNIX_EPOCH;
    Anomaly {
        id: AnomalyId("an-1".to_owned()),
        incident: AnomalyId("an-1".to_owned()),
        class: AnomalyClass::Performance,
        status: AnomalyStatus::Open,
        severity: Priority::High,
        title: "something rose".to_owned(),
        place: Place {
            id: "i-1".to_owned(),
            ..Place::default()
        },
        readings: vec![Reading {
            metric,
            at,
            value,
            expected,
            low: expected * 0.8,
            high: expected * 1.2,
            score: 0.9,
            indication: "a sudden rise".into(),
        }],
        deviation_percent: None,
        contributions: Vec::new(),
        activity: None,
        investigation: None,
        cause: None,
        evidence: Vec::new(),
        advice: String::new(),
        remediation: None,
        related_entries: Vec::new(),
        responses: Vec::new(),
        feedback: Vec::new(),
        started_at: at,
        last_at: at,
        detected_at: at,
        resolved_at: None,
        reopened_at: None,
        key: String::new(),
        version: 1,
    }
}
