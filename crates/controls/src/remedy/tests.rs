//! Remediations of the catalogue: each names rows that mend what the check found.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use reeve_estate::{ConnectionId, ResourceId, ResourceState, Specification};
use reeve_recommend::judgement::evidence::CheckAnswer;

use super::*;
use crate::catalogue::ControlCatalogue;
use crate::sample::ControlSample;
use crate::subject::ControlSubject;

fn resource(check: &ControlCheck, sample: &ControlSample) -> Resource {
    Resource {
        id: ResourceId::new(sample.id.as_str()),
        connection: ConnectionId("test".to_owned()),
        provider: check.provider,
        // The account is part of policies that changes write.
        account: if sample.account.is_empty() {
            "123456789012".to_owned()
        } else {
            sample.account.clone()
        },
        region: sample.region.clone(),
        service: String::new(),
        kind: check.kind,
        name: String::new(),
        state: ResourceState::Available,
        specification: Specification::default(),
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: sample.now,
    }
}

fn prepared<'s>(
    resource: &'s Resource,
    document: &'s Document,
    now: jiff::Timestamp,
) -> PreparedControl<'s> {
    let subject = ControlSubject {
        account: &resource.account,
        region: &resource.region,
        ..ControlSubject::alone(
            resource.provider,
            resource.kind,
            resource.id.as_str(),
            document.json(),
        )
    };
    PreparedControl::new(&subject, now)
}

fn given() -> BTreeMap<String, Value> {
    let texts = [
        ("bucket", "acme-logs"),
        ("log_group", "flows"),
        ("log_role", "arn:aws:iam::123456789012:role/flows"),
    ];
    let lists = [("sources", "203.0.113.0/24"), ("accounts", "777788889999")];
    let texts = texts.map(|(name, value)| (name.to_owned(), Value::from(value)));
    let lists = lists.map(|(name, value)| (name.to_owned(), Value::from(vec![value])));
    texts.into_iter().chain(lists).collect()
}

/// Answer about the document of a sample after its change.
fn answer_after(
    check: &ControlCheck,
    sample: &ControlSample,
    change: &ConfigurationChange,
) -> CheckAnswer {
    let document = Document::new(serde_json::from_str(&sample.document).unwrap());
    let after = ControlSample {
        document: change.outcome(&document).text().to_owned(),
        ..sample.clone()
    };
    check.answer_of(&after)
}

#[test]
fn every_remediation_names_rows_of_the_kind_that_its_check_judges() {
    let mut named = BTreeSet::new();
    for check in ControlCatalogue::builtin().checks() {
        for name in &check.remediation.change {
            let row = ConfigurationRow::named(name);
            let row = row.unwrap_or_else(|| panic!("{}: no row {name}", check.id));
            assert_eq!(
                (row.provider, row.kind),
                (check.provider, check.kind),
                "{}",
                check.id
            );
            named.insert(row.name);

            let own = &check.remediation.parameters;
            let lacks = row.sample.with.keys().find(|value| {
                !own.contains_key(*value)
                    && !row.with.contains_key(*value)
                    && !given().contains_key(*value)
            });
            assert_eq!(lacks, None, "{}: {name}", check.id);
        }
    }

    let all: BTreeSet<&str> = of_checks().map(|row| row.name).collect();
    assert_eq!(named, all, "rows that no check names are offered by nobody");
}

/// Rows that no check asks for: measures against attacks, and what ends unused access.
const OF_NO_CHECK: &[&str] = &[
    "block_role",
    "block_user",
    "move_database_maintenance",
    "rebalance_group_capacity",
    "remove_unused_role_policy",
    "remove_unused_user_policy",
    "revoke_role_sessions",
    "revoke_user_sessions",
    "suspend_unused_role",
    "suspend_unused_user",
    "tighten_role_policy",
    "tighten_user_policy",
    "use_mixed_instances",
];

/// Rows that mend what a check judges.
fn of_checks() -> impl Iterator<Item = &'static ConfigurationRow> {
    let rows = ConfigurationRow::all().iter();
    rows.filter(|row| !OF_NO_CHECK.contains(&row.name))
}

/// Rows that mend one item a time, or whose check then has nothing to say.
const BY_STEPS: &[(&str, CheckAnswer)] = &[
    // The key is off, and the check is about keys that are on.
    (
        "aws.iam.access_key_not_of_administrator",
        CheckAnswer::NotApplicable,
    ),
    // Incoming and outgoing rules go one after the other.
    ("aws.ec2.default_group_has_no_rules", CheckAnswer::Fail),
];

#[test]
fn a_change_makes_the_check_pass_that_names_it() {
    let mut offered: BTreeSet<&str> = BTreeSet::new();
    let mut faults = Vec::new();

    for check in ControlCatalogue::builtin().checks() {
        let failing = check
            .samples
            .iter()
            .filter(|sample| sample.result == CheckAnswer::Fail);
        for sample in failing {
            let document = Document::new(serde_json::from_str(&sample.document).unwrap());
            let resource = resource(check, sample);
            let mut prepared = prepared(&resource, &document, sample.now);
            let Ok(change) = check.change(&mut prepared, &resource, &document, &given()) else {
                continue;
            };
            offered.insert(change.row().name);
            let got = answer_after(check, sample, &change);
            let is_expected =
                got == CheckAnswer::Pass || BY_STEPS.contains(&(check.id.as_str(), got));
            if !is_expected {
                faults.push(format!(
                    "{}, {:?}: {} gives {got}",
                    check.id,
                    sample.name,
                    change.row().name
                ));
            }
        }
    }

    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(offered.len() > 80, "{}", offered.len());
}

/// The expressions of a row give the values that its sample has.
#[test]
fn the_values_of_a_row_follow_from_the_document_of_its_sample() {
    let mut faults = Vec::new();
    for row in of_checks() {
        let document = Document::new(serde_json::from_str(&row.sample.document).unwrap());
        let checks = ControlCatalogue::builtin().checks_of(row.provider, row.kind);
        let naming = checks
            .iter()
            .filter(|check| check.remediation.change.iter().any(|name| name == row.name));
        let changes = naming.map(|check| {
            let sample = &check.samples[0];
            let mut resource = resource(check, sample);
            resource.region = "us-east-1".to_owned();
            let mut remedies = check.remedies.iter();
            let remedy = remedies.find(|remedy| remedy.row.name == row.name).unwrap();
            let mut prepared = prepared(&resource, &document, sample.now);
            remedy.change(&mut prepared.scope, &resource, &document, &given())
        });

        // A check of one port finds nothing in rules of another.
        match changes.reduce(Result::or).unwrap() {
            Err(why) => faults.push(format!("{}: {why}", row.name)),
            Ok(change) => {
                let differs = row
                    .with
                    .keys()
                    .find(|name| change.value(name) != row.sample.with.get(*name));
                if let Some(name) = differs {
                    faults.push(format!("{}: {name} is {:?}", row.name, change.value(name)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
