//! Settings that the encrypted instance has from the old one. A restore takes most of them as
//! parameters, and a modification the rest; what neither takes is refused before anything is begun.
//! `RestoreDBInstanceFromDBSnapshot` and `ModifyDBInstance` in the Amazon RDS API reference.

use reeve_connect_aws_ec2::Form;
use reeve_recommend::change::{COPY_TAG, ENCRYPTING_TAG, QUIESCED_TAG};

use super::instance::DatabaseInstance;

/// Members of a description that a restore takes under the same name.
const RESTORED: [&str; 11] = [
    "DBInstanceClass",
    "MultiAZ",
    "PubliclyAccessible",
    "AutoMinorVersionUpgrade",
    "LicenseModel",
    "StorageType",
    "CopyTagsToSnapshot",
    "DeletionProtection",
    "NetworkType",
    "CACertificateIdentifier",
    "DedicatedLogVolume",
];
/// Members of a description, and the parameters of a modification that set them.
const MODIFIED: [(&str, &str); 6] = [
    ("BackupRetentionPeriod", "BackupRetentionPeriod"),
    ("PreferredBackupWindow", "PreferredBackupWindow"),
    ("PreferredMaintenanceWindow", "PreferredMaintenanceWindow"),
    ("MaxAllocatedStorage", "MaxAllocatedStorage"),
    ("PerformanceInsightsEnabled", "EnablePerformanceInsights"),
    (
        "PerformanceInsightsRetentionPeriod",
        "PerformanceInsightsRetentionPeriod",
    ),
];
/// Members that follow from the snapshot.
const FROM_SNAPSHOT: [&str; 4] = ["Engine", "EngineVersion", "AllocatedStorage", "DBName"];
/// Size from which `gp3` storage of these engines has IOPS and throughput of its own, GiB; RDS
/// describes the base of smaller ones and refuses it as a parameter.
const OWN_RATE_GIB: u32 = 400;

/// Parameters of the restore: an instance of another name, with these security groups.
pub(super) fn restored(
    old: &DatabaseInstance,
    (name, copy_name): (&str, &str),
    groups: &[String],
) -> Form {
    let own: Vec<(&str, &str)> = old
        .tags()
        .filter(|(key, _)| {
            !key.starts_with("aws:") && ![ENCRYPTING_TAG, QUIESCED_TAG].contains(key)
        })
        .chain([(COPY_TAG, name)])
        .collect();
    let form = Form::new()
        .with("DBInstanceIdentifier", copy_name)
        .with_list("VpcSecurityGroupIds.VpcSecurityGroupId", groups)
        .with_some("Port", old.text_in("Endpoint", "Port"))
        .with_some("DBSubnetGroupName", subnet_group(old))
        .with_some("DBParameterGroupName", old.parameter_group())
        // The default option group of the engine is taken without a name.
        .with_some(
            "OptionGroupName",
            old.option_group()
                .filter(|group| !group.starts_with("default:")),
        )
        .with_some("AvailabilityZone", zone(old))
        .with_some("Iops", rate(old, "Iops"))
        .with_some("StorageThroughput", rate(old, "StorageThroughput"))
        .with_list(
            "EnableCloudwatchLogsExports.member",
            old.texts("EnabledCloudwatchLogsExports"),
        )
        .with_tags("Tags.Tag", &own);
    RESTORED
        .iter()
        .fold(form, |form, name| form.with_some(name, old.text(name)))
}

/// Parameters of a modification that sets what the restore did not; `None` where nothing is
/// missing.
pub(super) fn missing(old: &DatabaseInstance, copy: &DatabaseInstance) -> Option<Form> {
    let mut differing = MODIFIED
        .iter()
        .filter(|(member, _)| is_other(old, copy, member))
        .peekable();
    differing.peek()?;
    Some(differing.fold(Form::new(), |form, (member, parameter)| {
        form.with_some(parameter, old.text(member))
    }))
}

/// First setting in which the copy is not like the old instance, in words.
pub(super) fn difference(old: &DatabaseInstance, copy: &DatabaseInstance) -> Option<String> {
    let members = RESTORED
        .into_iter()
        .chain(FROM_SNAPSHOT)
        .chain(MODIFIED.into_iter().map(|(member, _)| member));
    let plain = members
        .filter(|member| is_other(old, copy, member))
        .map(|member| (member, old.text(member), copy.text(member)));
    let further = [
        (
            "Port",
            old.text_in("Endpoint", "Port"),
            copy.text_in("Endpoint", "Port"),
        ),
        ("DBSubnetGroup", subnet_group(old), subnet_group(copy)),
        (
            "DBParameterGroup",
            old.parameter_group(),
            copy.parameter_group(),
        ),
        ("OptionGroup", old.option_group(), copy.option_group()),
    ];
    let further = further
        .into_iter()
        .filter(|(_, wanted, found)| wanted.is_some() && wanted != found);
    let (member, wanted, found) = plain.chain(further).next()?;
    Some(format!(
        "{member} is {}, not {}",
        found.unwrap_or("not set"),
        wanted.unwrap_or("not set")
    ))
}

fn is_other(old: &DatabaseInstance, copy: &DatabaseInstance, member: &str) -> bool {
    old.text(member).is_some() && old.text(member) != copy.text(member)
}

fn subnet_group(database: &DatabaseInstance) -> Option<&str> {
    database.text_in("DBSubnetGroup", "DBSubnetGroupName")
}

/// The zone of an instance without a standby; RDS chooses both zones of the others.
fn zone(database: &DatabaseInstance) -> Option<&str> {
    let has_standby = database.text("MultiAZ") == Some("true");
    database.text("AvailabilityZone").filter(|_| !has_standby)
}

/// IOPS or throughput, where the storage has one of its own.
fn rate<'a>(database: &'a DatabaseInstance, member: &str) -> Option<&'a str> {
    let size = database.text("AllocatedStorage");
    let size = size.and_then(|size| size.parse::<u32>().ok()).unwrap_or(0);
    let has_own = match database.text("StorageType") {
        Some("io1" | "io2") => member == "Iops",
        Some("gp3") => size >= OWN_RATE_GIB,
        _ => false,
    };
    database.text(member).filter(|_| has_own)
}
