//! A cloud that is not there, does not know the key, or permits only part: said by cause, nothing
//! lost.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

const SOME: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["sts:*","ec2:DescribeInstances"],"Resource":"*"}]}"#;

async fn connection(admin: &Api, name: &str, endpoint: &str, key: (&str, &str)) -> String {
    let made = json!({
        "name": name, "provider": "aws", "endpoint": endpoint,
        "credentials": { "access_key_id": key.0, "secret_access_key": key.1 },
    });
    format!(
        "connections/{}",
        admin
            .post("connections", made)
            .await
            .expect(201)
            .text_at("/id")
    )
}

/// The connection once its first sync has ended; the schedule begins one by itself.
async fn settled(admin: &Api, path: &str) -> Value {
    until("the sync ended", Duration::from_secs(60), || async {
        let now = admin.get(path).await.expect(200).body;
        matches!(now["status"].as_str(), Some("ready" | "failed")).then_some(now)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_endpoint_a_wrong_key_and_a_denied_permission_are_named() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    moto.machines("us-east-1", "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap();
    let (id, secret) = moto.user("some", SOME).await.unwrap();
    moto.enforce_keys().await.unwrap();
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();

    let dead = connection(
        &admin,
        "dead",
        &format!("http://{closed}"),
        ("AKIAIOSFODNN7EXAMPLE", "secret"),
    )
    .await;

    let tested = admin
        .post(&format!("{dead}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["ok"], false);
    assert!(
        tested.text_at("/message").contains(&closed.to_string()),
        "{}",
        tested.text
    );

    let failed = settled(&admin, &dead).await;
    assert_eq!(failed["status"], "failed");
    assert!(
        failed["last_error"]
            .as_str()
            .unwrap()
            .contains(&closed.to_string()),
        "{failed}"
    );

    let wrong = connection(
        &admin,
        "wrong",
        moto.endpoint(),
        ("AKIAIOSFODNN7EXAMPLE", "not-the-secret"),
    )
    .await;

    let tested = admin
        .post(&format!("{wrong}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["ok"], false);

    let words = tested.text_at("/message").to_lowercase();
    assert!(
        words.contains("key") || words.contains("token") || words.contains("credential"),
        "{words}"
    );
    assert!(
        !tested.text.contains("not-the-secret"),
        "the secret came back"
    );
    assert_eq!(settled(&admin, &wrong).await["status"], "failed");

    // A wrong secret for a key that exists.
    let forged = connection(&admin, "forged", moto.endpoint(), (&id, "not-the-secret")).await;
    assert_eq!(
        admin
            .post(&format!("{forged}/test"), json!({}))
            .await
            .expect(200)
            .body["ok"],
        false
    );

    let partial = connection(&admin, "partial", moto.endpoint(), (&id, &secret)).await;
    assert_eq!(
        admin
            .post(&format!("{partial}/test"), json!({}))
            .await
            .expect(200)
            .body["ok"],
        true
    );

    let ready = settled(&admin, &partial).await;
    assert_eq!(ready["status"], "ready", "{ready}");

    let denied: Vec<&str> = ready["last_sync"]["denied"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["permission"].as_str().unwrap())
        .collect();

    assert!(
        denied.contains(&"rds:DescribeDBInstances") && denied.contains(&"s3:ListAllMyBuckets"),
        "{denied:?}"
    );
    assert!(!denied.contains(&"ec2:DescribeInstances"), "{denied:?}");

    let listed = admin.get("resources").await.expect(200);
    assert!(
        listed.items().iter().any(|one| one["name"] == "web"),
        "the rest went on: {}",
        listed.text
    );

    // What went wrong stands in the log, each with its cause.
    let search = json!({ "query": "event_type:integration.sync AND status:failed", "limit": 100 });
    let recorded = admin.post("audit-logs/search", search).await.expect(200);
    let of = |name: &str| {
        recorded
            .items()
            .iter()
            .any(|one| one["metadata"]["connection"] == name)
    };

    assert!(
        of("dead") && of("wrong") && !of("partial"),
        "{}",
        recorded.text
    );
}
