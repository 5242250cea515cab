//! Samples of each format are read into the one form, and faults are named.
#![allow(clippy::unwrap_used)]

use reeve_audit::Severity;
use serde_json::json;

use super::*;

fn now() -> Timestamp {
    "2026-11-28T12:00:00Z".parse().unwrap()
}

fn one(format: AlertFormat, body: &str) -> AlertReport {
    let (mut reports, refusals) =
        read(format, &FieldMapping::default(), body.as_bytes(), now()).unwrap();
    assert!(refusals.is_empty(), "{refusals:?}");
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

fn refused(format: AlertFormat, body: &str) -> Vec<FormatRefusal> {
    read(format, &FieldMapping::default(), body.as_bytes(), now())
        .unwrap()
        .1
}

#[test]
fn ocsf() {
    let report = one(
        AlertFormat::Ocsf,
        include_str!("../../tests/fixtures/alert-ocsf.json"),
    );
    assert_eq!(report.sender_id, "finding-7");
    assert_eq!(report.title, "Credentials used from a new country");
    assert_eq!(report.severity, Severity::High);
    assert_eq!(report.at.to_string(), "2026-11-28T11:00:00Z");
    assert_eq!(report.techniques, ["T1078.004"]);
    assert_eq!(report.principal.as_deref(), Some("ann@example.com"));
    assert_eq!(report.address.unwrap().to_string(), "203.0.113.7");
    assert_eq!(report.account.as_deref(), Some("111122223333"));
    assert_eq!(report.resource.as_deref(), Some("i-0abc"));
    assert_eq!(report.url.as_deref(), Some("https://siem.example/f/7"));
    assert!(!report.is_closed);
    assert_eq!(report.further["metadata.product.name"], "Sentry");
    assert!(!report.further.contains_key("finding_info.uid"));
}

#[test]
fn elastic() {
    let report = one(
        AlertFormat::Elastic,
        include_str!("../../tests/fixtures/alert-elastic.json"),
    );
    assert_eq!(report.sender_id, "3f1c");
    assert_eq!(report.title, "Console login without MFA");
    assert_eq!(report.severity, Severity::Critical);
    assert_eq!(report.principal.as_deref(), Some("ann"));
    assert_eq!(report.techniques, ["T1078"]);
    assert_eq!(report.resource.as_deref(), Some("i-0abc"));
    assert_eq!(report.further["kibana.space_ids"], json!(["default"]));

    let risk = r#"{"_id":"1","kibana.alert.rule.name":"x","kibana.alert.risk_score":47}"#;
    assert_eq!(one(AlertFormat::Elastic, risk).severity, Severity::Medium);
}

#[test]
fn splunk() {
    let report = one(
        AlertFormat::Splunk,
        include_str!("../../tests/fixtures/alert-splunk.json"),
    );
    assert_eq!(report.sender_id, "AB12@@notable@@42");
    assert_eq!(report.title, "Brute force access");
    assert_eq!(report.severity, Severity::High);
    assert_eq!(report.techniques, ["T1110"]);
    assert_eq!(report.address.unwrap().to_string(), "203.0.113.7");
    assert_eq!(report.resource.as_deref(), Some("web-1"));
}

#[test]
fn cef() {
    let line = "CEF:0|Acme|Sentry|7|100|Port scan|9|externalId=42 rt=1795863600000 src=203.0.113.7 suser=ann dhost=web-1 technique=T1046 act=blocked";
    let report = one(AlertFormat::Cef, line);
    assert_eq!(
        (report.sender_id.as_str(), report.title.as_str()),
        ("42", "Port scan")
    );
    assert_eq!(report.severity, Severity::Critical);
    assert_eq!(report.rule.as_deref(), Some("100"));
    assert_eq!(report.techniques, ["T1046"]);
    assert_eq!(report.further["act"], "blocked");

    // Without an identifier the line itself is one: the same line twice is one alert.
    let without = "CEF:0|Acme|Sentry|7|100|Port scan|Low|src=203.0.113.7";
    let (one, other) = (
        self::one(AlertFormat::Cef, without),
        self::one(AlertFormat::Cef, without),
    );
    assert!(!one.has_sender_id);
    assert_eq!(one.sender_id, other.sender_id);
    assert_eq!((one.severity, one.at), (Severity::Low, now()));
}

#[test]
fn plain_json_with_a_mapping() {
    let mapping = FieldMapping(
        [
            (AlertField::Id, "alert.key".to_owned()),
            (AlertField::Title, "alert.what".to_owned()),
            (AlertField::Address, "peers.ip".to_owned()),
        ]
        .into(),
    );
    let body = r#"{"alert":{"key":"k-1","what":"Odd"},"peers":[{"name":"x"},{"ip":"198.51.100.7"}],"severity":7,"time":1795863600}"#;
    let (reports, _) = read(AlertFormat::Json, &mapping, body.as_bytes(), now()).unwrap();
    assert_eq!(reports[0].sender_id, "k-1");
    assert_eq!(reports[0].severity, Severity::High);
    assert_eq!(reports[0].address.unwrap().to_string(), "198.51.100.7");

    let words = r#"{"id":"2","title":"Odd","time":"2026-11-28T10:00:00+01:00"}"#;
    let plain = one(AlertFormat::Json, words);
    assert_eq!(
        (plain.severity, plain.names_severity),
        (Severity::Medium, false)
    );
    assert_eq!(plain.at.to_string(), "2026-11-28T09:00:00Z");
}

#[test]
fn closed_alerts() {
    for (format, body, closed) in [
        (
            AlertFormat::Ocsf,
            r#"{"finding_info":{"uid":"1","title":"x"},"status_id":4}"#,
            true,
        ),
        (
            AlertFormat::Ocsf,
            r#"{"finding_info":{"uid":"1","title":"x"},"activity_id":3}"#,
            true,
        ),
        (
            AlertFormat::Ocsf,
            r#"{"finding_info":{"uid":"1","title":"x"},"status_id":2,"activity_id":2}"#,
            false,
        ),
        (
            AlertFormat::Elastic,
            r#"{"_id":"1","rule":{"name":"x"},"kibana":{"alert":{"workflow_status":"closed"}}}"#,
            true,
        ),
        (
            AlertFormat::Splunk,
            r#"{"event_id":"1","rule_name":"x","status":"5"}"#,
            true,
        ),
        (
            AlertFormat::Splunk,
            r#"{"event_id":"1","rule_name":"x","status":"1"}"#,
            false,
        ),
        (
            AlertFormat::Json,
            r#"{"id":"1","title":"x","status":"Resolved"}"#,
            true,
        ),
    ] {
        assert_eq!(one(format, body).is_closed, closed, "{body}");
    }
}

#[test]
fn faults_name_the_line_and_the_field() {
    let lines = "{\"id\":\"1\",\"title\":\"x\"}\n{broken\n\n{\"id\":\"2\"}\n{\"id\":\"3\",\"title\":\"x\",\"severity\":\"awful\"}\n{\"id\":\"4\",\"title\":\"x\",\"time\":\"soon\"}";
    let found = refused(AlertFormat::Json, lines);
    let places: Vec<_> = found
        .iter()
        .map(|refusal| (refusal.line, refusal.field.as_deref()))
        .collect();
    assert_eq!(
        places,
        [
            (2, None),
            (4, Some("title")),
            (5, Some("severity")),
            (6, Some("time"))
        ]
    );

    let members = r#"[{"finding_info":{"uid":"1"}}, 7, {"finding_info":{"uid":"1","title":"x"},"time":99999999999999}]"#;
    let found = refused(AlertFormat::Ocsf, members);
    assert_eq!(found[0].field.as_deref(), Some("finding_info.title"));
    assert_eq!(
        (found[1].line, found[1].message.as_str()),
        (2, "must be an object")
    );
    assert_eq!(found[2].field.as_deref(), Some("time"));

    assert!(read(AlertFormat::Json, &FieldMapping::default(), b"", now()).is_err());
    let many = format!(
        "[{}]",
        vec![r#"{"id":"1","title":"x"}"#; MAX_ALERTS + 1].join(",")
    );
    let error = read(
        AlertFormat::Json,
        &FieldMapping::default(),
        many.as_bytes(),
        now(),
    )
    .unwrap_err();
    assert_eq!(error.message, "has 501 alerts; send at most 500 at once");
}
