//! Each technique: a principal with exactly its permissions reaches, with one missing or denied it
//! does not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fixture::{ADMINISTRATOR, Fixture, allow, deny, trusting, trusting_account};
use crate::reach::ReachGrade;
use crate::technique::{Technique, TechniqueEffect, TechniqueTarget, techniques};

/// Returns the actions that the caller needs a policy for: the rewritten trust policy lets it in
/// without one.
fn actions(technique: &Technique) -> BTreeSet<String> {
    let permissions = technique.calls.iter().flatten();
    permissions
        .filter(|needed| needed.on != crate::technique::NeededOn::TrustingTarget)
        .map(|needed| needed.action.clone())
        .collect()
}

/// Returns a statement that allows actions: on the target alone where the caller could else change
/// itself.
fn allowed(technique: &Technique, actions: &[&String]) -> Value {
    if actions.is_empty() {
        return json!([]);
    }
    let mut statement = allow(json!(actions));
    if technique.effect == TechniqueEffect::BecomeEmpowered {
        let arn = |kind: &str| format!("arn:aws:iam::{}:{kind}", super::fixture::ACCOUNT);
        statement["Resource"] = json!([
            arn("user/target"),
            arn("role/target"),
            arn("policy/of-target")
        ]);
    }
    json!([statement])
}

fn filled(form: &str) -> String {
    form.replace("{partition}", "aws")
        .replace("{region}", "eu-west-1")
        .replace("{account}", super::fixture::ACCOUNT)
        .replace('*', "thing")
}

/// Returns an account in which a caller with some statements meets what a technique needs.
fn account(technique: &Technique, statements: Value) -> Fixture {
    let services = json!({"Service": technique.services});
    let elsewhere = || trusting(json!({"AWS": "444455556666"}));
    let rewrites_trust = technique
        .calls
        .iter()
        .flatten()
        .any(|needed| needed.action == "iam:UpdateAssumeRolePolicy");
    let trust = if rewrites_trust {
        elsewhere()
    } else {
        trusting_account()
    };
    let is_empowered = technique.effect == TechniqueEffect::BecomeEmpowered;
    let mut fixture = Fixture::default();

    fixture = match technique.target {
        TechniqueTarget::ServiceRole => {
            fixture
                .admin_role("target", trusting(services))
                .user("caller", statements, &[], &[])
        }
        TechniqueTarget::WorkloadRole => {
            let workload = filled(technique.workload.as_deref().unwrap());
            fixture
                .admin_role("target", trusting(services))
                .user("caller", statements, &[], &[])
                .beside(json!({"workloads": [{"arn": workload, "role": super::fixture::role_arn("target")}]}))
        }
        TechniqueTarget::Role if is_empowered => {
            let policy = format!("arn:aws:iam::{}:policy/of-target", super::fixture::ACCOUNT);
            fixture
                .policy("of-target", json!([allow(json!("s3:ListAllMyBuckets"))]))
                .role("target", trust, json!([]), &[&policy])
                .user("caller", statements, &[], &[])
        }
        TechniqueTarget::Role => {
            fixture
                .admin_role("target", trust)
                .user("caller", statements, &[], &[])
        }
        TechniqueTarget::User if is_empowered => {
            fixture
                .user("target", json!([]), &[], &[])
                .user("caller", statements, &[], &[])
        }
        TechniqueTarget::User => fixture
            .user("target", json!([]), &[ADMINISTRATOR], &[])
            .user("caller", statements, &[], &[]),
        TechniqueTarget::Group => {
            fixture
                .group("target", &[ADMINISTRATOR])
                .user("caller", statements, &[], &[])
        }
        TechniqueTarget::OwnUser => fixture.user("caller", statements, &[], &[]),
        TechniqueTarget::OwnGroup => {
            fixture
                .group("target", &[])
                .user("caller", statements, &[], &["target"])
        }
        TechniqueTarget::OwnRole => fixture.role("caller", elsewhere(), statements, &[]),
        TechniqueTarget::OwnPolicy => {
            let policy = format!("arn:aws:iam::{}:policy/own", super::fixture::ACCOUNT);
            fixture
                .policy("own", statements)
                .user("caller", json!([]), &[&policy], &[])
        }
    };
    if let Some(form) = &technique.exists {
        fixture = fixture.beside(json!({"workloads": [{"arn": filled(form)}]}));
    }
    fixture
}

