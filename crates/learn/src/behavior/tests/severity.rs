//! The page of severities, `docs/learning/severity.md`: the scores that the tables give to a call
//! of which nothing else is known.

use super::*;

/// Row of the page: what is done, the kind of caller, the operation, and what its parameters say.
type Row = (
    &'static str,
    BehaviorPrincipalKind,
    &'static str,
    &'static str,
    &'static [Trait],
);

const ROWS: [Row; 38] = [
    (
        "Opens remote administration to the internet",
        BehaviorPrincipalKind::Role,
        "ec2",
        "AuthorizeSecurityGroupIngress",
        &[Trait::OpensToAll, Trait::RemotePort],
    ),
    (
        "Shares a snapshot with the internet",
        BehaviorPrincipalKind::Role,
        "ec2",
        "ModifySnapshotAttribute",
        &[Trait::OpensToAll, Trait::Shares],
    ),
    (
        "Shares a snapshot with another account",
        BehaviorPrincipalKind::Role,
        "ec2",
        "ModifySnapshotAttribute",
        &[Trait::NamesForeignAccount, Trait::Shares],
    ),
    (
        "Stops sharing a snapshot",
        BehaviorPrincipalKind::Role,
        "ec2",
        "ModifySnapshotAttribute",
        &[Trait::TakesAway],
    ),
    (
        "Leaves the organization",
        BehaviorPrincipalKind::Role,
        "organizations",
        "LeaveOrganization",
        &[],
    ),
    (
        "Opens a bucket to the internet",
        BehaviorPrincipalKind::Role,
        "s3",
        "PutBucketPolicy",
        &[Trait::OpensToAll],
    ),
    (
        "Opens a queue to the internet",
        BehaviorPrincipalKind::Role,
        "sqs",
        "SetQueueAttributes",
        &[Trait::OpensToAll],
    ),
    (
        "Opens a topic to the internet",
        BehaviorPrincipalKind::Role,
        "sns",
        "SetTopicAttributes",
        &[Trait::OpensToAll],
    ),
    (
        "Opens a key to the internet",
        BehaviorPrincipalKind::Role,
        "kms",
        "PutKeyPolicy",
        &[Trait::OpensToAll],
    ),
    (
        "Opens a secret to the internet",
        BehaviorPrincipalKind::Role,
        "secretsmanager",
        "PutResourcePolicy",
        &[Trait::OpensToAll],
    ),
    (
        "Opens a database to the internet",
        BehaviorPrincipalKind::Role,
        "rds",
        "ModifyDBInstance",
        &[Trait::OpensToAll],
    ),
    (
        "Closes a database to the internet",
        BehaviorPrincipalKind::Role,
        "rds",
        "ModifyDBInstance",
        &[Trait::SwitchesOn],
    ),
    (
        "Opens a port to the internet",
        BehaviorPrincipalKind::Role,
        "ec2",
        "AuthorizeSecurityGroupIngress",
        &[Trait::OpensToAll],
    ),
    (
        "Closes a port",
        BehaviorPrincipalKind::Role,
        "ec2",
        "RevokeSecurityGroupIngress",
        &[Trait::OpensToAll],
    ),
    (
        "Grants administrator rights",
        BehaviorPrincipalKind::Role,
        "iam",
        "AttachUserPolicy",
        &[Trait::GivesAdmin],
    ),
    (
        "Writes administrator rights into a user",
        BehaviorPrincipalKind::Role,
        "iam",
        "PutUserPolicy",
        &[Trait::GivesAdmin],
    ),
    (
        "Lets another account into a bucket",
        BehaviorPrincipalKind::Role,
        "s3",
        "PutBucketPolicy",
        &[Trait::NamesForeignAccount],
    ),
    (
        "Lets another account into a queue",
        BehaviorPrincipalKind::Role,
        "sqs",
        "SetQueueAttributes",
        &[Trait::NamesForeignAccount],
    ),
    (
        "Changes permissions",
        BehaviorPrincipalKind::Role,
        "iam",
        "PutUserPolicy",
        &[],
    ),
    (
        "Stops a trail",
        BehaviorPrincipalKind::Role,
        "cloudtrail",
        "StopLogging",
        &[],
    ),
    (
        "Deletes a trail",
        BehaviorPrincipalKind::Role,
        "cloudtrail",
        "DeleteTrail",
        &[],
    ),
    (
        "Redirects a trail",
        BehaviorPrincipalKind::Role,
        "cloudtrail",
        "UpdateTrail",
        &[],
    ),
    (
        "Narrows a trail",
        BehaviorPrincipalKind::Role,
        "cloudtrail",
        "UpdateTrail",
        &[Trait::SwitchesOff],
    ),
    (
        "Widens a trail",
        BehaviorPrincipalKind::Role,
        "cloudtrail",
        "UpdateTrail",
        &[Trait::SwitchesOn],
    ),
    (
        "Switches a detector off",
        BehaviorPrincipalKind::Role,
        "guardduty",
        "UpdateDetector",
        &[Trait::SwitchesOff],
    ),
    (
        "Switches a detector on",
        BehaviorPrincipalKind::Role,
        "guardduty",
        "UpdateDetector",
        &[Trait::SwitchesOn],
    ),
    (
        "Deletes the encryption of a bucket",
        BehaviorPrincipalKind::Role,
        "s3",
        "DeleteBucketEncryption",
        &[],
    ),
    (
        "Suspends versions of a bucket",
        BehaviorPrincipalKind::Role,
        "s3",
        "PutBucketVersioning",
        &[Trait::SwitchesOff],
    ),
    (
        "Keeps versions of a bucket",
        BehaviorPrincipalKind::Role,
        "s3",
        "PutBucketVersioning",
        &[Trait::SwitchesOn],
    ),
    (
        "Makes an access key",
        BehaviorPrincipalKind::Role,
        "iam",
        "CreateAccessKey",
        &[],
    ),
    (
        "Adds a user",
        BehaviorPrincipalKind::Role,
        "iam",
        "CreateUser",
        &[],
    ),
    (
        "Runs a command on machines",
        BehaviorPrincipalKind::Role,
        "ssm",
        "SendCommand",
        &[],
    ),
    (
        "Deletes a database",
        BehaviorPrincipalKind::Role,
        "rds",
        "DeleteDBInstance",
        &[],
    ),
    (
        "Reads a secret",
        BehaviorPrincipalKind::Role,
        "secretsmanager",
        "GetSecretValue",
        &[],
    ),
    (
        "Lists machines",
        BehaviorPrincipalKind::Role,
        "ec2",
        "DescribeInstances",
        &[],
    ),
    (
        "Signs in as root without a second factor",
        BehaviorPrincipalKind::Root,
        "signin",
        "ConsoleLogin",
        &[Trait::NoSecondFactor],
    ),
    (
        "Signs in as root with a second factor",
        BehaviorPrincipalKind::Root,
        "signin",
        "ConsoleLogin",
        &[Trait::SecondFactor],
    ),
    (
        "Signs in with a second factor",
        BehaviorPrincipalKind::Person,
        "signin",
        "ConsoleLogin",
        &[Trait::SecondFactor],
    ),
];

