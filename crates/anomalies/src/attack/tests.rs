//! Every row names a technique, and calls of several clouds find theirs.

use std::collections::BTreeSet;

use reeve_alerts::AttackId;
use reeve_learn::behavior::{BehaviorEvidence, Trait, Traits};

use super::*;

fn call(service: &str, operation: &str, traits: &[Trait]) -> ActivityEvent {
    ActivityEvent {
        service: service.to_owned(),
        operation: operation.to_owned(),
        traits: traits.iter().copied().collect::<Traits>(),
        ..ActivityEvent::default()
    }
}

#[test]
fn every_row_names_a_technique_and_every_technique_has_a_row() {
    let named: BTreeSet<&str> = TABLE.iter().map(|row| row.technique).collect();
    for id in &named {
        assert!(technique_by_id(id).is_some(), "{id}");
    }

    let beside = [BRUTE_FORCE, SPRAYING];
    for technique in techniques() {
        assert!(AttackId::parse(technique.id).is_some(), "{technique:?}");
        let used = named.contains(technique.id) || beside.contains(&technique.id);
        assert!(used, "{technique:?}");
    }

    let ids: BTreeSet<&str> = techniques().map(|technique| technique.id).collect();
    assert_eq!(ids.len(), techniques().count(), "one row each");
}

#[test]
fn calls_of_several_clouds_have_their_technique() {
    for (service, operation, traits, expect) in [
        ("iam", "CreateAccessKey", vec![], "T1098.001"),
        (
            "iam",
            "AttachUserPolicy",
            vec![Trait::GivesAdmin],
            "T1098.003",
        ),
        ("cloudtrail", "StopLogging", vec![], "T1562.008"),
        ("lambda", "UpdateFunctionCode20150331v2", vec![], "T1546"),
        ("secretsmanager", "GetSecretValue", vec![], "T1555.006"),
        ("ec2", "DescribeInstances", vec![], "T1580"),
        (
            "ec2",
            "ModifySnapshotAttribute",
            vec![Trait::Shares],
            "T1537",
        ),
        ("s3", "PutObject", vec![Trait::Extortion], "T1486"),
        ("sts", "AssumeRoleWithSAML", vec![], "T1548.005"),
        (
            "Microsoft.Authorization",
            "Microsoft.Authorization/roleAssignments/write",
            vec![],
            "T1098.003",
        ),
        (
            "iam.googleapis.com",
            "google.iam.admin.v1.CreateServiceAccountKey",
            vec![],
            "T1098.001",
        ),
        (
            "Microsoft.KeyVault",
            "Microsoft.KeyVault/vaults/secrets/read",
            vec![],
            "T1555.006",
        ),
    ] {
        let found = technique_of_call(&call(service, operation, &traits)).map(|one| one.id);
        assert_eq!(found, Some(expect), "{service}:{operation}");
    }
}

#[test]
fn what_has_no_technique_says_why() {
    let judged = |reason| {
        let mut judged = BehaviorJudgement::default();
        judged.evidence.push(BehaviorEvidence {
            reason,
            weight: 1.0,
            words: "new".into(),
        });
        judged
    };
    let odd = call("example", "FrobnicateWidget", &[]);
    assert_eq!(technique_of_call(&odd), None);
    let why = attribute(&odd, &judged(BehaviorReason::Rarity), None).unwrap_err();
    assert_eq!(why, NoTechnique::Usual("FrobnicateWidget".to_owned()));
    assert!(why.to_string().contains("for FrobnicateWidget"), "{why}");

    let elsewhere = attribute(&odd, &judged(BehaviorReason::Place), None).map(|one| one.id);
    assert_eq!(elsewhere, Ok("T1078.004"));
    let login = ActivityEvent {
        outcome: BehaviorOutcome::Failed,
        ..call("signin", "ConsoleLogin", &[])
    };
    assert_eq!(
        attribute(&login, &judged(BehaviorReason::Guessing), None).map(|one| one.id),
        Ok("T1110.003")
    );
    assert_eq!(
        attribute(&login, &judged(BehaviorReason::Time), None).map(|one| one.id),
        Ok("T1110")
    );
}
