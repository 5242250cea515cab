//! Reasons why an instance is not replaced by an encrypted one automatically: settings that a
//! restore does not carry over, and members of larger arrangements. `DescribeDBInstances` in the
//! Amazon RDS API reference names the members.

use serde_json::Value;

use super::UNENCRYPTED_ENDING;
use crate::change::{COPY_TAG, REPLACED_TAG};

/// Longest name of an instance, characters.
const LONGEST_NAME: usize = 63;
/// Engines whose instances can be stopped, renamed and restored without steps inside the database.
const ENGINES: [&str; 3] = ["mysql", "mariadb", "postgres"];
/// Beginnings of the classes for which RDS offers no encryption.
const CLASSES_WITHOUT: [&str; 3] = ["db.m1.", "db.m2.", "db.t2.micro"];

/// Returns why people have to replace the database instance of a description, as a clause about it;
/// `None` for an instance that Reeve may replace.
///
/// ```
/// use reeve_recommend::change::replacement_refusal;
/// use serde_json::json;
///
/// let member = json!({ "Engine": "mysql", "DBClusterIdentifier": "orders" });
/// assert_eq!(
///     replacement_refusal(&member).as_deref(),
///     Some("belongs to the cluster orders, which is encrypted as a whole")
/// );
/// ```
#[must_use]
pub fn replacement_refusal(document: &Value) -> Option<String> {
    let text = |name: &str| document[name].as_str().filter(|text| !text.is_empty());
    if let Some(cluster) = text("DBClusterIdentifier") {
        return Some(format!(
            "belongs to the cluster {cluster}, which is encrypted as a whole"
        ));
    }
    arrangement(document)
        .or_else(|| kind_of_instance(document))
        .or_else(|| not_carried_over(document))
        .or_else(|| pending(document))
}

/// Members that hold a list with something in it.
fn is_filled(document: &Value, name: &str) -> bool {
    match &document[name] {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    }
}

/// Other resources that depend on the instance, or that it depends on.
fn arrangement(document: &Value) -> Option<String> {
    let reasons = [
        (
            "ReadReplicaDBInstanceIdentifiers",
            "has read replicas, which cannot be encrypted alone and would go on reading from the old one",
        ),
        (
            "ReadReplicaDBClusterIdentifiers",
            "has read replicas, which cannot be encrypted alone and would go on reading from the old one",
        ),
        (
            "ReadReplicaSourceDBInstanceIdentifier",
            "is a read replica: encrypt its source, and make the replica anew",
        ),
        (
            "ReadReplicaSourceDBClusterIdentifier",
            "is a read replica: encrypt its source, and make the replica anew",
        ),
    ];
    let found = reasons.iter().find(|(name, _)| is_filled(document, name));
    if let Some((_, reason)) = found {
        return Some((*reason).to_owned());
    }

    let tags = document["TagList"].as_array();
    let has_tag = |key: &str| tags.is_some_and(|tags| tags.iter().any(|tag| tag["Key"] == key));
    if has_tag(REPLACED_TAG) {
        return Some("was replaced by an encrypted one already, and is kept".to_owned());
    }
    has_tag(COPY_TAG).then(|| "is the copy of an earlier replacement".to_owned())
}

/// Engine, class and name.
fn kind_of_instance(document: &Value) -> Option<String> {
    let text = |name: &str| document[name].as_str().unwrap_or_default();
    let engine = text("Engine");
    if !ENGINES.contains(&engine) {
        return Some(format!(
            "runs {engine}: Reeve replaces MySQL, MariaDB and PostgreSQL alone"
        ));
    }
    let class = text("DBInstanceClass");
    if CLASSES_WITHOUT.iter().any(|kind| class.starts_with(kind)) {
        return Some(format!("has the class {class}, which cannot be encrypted"));
    }
    let is_long = text("DBInstanceIdentifier").len() + UNENCRYPTED_ENDING.len() > LONGEST_NAME;
    is_long.then(|| format!("has a name with no room for the ending {UNENCRYPTED_ENDING}"))
}

