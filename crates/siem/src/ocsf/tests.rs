//! What is written conforms to the schema: a reduced copy of it stands in `tests/fixtures/ocsf.json`.
#![allow(clippy::unwrap_used)]

use reeve_anomalies::{AnomalyClass, AnomalyStatus};
use reeve_incidents::{Incident, IncidentId, IncidentMember, IncidentStatus};
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_testkit::contract::agents::recommendation as sample_recommendation;
use reeve_testkit::contract::anomalies::anomaly as sample_anomaly;

use super::*;

/// Returns the faults of a value of a class, as sentences.
fn faults(event: &Value) -> Vec<String> {
    let schema: Value =
        serde_json::from_str(include_str!("../../tests/fixtures/ocsf.json")).unwrap();
    let class = &schema["classes"][event["class_uid"].to_string()];
    assert!(class.is_object(), "unknown class {}", event["class_uid"]);

    let mut found = Vec::new();
    check_members("", event, class, &schema, &mut found);
    let one_of = schema["at_least_one"][event["class_uid"].to_string()]
        .as_array()
        .unwrap();
    if !one_of.is_empty()
        && one_of
            .iter()
            .all(|name| event[name.as_str().unwrap()].is_null())
    {
        found.push(format!("none of {one_of:?}"));
    }
    let type_uid =
        event["class_uid"].as_u64().unwrap() * 100 + event["activity_id"].as_u64().unwrap();
    if event["type_uid"].as_u64() != Some(type_uid) {
        found.push("type_uid does not follow from class and activity".to_owned());
    }
    found
}

fn check_members(
    path: &str,
    value: &Value,
    attributes: &Value,
    schema: &Value,
    found: &mut Vec<String>,
) {
    let (given, known) = (value.as_object().unwrap(), attributes.as_object().unwrap());
    for (name, attribute) in known {
        if attribute["required"] == true && !given.contains_key(name) {
            found.push(format!("{path}{name} is missing"));
        }
    }
    for (name, value) in given {
        let inner = format!("{path}{name}");
        let Some(attribute) = known.get(name) else {
            found.push(format!("{inner} is no attribute"));
            continue;
        };
        match (attribute["array"] == true, value.as_array()) {
            (true, Some(members)) => {
                for member in members {
                    check_value(&inner, member, attribute, schema, found);
                }
            }
            (false, _) => check_value(&inner, value, attribute, schema, found),
            (true, None) => found.push(format!("{inner} must be an array")),
        }
    }
}

fn check_value(
    path: &str,
    value: &Value,
    attribute: &Value,
    schema: &Value,
    found: &mut Vec<String>,
) {
    let is_right = match attribute["type"].as_str().unwrap() {
        "string_t" => value.is_string(),
        "integer_t" | "long_t" => value.is_i64() || value.is_u64(),
        "boolean_t" => value.is_boolean(),
        "json_t" => true,
        object => {
            let object = &schema["objects"][object];
            assert!(object.is_object(), "the fixture lacks the object of {path}");
            let one_of = object["at_least_one"].as_array().unwrap();
            if !one_of.is_empty()
                && one_of
                    .iter()
                    .all(|name| value[name.as_str().unwrap()].is_null())
            {
                found.push(format!("{path} has none of {one_of:?}"));
            }
            check_members(
                &format!("{path}."),
                value,
                &object["attributes"],
                schema,
                found,
            );
            true
        }
    };
    if !is_right {
        found.push(format!("{path} must be a {}", attribute["type"]));
    }
    if let Some(values) = attribute["values"].as_array()
        && !values.contains(value)
    {
        found.push(format!("{path}: {value} is not in its list"));
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

#[test]
fn the_check_finds_faults() {
    let mut event = test_finding(at(0));
    assert_eq!(faults(&event), Vec::<String>::new());

    event["severity_id"] = Value::from(42);
    event["finding_info"]["surprise"] = Value::from(1);
    event.as_object_mut().unwrap().remove("metadata");
    let found = faults(&event);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn an_anomaly_is_a_detection_with_one_identifier_until_its_end() {
    let mut sample = sample_anomaly("a", "ann@example.com", 0).unwrap();
    sample.class = AnomalyClass::Security;
    sample.status = AnomalyStatus::Open;
    sample.feedback.clear();

    let mut uids = Vec::new();
    for (status, is_first, type_uid, status_id) in [
        (AnomalyStatus::Open, true, 200_401, 1),
        (AnomalyStatus::Acknowledged, false, 200_402, 2),
        (AnomalyStatus::Resolved, false, 200_403, 4),
    ] {
        sample.status = status;
        let event = anomaly(&sample, is_first)
            .unwrap()
            .write(Some("https://reeve.example/intelligence/anomalies/a"));
        assert_eq!(faults(&event), Vec::<String>::new(), "{event:#}");
        assert_eq!(
            (&event["type_uid"], &event["status_id"]),
            (&Value::from(type_uid), &Value::from(status_id))
        );
        uids.push(event["finding_info"]["uid"].clone());
    }
    uids.dedup();
    assert_eq!(uids, [Value::from("a")]);

    sample.class = AnomalyClass::Cost;
    assert_eq!(anomaly(&sample, true), None);
}

#[test]
fn an_incident_names_its_findings() {
    let sample = sample_anomaly("a", "ann@example.com", 0).unwrap();
    let id = IncidentId("i-1".to_owned());
    let mut sample = Incident::opened_for(id, IncidentMember::from_anomaly(&sample), at(0));
    for (owner, status, is_first, type_uid) in [
        (None, IncidentStatus::Open, true, 200_501),
        (
            Some("ann@example.com"),
            IncidentStatus::Contained,
            false,
            200_502,
        ),
        (None, IncidentStatus::Closed, false, 200_503),
    ] {
        sample.owner = owner.map(str::to_owned);
        sample.status = status;
        let event = incident(&sample, is_first, None);
        assert_eq!(faults(&event), Vec::<String>::new(), "{event:#}");
        assert_eq!(event["type_uid"], type_uid);
        assert_eq!(event["metadata"]["correlation_uid"], "i-1");
        assert_eq!(event["finding_info_list"][0]["uid"], "a");
    }
}

#[test]
fn recommendations_of_security_are_findings_and_others_are_not() {
    let mut sample = sample_recommendation("r", "i-0abc").unwrap();
    sample.status = Status::Open;
    sample.kind = RecommendationType::Encryption;
    let event = recommendation(&sample, true).unwrap().write(None);
    assert_eq!(faults(&event), Vec::<String>::new(), "{event:#}");
    assert_eq!(event["class_uid"], 2004);
    assert_eq!(event["resources"][0]["uid"], sample.subject.id.0.as_str());

    sample.kind = RecommendationType::Compliance;
    sample.subject.aspect = Some("aws.s3.blocks_public_access".to_owned());
    let event = recommendation(&sample, true).unwrap().write(None);
    assert_eq!(faults(&event), Vec::<String>::new(), "{event:#}");
    assert_eq!(event["class_uid"], 2003);
    assert_eq!(
        event["compliance"]["control"],
        "aws.s3.blocks_public_access"
    );
    assert_eq!(event["compliance"]["status"], "Fail");

    sample.status = Status::Succeeded;
    let event = recommendation(&sample, false).unwrap().write(None);
    assert_eq!(
        (&event["activity_id"], &event["compliance"]["status"]),
        (&Value::from(3), &Value::from("Pass"))
    );

    sample.kind = RecommendationType::RightSize;
    assert_eq!(recommendation(&sample, true), None);
}
