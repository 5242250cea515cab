//! `reeve analyze entries`: a score with reasons for each record, in the order of the file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::analyze_text;

fn record(
    number: usize,
    second: usize,
    user: &str,
    service: &str,
    name: &str,
    parameters: &Value,
) -> Value {
    let at: jiff::Timestamp = "2026-11-02T08:00:00Z".parse().unwrap();
    json!({
        "eventVersion": "1.09", "eventID": format!("00000000-0000-4000-8000-{number:012}"),
        "eventTime": (at + jiff::SignedDuration::from_secs(second as i64)).strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "eventSource": format!("{service}.amazonaws.com"), "eventName": name, "awsRegion": "eu-west-1",
        "sourceIPAddress": "198.51.100.7", "userAgent": "-", "eventType": "AwsApiCall", "recipientAccountId": "111122223333",
        "readOnly": name.starts_with("Describe") || name.starts_with("Get"), "requestParameters": parameters,
        "userIdentity": { "type": "IAMUser", "principalId": format!("AIDA{user}"), "accountId": "111122223333",
            "arn": format!("arn:aws:iam::111122223333:user/{user}"), "userName": user },
    })
}

/// Ten days of two people who look at machines, then one who looks at the trail, stops it and makes
/// himself a key.
fn story() -> Vec<Value> {
    let mut records = Vec::new();
    for hour in 0..240 {
        for (minute, user) in [(0, "alice"), (7, "bob")] {
            let second = hour * 3_600 + minute * 60;
            records.push(record(
                records.len(),
                second,
                user,
                "ec2",
                "DescribeInstances",
                &Value::Null,
            ));
        }
    }

    let deeds = [
        ("cloudtrail", "DescribeTrails", Value::Null),
        ("cloudtrail", "StopLogging", json!({ "name": "main" })),
        (
            "iam",
            "CreateAccessKey",
            json!({ "userName": "root-helper" }),
        ),
    ];

    for (at, (service, name, parameters)) in deeds.iter().enumerate() {
        records.push(record(
            records.len(),
            240 * 3_600 + at * 20,
            "bob",
            service,
            name,
            parameters,
        ));
    }

    records
}

fn judged(stdout: &[u8]) -> Vec<Value> {
    std::str::from_utf8(stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn severe_events_stand_out_with_reasons_and_what_preceded_them() {
    let records = story();
    let text = json!({ "Records": records }).to_string();
    let output = analyze_text(&["entries", "--format", "cloudtrail", "-"], &text);
    assert!(output.status.success(), "{output:?}");

    let found = judged(&output.stdout);
    let ids = |values: &[Value], name: &str| {
        values
            .iter()
            .map(|value| value[name].clone())
            .collect::<Vec<_>>()
    };

    assert_eq!(
        ids(&found, "event_id"),
        ids(&records, "eventID"),
        "one line a record, in the order of the file"
    );

    let score = |at: usize| found[at]["score"].as_f64().unwrap();
    let usual = (100..480).map(score).fold(0.0, f64::max);
    let [looked, stopped, key] = [480, 481, 482].map(score);
    assert!(
        stopped >= 0.5 && key >= 0.5 && usual < 0.5,
        "{usual} {stopped} {key}"
    );
    assert!(
        looked > usual,
        "the look at the trail belongs to what followed: {looked} beside {usual}"
    );
    assert!(!found[481]["reasons"].as_array().unwrap().is_empty());

    // Alone, the look is as harmless as any.
    let alone = json!({ "Records": records[..481] }).to_string();
    let output = analyze_text(&["entries", "--format", "cloudtrail", "-"], &alone);
    assert!(judged(&output.stdout)[480]["score"].as_f64().unwrap() < looked);
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_the_others_are_judged() {
    let mut text = String::new();
    for record in &story()[..3] {
        writeln!(text, "{record}").unwrap();
    }

    text.insert_str(0, "{\"eventName\": 7}\n");
    let output = analyze_text(&["entries", "--format", "cloudtrail", "-"], &text);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), judged(&output.stdout).len()),
        (Some(1), 3),
        "{said}"
    );
    assert!(said.contains("3 judged, 1 could not be read"), "{said}");
}

#[test]
fn files_without_a_record_are_reported_rather_than_judged_as_nothing() {
    for text in ["", "\n", "{\"Records\":[]}", "[]"] {
        let output = analyze_text(&["entries", "-"], text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{text:?}: {said}"
        );
        assert!(said.contains("no audit record in -"), "{text:?}: {said}");
    }

    for text in [
        "nonsense\n",
        "{\"eventName\": 7}\n{\"x\": 1}\n",
        "\u{1b}[31m\u{7}PAR1\n",
    ] {
        let output = analyze_text(&["entries", "-"], text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{text:?}: {said}"
        );
        assert!(
            said.contains("could not be read; expected"),
            "{text:?}: {said}"
        );
        assert!(
            !said
                .chars()
                .any(|letter| letter.is_control() && letter != '\n'),
            "{text:?}: {said:?}"
        );
    }

    let mut timeless = story().remove(0);
    timeless.as_object_mut().unwrap().remove("eventTime");
    let output = analyze_text(&["entries", "-"], &format!("{timeless}\n{}\n", story()[0]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), judged(&output.stdout).len()),
        (Some(1), 1),
        "{said}"
    );
    assert!(said.contains("line 1: eventTime: is missing"), "{said}");
}
