//! Events of entries as sources write them.

use reeve_audit::{ActionMethod, Actor, ActorType, EventType, Json, ResourceRef, json};
use reeve_learn::behavior::BehaviorPrincipalKind;

use super::*;

/// An entry as the importer of CloudTrail records makes it, without what the tests do not need.
fn imported(kind: ActorType, id: &str, operation: &str, record: &str) -> Entry {
    let record = json::parse(record.as_bytes()).unwrap_or_else(|error| unreachable!("{error}"));
    let mut entry = Entry::new(EventType::from_static("resource.modify"))
        .by(Actor::new(kind, id))
        .on(ResourceRef::default().in_cloud("aws", "111122223333", "eu-west-1"))
        .with_action(operation, ActionStatus::Success, ActionMethod::Api)
        .with_metadata("cloudtrail", record);
    entry.resource.id = None;
    entry
}

fn traits(parameters: &str) -> Vec<Trait> {
    let record =
        format!(r#"{{"eventSource":"ec2.amazonaws.com","requestParameters":{parameters}}}"#);
    let found = event(&imported(ActorType::User, "alice", "Do", &record)).traits;
    Trait::ALL
        .iter()
        .copied()
        .filter(|one| found.has(*one))
        .collect()
}

#[test]
fn parameters_say_the_same_in_every_cloud() {
    for (parameters, expect) in [
        (
            r#"{"ipPermissions":{"items":[{"fromPort":22,"toPort":22,"ipRanges":{"items":[{"cidrIp":"0.0.0.0/0"}]}}]}}"#,
            &[Trait::OpensToAll, Trait::RemotePort][..],
        ),
        (
            r#"{"cidrIp":"10.0.0.0/8","fromPort":443,"toPort":443}"#,
            &[],
        ),
        (
            r#"{"properties":{"sourceAddressPrefix":"*","destinationPortRange":"3389"}}"#,
            &[Trait::OpensToAll, Trait::RemotePort],
        ),
        (
            r#"{"policyArn":"arn:aws:iam::aws:policy/AdministratorAccess","userName":"bob"}"#,
            &[Trait::GivesAdmin, Trait::OnOtherIdentity],
        ),
        (
            r#"{"policyArn":"arn:aws:iam::aws:policy/ReadOnlyAccess","userName":"alice"}"#,
            &[Trait::GivesReading, Trait::OnOwnIdentity],
        ),
        (
            r#"{"policyArn":"arn:aws:iam::aws:policy/job-function/ViewOnlyAccess"}"#,
            &[Trait::GivesReading],
        ),
        (
            r#"{"policyArn":"arn:aws:iam::111122223333:policy/ReadOnlyAccess"}"#,
            &[],
        ),
        (
            r#"{"binding":{"role":"roles/compute.viewer","members":["user:bob@example.com"]}}"#,
            &[Trait::GivesReading],
        ),
        (
            r#"{"properties":{"roleDefinitionId":"/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"}}"#,
            &[Trait::GivesReading],
        ),
        (
            r#"{"binding":{"role":"roles/owner","members":["allUsers"]}}"#,
            &[Trait::OpensToAll, Trait::GivesAdmin],
        ),
        (
            r#"{"launchPermission":{"add":{"items":[{"userId":"999988887777"}]}}}"#,
            &[Trait::NamesForeignAccount, Trait::Shares],
        ),
        (
            r#"{"attributeName":"restore","valuesToAdd":["all"]}"#,
            &[Trait::OpensToAll, Trait::Shares],
        ),
        (
            r#"{"VersioningConfiguration":{"Status":"Suspended"}}"#,
            &[Trait::SwitchesOff],
        ),
        (
            r#"{"VersioningConfiguration":{"Status":"Enabled"}}"#,
            &[Trait::SwitchesOn],
        ),
        (r#"{"isMultiRegionTrail":false}"#, &[Trait::SwitchesOff]),
        (r#"{"publiclyAccessible":true}"#, &[Trait::OpensToAll]),
        (r#"{"publiclyAccessible":false}"#, &[Trait::SwitchesOn]),
        (
            r#"{"launchPermission":{"remove":{"items":[{"group":"all"}]}}}"#,
            &[Trait::TakesAway],
        ),
        (
            r#"{"attributeName":"restore","valuesToRemove":["all"]}"#,
            &[Trait::TakesAway],
        ),
        (
            r#"{"properties":{"publicNetworkAccess":"Enabled"}}"#,
            &[Trait::OpensToAll],
        ),
        (
            r#"{"properties":{"publicNetworkAccess":"Disabled"}}"#,
            &[Trait::SwitchesOn],
        ),
        (
            r#"{"properties":{"networkAcls":{"defaultAction":"Allow"}}}"#,
            &[Trait::OpensToAll],
        ),
        (
            r#"{"BucketLoggingStatus":{"xmlns":"x"},"logging":""}"#,
            &[Trait::SwitchesOff],
        ),
        (
            r#"{"BucketLoggingStatus":{"LoggingEnabled":{"TargetBucket":"b"}}}"#,
            &[Trait::SwitchesOn],
        ),
        (r#"{"skipFinalSnapshot":true}"#, &[Trait::NoWayBack]),
        (r#"{"instanceType":"p4d.24xlarge"}"#, &[Trait::Costly]),
        (r#"{"instanceType":"m6g.large"}"#, &[]),
        (
            r#"{"bucketName":"b","key":"HOW_TO_DECRYPT_FILES.txt"}"#,
            &[Trait::Extortion],
        ),
        (r#"{"includePublic":true}"#, &[Trait::LooksAbroad]),
        (r#"{"commands":["id"]}"#, &[Trait::BringsCode]),
        (
            r#"{"policyDocument":"{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"arn:aws:iam::999988887777:root\"}}]}"}"#,
            &[Trait::NamesForeignAccount],
        ),
        (
            r#"{"policyDocument":"{\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\"}]}"}"#,
            &[],
        ),
        (
            r#"{"projectVisibility":"PUBLIC_READ"}"#,
            &[Trait::OpensToAll],
        ),
        (r#"{"authType":"NONE"}"#, &[Trait::OpensToAll]),
        (r#"{"accountIdsToAdd":["all"]}"#, &[Trait::OpensToAll]),
        (
            r#"{"subnetName":"public","connectivityType":"public"}"#,
            &[],
        ),
        (
            r#"{"policyDocument":"{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}]}"}"#,
            &[Trait::GivesAdmin],
        ),
    ] {
        assert_eq!(traits(parameters), expect, "{parameters}");
    }
}

#[test]
fn identities_are_one_whatever_the_session() {
    let robot = |session: &str| {
        let id = format!("deployer/{session}");
        event(&imported(
            ActorType::Role,
            &id,
            "UpdateService",
            r#"{"eventSource":"ecs.amazonaws.com"}"#,
        ))
    };

    let (one, other, person) = (
        robot("aws-go-sdk-1722375070115152000"),
        robot("i-0abcdef1234567890"),
        robot("alice@example.com"),
    );

    assert_eq!(
        (one.principal.as_str(), one.kind),
        ("111122223333:deployer", BehaviorPrincipalKind::Role)
    );
    assert_eq!(one.principal, other.principal);
    assert_eq!(person.principal, "111122223333:deployer/alice@example.com");
    assert_eq!(one.peers, person.peers);
    assert!(
        other.traits.has(Trait::MachineCredentials) && !one.traits.has(Trait::MachineCredentials)
    );
    assert_eq!(one.service, "ecs");
}

#[test]
fn a_role_that_is_taken_on_is_known_beforehand() {
    let record = r#"{"eventSource":"sts.amazonaws.com","requestParameters":{"roleArn":"arn:aws:iam::111122223333:role/path/admin","roleSessionName":"bob"}}"#;
    let taken = event(&imported(ActorType::User, "bob", "AssumeRole", record));
    let used = event(&imported(ActorType::Role, "admin/bob", "ListUsers", "{}"));
    assert_eq!(taken.becomes, used.principal);
}

#[test]
fn outcomes_and_passing_on() {
    let mut entry = imported(
        ActorType::User,
        "a",
        "X",
        r#"{"errorCode":"Client.UnauthorizedOperation"}"#,
    );
    entry.action.status = Some(ActionStatus::Failed);

    assert_eq!(event(&entry).outcome, BehaviorOutcome::Denied);

    let mut entry = imported(
        ActorType::User,
        "a",
        "X",
        r#"{"errorCode":"Client.DryRunOperation"}"#,
    );
    entry.action.status = Some(ActionStatus::Failed);

    assert_eq!(event(&entry).outcome, BehaviorOutcome::Rehearsed);

    let passed = event(&imported(
        ActorType::Role,
        "AWSServiceRoleForX/x",
        "Y",
        r#"{"sourceIPAddress":"x.amazonaws.com"}"#,
    ));

    assert!(
        passed.traits.has(Trait::PassedOn)
            && passed.kind == BehaviorPrincipalKind::Service
            && passed.place.network.is_empty()
    );
}

/// A call that was made, with its parameters, by a watch that knows nothing.
fn cold(service: &str, operation: &str, parameters: &str) -> f64 {
    let record =
        format!(r#"{{"eventSource":"{service}.amazonaws.com","requestParameters":{parameters}}}"#);
    EntryWatch::default()
        .observe(&imported(ActorType::Role, "admin/ann", operation, &record))
        .score
}

#[test]
fn the_opposite_of_a_severe_change_is_not_severe() {
    let group = |way: &str| {
        format!(r#"{{"createVolumePermission":{{"{way}":{{"items":[{{"group":"all"}}]}}}}}}"#)
    };
    for (service, operation, severe, opposite) in [
        (
            "ec2",
            "ModifySnapshotAttribute",
            group("add"),
            group("remove"),
        ),
        (
            "rds",
            "ModifyDBSnapshotAttribute",
            r#"{"valuesToAdd":["all"]}"#.to_owned(),
            r#"{"valuesToRemove":["all"]}"#.to_owned(),
        ),
        (
            "rds",
            "ModifyDBInstance",
            r#"{"publiclyAccessible":true}"#.to_owned(),
            r#"{"publiclyAccessible":false}"#.to_owned(),
        ),
        (
            "s3",
            "PutPublicAccessBlock",
            r#"{"blockPublicAcls":false}"#.to_owned(),
            r#"{"blockPublicAcls":true}"#.to_owned(),
        ),
        (
            "guardduty",
            "UpdateDetector",
            r#"{"enable":false}"#.to_owned(),
            r#"{"enable":true}"#.to_owned(),
        ),
        (
            "macie2",
            "UpdateMacieSession",
            r#"{"status":"PAUSED"}"#.to_owned(),
            r#"{"status":"ENABLED"}"#.to_owned(),
        ),
        (
            "cloudtrail",
            "UpdateTrail",
            r#"{"isMultiRegionTrail":false}"#.to_owned(),
            r#"{"isMultiRegionTrail":true}"#.to_owned(),
        ),
    ] {
        let (severe, opposite) = (
            cold(service, operation, &severe),
            cold(service, operation, &opposite),
        );
        assert!(
            severe >= 0.5 && opposite < 0.2,
            "{operation}: {severe} {opposite}"
        );
    }
}

#[test]
fn an_opening_that_was_there_before_is_no_change() {
    let change = |before: &str, after: &str| {
        let parse = |text: &str| {
            json::parse(text.as_bytes()).unwrap_or_else(|error| unreachable!("{error}"))
        };
        let mut entry = imported(
            ActorType::User,
            "ann",
            "ModifyDBInstance",
            r#"{"eventSource":"rds.amazonaws.com"}"#,
        );
        (entry.changes.before, entry.changes.after) = (Some(parse(before)), Some(parse(after)));
        event(&entry).traits
    };

    let (open, closed) = (
        r#"{"publiclyAccessible":true}"#,
        r#"{"publiclyAccessible":false}"#,
    );
    assert!(change(closed, open).has(Trait::OpensToAll));
    assert!(!change(open, open).has(Trait::OpensToAll));
    assert!(change(open, closed).has(Trait::TakesAway));
}

#[test]
fn severe_ways_of_one_thing_weigh_alike() {
    let policy =
        r#"{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"*:Get*\"}]}"#;
    let public = [
        (
            "s3",
            "PutBucketPolicy",
            format!(r#"{{"bucketPolicy":"{policy}"}}"#),
        ),
        (
            "sqs",
            "SetQueueAttributes",
            format!(r#"{{"attributes":{{"Policy":"{policy}"}}}}"#),
        ),
        ("sqs", "AddPermission", r#"{"principal":"*"}"#.to_owned()),
        (
            "sns",
            "SetTopicAttributes",
            format!(r#"{{"attributeName":"Policy","attributeValue":"{policy}"}}"#),
        ),
        ("kms", "PutKeyPolicy", format!(r#"{{"policy":"{policy}"}}"#)),
        (
            "secretsmanager",
            "PutResourcePolicy",
            format!(r#"{{"resourcePolicy":"{policy}"}}"#),
        ),
        (
            "ecr",
            "SetRepositoryPolicy",
            format!(r#"{{"policyText":"{policy}"}}"#),
        ),
        (
            "rds",
            "ModifyDBInstance",
            r#"{"publiclyAccessible":true}"#.to_owned(),
        ),
        (
            "lambda",
            "CreateFunctionUrlConfig",
            r#"{"authType":"NONE"}"#.to_owned(),
        ),
    ];

    for (service, operation, parameters) in public {
        let score = cold(service, operation, &parameters);
        assert!((0.84..0.9).contains(&score), "{operation}: {score}");
    }

    let stopped = cold("cloudtrail", "StopLogging", "{}");
    for (service, operation, parameters) in [
        (
            "cloudtrail",
            "UpdateTrail",
            r#"{"s3BucketName":"elsewhere"}"#,
        ),
        (
            "cloudtrail",
            "UpdateTrail",
            r#"{"includeGlobalServiceEvents":false}"#,
        ),
        ("guardduty", "UpdateDetector", r#"{"enable":false}"#),
        ("s3", "PutBucketLogging", r#"{"BucketLoggingStatus":{}}"#),
    ] {
        let score = cold(service, operation, parameters);
        assert!(
            (score - stopped).abs() < 0.05,
            "{operation} {parameters}: {score} beside {stopped}"
        );
    }
}

#[test]
fn the_roots_sign_in_is_severe_with_a_second_factor_too() {
    let signs_in = |mfa: &str| {
        let record = format!(
            r#"{{"eventSource":"signin.amazonaws.com","userIdentity":{{"type":"Root"}},"additionalEventData":{{"MFAUsed":"{mfa}"}}}}"#
        );
        EntryWatch::default()
            .observe(&imported(ActorType::User, "root", "ConsoleLogin", &record))
            .score
    };
    assert!(
        signs_in("Yes") >= 0.5 && signs_in("No") > signs_in("Yes") + 0.2,
        "{} {}",
        signs_in("Yes"),
        signs_in("No")
    );
}

#[test]
fn a_refused_change_is_not_what_succeeds() {
    for (service, operation, parameters) in [
        (
            "ec2",
            "ModifySnapshotAttribute",
            r#"{"createVolumePermission":{"add":{"items":[{"group":"all"}]}}}"#,
        ),
        (
            "ec2",
            "AuthorizeSecurityGroupIngress",
            r#"{"cidrIp":"0.0.0.0/0","fromPort":22,"toPort":22}"#,
        ),
        (
            "iam",
            "AttachUserPolicy",
            r#"{"policyArn":"arn:aws:iam::aws:policy/AdministratorAccess"}"#,
        ),
        ("s3", "DeleteBucketEncryption", "{}"),
    ] {
        let record = |error: &str| {
            format!(
                r#"{{"eventSource":"{service}.amazonaws.com","requestParameters":{parameters},"errorCode":"{error}"}}"#
            )
        };
        let score = |error: &str| {
            let mut entry = imported(ActorType::Role, "admin/ann", operation, &record(error));
            if !error.is_empty() {
                entry.action.status = Some(ActionStatus::Failed);
            }
            EntryWatch::default().observe(&entry).score
        };
        let (done, denied, failed) = (
            score(""),
            score("AccessDenied"),
            score("InvalidParameterValue"),
        );
        assert!(
            done >= 0.5 && denied < 0.45 && failed < 0.3,
            "{operation}: {done} {denied} {failed}"
        );
    }
}

#[test]
fn the_console_forwards_for_a_person() {
    let record = r#"{"eventSource":"s3.amazonaws.com","sourceIPAddress":"203.0.113.5","userIdentity":{"type":"IAMUser","invokedBy":"signin.amazonaws.com"}}"#;
    let mut entry = imported(ActorType::User, "ann", "GetBucketAcl", record);
    entry.actor = entry
        .actor
        .with_ip_address(std::net::Ipv4Addr::new(203, 0, 113, 5).into());
    let found = event(&entry);
    assert!(!found.traits.has(Trait::PassedOn));
    assert_eq!(
        (found.kind, found.place.network.as_str()),
        (BehaviorPrincipalKind::Person, "203.0.113.0/24")
    );
}

#[test]
fn entries_of_reeve_itself_are_events_too() {
    let entry = Entry::new(EventType::from_static("authentication.login"))
        .by(Actor::user("alice")
            .with_ip_address(std::net::Ipv4Addr::new(203, 0, 113, 9).into())
            .with_user_agent("Mozilla/5.0 (X11)"))
        .with_action("login", ActionStatus::Denied, ActionMethod::Console)
        .with_metadata("second_factor", "security_key");
    let event = event(&entry);

    assert_eq!(
        (event.service.as_str(), event.operation.as_str()),
        ("authentication", "login")
    );
    assert_eq!(
        (event.place.network.as_str(), event.tool.as_str()),
        ("203.0.113.0/24", "Mozilla")
    );
    assert!(event.outcome == BehaviorOutcome::Denied && event.traits.has(Trait::SecondFactor));
    assert_eq!(event.principal, principal(&entry));
}

#[test]
fn names_that_people_choose_change_nothing() {
    let record = |name: &str| {
        format!(
            r#"{{"eventSource":"iam.amazonaws.com","requestParameters":{{"userName":"{name}"}}}}"#
        )
    };

    let score = |name: &str| {
        EntryWatch::default()
            .observe(&imported(
                ActorType::User,
                "alice",
                "CreateUser",
                &record(name),
            ))
            .score
    };

    assert_eq!(score("stratus-red-team-backdoor"), score("bob"));
}

#[test]
fn a_file_is_judged_in_the_order_of_its_times() {
    let record = |service: &str| format!(r#"{{"eventSource":"{service}.amazonaws.com"}}"#);
    let stop = imported(
        ActorType::User,
        "alice",
        "StopLogging",
        &record("cloudtrail"),
    );

    let mut key = imported(ActorType::User, "alice", "CreateAccessKey", &record("iam"));
    key.timestamp = stop.timestamp + jiff::SignedDuration::from_secs(60);
    let judged = |entries: [&Entry; 2]| {
        let mut review = EntryReview::default();
        entries
            .iter()
            .for_each(|entry| assert!(review.add(entry, entry.event_id.clone()).is_none()));
        [(); 2].map(|()| {
            review
                .release()
                .unwrap_or_else(|| unreachable!("one for each entry"))
        })
    };
    let [stopped, made] = judged([&stop, &key]);

    assert!(
        made.1
            .reasons()
            .any(|words| words.contains("1 min after cloudtrail:StopLogging")),
        "{made:?}"
    );

    assert_eq!(judged([&key, &stop]), [made, stopped]);
}

#[test]
fn odd_parameters_do_no_harm() {
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    for parameters in [
        "null",
        "1",
        "\"x\"",
        "{}",
        "[]",
        r#"{"policyDocument":"{not json"}"#,
        r#"{"userName":7}"#,
        &deep,
    ] {
        assert!(traits(parameters).len() < 3, "{parameters}");
    }

    let mut entry = imported(ActorType::User, &"é".repeat(400), "X", "{}");
    entry.changes.after = Some(Json::Null);
    assert!(event(&entry).principal.len() <= LONGEST);
}

#[test]
fn conditions_tell_who_everybody_is() {
    let with_condition = |condition: &str| {
        let policy = format!(
            r#"{{"Statement":[{{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Condition":{condition}}}]}}"#
        );
        let parameters = Json::object([("bucketPolicy", Json::from(policy))]);
        traits(&parameters.to_string()).contains(&Trait::OpensToAll)
    };

    for narrow in [
        r#"{"StringEquals":{"aws:PrincipalOrgID":"o-abc123"}}"#,
        r#"{"StringEquals":{"aws:SourceVpce":["vpce-1","vpce-2"]}}"#,
        r#"{"IpAddress":{"aws:SourceIp":"198.51.100.0/24"}}"#,
        r#"{"ArnLike":{"aws:SourceArn":"arn:aws:cloudfront::111122223333:distribution/*"}}"#,
        r#"{"ForAnyValue:StringLike":{"aws:PrincipalOrgPaths":"o-abc/*"}}"#,
    ] {
        assert!(!with_condition(narrow), "{narrow}");
    }

    for open in [
        r#"{"StringNotEquals":{"aws:PrincipalOrgID":"o-abc123"}}"#,
        r#"{"StringEqualsIfExists":{"aws:SourceVpc":"vpc-1"}}"#,
        r#"{"StringLike":{"aws:PrincipalArn":"*"}}"#,
        r#"{"IpAddress":{"aws:SourceIp":["198.51.100.0/24","0.0.0.0/0"]}}"#,
        r#"{"Bool":{"aws:SecureTransport":"true"}}"#,
        r#"{}"#,
    ] {
        assert!(with_condition(open), "{open}");
    }

    // Another statement without a condition opens it all the same, and a function's permission has
    // its conditions beside it.
    let two = r#"{"policy":{"Statement":[{"Effect":"Allow","Principal":"*","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}},{"Effect":"Allow","Principal":"*"}]}}"#;
    assert!(traits(two).contains(&Trait::OpensToAll));
    assert!(
        traits(r#"{"action":"lambda:InvokeFunction","principal":"*"}"#)
            .contains(&Trait::OpensToAll)
    );
    assert!(
        !traits(r#"{"action":"lambda:InvokeFunction","principal":"*","principalOrgID":"o-1"}"#)
            .contains(&Trait::OpensToAll)
    );
}

#[test]
fn credentials_that_do_not_expire_are_reported_without_their_identifier() {
    let long_lived = |identity: &str| {
        let record = format!(
            r#"{{"eventSource":"ec2.amazonaws.com","eventType":"AwsApiCall","userIdentity":{identity}}}"#
        );
        event(&imported(
            ActorType::User,
            "alice",
            "DescribeInstances",
            &record,
        ))
        .traits
        .has(Trait::LongLivedKey)
    };
    assert!(long_lived(r#"{"type":"IAMUser","accessKeyId":"AKIA1"}"#));

    assert!(long_lived(r#"{"type":"IAMUser","userName":"alice"}"#));
    for temporary in [
        r#"{"type":"IAMUser","accessKeyId":"ASIA1"}"#,
        r#"{"type":"IAMUser","sessionContext":{"attributes":{"mfaAuthenticated":"true"}}}"#,
        r#"{"type":"AssumedRole"}"#,
        r#"{"type":"Root"}"#,
    ] {
        assert!(!long_lived(temporary), "{temporary}");
    }
}

#[test]
fn the_country_is_the_one_that_the_source_names() {
    let country = |entry: Entry| event(&entry).place.country;
    let entry = || imported(ActorType::User, "alice", "DescribeInstances", "{}");
    assert_eq!(country(entry().with_metadata("country", "br")), "BR");
    assert_eq!(
        country(entry().with_metadata("geo", Json::object([("country_code", Json::from("DE"))]))),
        "DE"
    );
    assert_eq!(country(entry().with_metadata("country", 7_i64)), "");
}
