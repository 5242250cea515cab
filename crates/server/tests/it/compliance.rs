//! Compliance, from a misconfigured account to evidence, recommendations and pages, and back.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::found;

pub(crate) const REGION: &str = "us-east-1";
const PATIENCE: Duration = Duration::from_secs(120);
pub(crate) const CHECK: &str = "aws.s3.blocks_public_access";
pub(crate) const BLOCK: &str = "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>\
                     <IgnorePublicAcls>true</IgnorePublicAcls><BlockPublicPolicy>true</BlockPublicPolicy>\
                     <RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>";

pub(crate) async fn results(admin: &Api, result: &str) -> Vec<Value> {
    let path = format!("intelligence/controls/{CHECK}/results?result={result}");
    admin.get(&path).await.expect(200).items().to_vec()
}

pub(crate) async fn controls_of(admin: &Api, framework: &str) -> Vec<Value> {
    let path = format!("intelligence/controls?framework={framework}&limit=1000");
    admin.get(&path).await.expect(200).items().to_vec()
}

fn resources(results: &[Value]) -> Vec<&str> {
    results
        .iter()
        .filter_map(|one| one["resource_id"].as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_misconfigured_account_is_checked_and_mended() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    for name in ["invoices", "website"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }
    moto.public_access_block(REGION, "website", BLOCK)
        .await
        .unwrap();

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connect(&admin, moto.endpoint()).await;
    let frameworks = admin.get("intelligence/frameworks").await.expect(200);
    assert!(
        frameworks
            .items()
            .iter()
            .all(|one| one["is_checked"] == false && one["score"].is_null()),
        "{frameworks:?}"
    );

    // One recommendation a failed check, each about its own aspect.
    let all = found(&admin, "compliance_intelligence").await;
    let of_bucket: Vec<&Value> = all
        .iter()
        .filter(|one| one["resource"]["id"] == "invoices")
        .collect();
    assert!(!of_bucket.is_empty(), "{all:#?}");
    let is_open = |one: &Value| one["resource"]["aspect"] == CHECK;
    let open = of_bucket.iter().find(|one| is_open(one)).unwrap();
    assert_eq!(
        (&open["priority"], &open["plan"], &open["agent_type"]),
        (
            &json!("high"),
            &Value::Null,
            &json!("compliance_intelligence")
        )
    );
    assert!(
        !all.iter()
            .any(|one| one["resource"]["id"] == "website" && is_open(one))
    );

    // The same as evidence, with the entry that records it.
    let failed = results(&admin, "fail").await;
    assert_eq!(resources(&failed), ["invoices"]);
    assert_eq!(resources(&results(&admin, "pass").await), ["website"]);
    let entry = failed[0]["event_id"].as_str().unwrap();
    let entry = admin
        .get(&format!("audit-logs/{entry}"))
        .await
        .expect(200)
        .body;
    assert_eq!(entry["event_type"], "intelligence.evidence");
    let recorded = entry["changes"]["after"]["results"].as_array().unwrap();
    assert!(recorded.iter().any(|one| {
        one["check"] == CHECK
            && one["resource"] == "invoices"
            && one["result"] == "fail"
            && one["document"] == failed[0]["document_hash"]
    }));

    let check = admin
        .get(&format!("intelligence/checks/{CHECK}"))
        .await
        .expect(200)
        .body;
    assert!(
        check["expression"]
            .as_str()
            .unwrap()
            .contains("BlockPublicAcls")
    );
    let id = |of: &str| {
        let all = check["controls"].as_array().unwrap().iter();
        let own = all.filter_map(Value::as_str);
        own.filter(|id| id.starts_with(of))
            .map(str::to_owned)
            .next()
            .unwrap()
    };
    let control = admin
        .get(&format!("intelligence/controls/{}", id("soc2:")))
        .await
        .expect(200)
        .body;
    assert_eq!(control["state"], "failed", "{control:#}");
    let proving = control["checks"].as_array().unwrap();
    assert!(proving.iter().any(|one| one["id"] == CHECK));
    let soc2 = controls_of(&admin, "soc2").await;
    let listed = soc2.iter().find(|one| one["id"] == control["id"]).unwrap();
    assert_eq!(listed["results"], control["results"]);
    assert_eq!(listed["checks_total"], proving.len());
    let of_control = format!(
        "intelligence/controls/{}/results?result=fail&resource=invoices",
        control["id"].as_str().unwrap()
    );
    let named = admin.get(&of_control).await.expect(200);
    assert!(named.items().iter().any(|one| one["check"] == CHECK));
    for wrong in [
        "controls/soc2:CC99",
        "controls/soc2:CC99/results",
        "checks/aws.s3.none",
    ] {
        let _ = admin
            .get(&format!("intelligence/{wrong}"))
            .await
            .expect(404);
    }
    for wrong in ["framework=soc3", "state=good"] {
        let _ = admin
            .get(&format!("intelligence/controls?{wrong}"))
            .await
            .expect(422);
    }

    // An exclusion of one check leaves the others.
    let id = open["id"].as_str().unwrap().to_owned();
    let exclusion = json!({ "resource": "invoices", "aspect": "aws.s3.versioning_enabled", "reason": "rebuilt every night" });
    let _ = admin
        .post("intelligence/exclusions", exclusion)
        .await
        .expect(201);
    let status = |id: String| {
        let admin = &admin;
        async move {
            admin
                .get(&format!("intelligence/recommendations/{id}"))
                .await
                .expect(200)
                .text_at("/status")
        }
    };
    assert_eq!(status(id.clone()).await, "open");

    // Somebody mends the bucket; the next sync and run see it.
    moto.public_access_block(REGION, "invoices", BLOCK)
        .await
        .unwrap();
    let _ = admin
        .post(&format!("connections/{connection}/sync"), json!({}))
        .await
        .expect(202);
    let agent = open["agent_id"].as_str().unwrap();
    until("the check passes", PATIENCE, || async {
        let run = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        let passed = results(&admin, "pass").await;
        (run.status == 200 && passed.len() == 2).then_some(())
    })
    .await;
    assert_eq!(results(&admin, "fail").await, Vec::<Value>::new());
    assert_eq!(status(id).await, "expired");
}
