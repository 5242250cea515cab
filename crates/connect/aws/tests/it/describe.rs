//! Every row of the table reads what was created in moto, and what cannot be read is said without
//! stopping the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, Observe, ReadOutcome, RelationKind,
    ResourceKind, StoreError,
};
use reeve_testkit::moto::Moto;
use serde_json::Value;
use tokio::process::Command;

use crate::{connection, key, open};

const REGION: &str = "us-east-1";
const SEED: &str = include_str!("describe/seed.py");

/// Kinds that moto 5.2.5 cannot answer for, and so the seed makes none: it has nothing of Access
/// Analyzer, and lacks `GetBackupVaultAccessPolicy` and `BatchGetRepositoryScanningConfiguration`, so
/// that the listings stay empty. It lacks `GenerateServiceLastAccessedDetails` and
/// `DescribeInstanceInformation` too.
const LACKING: [&str; 5] = [
    "access_analyzer",
    "backup_vault",
    "container_registry",
    "last_access_report",
    "managed_instance",
];

/// Kinds that are read without the part that moto lacks: Access Analyzer, and maintenance that waits
/// (`database_news` reads it from a strict fake).
const PARTLY: [&str; 2] = ["region", "database"];

/// Keeps everything it is handed.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) described: Mutex<Vec<Described>>,
    readings: Mutex<Vec<DescriptionReading>>,
}

#[async_trait]
impl DescriptionSink for Kept {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        self.described.lock().extend(page);
        Ok(())
    }

    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError> {
        self.readings.lock().push(reading);
        Ok(())
    }
}

/// Fills moto with one resource of each kind; their identifiers by kind.
async fn seeded(moto: &Moto) -> BTreeMap<String, String> {
    let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
    let python = python.unwrap_or_else(|| "python3".into());
    let made = Command::new(python)
        .args(["-c", SEED, moto.endpoint(), REGION])
        .output()
        .await
        .unwrap();

    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    serde_json::from_slice(&made.stdout).unwrap()
}

async fn described(moto: &Moto, credentials: reeve_estate::ConnectionCredentials) -> Kept {
    let mut connection = connection(moto.endpoint(), &[REGION]);
    connection.credentials = credentials;
    let kept = Kept::default();
    open(&connection).await.describe(&kept).await.unwrap();
    kept
}

fn find(all: &[Described], id: &str) -> Described {
    let found: Vec<&Described> = all
        .iter()
        .filter(|one| one.resource.id.as_str() == id)
        .collect();
    assert_eq!(found.len(), 1, "{id}");
    found[0].clone()
}

#[tokio::test]
async fn every_row_reads_what_was_created() {
    let moto = Moto::start().await.unwrap();
    let made = seeded(&moto).await;
    let kept = described(&moto, key("AKIAIOSFODNN7EXAMPLE", "secret")).await;
    let (all, readings) = (kept.described.into_inner(), kept.readings.into_inner());
    let failed: Vec<&DescriptionReading> = readings
        .iter()
        .filter(|one| !LACKING.contains(&one.kind.as_str()))
        .filter(|one| {
            let is_told = !one.message.is_empty() && !PARTLY.contains(&one.kind.as_str());
            one.outcome != ReadOutcome::Complete || is_told
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");

    let kinds: BTreeMap<&str, &DescriptionReading> = readings
        .iter()
        .map(|one| (one.kind.as_str(), one))
        .collect();
    assert_eq!(
        kinds.keys().copied().collect::<BTreeSet<_>>(),
        made.keys().map(String::as_str).chain(LACKING).collect()
    );

    for (kind, id) in &made {
        let one = find(&all, id);
        assert_eq!(one.resource.kind.as_str(), kind, "{id}");
        let seen = all
            .iter()
            .filter(|other| other.resource.kind == one.resource.kind)
            .count();
        assert_eq!(kinds[kind.as_str()].seen, seen as u64, "{kind}");
        assert!(
            one.document.text().len() > 30,
            "{kind}: {}",
            one.document.text()
        );
        assert!(
            !one.document.text().contains("a secret of"),
            "{kind}: {}",
            one.document.text()
        );
        println!("{kind:20} {:30} {}", one.resource.name, one.relations.len());
    }

    samples(&all, &made);
    tags_and_names(&all, &made);
    relations(&all, &made);
    documents(&all, &made);
}

/// The sample of each kind's document has the members that are read. With `REEVE_UPDATE` set, the
/// samples are written anew.
fn samples(all: &[Described], made: &BTreeMap<String, String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/describe/samples");
    for (kind, id) in made {
        let (file, read) = (folder.join(format!("{kind}.json")), find(all, id));
        if std::env::var_os("REEVE_UPDATE").is_some() {
            let text = serde_json::to_string_pretty(read.document.json()).unwrap();
            std::fs::write(&file, text + "\n").unwrap();
        }
        let sample = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
        members(&serde_json::from_str(&sample).unwrap(), "", &mut expected);
        members(read.document.json(), "", &mut found);
        assert_eq!(found, expected, "{kind}");
    }
}

/// Paths of all members of a document, whatever their values.
fn members(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        // Members that are named by their content: users of a report, names of variables, labels.
        Value::Object(members)
            if [
                "/Users",
                "/Variables",
                "/SecretVersionsToStages",
                "/VersionIdsToStages",
            ]
            .iter()
            .any(|end| path.ends_with(end)) =>
        {
            members
                .values()
                .for_each(|value| self::members(value, &format!("{path}/*"), found));
        }
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, value)| self::members(value, &format!("{path}/{name}"), found));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| members(item, &format!("{path}[]"), found)),
        _ => _ = found.insert(path.to_owned()),
    }
}

