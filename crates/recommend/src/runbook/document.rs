//! Tests over the configuration document of a resource: values at a path, and events that the cloud
//! has scheduled.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::TimeSpan;
use reeve_estate::document::NOT_READ;
use serde_json::Value;

use super::condition::ConditionAnswer;
use crate::words::{first_of, minute};

/// Values that a path may lead to; further ones are not looked at.
const MOST_VALUES: usize = 2000;

/// Condition on the values at a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// One of the values is one of these.
    Is(Vec<String>),
    /// There is a value, and none is one of these.
    IsNot(Vec<String>),
    /// One of the values is a number above this.
    Above(f64),
    /// One of the values is a number below this.
    Below(f64),
    /// There is no value.
    Missing,
}

/// Test of a configuration document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentTest {
    /// Members, of which `*` is every member or element.
    pub path: Vec<String>,
    pub expected: Expected,
}

/// Test of the events that the cloud has scheduled for a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct EventTest {
    /// Codes of events, such as `instance-retirement`.
    pub codes: Vec<String>,
    /// Time within which the event begins.
    pub within: TimeSpan,
}

impl DocumentTest {
    /// Describes the test.
    pub(super) fn words(&self) -> String {
        let path = self.path.join(".");
        match &self.expected {
            Expected::Is(values) => format!("{path} is {}", first_of(values, 6, " or ")),
            Expected::IsNot(values) => format!("{path} is not {}", first_of(values, 6, " or ")),
            Expected::Above(limit) => format!("{path} is above {limit}"),
            Expected::Below(limit) => format!("{path} is below {limit}"),
            Expected::Missing => format!("{path} has no value"),
        }
    }
}

impl EventTest {
    /// Describes the test.
    pub(super) fn words(&self) -> String {
        format!(
            "The cloud has scheduled {} within {}",
            first_of(&self.codes, 6, " or "),
            self.within
        )
    }
}

/// Answers a test of a document.
pub(super) fn answer(test: &DocumentTest, document: Option<&Value>) -> ConditionAnswer {
    let path = test.path.join(".");
    let Some(document) = document else {
        return ConditionAnswer::missing("its configuration was not read");
    };
    let mut found = Vec::new();
    collect(document, &test.path, &mut found);
    if found.iter().any(|value| value.as_str() == Some(NOT_READ)) {
        return ConditionAnswer::missing(format!("{path} was not read"));
    }

    let texts: Vec<String> = found.iter().filter_map(|value| text(value)).collect();
    let numbers = || texts.iter().filter_map(|text| text.parse::<f64>().ok());
    let holds = match &test.expected {
        Expected::Is(values) => texts.iter().any(|text| values.contains(text)),
        Expected::IsNot(values) => {
            !texts.is_empty() && !texts.iter().any(|text| values.contains(text))
        }
        Expected::Above(limit) => numbers().any(|value| value > *limit),
        Expected::Below(limit) => numbers().any(|value| value < *limit),
        Expected::Missing => found.is_empty(),
    };
    let values = match texts.is_empty() {
        true => "no value".to_owned(),
        false => first_of(&texts, 4, ", "),
    };
    ConditionAnswer::decided(holds, format!("{path} has {values}"))
}

/// Answers a test of scheduled events. Events that are over say so in their description.
pub(super) fn answer_event(
    test: &EventTest,
    document: Option<&Value>,
    now: Timestamp,
) -> ConditionAnswer {
    let status = document.and_then(|document| document.get("InstanceStatus"));
    let Some(statuses) = status.and_then(Value::as_array) else {
        return ConditionAnswer::missing("its scheduled events were not read");
    };
    let seconds = i64::try_from(test.within.seconds()).unwrap_or(i64::MAX);
    let latest = now.checked_add(SignedDuration::from_secs(seconds));
    let latest = latest.unwrap_or(Timestamp::MAX);

    for event in statuses
        .iter()
        .filter_map(|status| status["eventsSet"].as_array())
        .flatten()
    {
        let code = event["code"].as_str().unwrap_or_default();
        let description = event["description"].as_str().unwrap_or_default();
        let is_over =
            description.starts_with("[Completed]") || description.starts_with("[Canceled]");
        let begins: Option<Timestamp> = event["notBefore"]
            .as_str()
            .and_then(|text| text.parse().ok());
        let is_near = begins.is_none_or(|begins| begins <= latest);
        if !is_over && is_near && test.codes.iter().any(|known| known == code) {
            let at = begins.map_or_else(String::new, |at| format!(" not before {}", minute(at)));
            return ConditionAnswer::decided(true, format!("the cloud has scheduled {code}{at}"));
        }
    }
    ConditionAnswer::decided(false, "no such event is scheduled")
}

/// Text of a value that is none of several.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Collects the values at a path. What was not read below it stands for all of it.
fn collect<'a>(value: &'a Value, path: &[String], found: &mut Vec<&'a Value>) {
    if found.len() >= MOST_VALUES {
        return;
    }
    let Some((first, rest)) = path.split_first() else {
        if !value.is_null() {
            found.push(value);
        }
        return;
    };
    if value.as_str() == Some(NOT_READ) {
        found.push(value);
        return;
    }
    match (value, first.as_str()) {
        (Value::Array(items), "*") => items.iter().for_each(|item| collect(item, rest, found)),
        (Value::Object(members), "*") => {
            members.values().for_each(|item| collect(item, rest, found));
        }
        (Value::Object(members), name) => {
            if let Some(member) = members.get(name) {
                collect(member, rest, found);
            }
        }
        _ => {}
    }
}
