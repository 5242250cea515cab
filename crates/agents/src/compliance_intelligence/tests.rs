//! Answers of checks as findings and evidence, and the settings that choose checks.
#![allow(clippy::unwrap_used)]
use reeve_controls::ControlCatalogue;
use reeve_estate::{Document, Provider, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::judgement::evidence::CheckAnswer;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::Priority;
use serde_json::{Value, json};

use super::{ComplianceIntelligence, finding, judge};
use crate::cost_optimizer::tests::estate::resource;
use crate::storage_optimizer::tests::Case;
use reeve_recommend::agent::contract::AgentDefinition as _;

const CHECK: &str = "aws.s3.blocks_public_access";

fn judged(document: Option<Value>) -> Judgement {
    let mut case = Case::volume("gp3", 1.0, None, None);
    case.volume = resource("invoices", ResourceKind::Bucket, "s3", None);
    let document = document.map(Document::new);
    case.with(|facts| {
        let facts = Facts {
            document: document.as_ref(),
            ..*facts
        };
        judge(
            &facts,
            ControlCatalogue::builtin(),
            &ControlCatalogue::builtin().frameworks_of(facts.settings),
        )
    })
}

fn open() -> Value {
    json!({ "Name": "invoices", "PublicAccessBlock": { "BlockPublicAcls": false } })
}

fn answer(judgement: &Judgement) -> CheckAnswer {
    let mut found = judgement.evidence.iter().filter(|one| one.check == CHECK);
    let answer = found.next().unwrap().answer;
    assert!(found.next().is_none());
    answer
}

#[test]
fn a_failed_check_is_a_finding_and_evidence() {
    let judgement = judged(Some(open()));
    assert_eq!(answer(&judgement), CheckAnswer::Fail);

    let about = |aspect: &str| {
        judgement
            .proposals
            .iter()
            .find(|one| one.subject.aspect.as_deref() == Some(aspect))
    };
    let found = about(CHECK).unwrap();
    assert_eq!(found.priority, Priority::High);
    assert_eq!(
        found.title,
        "invoices-name fails the check “The bucket blocks public access”"
    );
    assert!(found.plan.is_none(), "nothing is changed by itself");
    assert!(
        found.explanation.factors[0].contains("`PublicAccessBlock.BlockPublicAcls` is false"),
        "{:?}",
        found.explanation.factors
    );
    assert_eq!(found.explanation.decision_path[0].answer, Some(false));

    // What is less severe is evidence alone, until a person wants it recommended.
    let versioned = "aws.s3.versioning_enabled";
    let failed = judgement.evidence.iter().find(|one| one.check == versioned);
    assert_eq!(failed.unwrap().answer, CheckAnswer::Fail);
    assert!(about(versioned).is_none());

    let evidence = judgement.evidence.iter().find(|one| one.check == CHECK);
    let evidence = evidence.unwrap();
    assert_eq!(
        evidence.values["PublicAccessBlock.BlockPublicAcls"],
        json!(false)
    );
    assert_eq!(
        evidence.document.as_deref(),
        Some(Document::new(open()).hash().as_str())
    );
}

#[test]
fn a_disk_that_is_not_encrypted_is_replaced_by_one_that_is() {
    let check = ControlCatalogue::builtin().check("aws.ec2.volume_encrypted");
    assert!(check.unwrap().remediation.replaces);

    let wanted = SettingValue::names("medium");
    let settings =
        AgentSettings([("remediation_suggestions.priorities".to_owned(), wanted)].into());
    let plan_of = |tag: Option<&str>| {
        let mut case = Case::volume("gp3", 1.0, None, None);
        let tags = tag.map(|tag| (tag.to_owned(), "i-1 /dev/xvdb".to_owned()));
        case.volume.tags.extend(tags);
        let document = Document::new(json!({ "volumeId": "vol-1", "encrypted": false }));
        case.with(|facts| {
            let facts = Facts {
                document: Some(&document),
                settings: &settings,
                ..*facts
            };
            let frameworks = ControlCatalogue::builtin().frameworks_of(facts.settings);
            let judgement = judge(&facts, ControlCatalogue::builtin(), &frameworks);
            let aspect = Some("aws.ec2.volume_encrypted");
            let mut found = judgement.proposals.into_iter();
            let found = found.find(|one| one.subject.aspect.as_deref() == aspect);
            found.unwrap().plan
        })
    };

    let plan = plan_of(None).unwrap();
    assert_eq!(plan.change_name(), Some("encrypt_volume"));
    assert!(plan.reversible);
    // The old disk of a replacement is deleted by a person, and not replaced again.
    assert!(plan_of(Some("reeve:replaced")).is_none());
}

/// The finding about a database that is not encrypted, with these members more.
fn unencrypted_database(members: Value) -> Proposal {
    let mut document = json!({
        "DBInstanceIdentifier": "orders", "DBInstanceClass": "db.m7g.large", "Engine": "postgres",
        "StorageEncrypted": false, "VpcSecurityGroups": [{ "VpcSecurityGroupId": "sg-1" }],
    });
    for (name, value) in members.as_object().unwrap() {
        document[name] = value.clone();
    }
    let document = Document::new(document);
    let mut case = Case::volume("gp3", 100.0, None, None);
    case.volume = resource("orders", ResourceKind::Database, "rds", None);
    case.volume.specification.storage_gib = Some(100.0);
    case.with(|facts| {
        let facts = Facts {
            document: Some(&document),
            ..*facts
        };
        let frameworks = ControlCatalogue::builtin().frameworks_of(facts.settings);
        let judgement = judge(&facts, ControlCatalogue::builtin(), &frameworks);
        let aspect = Some("aws.rds.database_encrypted");
        let mut found = judgement.proposals.into_iter();
        let found = found.find(|one| one.subject.aspect.as_deref() == aspect);
        found.unwrap()
    })
}

#[test]
fn a_database_that_is_not_encrypted_is_replaced_without_a_lost_write() {
    let found = unencrypted_database(json!({}));
    let plan = found.plan.as_ref().unwrap();
    assert_eq!(plan.change_name(), Some("encrypt_database"));
    assert!(plan.reversible && plan.restart_needed);
    assert_eq!(found.impact_level, Impact::High);
    // Both databases are there until a person deletes the old one.
    assert_eq!(found.impact.cost_percent, Some(100.0));
    assert!(found.impact.performance.contains("about 75 minutes"));
    let factors = format!("{:?}", found.explanation.factors);
    assert!(factors.contains("A write between the snapshot and the exchange"));
    assert!(factors.contains("pg_cron"));
}

#[test]
fn a_database_that_people_have_to_replace_says_why() {
    for (members, reason) in [
        (
            json!({ "ReadReplicaDBInstanceIdentifiers": ["orders-2"] }),
            "has read replicas",
        ),
        (
            json!({ "DBClusterIdentifier": "shop" }),
            "belongs to the cluster shop",
        ),
        (
            json!({ "MasterUserSecret": { "SecretStatus": "active" } }),
            "Secrets Manager",
        ),
    ] {
        let found = unencrypted_database(members);
        assert!(found.plan.is_none(), "{reason}");
        let factors = format!("{:?}", found.explanation.factors);
        assert!(factors.contains(reason), "{factors}");
        assert!(found.explanation.action.contains("exchange the names"));
    }
}

#[test]
fn what_was_not_read_is_unknown_and_refutes_nothing() {
    let hidden = judged(Some(
        json!({ "Name": "invoices", "PublicAccessBlock": "[not read]" }),
    ));
    assert_eq!(answer(&hidden), CheckAnswer::Unknown);
    let abstention = hidden
        .abstentions
        .iter()
        .find(|one| one.aspect.as_deref() == Some(CHECK))
        .unwrap();
    assert!(!abstention.decisive, "an earlier finding stays");

    let none = judged(None);
    assert!(none.evidence.is_empty() && none.proposals.is_empty());
    assert!(!none.abstentions[0].decisive);
}

#[test]
fn a_passed_check_ends_the_finding_of_its_own_aspect_alone() {
    let block = json!({ "BlockPublicAcls": true, "IgnorePublicAcls": true, "BlockPublicPolicy": true,
        "RestrictPublicBuckets": true });
    let closed = judged(Some(
        json!({ "Name": "invoices", "PublicAccessBlock": block }),
    ));
    assert_eq!(answer(&closed), CheckAnswer::Pass);

    let check = ControlCatalogue::builtin().check(CHECK).unwrap();
    let kind = finding::kind(check);
    let ends = |aspect: &str| {
        closed
            .abstentions
            .iter()
            .any(|one| one.decisive && one.is_about(kind, Some(aspect)))
    };
    assert!(ends(CHECK));
    assert!(!ends("aws.s3.no_such_check"));
}

#[test]
fn the_frameworks_of_an_agent_decide_which_checks_are_asked() {
    let none = AgentSettings::default();
    assert_eq!(
        Vec::from_iter(ControlCatalogue::builtin().frameworks_of(&none)),
        ["hipaa", "iso27001", "pci_dss", "soc2"]
    );
    let cis = AgentSettings(
        [(
            "frameworks".to_owned(),
            SettingValue::names("CIS_AWS, gdpr"),
        )]
        .into(),
    );
    assert_eq!(
        Vec::from_iter(ControlCatalogue::builtin().frameworks_of(&cis)),
        ["cis_aws", "gdpr"]
    );

    let needs = ComplianceIntelligence::default().needs(&none);
    for provider in Provider::ALL {
        let mut kinds = ControlCatalogue::builtin().kinds_of(*provider);
        assert!(kinds.all(|kind| needs.kinds.contains(&kind)));
    }
    assert!(
        needs
            .related_documents
            .iter()
            .all(|kind| needs.related.contains(kind))
    );
}