fn tags_and_names(all: &[Described], made: &BTreeMap<String, String>) {
    for kind in [
        "virtual_machine",
        "volume",
        "snapshot",
        "image",
        "launch_template",
        "security_group",
        "network_interface",
        "network",
        "subnet",
        "route_table",
        "ip_address",
        "nat_gateway",
        "database",
        "database_cluster",
        "database_snapshot",
        "bucket",
        "table",
        "iam_user",
        "iam_role",
        "encryption_key",
        "secret",
        "network_acl",
        "flow_log",
        "classic_load_balancer",
        "certificate",
        "web_firewall",
        "warehouse",
        "file_system",
        "cache_cluster",
        "cache_node",
        "search_domain",
        "stream",
        "distribution",
        "notebook",
    ] {
        let one = find(all, &made[kind]);
        assert_eq!(
            (one.resource.tag("env"), one.resource.name.as_str()),
            (Some("prod"), "mine"),
            "{kind}"
        );
    }

    for (kind, name) in [
        ("iam_group", "admins"),
        ("iam_policy", "everything"),
        ("trail", "all"),
        ("function", "resize"),
        ("topic", "alerts"),
        ("queue", "jobs"),
        ("kubernetes_cluster", "main"),
        ("container_cluster", "jobs"),
        ("alarm", "hot"),
        ("scaling_group", "workers"),
        ("configuration_recorder", "default"),
        ("log_group", "trail"),
        ("task_definition", "mail"),
        ("api", "orders"),
        ("dns_zone", "example.com."),
        ("build_project", "site"),
        ("state_machine", "returns"),
        ("message_broker", "events"),
    ] {
        assert_eq!(find(all, &made[kind]).resource.name, name, "{kind}");
    }

    assert_eq!(find(all, &made["iam_user"]).resource.region, "global");
    assert_eq!(find(all, &made["bucket"]).resource.region, REGION);
}

