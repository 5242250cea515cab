//! Lifecycle rules of buckets, from the descriptions of a sync to a rule that is added and taken
//! back.

use std::time::Duration;

use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::json;

use crate::account::connect;
use crate::unused::{ended, execute, found, rolled_back, signed};

const REGION: &str = "us-east-1";
const RULES: &str = "<LifecycleConfiguration><Rule><ID>logs</ID><Filter><Prefix>logs/</Prefix></Filter>\
                     <Status>Enabled</Status><Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>";
const ABORTS: &str = "<LifecycleConfiguration><Rule><ID>own</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status>\
                      <AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>\
                      </AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_is_added_beside_the_others_and_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    for name in ["uploads", "bare", "archive", "done", "changed"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }

    for name in ["uploads", "changed"] {
        moto.lifecycle(REGION, name, RULES).await.unwrap();
    }

    for name in ["archive", "done"] {
        moto.lifecycle(REGION, name, ABORTS).await.unwrap();
    }

    moto.versioned(REGION, "archive").await.unwrap();
    let before = moto.lifecycle_of(REGION, "uploads").await.unwrap().unwrap();

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let all = found(&admin, "storage_optimizer").await;
    let of = |name: &str| all.iter().find(|one| one["resource"]["id"] == name);
    let rule = |name: &str| of(name).map(|one| one["rule"].clone());
    assert!(
        of("done").is_none(),
        "it has a rule and keeps no versions: {all:#?}"
    );
    assert_eq!(
        (rule("bare"), rule("archive")),
        (Some(json!("abort_uploads")), Some(json!("expire_versions")))
    );

    let expiring = of("archive").unwrap();
    assert_eq!(
        expiring["plan"]["reversible"], false,
        "versions do not come back: {expiring:#}"
    );

    for (name, former) in [("uploads", Some(&before)), ("bare", None)] {
        let finding = of(name).unwrap();
        assert_eq!(
            (
                &finding["plan"]["change"]["name"],
                &finding["plan"]["reversible"],
                &finding["savings"]["monthly"]
            ),
            (&json!("put_bucket_lifecycle"), &json!(true), &json!(null))
        );
        execute(&admin, &manager, finding).await;
        let action = ended(&admin, finding).await;
        assert_eq!(action["status"], "succeeded", "{action:#}");
        let rules = moto.lifecycle_of(REGION, name).await.unwrap().unwrap();
        assert!(rules.contains("reeve-abort-uploads"), "{rules}");
        assert_eq!(rules.contains("<ID>logs</ID>"), former.is_some(), "{rules}");
        rolled_back(&admin, &action, Duration::from_secs(60)).await;
        assert_eq!(
            moto.lifecycle_of(REGION, name).await.unwrap().as_ref(),
            former,
            "exactly what it was"
        );
    }

    let story = admin
        .get("audit-logs?query=resource.id:uploads&limit=100")
        .await
        .expect(200);
    let added = |entry: &&serde_json::Value| {
        entry["changes"]["after"]["lifecycle_rules"] == "reeve-abort-uploads"
    };

    assert!(
        story.items().iter().any(|entry| added(&entry)),
        "{}",
        story.text
    );

    // Somebody wrote other rules before the plan was carried out.
    let finding = of("changed").unwrap();
    moto.lifecycle(REGION, "changed", ABORTS).await.unwrap();
    execute(&admin, &manager, finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "aborted", "{action:#}");
    signed(&admin, &[&manager], expiring).await;
    let action = ended(&admin, expiring).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");

    let rules = moto.lifecycle_of(REGION, "archive").await.unwrap().unwrap();
    assert!(
        rules.contains("<NoncurrentDays>90</NoncurrentDays>") && rules.contains("<ID>own</ID>"),
        "{rules}"
    );
}
