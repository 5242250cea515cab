//! Compliance, from a misconfigured account to evidence, recommendations and pages, and back.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::unused::{ended, found, rolled_back};

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

/// Place of a severity, the most severe first.
fn rank(severity: &str) -> Option<usize> {
    let all = ["critical", "high", "medium", "low"];
    all.iter().position(|one| *one == severity)
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
    let (_, director) = admin.person("maria@acme.example", &["director"], &[]).await;
    let (_, security) = admin
        .person("sam@acme.example", &["security_analyst"], &[])
        .await;
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
        (
            &open["priority"],
            &open["plan"]["change"]["name"],
            &open["agent_type"]
        ),
        (
            &json!("high"),
            &json!("block_public_access"),
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
    let severities: Vec<&str> = proving
        .iter()
        .filter_map(|one| one["severity"].as_str())
        .collect();
    assert!(
        severities.is_sorted_by_key(|one| rank(one)),
        "{severities:?}"
    );
    let named = admin.get(&of_control).await.expect(200);
    let severities = named
        .items()
        .iter()
        .filter_map(|one| one["severity"].as_str());
    assert!(severities.is_sorted_by_key(rank), "{}", named.text);
    let severe = admin
        .get(&format!("{of_control}&severity=high"))
        .await
        .expect(200);
    assert!(severe.items().len() < named.items().len(), "{}", named.text);
    assert!(severe.items().iter().all(|one| one["severity"] == "high"));
    let _ = admin
        .get(&format!("{of_control}&severity=bad"))
        .await
        .expect(422);
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

    // A failed result is accepted with a reason and an end; it counts apart, and for no score.
    let score = || async {
        let all = admin.get("intelligence/frameworks").await.expect(200);
        let soc2 = all.items().iter().find(|one| one["id"] == "soc2").cloned();
        soc2.unwrap()
    };
    let before = score().await;
    let logged = "aws.s3.access_logging_enabled";
    let path = format!("intelligence/controls/{logged}/results?result=fail&resource=invoices");
    let result = admin.get(&path).await.expect(200).items()[0].clone();
    let exceptions = format!("intelligence/checks/{logged}/exceptions");
    let given = |reason: &str, days: i64| {
        let end = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * days);
        json!({ "connection_id": result["connection_id"], "resource_id": "invoices", "reason": reason,
            "ends_at": end.to_string(), "document_hash": result["document_hash"] })
    };
    for (reason, days) in [("short", 7), ("it is read by nobody", 400)] {
        let _ = admin
            .post(&exceptions, given(reason, days))
            .await
            .expect(422);
    }
    let _ = director
        .post(&exceptions, given("it is read by nobody", 7))
        .await
        .expect(403);
    let made = admin
        .post(&exceptions, given("it is read by nobody", 7))
        .await
        .expect(201);
    let _ = admin
        .post(&exceptions, given("it is read by nobody", 7))
        .await
        .expect(409);
    let after = score().await;
    assert_eq!(after["results"]["fail"], before["results"]["fail"]);
    let excepted = |of: &Value| of["results"]["excepted"].as_u64().unwrap();
    assert_eq!(excepted(&after), excepted(&before) + 1, "{after:#}");
    assert!(after["score"].as_f64() > before["score"].as_f64());
    let path = format!("intelligence/controls/{logged}/results?result=excepted");
    let excepted = admin.get(&path).await.expect(200);
    assert_eq!(
        excepted.items()[0]["exception"]["reason"],
        "it is read by nobody",
        "{}",
        excepted.text
    );
    let trend = "intelligence/frameworks/soc2/trend?days=2";
    let trend = admin.get(trend).await.expect(200);
    assert_eq!(trend.items()[1]["score"], after["score"]);
    let entry = "audit-logs?query=operation:exclusion.create";
    let entry = admin.get(entry).await.expect(200).items()[0].clone();
    assert_eq!(entry["changes"]["after"]["aspect"], logged);
    let made = made.text_at("/id");
    let _ = admin
        .delete(&format!("intelligence/exclusions/{made}"))
        .await
        .expect(204);
    assert_eq!(score().await["score"], before["score"]);

    // Reeve mends the bucket with the signatures of a change that takes access away, and takes it
    // back to exactly what it was.
    let path = format!("intelligence/recommendations/{id}/execute");
    let asked = admin
        .post(&path, json!({ "plan_hash": open["plan"]["hash"] }))
        .await
        .expect(202);
    let approval = format!("intelligence/approvals/{}", asked.text_at("/approval_id"));
    for signer in [&director, &security] {
        let _ = signer
            .post(
                &format!("{approval}/approve"),
                json!({ "comment": "nobody reads it" }),
            )
            .await
            .expect(200);
    }
    let action = ended(&admin, open).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    let block = moto
        .public_access_block_of(REGION, "invoices")
        .await
        .unwrap();
    assert!(
        block
            .unwrap()
            .contains("<BlockPublicPolicy>true</BlockPublicPolicy>")
    );
    let story = admin
        .get("audit-logs?query=resource.id:invoices&limit=100")
        .await
        .expect(200);
    assert!(
        story.items().iter().any(|entry| {
            entry["changes"]["before"]["PublicAccessBlock.BlockPublicPolicy"] == "not set"
                && entry["changes"]["after"]["PublicAccessBlock.BlockPublicPolicy"] == "on"
        }),
        "{}",
        story.text
    );
    rolled_back(&admin, &action, Duration::from_secs(60)).await;
    let block = moto
        .public_access_block_of(REGION, "invoices")
        .await
        .unwrap();
    assert_eq!(block, None);

    // Somebody mends the bucket. The sync that sees it starts a run over what changed: nobody asks
    // for one, and the next full run is a day away.
    moto.public_access_block(REGION, "invoices", BLOCK)
        .await
        .unwrap();
    let _ = admin
        .post(&format!("connections/{connection}/sync"), json!({}))
        .await
        .expect(202);
    let agent = open["agent_id"].as_str().unwrap();
    let agent = format!("intelligence/agents/{agent}");
    let run = until("the check passes", PATIENCE, || async {
        let run = admin.get(&agent).await.expect(200).body["status"]["last_change_run"].clone();
        let passed = results(&admin, "pass").await;
        (!run.is_null() && passed.len() == 2).then_some(run)
    })
    .await;
    assert_eq!(
        (&run["extent"], &run["error"]),
        (&json!("changes"), &Value::Null)
    );
    let full = &admin.get(&agent).await.expect(200).body["status"]["last_run"];
    assert_eq!(full["extent"], "full");
    assert!(
        run["resources_judged"].as_u64().unwrap() < full["resources_judged"].as_u64().unwrap(),
        "{run:#} {full:#}"
    );
    assert_eq!(results(&admin, "fail").await, Vec::<Value>::new());
    assert_eq!(status(id).await, "rolled_back");
}