fn relations(all: &[Described], made: &BTreeMap<String, String>) {
    use RelationKind::{
        AttachedTo, CreatedFrom, EncryptedWith, Granted, LocatedIn, LogsTo, MayAssume, MemberOf,
        Notifies, ProtectedBy, RoutesTo,
    };
    for (from, kind, to) in [
        ("virtual_machine", ProtectedBy, "security_group"),
        ("virtual_machine", LocatedIn, "subnet"),
        ("volume", AttachedTo, "virtual_machine"),
        ("snapshot", CreatedFrom, "volume"),
        ("security_group", LocatedIn, "network"),
        ("network_interface", ProtectedBy, "security_group"),
        ("subnet", LocatedIn, "network"),
        ("route_table", AttachedTo, "subnet"),
        ("ip_address", AttachedTo, "virtual_machine"),
        ("nat_gateway", LocatedIn, "subnet"),
        ("load_balancer", ProtectedBy, "security_group"),
        ("scaling_group", CreatedFrom, "launch_template"),
        ("database_snapshot", CreatedFrom, "database"),
        ("iam_user", MemberOf, "iam_group"),
        ("iam_group", Granted, "iam_policy"),
        ("iam_role", Granted, "iam_policy"),
        ("access_key", AttachedTo, "iam_user"),
        ("trail", LogsTo, "bucket"),
        ("function", MayAssume, "iam_role"),
        ("kubernetes_cluster", MayAssume, "iam_role"),
        ("kubernetes_cluster", LocatedIn, "subnet"),
        ("alarm", Notifies, "topic"),
        ("network_acl", LocatedIn, "network"),
        ("flow_log", AttachedTo, "network"),
        ("classic_load_balancer", ProtectedBy, "security_group"),
        ("configuration_recorder", MayAssume, "iam_role"),
        ("log_group", EncryptedWith, "encryption_key"),
        ("file_system", LocatedIn, "subnet"),
        ("cache_node", LocatedIn, "network"),
        ("search_domain", ProtectedBy, "security_group"),
        ("task_definition", MayAssume, "iam_role"),
        ("build_project", MayAssume, "iam_role"),
        ("notebook", LocatedIn, "subnet"),
        ("state_machine", MayAssume, "iam_role"),
        ("message_broker", ProtectedBy, "security_group"),
        ("load_balancer", LocatedIn, "subnet"),
        ("load_balancer", RoutesTo, "target_group"),
        ("target_group", RoutesTo, "virtual_machine"),
        ("target_group", LocatedIn, "network"),
        ("route_table", RoutesTo, "internet_gateway"),
        ("internet_gateway", AttachedTo, "network"),
        ("egress_gateway", AttachedTo, "network"),
        ("transit_attachment", MemberOf, "transit_gateway"),
        ("transit_attachment", AttachedTo, "network"),
        ("network_peering", AttachedTo, "network"),
        ("network_endpoint", AttachedTo, "route_table"),
        ("network_endpoint", LocatedIn, "network"),
        ("access_point", AttachedTo, "bucket"),
    ] {
        let one = find(all, &made[from]);
        let found = one
            .relations
            .iter()
            .any(|relation| relation.kind == kind && relation.target.0 == made[to]);
        assert!(found, "{from} {kind} {to}: {:?}", one.relations);
    }

    // Each network has a main route table, a default network ACL, and a group that admits itself.
    let network = &made["network"];
    for (kind, relation) in [("route_table", AttachedTo), ("network_acl", AttachedTo)] {
        let is_of_network = |one: &&Described| {
            let mut own = one.relations.iter();
            one.resource.kind.as_str() == kind
                && own.any(|own| own.kind == relation && own.target.0 == *network)
        };
        assert_eq!(all.iter().filter(is_of_network).count(), 1, "{kind}");
    }
    let group = find(all, &made["security_group"]);
    let admits = |relation: &&reeve_estate::Relation| relation.kind == RelationKind::Admits;
    assert_eq!(group.relations.iter().filter(admits).count(), 1);
    let point = find(all, &made["access_point"]);
    let trusted = point
        .relations
        .iter()
        .find(|one| one.kind == RelationKind::Trusts);
    assert_eq!(
        trusted.map(|one| one.target.as_str()),
        Some("arn:aws:iam::444455556666:root")
    );
}

fn documents(all: &[Described], made: &BTreeMap<String, String>) {
    let member = |kind: &str, pointer: &str| {
        let one = find(all, &made[kind]);
        one.document
            .json()
            .pointer(pointer)
            .cloned()
            .unwrap_or_else(|| panic!("{kind}: {}", one.document.text()))
    };

    assert_eq!(
        member("security_group", "/ipPermissions/0/ipRanges/0/cidrIp"),
        "0.0.0.0/0"
    );
    assert_eq!(member("bucket", "/Policy/Statement/0/Principal"), "*");
    assert_eq!(member("bucket", "/Versioning/Status"), "Enabled");
    assert_eq!(
        member("bucket", "/AccountPublicAccessBlock"),
        serde_json::json!({ "BlockPublicAcls": false, "IgnorePublicAcls": false,
            "BlockPublicPolicy": true, "RestrictPublicBuckets": true })
    );
    // moto takes no notice of `RestorableBy`, and lists every snapshot as a public one.
    assert!(member("snapshot", "/restorableByAll").is_boolean());
    assert_eq!(
        member("snapshot", "/createVolumePermissions"),
        serde_json::json!([])
    );
    assert_eq!(member("network", "/FlowLogs/0/flowLogStatus"), "ACTIVE");
    let detector = member("region", "/ThreatDetector");
    assert!(made["threat_detector"].ends_with(detector.as_str().unwrap()));
    assert_eq!(
        member("region", "/ConfigurationRecorders/0/name"),
        "default"
    );
    assert_eq!(member("region", "/SnapshotBlockPublicAccess"), "unblocked");
    assert_eq!(member("region", "/AccessAnalyzers"), "[not read]");
    assert_eq!(member("region", "/QuotaNetworks"), "5.0");
    assert_eq!(
        member(
            "iam_role",
            "/AssumeRolePolicyDocument/Statement/0/Principal/Service"
        ),
        "lambda.amazonaws.com"
    );

    assert_eq!(
        member(
            "iam_policy",
            "/PolicyVersionList/0/Document/Statement/0/Action"
        ),
        "*"
    );

    assert_eq!(
        member("function", "/Environment/Variables/TOKEN"),
        "[removed]"
    );
    assert_eq!(member("table", "/TableStatus"), "ACTIVE");
    assert_eq!(
        member("encryption_key", "/Rotation/KeyRotationEnabled"),
        Value::Bool(false)
    );

    let report = member("credential_report", "/Users");
    assert_eq!(report["ann"]["mfa_active"], Value::Bool(false));
    assert_eq!(member("load_balancer", "/Listeners/0/Port"), "80");
    assert!(member("trail", "/Status/IsLogging").is_boolean());
    assert_eq!(member("trail", "/EventSelectors/0/ReadWriteType"), "All");
    assert_eq!(
        member("image", "/launchPermissions/0/userId"),
        "444455556666"
    );
    assert_eq!(member("api", "/stages/0/stageName"), "live");
    assert_eq!(
        member(
            "task_definition",
            "/taskDefinition/containerDefinitions/0/environment/0"
        ),
        serde_json::json!({ "name": "TOKEN" })
    );

    let table = find(all, &made["table"]);
    assert!(
        table.document.json().get("ItemCount").is_none(),
        "what use alone changes is no configuration"
    );
}