/// Settings that RDS does not restore, or that Reeve may not set.
fn not_carried_over(document: &Value) -> Option<String> {
    if document["IAMDatabaseAuthenticationEnabled"] == true {
        return Some(
            "lets programs sign in with IAM, whose policies name the resource identifier that the encrypted one would not have"
                .to_owned(),
        );
    }
    let reasons = [
        (
            "MasterUserSecret",
            "has its password in Secrets Manager, which a restore does not take along",
        ),
        (
            "AssociatedRoles",
            "has roles of its own, and Reeve may pass none",
        ),
        ("DomainMemberships", "belongs to a directory domain"),
        ("DBSecurityGroups", "is not in a VPC"),
        (
            "ProcessorFeatures",
            "has processor features of its own, which have to be set again",
        ),
    ];
    let found = reasons.iter().find(|(name, _)| is_filled(document, name));
    if let Some((_, reason)) = found {
        return Some((*reason).to_owned());
    }
    if !is_filled(document, "VpcSecurityGroups") {
        return Some("has no security group that was read".to_owned());
    }
    let place = document["BackupTarget"].as_str().unwrap_or("region");
    (place != "region").then(|| format!("keeps its backups in {place}"))
}

/// Changes that the restart would apply.
fn pending(document: &Value) -> Option<String> {
    if is_filled(document, "PendingModifiedValues") {
        return Some("has modifications pending, which its restart would apply".to_owned());
    }
    let is_settled = |list: &str, member: &str| {
        let items = document[list].as_array();
        items.is_none_or(|items| {
            items
                .iter()
                .all(|item| item[member].as_str().is_none_or(|state| state == "in-sync"))
        })
    };
    let parameters = is_settled("DBParameterGroups", "ParameterApplyStatus");
    let options = is_settled("OptionGroupMemberships", "Status");
    (!parameters || !options).then(|| {
        "has parameters or options that are not in effect yet, which its restart would apply"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn instance() -> Value {
        json!({
            "DBInstanceIdentifier": "orders", "DBInstanceClass": "db.m7g.large", "Engine": "postgres",
            "VpcSecurityGroups": [{ "VpcSecurityGroupId": "sg-1", "Status": "active" }],
            "DBParameterGroups": [{ "DBParameterGroupName": "own", "ParameterApplyStatus": "in-sync" }],
            "ReadReplicaDBInstanceIdentifiers": [], "DomainMemberships": [], "AssociatedRoles": [],
            "PendingModifiedValues": "", "IAMDatabaseAuthenticationEnabled": false, "TagList": [],
        })
    }

    #[test]
    fn a_plain_instance_may_be_replaced() {
        assert_eq!(replacement_refusal(&instance()), None);
    }

    #[test]
    fn an_instance_is_refused_for_its_reason() {
        for (member, value, expected) in [
            ("DBClusterIdentifier", json!("c"), "cluster c"),
            (
                "ReadReplicaDBInstanceIdentifiers",
                json!(["orders-2"]),
                "has read replicas",
            ),
            (
                "ReadReplicaSourceDBInstanceIdentifier",
                json!("main"),
                "is a read replica",
            ),
            (
                "TagList",
                json!([{ "Key": "reeve:replaced", "Value": "sg-1" }]),
                "already",
            ),
            (
                "TagList",
                json!([{ "Key": "reeve:encrypted-copy-of", "Value": "a" }]),
                "copy of an earlier",
            ),
            ("Engine", json!("sqlserver-se"), "sqlserver-se"),
            ("DBInstanceClass", json!("db.t2.micro"), "db.t2.micro"),
            ("DBInstanceIdentifier", json!("o".repeat(52)), "no room"),
            ("IAMDatabaseAuthenticationEnabled", json!(true), "IAM"),
            (
                "MasterUserSecret",
                json!({ "SecretStatus": "active" }),
                "Secrets Manager",
            ),
            ("AssociatedRoles", json!([{ "RoleArn": "r" }]), "roles"),
            ("DomainMemberships", json!([{ "Domain": "d" }]), "domain"),
            ("VpcSecurityGroups", json!([]), "no security group"),
            ("BackupTarget", json!("outposts"), "outposts"),
            (
                "PendingModifiedValues",
                json!({ "MultiAZ": true }),
                "pending",
            ),
            (
                "DBParameterGroups",
                json!([{ "ParameterApplyStatus": "pending-reboot" }]),
                "not in effect",
            ),
        ] {
            let mut document = instance();
            document[member] = value;
            let reason = replacement_refusal(&document).unwrap();
            assert!(reason.contains(expected), "{member}: {reason}");
        }
    }
}
