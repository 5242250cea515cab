//! Replacing a database by an encrypted one on moto, and giving the old one its name back. moto's
//! instances are available at once and take a rename while another has the name; what RDS refuses
//! there and its states in between are asked of an endpoint of its own, below.

mod slow;

use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, Applied, Mutation, Observe, Operation, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::change::{
    COPY_TAG, DatabaseEncryption, ENCRYPTING_TAG, QUIESCED_TAG, REPLACED_TAG,
};
use reeve_testkit::moto::Moto;
use serde_json::Value;

use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";
/// More requests than a stage takes.
const MOST_REQUESTS: usize = 20;

/// Requests a stage until it is done, as an execution does.
async fn ended(
    aws: &AwsConnection,
    database: &Resource,
    stage: DatabaseEncryption,
) -> Result<(), String> {
    for _ in 0..MOST_REQUESTS {
        let operation: &dyn Operation = &stage;
        match aws.apply(database, operation).await {
            Ok(Applied::Accepted) => return Ok(()),
            Ok(Applied::Pending) => {}
            Ok(Applied::Snapshot(_)) => panic!("{stage:?} made a snapshot"),
            Err(error) => return Err(error.message),
        }
    }
    panic!("{stage:?} is not done");
}

async fn done(aws: &AwsConnection, database: &Resource, stage: DatabaseEncryption) {
    ended(aws, database, stage).await.unwrap();
}

async fn snapshot(aws: &AwsConnection, database: &Resource) {
    let snapshot = Mutation::Snapshot {
        description: "before".to_owned(),
    };
    let Applied::Snapshot(taken) = aws.apply(database, &snapshot).await.unwrap() else {
        panic!("no snapshot");
    };
    let complete = aws.snapshot_complete(&database.id, &database.region, &taken);
    assert!(complete.await.unwrap());
}

/// A database that is not encrypted.
async fn database(moto: &Moto) -> (AwsConnection, Resource) {
    let tags = &[("team", "shop")];
    moto.database(REGION, "orders", "db.m5.large", "postgres", tags)
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let found = by_id(&aws.inventory().await.unwrap(), "orders").clone();
    assert_eq!(found.kind, ResourceKind::Database);
    (aws, found)
}

async fn seen(aws: &AwsConnection, resource: &Resource) -> Resource {
    aws.observe(resource).await.unwrap().resource
}

async fn named(aws: &AwsConnection, name: &str) -> Resource {
    by_id(&aws.inventory().await.unwrap(), name).clone()
}

async fn document(aws: &AwsConnection, database: &Resource) -> Value {
    let seen = aws.observe_configuration(database).await.unwrap().resource;
    seen.specification.document.unwrap().json().clone()
}

