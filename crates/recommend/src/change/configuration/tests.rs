//! Rows of the catalogue on their samples: made, taken back, stored, and refused.

#![allow(clippy::unwrap_used)]

use reeve_estate::{Provider, ResourceKind};

use super::*;
use crate::change::{ChangeRegistry, Procedure, Work};
use crate::guardrail::protection::tests::running;
use crate::plan::Plan;

fn row(name: &str) -> &'static ConfigurationRow {
    ConfigurationRow::named(name).unwrap()
}

/// The rows of the files as they are on disk.
fn rows() -> Vec<&'static ConfigurationRow> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue/changes");
    let mut rows = Vec::new();
    for provider in [Provider::Aws] {
        let files = std::fs::read_dir(format!("{folder}/{}", provider.as_str())).unwrap();
        for file in files {
            let path = file.unwrap().path().display().to_string();
            let text = std::fs::read_to_string(&path).unwrap();
            let found = ConfigurationRow::read(provider, &path, &text);
            rows.extend(
                &*found
                    .unwrap_or_else(|error| panic!("{path}: {error}"))
                    .leak(),
            );
        }
    }
    rows
}

fn resource(row: &ConfigurationRow) -> Resource {
    Resource {
        provider: row.provider,
        state: ResourceState::Available,
        ..running("one", row.kind, None)
    }
}

/// The change of a row on its sample.
fn sample(row: &'static ConfigurationRow) -> (ConfigurationChange, Document) {
    let document = Document::new(serde_json::from_str(&row.sample.document).unwrap());
    let change = ConfigurationChange::on(row, &resource(row), &document, row.sample.with.clone())
        .unwrap_or_else(|error| panic!("{}: {error}", row.name));
    (change, document)
}

fn seen(row: &ConfigurationRow, document: Document) -> Resource {
    let mut seen = resource(row);
    seen.specification.document = Some(Arc::new(document));
    seen
}

/// Carries a step out on a twin.
fn carry_out(change: &ConfigurationChange, task: &Task, twin: &mut Resource) {
    let Work::Change(goal) = &task.work else {
        panic!("{task:?} changes nothing");
    };
    assert!(!goal.is_reached(twin), "{}: reached before", change.name());
    change
        .simulate(&*goal.operation(twin), twin, PriceCatalogue::builtin())
        .unwrap();
    assert!(goal.is_reached(twin), "{}: not reached", change.name());
    assert_eq!(task.difference(twin), None);
}

/// Takes a change back on a twin, call after call.
fn take_back(change: &ConfigurationChange, prior: &Resource, twin: &mut Resource) {
    let most = change
        .row
        .inverse
        .iter()
        .map(|inverse| inverse.first.len() + 1);
    for _ in 0..most.max().unwrap_or_default() {
        if let Some(undo) = change.undo(prior, twin) {
            carry_out(change, &undo, twin);
        }
    }
    let left = change.undo(prior, twin);
    assert!(left.is_none(), "{}: {left:?}", change.name());
    let is_as_before = change.row.irreversible.is_some()
        || change.row.inverse.iter().any(|row| !row.after.is_empty())
        || change
            .settings_before()
            .iter()
            .all(|expectation| expectation.is_met(twin));
    assert!(is_as_before, "{}: not taken back", change.name());
}

#[test]
fn each_row_is_made_and_taken_back_on_its_sample() {
    for row in rows() {
        let (change, document) = sample(row);
        let tasks = change.tasks("one");
        let prior = seen(row, document);
        assert_eq!(tasks[0].difference(&prior), None, "{}", row.name);
        assert!(
            change.undo(&prior, &prior).is_none(),
            "{}: nothing is undone before it is done",
            row.name
        );

        let mut twin = prior.clone();
        let (verified, steps) = tasks[1..].split_last().unwrap();
        assert_eq!(steps.len(), row.first.len() + 1, "{}", row.name);
        for step in steps {
            carry_out(&change, step, &mut twin);
            // From wherever a change stands there is a way back.
            let mut other = twin.clone();
            take_back(&change, &prior, &mut other);
        }
        assert_eq!(verified.difference(&twin), None, "{}", row.name);
        assert!(tasks[0].difference(&twin).is_some(), "{}", row.name);
    }
}

#[test]
fn the_catalogue_has_each_file() {
    let names = |rows: Vec<&'static ConfigurationRow>| {
        let names = rows.into_iter().map(|row| row.name);
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(
        names(rows()),
        names(ConfigurationRow::all().iter().collect())
    );
}

#[test]
fn each_row_is_read_back_from_a_stored_plan() {
    let changes = ChangeRegistry::builtin();
    for row in ConfigurationRow::all() {
        let (change, _) = sample(row);
        let plan = Plan::new(&change, "one");
        let read: Procedure = changes.procedure(&plan).unwrap();
        assert_eq!(
            read.change().parameters(),
            change.parameters(),
            "{}",
            row.name
        );
        assert_eq!(
            read.plan().steps,
            Procedure::new(Arc::clone(read.change()), "one")
                .plan()
                .steps
        );
        assert_eq!(plan.reversible, row.irreversible.is_none(), "{}", row.name);
    }
}

