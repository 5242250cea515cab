//! The ready rules over recorded attacks and over benign activity.

mod own;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_alerts::{
    AlertClass, AlertProgress, AlertRule, Evaluator, EvaluatorLimits, Observed, RuleDraft, RuleId,
    RuleSettings, RuleState, ready_rules,
};
use reeve_audit::Entry;
use reeve_connect_cloudtrail::{RecordReader, map_record};
use serde_json::{Value, json};

/// All ready rules, enabled.
fn rules() -> Vec<Arc<AlertRule>> {
    ready_rules()
        .into_iter()
        .map(|ready| Arc::new(rule(&ready.key, ready.settings)))
        .collect()
}

fn rule(id: &str, settings: RuleSettings) -> AlertRule {
    AlertRule {
        id: RuleId(id.to_owned()),
        settings,
        state: RuleState::Enabled,
        silenced_until: None,
        revision: 1,
        version: 1,
        created_by: "test".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

/// Entries of a CloudTrail file, in order of time.
fn entries(text: &[u8]) -> Vec<Entry> {
    let records = RecordReader::new(Cursor::new(text.to_vec())).unwrap();
    let mut entries: Vec<_> = records.map(|record| map_record(record.unwrap())).collect();
    entries.sort_by_key(|entry| entry.timestamp);
    entries
}

/// Returns the number of firings of each rule on these entries, recorded as they happen.
fn fired(rules: &[Arc<AlertRule>], entries: &[Entry]) -> BTreeMap<String, usize> {
    let mut evaluator = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    evaluator.set_rules(rules.iter().cloned());

    for (sequence, entry) in (0_u64..).zip(entries) {
        evaluator.observe(Observed {
            sequence,
            recorded_at: entry.timestamp,
            entry,
        });
    }

    let mut counts = BTreeMap::new();
    for firing in evaluator.take_changes().fired {
        *counts.entry(firing.rule.0).or_default() += 1;
    }

    counts
}

fn class_of(rules: &[Arc<AlertRule>], id: &str) -> AlertClass {
    rules
        .iter()
        .find(|rule| rule.id.0 == id)
        .and_then(|rule| rule.settings.class)
        .unwrap()
}

/// A record as CloudTrail writes it.
fn record(second: u32, name: &str, more: Value) -> Value {
    let mut record = json!({
        "eventVersion": "1.08", "eventTime": format!("2026-11-20T10:00:{second:02}Z"), "eventName": name,
        "eventSource": "iam.amazonaws.com", "awsRegion": "us-east-1", "sourceIPAddress": "203.0.113.9",
        "userAgent": "aws-cli/2", "eventID": format!("{name}-{second}"), "eventType": "AwsApiCall",
        "userIdentity": { "type": "IAMUser", "userName": "mallory", "principalId": "AIDA1", "accountId": "111122223333" },
        "recipientAccountId": "111122223333",
    });

    for (name, value) in more.as_object().unwrap() {
        record[name] = value.clone();
    }

    record
}

fn data() -> Option<PathBuf> {
    let found = std::env::var_os("REEVE_TEST_DATA").map(|dir| Path::new(&dir).join("cloudtrail"));
    let found = found.filter(|dir| dir.is_dir());
    if found.is_none() {
        eprintln!("skipped: REEVE_TEST_DATA names no folder with cloudtrail/");
    }
    found
}

#[test]
fn each_class_fires_on_a_recorded_technique() {
    let Some(data) = data() else { return };
    let rules = rules();
    let mut found: BTreeMap<AlertClass, BTreeSet<String>> = BTreeMap::new();
    let mut heard = BTreeSet::new();
    let mut techniques = 0;

    for file in std::fs::read_dir(data.join("stratus")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        techniques += 1;
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for (id, times) in fired(&rules, &entries(&std::fs::read(&path).unwrap())) {
            println!("{name}: {id} {times}");
            found
                .entry(class_of(&rules, &id))
                .or_default()
                .insert(name.clone());
            heard.insert(name.clone());
        }
    }

    for (class, names) in &found {
        println!("{class:?}: {} techniques", names.len());
    }

    println!(
        "{} of {techniques} techniques fire a ready rule",
        heard.len()
    );
    assert_eq!(
        heard.len(),
        techniques,
        "a recorded technique fires no ready rule"
    );

    // Recorded with a network that anonymising made up, of no bits: what counts is how many
    // addresses it opens to.
    assert!(
        heard.contains("aws.exfiltration.ec2-security-group-open-port-22-ingress"),
        "a port opened to everybody"
    );
    for class in AlertClass::ALL {
        assert!(
            found.contains_key(class),
            "{class:?} fires on no recorded technique"
        );
    }
}

#[test]
fn ready_rules_stay_quiet_on_benign_activity() {
    let Some(data) = data() else { return };
    let text = std::fs::read_to_string(data.join("labelled_events.jsonl")).unwrap();
    let mut benign = Vec::new();

    for line in text.lines() {
        let labelled: Value = serde_json::from_str(line).unwrap();
        if labelled["suspicious"] == false {
            let record = labelled["event"].to_string();
            let records = RecordReader::new(Cursor::new(record.into_bytes())).unwrap();
            benign.extend(records.filter_map(Result::ok).map(map_record));
        }
    }

    benign.sort_by_key(|entry| entry.timestamp);
    let all = fired(&rules(), &benign);
    println!("{} benign events: {all:?}", benign.len());
    let firings: usize = all.values().sum();
    assert!(benign.len() > 50 && firings * 20 < benign.len(), "{all:?}");
}

#[test]
fn a_rule_of_ones_own_is_evaluated_beside_them() {
    let draft = RuleDraft {
        name: "Own".into(),
        condition: "operation:StopLogging".into(),
        count: 1,
        window: "5m".into(),
        severity: "low".into(),
        ..RuleDraft::default()
    };

    let mut all = rules();
    all.push(Arc::new(rule("own", RuleSettings::read(draft).unwrap())));
    let entry = entries(
        json!({ "Records": [record(0, "StopLogging", json!({}))] })
            .to_string()
            .as_bytes(),
    );

    assert_eq!(
        fired(&all, &entry),
        BTreeMap::from([("own".to_owned(), 1), ("log-switched-off".to_owned(), 1)])
    );
}

#[test]
fn most_published_sigma_rules_are_imported_and_fire_on_recorded_attacks() {
    let Some(data) = data() else { return };
    let folder = data.with_file_name("sigma").join("cloudtrail");
    let (mut imported, mut refused) = (Vec::new(), 0);

    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for sigma in reeve_alerts::read_sigma(&std::fs::read_to_string(&path).unwrap()).unwrap() {
            match sigma.settings {
                Ok(settings) => imported.push(Arc::new(rule(&name, settings))),
                Err(problems) => {
                    refused += 1;
                    problems.iter().for_each(|problem| {
                        println!("{name}:{}: {}", problem.line, problem.message)
                    });
                }
            }
        }
    }

    println!("{} imported, {refused} refused", imported.len());
    assert!(
        imported.len() >= 9 * refused,
        "{} imported, {refused} refused",
        imported.len()
    );

    let mut fired_on = BTreeSet::new();
    for file in std::fs::read_dir(data.join("stratus")).unwrap() {
        let path = file.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let found = fired(&imported, &entries(&std::fs::read(&path).unwrap()));
            fired_on.extend(
                (!found.is_empty())
                    .then(|| path.file_stem().unwrap().to_string_lossy().into_owned()),
            );
        }
    }

    println!("imported rules fire on {fired_on:?}");
    assert!(fired_on.len() >= 5, "{fired_on:?}");
}