#[test]
fn a_principal_with_exactly_the_permissions_reaches() {
    for technique in techniques() {
        let actions = actions(technique);
        let all: Vec<&String> = actions.iter().collect();
        let fixture = account(technique, allowed(technique, &all));
        let way = fixture
            .to_admin("caller")
            .unwrap_or_else(|| panic!("{}", technique.id));

        assert_eq!(way.grade, ReachGrade::Certain, "{}: {way:?}", technique.id);
        assert_eq!(way.path.len(), 1, "{}: {way:?}", technique.id);
        // Both keys can be created where one may also be deleted: the simpler one is named.
        if technique.id != "iam-003" {
            assert_eq!(way.path[0].technique, technique.id);
        }
        assert_eq!(way.blocked_by, []);
        let used: BTreeSet<String> = way.path[0]
            .allowed_by
            .iter()
            .map(|one| one.action.clone())
            .collect();
        assert!(
            used.is_subset(
                &actions
                    .into_iter()
                    .chain(["sts:AssumeRole".to_owned()])
                    .collect()
            )
        );
    }
}

#[test]
fn with_one_permission_missing_it_does_not() {
    for technique in techniques() {
        let all = actions(technique);
        for missing in &all {
            let rest: Vec<&String> = all.iter().filter(|action| *action != missing).collect();
            let ways = account(technique, allowed(technique, &rest)).ways("caller");
            let is_used = ways
                .iter()
                .flat_map(|way| &way.path)
                .any(|step| step.technique == technique.id);
            assert!(!is_used, "{} without {missing}: {ways:?}", technique.id);
        }
    }
}

#[test]
fn with_one_permission_denied_it_is_blocked_by_the_denial() {
    for technique in techniques() {
        let all: Vec<String> = actions(technique).into_iter().collect();
        for denied in &all {
            let named: Vec<&String> = all.iter().collect();
            let mut statements = allowed(technique, &named);
            statements
                .as_array_mut()
                .unwrap()
                .push(deny(json!([denied])));
            let ways = account(technique, statements).ways("caller");
            for way in ways
                .iter()
                .filter(|way| way.path.iter().any(|step| step.technique == technique.id))
            {
                assert_eq!(way.grade, ReachGrade::Blocked, "{}: {way:?}", technique.id);
                assert!(
                    way.blocked_by.iter().any(|one| one.action == *denied
                        && one.statement.as_deref() == Some("statement 2")),
                    "{} {denied}: {way:?}",
                    technique.id
                );
            }
            assert!(!ways.is_empty(), "{} {denied}", technique.id);
        }
    }
}

#[test]
fn the_target_must_be_more_powerful() {
    // The same permissions lead nowhere if there is no administrator to gain.
    for technique in techniques() {
        let effect = technique.effect;
        if effect == TechniqueEffect::Empower || effect == TechniqueEffect::BecomeEmpowered {
            continue;
        }
        let actions: Vec<String> = actions(technique).into_iter().collect();
        let details = account(technique, json!([allow(json!(actions))]));
        let text = details.details().to_string().replace(
            ADMINISTRATOR,
            "arn:aws:iam::aws:policy/IAMUserChangePassword",
        );
        let mut builder = crate::account::AccountBuilder::default();
        builder.add(&text).unwrap();
        let ways = crate::reach::reach(&builder.build().unwrap());
        assert!(
            ways.iter().all(|way| way.reaches != "admin"),
            "{}: {ways:?}",
            technique.id
        );
    }
}

/// The published list, where the folder of the open data is there.
#[test]
fn every_path_of_the_published_list_is_a_technique() {
    let root = std::env::var("REEVE_TEST_DATA").map_or_else(
        |_| std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        std::path::PathBuf::from,
    );
    assert_eq!(techniques().len(), 65);
    let Ok(text) = std::fs::read_to_string(root.join("iam-paths/paths.json")) else {
        eprintln!("skipped: the published paths are not there");
        return;
    };
    let paths: Vec<Value> = serde_json::from_str(&text).unwrap();
    for path in &paths {
        let id = path["id"].as_str().unwrap();
        let technique = techniques().iter().find(|one| one.id == id);
        let technique = technique.unwrap_or_else(|| panic!("{id} is missing"));
        let required = path["permissions"]["required"].as_array().unwrap().iter();
        let required: BTreeSet<String> = required
            .map(|one| one["permission"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(actions(technique), required, "{id}");
    }
}
