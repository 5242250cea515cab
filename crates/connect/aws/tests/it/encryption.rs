//! Replacing a volume by an encrypted one on moto, and giving the old one its place back.

use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, Applied, Mutation, Observe, Operation, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::change::{COPY_TAG, ENCRYPTING_TAG, EncryptOperation, REPLACED_TAG};
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";
/// More requests than a stage takes.
const MOST_REQUESTS: usize = 10;

/// Requests a stage until it is done, as an execution does.
async fn done(aws: &AwsConnection, volume: &Resource, stage: EncryptOperation) {
    for _ in 0..MOST_REQUESTS {
        let operation: &dyn Operation = &stage;
        match aws.apply(volume, operation).await.unwrap() {
            Applied::Accepted => return,
            Applied::Pending => {}
            Applied::Snapshot(_) => panic!("{stage:?} made a snapshot"),
        }
    }
    panic!("{stage:?} is not done");
}

/// A machine with its only volume, which is not encrypted.
async fn machine_with_volume(moto: &Moto) -> (AwsConnection, Resource, Resource) {
    let ids = moto.machines(REGION, "m5.large", 1, &[]).await.unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let inventory = aws.inventory().await.unwrap();
    let machine = by_id(&inventory, &ids[0]).clone();
    let volume = aws.volumes_of(&machine).await.unwrap().remove(0);
    (aws, machine, volume)
}

async fn seen(aws: &AwsConnection, resource: &Resource) -> Resource {
    aws.observe(resource).await.unwrap().resource
}

async fn is_encrypted(aws: &AwsConnection, volume: &Resource) -> bool {
    let seen = aws.observe_configuration(volume).await.unwrap().resource;
    let document = seen.specification.document.unwrap();
    document.json()["encrypted"] == true
}

#[tokio::test]
async fn an_encrypted_volume_takes_the_place_of_the_old_one_and_gives_it_back() {
    let moto = Moto::start().await.unwrap();
    let (aws, machine, volume) = machine_with_volume(&moto).await;
    assert!(!is_encrypted(&aws, &volume).await);

    done(&aws, &volume, EncryptOperation::Begin).await;
    assert_eq!(seen(&aws, &machine).await.state, ResourceState::Stopped);
    assert!(seen(&aws, &volume).await.tag(ENCRYPTING_TAG).is_some());
    // Without a snapshot there is nothing to make the copy of.
    let refused = aws.apply(&volume, &EncryptOperation::Copy).await;
    assert!(
        refused
            .unwrap_err()
            .message
            .contains("no complete snapshot")
    );

    let snapshot = Mutation::Snapshot {
        description: "before".to_owned(),
    };
    aws.apply(&volume, &snapshot).await.unwrap();
    done(&aws, &volume, EncryptOperation::Copy).await;
    done(&aws, &volume, EncryptOperation::Swap).await;

    let old = seen(&aws, &volume).await;
    assert_eq!(old.state, ResourceState::Unattached);
    assert!(old.tag(REPLACED_TAG).is_some() && old.tag(ENCRYPTING_TAG).is_none());
    assert_eq!(seen(&aws, &machine).await.state, ResourceState::Running);
    let attached = aws.volumes_of(&machine).await.unwrap();
    assert_eq!(attached.len(), 1);
    let copy = attached[0].clone();
    assert_eq!(copy.tag(COPY_TAG), Some(volume.id.as_str()));
    assert!(is_encrypted(&aws, &copy).await);
    assert_eq!(
        copy.specification.storage_gib,
        volume.specification.storage_gib
    );

    done(&aws, &volume, EncryptOperation::GiveBack).await;
    let back = seen(&aws, &volume).await;
    assert_eq!(back.attached_to, std::slice::from_ref(&machine.id));
    assert!(back.tag(REPLACED_TAG).is_none());
    assert_eq!(seen(&aws, &machine).await.state, ResourceState::Running);
    // A later replacement does not use the volume that was given up.
    assert_eq!(seen(&aws, &copy).await.tag(COPY_TAG), None);
}

#[tokio::test]
async fn what_was_begun_and_no_more_is_taken_back_by_a_start() {
    let moto = Moto::start().await.unwrap();
    let (aws, machine, volume) = machine_with_volume(&moto).await;
    assert_eq!(volume.kind, ResourceKind::Volume);

    done(&aws, &volume, EncryptOperation::Begin).await;
    done(&aws, &volume, EncryptOperation::GiveBack).await;
    assert_eq!(seen(&aws, &machine).await.state, ResourceState::Running);
    assert!(seen(&aws, &volume).await.tag(ENCRYPTING_TAG).is_none());
}
