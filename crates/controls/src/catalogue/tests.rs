//! Every file of the catalogue with its samples, and files that are refused.
#![allow(clippy::unwrap_used)]
use std::collections::BTreeSet;

use super::*;

#[test]
fn every_file_can_be_read_and_every_sample_holds() {
    let (catalogue, errors) = ControlCatalogue::default().with(&Folder::embedded());
    assert_eq!(errors, []);

    let faults: Vec<String> = catalogue
        .checks()
        .flat_map(|check| check.test())
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn there_are_as_many_checks_and_frameworks_as_the_documentation_says() {
    let catalogue = ControlCatalogue::builtin();
    let of = |provider| {
        let own = catalogue
            .checks()
            .filter(|check| check.provider == provider);
        own.count()
    };
    assert!(of(Provider::Aws) >= 200, "{}", of(Provider::Aws));
    assert!(of(Provider::Azure) >= 40 && of(Provider::Gcp) >= 40);

    let frameworks: Vec<&str> = catalogue.frameworks().map(|one| one.id.as_str()).collect();
    assert_eq!(frameworks, crate::FRAMEWORKS.choices);
}

#[test]
fn every_check_proves_a_control_and_no_two_have_one_title() {
    let catalogue = ControlCatalogue::builtin();
    let is_proving = |check: &ControlCheck| {
        catalogue
            .frameworks()
            .any(|framework| framework.is_proven_by(check))
    };
    let idle: Vec<&str> = catalogue
        .checks()
        .filter(|check| !is_proving(check))
        .map(|check| check.id.as_str())
        .collect();
    assert!(idle.is_empty(), "{idle:?} prove nothing");

    let mut titles = BTreeSet::new();
    for check in catalogue.checks() {
        let key = (check.provider, check.kind, &check.title);
        assert!(titles.insert(key), "{} has the title of another", check.id);
    }
}

fn folder(path: &[&str], text: &str) -> Folder {
    let parts = path.iter().map(|part| (*part).to_owned()).collect();
    Folder {
        files: vec![(parts, text.to_owned())],
        ..Folder::default()
    }
}

const CHECK: &str = r#"
title = "It has a name"
why = "Nobody finds what has no name."
severity = "low"
kind = "bucket"
topics = ["inventory"]
sources = ["https://example.com/names"]
expression = 'doc.Name != ""'
remediation = { text = "Give it a name." }
"#;

#[test]
fn a_wrong_file_is_named_with_its_field_and_the_others_are_kept() {
    let path = ["checks", "aws", "s3", "has_name.toml"];
    let check = |text: &str, field: &str, part: &str| {
        let (_, errors) = ControlCatalogue::default().with(&folder(&path, text));
        let [error] = errors.as_slice() else {
            panic!("{text}: {errors:?}");
        };
        assert_eq!(
            (error.file.as_str(), error.field.as_str()),
            ("checks/aws/s3/has_name.toml", field)
        );
        assert!(error.reason.contains(part), "{error}");
    };

    check(
        &CHECK.replace("Nobody finds what has no name.", " "),
        "why",
        "empty",
    );
    check(
        &CHECK.replace("[\"inventory\"]", "[]"),
        "topics",
        "at least one",
    );
    check(
        &CHECK.replace("[\"inventory\"]", "[\"weather\"]"),
        "",
        "weather",
    );
    check(&CHECK.replace("https://", "http://"), "sources", "https");
    check(
        &CHECK.replace("doc.Name", "name"),
        "expression",
        "no variable",
    );
    check(
        &CHECK.replace("\"bucket\"", "\"A bucket\""),
        "kind",
        "A bucket",
    );
    check(&format!("{CHECK}more = 1"), "", "more");

    let (_, errors) = ControlCatalogue::default().with(&folder(&["other", "x.toml"], CHECK));
    assert!(errors[0].reason.contains("checks/<cloud>/<service>/"));
}

#[test]
fn kinds_whose_checks_read_related_resources_are_known() {
    let kinds = ControlCatalogue::builtin().kinds_that_look_around();
    let looks = |name: &str| kinds.contains(&ResourceKind::named(name).unwrap());
    assert!(looks("network"), "flow logs of a network: {kinds:?}");
    assert!(
        !looks("bucket"),
        "a bucket is judged by its own document: {kinds:?}"
    );

    let check = ControlCatalogue::builtin().check("aws.s3.blocks_public_access");
    assert!(!check.unwrap().reads_related());
}

#[test]
fn another_file_is_another_revision() {
    let folder = |text: &str| Folder {
        files: vec![(
            vec!["controls".to_owned(), "own.toml".to_owned()],
            text.to_owned(),
        )],
        ..Folder::default()
    };
    let revision = |text: &str| {
        ControlCatalogue::default()
            .with(&folder(text))
            .0
            .revision()
            .to_owned()
    };
    assert_eq!(revision("a"), revision("a"));
    assert_ne!(revision("a"), revision("b"));
    assert_eq!(ControlCatalogue::builtin().revision().len(), 64);
}
