//! Tests of conditions over readings.
#![allow(clippy::unwrap_used)]

use reeve_estate::ResourceState;
use reeve_estate::document::NOT_READ;
use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// Answer of a condition over a machine, with the words of its first test.
fn answer(when: &str, document: Option<&Value>, measured: &Measurements) -> (Option<bool>, String) {
    let text = format!(
        "name = \"a\"\ntitle = \"b\"\nkind = \"virtual_machine\"\nadvice = \"c\"\n[[when]]\n{when}\n"
    );
    let runbook = Runbook::read(&text).unwrap();
    let (holds, answers) = runbook.judge(&ConditionReading {
        state: ResourceState::Running,
        storage_gib: None,
        document,
        measured,
        since: None,
        now: NOW,
    });
    (holds, answers[0].words.clone())
}

fn of_document(when: &str, document: &Value) -> Option<bool> {
    answer(when, Some(document), &Measurements::default()).0
}

#[test]
fn a_document_is_tested_at_a_path_and_what_was_not_read_is_undecided() {
    let document = json!({
        "Disks": [{ "Size": "8", "Kind": "a" }, { "Size": "500", "Kind": "b" }],
        "On": false, "Empty": [], "Secret": NOT_READ,
    });
    let check = |when: &str, expected: Option<bool>| {
        assert_eq!(of_document(when, &document), expected, "{when}");
    };
    check("document = \"Disks.*.Kind\"\nis = [\"b\"]", Some(true));
    check("document = \"Disks.*.Kind\"\nis = [\"c\"]", Some(false));
    check("document = \"Disks.*.Kind\"\nis_not = [\"c\"]", Some(true));
    check("document = \"Disks.*.Kind\"\nis_not = [\"a\"]", Some(false));
    check("document = \"Disks.*.Size\"\nabove = 400.0", Some(true));
    check("document = \"Disks.*.Size\"\nbelow = 8.0", Some(false));
    check("document = \"On\"\nis = [\"false\"]", Some(true));
    check("document = \"Gone.Deep\"\nmissing = true", Some(true));
    check("document = \"Gone.Deep\"\nis_not = [\"a\"]", Some(false));
    check("document = \"Secret.Deep\"\nis = [\"a\"]", None);

    let none = answer(
        "document = \"On\"\nis = [\"true\"]",
        None,
        &Measurements::default(),
    );
    assert_eq!(none.0, None);
}

#[test]
fn scheduled_events_count_until_they_are_over() {
    let event = |code: &str, description: &str, days: i64| {
        let at = NOW + SignedDuration::from_hours(24 * days);
        json!({ "InstanceStatus": [{ "eventsSet": [
            { "code": code, "description": description, "notBefore": at.to_string() }
        ] }] })
    };
    let when = "event = [\"instance-retirement\"]\nwithin = \"7d\"";
    let check = |document: Value, expected| assert_eq!(of_document(when, &document), expected);
    check(event("instance-retirement", "degraded", 3), Some(true));
    check(event("instance-retirement", "degraded", 9), Some(false));
    check(event("instance-reboot", "maintenance", 3), Some(false));
    check(
        event("instance-retirement", "[Completed] degraded", 3),
        Some(false),
    );
    check(json!({ "InstanceStatus": NOT_READ }), None);
}

#[test]
fn uses_are_counted_by_operation_and_no_count_is_none() {
    let when = "log = [\"Decrypt\"]\nat_least = 3\nwithin = \"2d\"";
    let counted = |count: u64| Measurements {
        uses: [(
            2,
            Activity {
                uses: 100,
                operations: vec![("Decrypt".to_owned(), count)],
                last_hour: None,
            },
        )]
        .into(),
        ..Measurements::default()
    };
    assert_eq!(answer(when, None, &counted(3)).0, Some(true));
    assert_eq!(answer(when, None, &counted(2)).0, Some(false));
    assert_eq!(answer(when, None, &Measurements::default()).0, None);
}

#[test]
fn times_in_common_are_those_of_both() {
    let one = [(0, 10), (20, 30), (40, 50)];
    let other = [(5, 25), (30, 41)];
    assert_eq!(both(&one, &other), [(5, 10), (20, 25), (40, 41)]);
    assert_eq!(both(&one, &[]), []);
}
