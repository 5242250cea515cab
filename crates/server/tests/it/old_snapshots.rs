//! Old snapshots, from the descriptions of a sync to their deletion: which of them stay, and why.

use std::collections::BTreeMap;

use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::json;

use crate::account::connect;
use crate::unused::{ended, found, signed};

const REGION: &str = "us-east-1";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn superseded_snapshots_are_deleted_and_the_newest_stay() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::aged(200).await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "reports")])
        .await
        .unwrap()
        .remove(0);

    let data = moto
        .volume(REGION, "gp3", 500, Some(&machine), &[("Name", "data")])
        .await
        .unwrap();
    let lost = moto
        .volume(REGION, "gp3", 100, None, &[("Name", "lost")])
        .await
        .unwrap();
    let mut of = Vec::new();

    for (volume, tag) in [
        (&data, "a"),
        (&data, "b"),
        (&data, "c"),
        (&data, "reeve:ignore"),
        (&lost, "d"),
        (&lost, "e"),
    ] {
        of.push(
            moto.snapshot(REGION, volume, &[(tag, "true")])
                .await
                .unwrap(),
        );
    }

    moto.delete_volume(REGION, &lost).await.unwrap();

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "storage_optimizer").await;
    let mut ids: Vec<&str> = all
        .iter()
        .filter_map(|one| one["resource"]["id"].as_str())
        .collect();
    ids.sort_unstable();

    // moto's times are whole seconds: of equal ones the identifier decides.
    let listed = moto
        .query(&EC2, REGION, "DescribeSnapshots", &[])
        .await
        .unwrap();
    let begun: BTreeMap<&str, &str> = texts(&listed, "snapshotId")
        .into_iter()
        .zip(texts(&listed, "startTime"))
        .collect();
    let by_age = |ids: &[String]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by_key(|id| (begun[id.as_str()].to_owned(), id.clone()));
        ids
    };
    let (data_ids, lost_ids) = (by_age(&of[..4]), by_age(&of[4..]));

    let newest = &data_ids[3];
    let mut expect: Vec<&str> = data_ids[..3]
        .iter()
        .filter(|id| **id != of[3])
        .map(String::as_str)
        .collect();
    expect.push(&lost_ids[0]);
    expect.sort_unstable();
    assert_eq!(
        ids, expect,
        "the newest of each volume stay, and the ignored one: {all:#?}"
    );

    let finding = all
        .iter()
        .find(|one| one["resource"]["id"] == lost_ids[0].as_str())
        .unwrap();
    assert_eq!(
        finding["reason_codes"],
        json!(["volume_gone", "cannot_be_undone"]),
        "{finding:#}"
    );

    assert_eq!(
        (
            &finding["plan"]["change"]["name"],
            &finding["plan"]["change"]["parameters"]["kept"]
        ),
        (&json!("delete_snapshot"), &json!([lost_ids[1]]))
    );

    assert_eq!(
        finding["savings"]["monthly"],
        json!(null),
        "blocks are shared, so that the saving is not known"
    );

    assert!(
        finding["impact"]["cost"]
            .as_str()
            .unwrap()
            .contains("at most $5.00 a month"),
        "{finding:#}"
    );

    signed(&admin, &[&manager], finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");

    let left = moto
        .query(&EC2, REGION, "DescribeSnapshots", &[])
        .await
        .unwrap();
    assert!(
        !texts(&left, "snapshotId").contains(&lost_ids[0].as_str()),
        "{left}"
    );

    let story = admin
        .get(&format!(
            "audit-logs?query=resource.id:{}&limit=100",
            lost_ids[0]
        ))
        .await
        .expect(200);

    assert!(
        story
            .items()
            .iter()
            .any(|entry| entry["changes"]["after"]["state"] == "deleted"),
        "{}",
        story.text
    );

    // A snapshot that superseded it is gone by the time of the signature.
    let finding = all
        .iter()
        .find(|one| one["resource"]["id"] != lost_ids[0].as_str())
        .unwrap();
    assert_eq!(
        finding["plan"]["change"]["parameters"]["kept"],
        json!([newest]),
        "{finding:#}"
    );
    moto.delete_snapshot(REGION, newest).await.unwrap();
    signed(&admin, &[&manager], finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "aborted", "{action:#}");

    let left = moto
        .query(&EC2, REGION, "DescribeSnapshots", &[])
        .await
        .unwrap();
    assert!(
        texts(&left, "snapshotId").contains(&finding["resource"]["id"].as_str().unwrap()),
        "{left}"
    );
}