/// Requirement A-083: violations whose mending breaks nobody are mended by the agent itself, as far
/// as its mode and configuration let it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_mends_what_breaks_nobody_by_itself() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    moto.bucket(REGION, "invoices", &[]).await.unwrap();

    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    let agent = json!({
        "agent_type": "compliance_intelligence", "name": "Controls", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": true }, "reason": "the account is new",
        "settings": { "remediation_suggestions": { "priorities": "critical, high, medium, low" } },
    });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    let agent = agent.text_at("/id");
    // A resource is changed by one action at a time; later runs mend what is left.
    let succeeded = until("the agent mended it", PATIENCE, || async {
        let run = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        assert!(
            run.status != 200 || run.body["error"].is_null(),
            "{}",
            run.text
        );
        let all = admin
            .get("intelligence/recommendations?status=succeeded&limit=1000")
            .await
            .expect(200);
        let all = all.items().to_vec();
        let is_done =
            |one: &Value| one["plan"]["change"]["name"] == "protect_database_from_deletion";
        all.iter().any(is_done).then_some(all)
    })
    .await;

    let changes: Vec<&str> = succeeded
        .iter()
        .filter_map(|one| one["plan"]["change"]["name"].as_str())
        .collect();
    assert!(
        !changes.contains(&"block_public_access"),
        "it takes access away: {changes:?}"
    );
    assert!(
        succeeded.iter().all(|one| one["impact_level"] == "low"),
        "{succeeded:#?}"
    );
}
