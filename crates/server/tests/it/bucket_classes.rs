//! Storage classes of a bucket, from its access logs to a rule that is added once it is signed, and
//! is not taken back.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::until;
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::{ended, execute};

const REGION: &str = "us-east-1";
const ABORTS: &str = "<LifecycleConfiguration><Rule><ID>own</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status>\
                      <AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>\
                      </AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>";

/// Puts a log object with one read, so many days ago.
async fn log(moto: &Moto, bucket: &str, days: i64) {
    let at = (Timestamp::now() - SignedDuration::from_hours(24 * days))
        .to_zoned(jiff::tz::TimeZone::UTC);
    let time = jiff::fmt::strtime::format("%d/%b/%Y:%H:%M:%S +0000", &at).unwrap();
    let text = format!(
        "owner {bucket} [{time}] 192.0.2.3 ada 3E57427F3EXAMPLE REST.GET.OBJECT exports/1 \"GET /{bucket}/exports/1 HTTP/1.1\" 206 - \
         1024 8388608 10 9 \"-\" \"curl\" -\n"
    );
    let name = format!("logs/{bucket}/{}-00-00-00-ABCDEF", &at.to_string()[..10]);
    moto.object(REGION, &name, text.into_bytes()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rarely_read_objects_get_a_rule_that_says_what_cannot_be_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::aged(200).await.unwrap();
    for name in ["exports", "young", "quiet", "logs"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
        moto.lifecycle(REGION, name, ABORTS).await.unwrap();
    }

    for name in ["exports", "young"] {
        moto.logged(REGION, name, "logs", &format!("{name}/"))
            .await
            .unwrap();
        for n in 1..=3 {
            moto.object(REGION, &format!("{name}/exports/{n}"), vec![0; 8 << 20])
                .await
                .unwrap();
        }
        log(&moto, name, 2).await;
    }

    log(&moto, "exports", 45).await;

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let (_, manager) = admin.person("maria@acme.example", &["manager"], &[]).await;
    let _ = connect(&admin, moto.endpoint()).await;
    let bucket = admin.get("resources/exports").await.expect(200).body;
    assert_eq!(bucket["access"]["state"], "complete", "{bucket:#}");
    assert_eq!(
        (
            &bucket["access"]["records"],
            &bucket["access"]["ages"][4]["objects"]
        ),
        (&json!(2), &json!(3))
    );

    let agent = json!({
        "agent_type": "storage_optimizer", "name": "Storage", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false },
        "settings": { "tier_objects": { "least_savings": 0 } }, "reason": "the objects of the test are small",
    });

    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");

    let run = until("the agent ran", Duration::from_secs(60), || async {
        let answer = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        (answer.status == 200).then_some(answer.body)
    })
    .await;
    let reasons = run.to_string();

    assert!(
        reasons.contains("not_logged") && reasons.contains("too_few_days"),
        "{run:#}"
    );

    let listed = admin
        .get(&format!(
            "intelligence/recommendations?agent={agent}&limit=1000"
        ))
        .await
        .expect(200);
    let found: Vec<&Value> = listed.items().iter().collect();
    assert_eq!(found.len(), 1, "{}", listed.text);

    let finding = found[0];
    assert_eq!(
        (&finding["rule"], &finding["resource"]["id"]),
        (&json!("tier_objects"), &json!("exports"))
    );
    assert_eq!(
        finding["plan"]["change"]["parameters"]["storage_class"], "GLACIER_IR",
        "{finding:#}"
    );

    let plan = &finding["plan"];
    assert_eq!(
        (&plan["reversible"], &finding["impact_level"]),
        (&json!(false), &json!("medium")),
        "{finding:#}"
    );

    assert_eq!(
        (&plan["losses"][0]["kind"], &plan["losses"][0]["lasting"]),
        (&json!("fees"), &json!(true))
    );

    execute(&admin, &manager, finding).await;
    let action = ended(&admin, finding).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");

    // A read 45 days ago was of an object of 155 days: later than 180 days there was one read less
    // to pay for.
    let rules = moto.lifecycle_of(REGION, "exports").await.unwrap().unwrap();
    for part in [
        "reeve-tier-objects",
        "<Days>180</Days>",
        "<StorageClass>GLACIER_IR</StorageClass>",
        "<ID>own</ID>",
    ] {
        assert!(rules.contains(part), "{part}: {rules}");
    }

    let undo = format!(
        "intelligence/actions/{}/rollback",
        action["id"].as_str().unwrap()
    );
    let refused = admin.post(&undo, json!({})).await.expect(409);
    assert!(
        refused.text.contains("cannot be undone"),
        "{}",
        refused.text
    );

    let story = admin
        .get("audit-logs?query=resource.id:exports&limit=100")
        .await
        .expect(200);
    let added =
        |entry: &&Value| entry["changes"]["after"]["lifecycle_rules"] == "reeve-tier-objects";
    assert!(
        story.items().iter().any(|entry| added(&entry)),
        "{}",
        story.text
    );
}