#[tokio::test]
async fn a_listing_that_says_that_there_is_none_is_described() {
    let moto = Moto::start().await.unwrap();
    let kept = described(&moto, key("AKIAIOSFODNN7EXAMPLE", "secret")).await;
    let policy = find(
        &kept.described.into_inner(),
        "arn:aws:iam::123456789012:password-policy",
    );
    assert_eq!(
        policy.document.json(),
        &serde_json::json!({ "Missing": true })
    );

    let readings = kept.readings.into_inner();
    let reading = readings
        .iter()
        .find(|one| one.kind.as_str() == "password_policy")
        .unwrap();
    assert_eq!(
        (reading.outcome, reading.seen),
        (ReadOutcome::Complete, 1),
        "{reading:?}"
    );
}

#[tokio::test]
async fn what_is_denied_is_said_by_kind_and_the_rest_goes_on() {
    let moto = Moto::start().await.unwrap();
    moto.machines(REGION, "m5.large", 1, &[]).await.unwrap();
    moto.bucket(REGION, "assets", &[]).await.unwrap();
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*",
        "Action":["sts:*","ec2:DescribeInstances","s3:ListAllMyBuckets","s3:GetBucketLocation"]}]}"#;
    let (id, secret) = moto.user("reader", policy).await.unwrap();
    moto.enforce_keys().await.unwrap();
    let kept = described(&moto, key(&id, &secret)).await;
    let readings = kept.readings.into_inner();
    let of = |kind: &str| {
        readings
            .iter()
            .find(|one| one.kind == ResourceKind::parse(kind).unwrap())
            .unwrap()
    };

    assert_eq!(
        (of("virtual_machine").outcome, of("virtual_machine").seen),
        (ReadOutcome::Complete, 1)
    );
    // moto refuses the signatures of Lambda's and EKS's requests, boto3's too, once it looks at
    // them.
    for (kind, permission) in [
        ("volume", "ec2:DescribeVolumes"),
        ("iam_role", "iam:GetAccountAuthorizationDetails"),
        ("table", "dynamodb:ListTables"),
        ("queue", "sqs:ListQueues"),
        ("alarm", "cloudwatch:DescribeAlarms"),
    ] {
        let reading = of(kind);
        assert_eq!(
            (reading.outcome, reading.permission.as_str()),
            (ReadOutcome::Denied, permission),
            "{reading:?}"
        );
        assert!(
            reading.message.contains(&format!("Allow {permission}"))
                && reading.complete_at.is_none()
        );
    }

    // The listing of buckets is complete; the block of the account, which is asked first, and the
    // configurations of each bucket are hidden.
    let bucket = of("bucket");
    assert_eq!(
        (bucket.outcome, bucket.permission.as_str()),
        (ReadOutcome::Complete, "s3:GetAccountPublicAccessBlock"),
        "{bucket:?}"
    );

    let described = kept.described.into_inner();
    let assets = described
        .iter()
        .find(|one| one.resource.id.as_str() == "assets")
        .unwrap();
    for member in ["AccountPublicAccessBlock", "Policy"] {
        assert_eq!(assets.document.json()[member], "[not read]", "{member}");
    }
}