fn groups(document: &Value) -> Vec<String> {
    let groups = document["VpcSecurityGroups"].as_array().unwrap();
    groups
        .iter()
        .map(|group| group["VpcSecurityGroupId"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_encrypted_database_takes_the_name_of_the_old_one_and_gives_it_back() {
    let moto = Moto::start().await.unwrap();
    let (aws, database) = database(&moto).await;
    let before = document(&aws, &database).await;
    assert_eq!(before["StorageEncrypted"], false);

    let early = ended(&aws, &database, DatabaseEncryption::Copy).await;
    assert!(early.unwrap_err().contains("has clients"));
    done(&aws, &database, DatabaseEncryption::Quiesce).await;
    let isolated = document(&aws, &database).await;
    assert_ne!(groups(&isolated), groups(&before));
    assert_eq!(groups(&isolated).len(), 1);
    let marked = seen(&aws, &database).await;
    assert!(marked.tag(ENCRYPTING_TAG).is_some() && marked.tag(QUIESCED_TAG).is_some());

    snapshot(&aws, &database).await;
    done(&aws, &database, DatabaseEncryption::Copy).await;
    done(&aws, &database, DatabaseEncryption::Restore).await;
    let copy = document(&aws, &named(&aws, "orders-encrypted").await).await;
    assert_eq!(
        groups(&copy),
        groups(&isolated),
        "no client reaches the copy"
    );
    done(&aws, &database, DatabaseEncryption::Swap).await;

    let replaced = seen(&aws, &database).await;
    assert_eq!(replaced.tag(COPY_TAG), Some("orders"));
    assert_eq!(replaced.tag("team"), Some("shop"));
    assert_eq!(replaced.specification, database.specification);
    let after = document(&aws, &database).await;
    assert_eq!(after["StorageEncrypted"], true);
    assert_eq!(after["Endpoint"], before["Endpoint"]);
    assert_eq!(groups(&after), groups(&before));
    let old = named(&aws, "orders-unencrypted").await;
    assert_eq!(old.state, ResourceState::Stopped);
    assert!(old.tag(REPLACED_TAG).is_some() && old.tag(ENCRYPTING_TAG).is_none());

    done(&aws, &database, DatabaseEncryption::GiveBack).await;
    let back = document(&aws, &database).await;
    assert_eq!(back["StorageEncrypted"], false);
    assert_eq!(back["Endpoint"], before["Endpoint"]);
    assert_eq!(groups(&back), groups(&before));
    let back = seen(&aws, &database).await;
    assert_eq!((back.state, &back.tags), (database.state, &database.tags));
    // A later replacement does not use the copy that was given up.
    let copy = named(&aws, "orders-encrypted").await;
    assert_eq!(copy.state, ResourceState::Stopped);
    assert_eq!(copy.tag(COPY_TAG), None);
    let again = ended(&aws, &database, DatabaseEncryption::Quiesce).await;
    assert!(again.unwrap_err().contains("orders-encrypted exists"));
}

#[tokio::test]
async fn a_replacement_that_was_begun_and_no_more_is_taken_back_at_every_stage() {
    let moto = Moto::start().await.unwrap();
    let (aws, database) = database(&moto).await;
    let before = groups(&document(&aws, &database).await);

    done(&aws, &database, DatabaseEncryption::Quiesce).await;
    done(&aws, &database, DatabaseEncryption::GiveBack).await;
    assert_eq!(groups(&document(&aws, &database).await), before);
    assert_eq!(seen(&aws, &database).await.tags, database.tags);

    done(&aws, &database, DatabaseEncryption::Quiesce).await;
    snapshot(&aws, &database).await;
    done(&aws, &database, DatabaseEncryption::Copy).await;
    done(&aws, &database, DatabaseEncryption::Restore).await;
    // The first call of the exchange takes the name away. The database is found all the same.
    let first = aws.apply(&database, &DatabaseEncryption::Swap).await;
    assert_eq!(first.unwrap(), Applied::Pending);
    let between = seen(&aws, &database).await;
    assert_eq!(between.id, database.id);
    assert!(between.tag(ENCRYPTING_TAG).is_some());
    done(&aws, &database, DatabaseEncryption::GiveBack).await;
    assert_eq!(groups(&document(&aws, &database).await), before);
    assert_eq!(seen(&aws, &database).await.tags, database.tags);
}

#[tokio::test]
async fn a_database_with_replicas_is_refused_before_anything_is_done() {
    let moto = Moto::start().await.unwrap();
    let (aws, database) = database(&moto).await;
    let replica = Mutation::Replicate {
        name: "orders-2".to_owned(),
    };
    moto.query(
        &reeve_testkit::moto::RDS,
        REGION,
        "ModifyDBInstance",
        &[
            ("DBInstanceIdentifier".to_owned(), "orders".to_owned()),
            ("BackupRetentionPeriod".to_owned(), "7".to_owned()),
        ],
    )
    .await
    .unwrap();
    aws.apply(&database, &replica).await.unwrap();

    let refused = ended(&aws, &database, DatabaseEncryption::Quiesce).await;
    assert!(refused.unwrap_err().contains("has read replicas"));
    assert_eq!(seen(&aws, &database).await.tags, database.tags);
}