#[test]
fn a_plan_for_an_identity_without_a_region_is_read_back() {
    let row = row("deactivate_access_key");
    let document = Document::new(serde_json::from_str(&row.sample.document).unwrap());
    let global = Resource {
        region: String::new(),
        ..resource(row)
    };
    let change = ConfigurationChange::on(row, &global, &document, BTreeMap::new()).unwrap();
    let read = ChangeRegistry::builtin().procedure(&Plan::new(&change, "one"));
    assert_eq!(read.unwrap().change().parameters(), change.parameters());
}

#[test]
fn a_configuration_that_changed_since_is_left_alone() {
    let row = row("block_public_access");
    let (change, document) = sample(row);
    let check = &change.tasks("one")[0];

    let mut other = document.json().clone();
    other["TagSet"] = json!([{ "Key": "team", "Value": "shop" }]);
    assert_eq!(
        check.difference(&seen(row, Document::new(other.clone()))),
        None,
        "members that the change does not read may differ"
    );

    other["Policy"] = json!({ "Statement": [] });
    assert!(check.difference(&seen(row, Document::new(other))).is_some());
    assert!(
        check.difference(&resource(row)).is_some(),
        "not read at all"
    );
}

#[test]
fn it_is_not_offered_where_it_cannot_be_done() {
    let row = row("block_public_access");
    let refused = |resource: &Resource, document: Value| {
        let document = Document::new(document);
        ConfigurationChange::on(row, resource, &document, BTreeMap::new())
            .unwrap_err()
            .to_string()
    };

    let bucket = resource(row);
    let all = json!({
        "BlockPublicAcls": true, "IgnorePublicAcls": "true", "BlockPublicPolicy": true, "RestrictPublicBuckets": true,
    });
    assert_eq!(
        refused(&bucket, json!({ "Name": "a", "PublicAccessBlock": all })),
        "the public access block is as wanted"
    );
    assert_eq!(
        refused(
            &bucket,
            json!({ "Name": "a", "PublicAccessBlock": NOT_READ })
        ),
        "PublicAccessBlock was not read"
    );
    assert!(refused(&bucket, json!({})).contains("lacks a value"));

    let queue = Resource {
        kind: ResourceKind::named("queue").unwrap(),
        ..bucket.clone()
    };
    assert!(refused(&queue, json!({ "Name": "a" })).contains("changes a bucket"));
    let azure = Resource {
        provider: Provider::Azure,
        ..bucket
    };
    assert!(refused(&azure, json!({ "Name": "a" })).contains("of aws"));
}

#[test]
fn the_call_of_the_way_back_depends_on_what_was_there() {
    let row = row("block_public_access");
    let bucket = resource(row);
    let back = |document: Value| {
        let document = Document::new(document);
        let change = ConfigurationChange::on(row, &bucket, &document, BTreeMap::new()).unwrap();
        change.way_back(&Value::Null).unwrap().pop().unwrap()
    };

    assert_eq!(
        back(json!({ "Name": "a" })).action,
        "DeletePublicAccessBlock"
    );
    let partly = back(json!({
        "Name": "a", "PublicAccessBlock": {
            "BlockPublicAcls": true, "IgnorePublicAcls": false, "BlockPublicPolicy": false, "RestrictPublicBuckets": false,
        },
    }));
    assert_eq!(partly.action, "PutPublicAccessBlock");
    assert_eq!(
        partly.target,
        Some(("PUT", "/a?publicAccessBlock".to_owned()))
    );
    assert!(
        partly
            .body
            .unwrap()
            .contains("<IgnorePublicAcls>false</IgnorePublicAcls>")
    );
}

#[test]
fn lines_of_code_are_filled_with_the_values_of_the_plan() {
    let row = row("block_public_access");
    let plan = Plan::new(&sample(row).0, "acme-invoices");
    let planned = plan.change.unwrap();
    let lines = lines_of_code(&planned, Tool::Terraform).unwrap();
    assert!(
        lines.contains(r#"bucket                  = "acme-invoices""#),
        "{lines}"
    );
    assert!(lines_of_code(&planned, Tool::CloudFormation).is_some());
    assert_eq!(lines_of_code(&planned, Tool::Pulumi), None);

    for row in rows() {
        let templates = [&row.code.terraform, &row.code.cloudformation];
        for template in templates.into_iter().flatten() {
            let (change, _) = sample(row);
            let context = json!({
                "doc": change.before, "with": change.with,
                "resource": { "account": change.account, "region": change.region },
            });
            assert!(
                template::filled(template, &context, TemplatePlace::Plain).is_some(),
                "{}: {template}",
                row.name
            );
        }
    }
}

#[test]
fn the_page_of_changes_has_each_row() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents/changes.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut lines: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    lines.retain(|line| line.matches(" | ").count() >= 4);

    for row in rows() {
        let back = match row.irreversible {
            Some(why) => format!("no: {why}"),
            None => "yes".to_owned(),
        };
        let line = format!(
            "| `{}` | `{}` | {} | {} | {back} |",
            row.name,
            row.kind,
            row.risk.as_str(),
            row.loses.unwrap_or("nothing")
        );
        assert!(
            lines.contains(&line.as_str()),
            "docs/agents/changes.md lacks: {line}"
        );
        lines.retain(|one| *one != line);
    }
    assert_eq!(
        lines,
        Vec::<&str>::new(),
        "rows that are not in the catalogue"
    );
}