fn page() -> String {
    let mut page = String::from(
        "| what is done | call | succeeded | refused | failed |\n|---|---|---|---|---|\n",
    );
    for (words, kind, service, operation, traits) in ROWS {
        let score = |outcome| {
            let event = ActivityEvent {
                kind,
                outcome,
                ..with(event("a", service, operation, 0), traits)
            };
            Watch::default().observe(&event).score
        };
        let [done, denied, failed] = [
            BehaviorOutcome::Done,
            BehaviorOutcome::Denied,
            BehaviorOutcome::Failed,
        ]
        .map(score);
        page.push_str(&format!(
            "| {words} | `{service}:{operation}` | {done:.2} | {denied:.2} | {failed:.2} |\n"
        ));
    }

    page
}

#[test]
fn the_page_of_severities_says_what_the_tables_give() {
    let kept = include_str!("../../../../../docs/learning/severity.md");
    let table = page();
    assert!(
        kept.contains(&table),
        "docs/learning/severity.md has another table than:\n{table}"
    );
}

#[test]
fn each_severe_act_is_less_when_it_was_refused() {
    for (words, kind, service, operation, traits) in ROWS {
        let score = |outcome| {
            let event = ActivityEvent {
                kind,
                outcome,
                ..with(event("a", service, operation, 0), traits)
            };
            Watch::default().observe(&event).score
        };
        let (done, denied) = (score(BehaviorOutcome::Done), score(BehaviorOutcome::Denied));
        assert!(
            done < 0.5 || denied < done - 0.02,
            "{words}: {done} {denied}"
        );
    }
}
