//! People's own checks in a service: from a file in a folder to results, evidence, recommendations
//! and entries, and back.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::connect;
use crate::compliance::REGION;
use crate::unused::found;

const PATIENCE: Duration = Duration::from_secs(120);
const CHECK: &str = r#"title = "The bucket is called website"
why = "Other buckets are not looked after."
severity = "high"
kind = "bucket"
topics = ["public_access"]
sources = ["https://wiki.example/names"]
expression = 'resource.id == "website"'
remediation = { text = "Ask the owner.", change = "block_public_access" }

[[sample]]
name = "the website"
result = "pass"
id = "website"
document = '{}'

[[sample]]
name = "another"
result = "fail"
id = "other"
document = '{}'
"#;
const FRAMEWORK: &str = r#"title = "House rules"
edition = "2026"
source = "https://wiki.example/rules"

[[control]]
id = "H1"
title = "Buckets have their names"
checks = ["aws.s3.house_name"]
"#;

/// Writes a file in one step: the service looks at any time, and half a file would be refused.
fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let complete = folder.with_extension("new");
    fs::write(&complete, text).unwrap();
    fs::rename(complete, path).unwrap();
}

async fn own(admin: &Api) -> Value {
    admin.get("intelligence/own-checks").await.expect(200).body
}

/// The entries about the folder, the newest first.
async fn entries(admin: &Api) -> Vec<Value> {
    let path = "audit-logs?query=event_type:intelligence.checks.load";
    admin.get(path).await.expect(200).items().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_checks_judge_beside_those_of_reeve_and_wrong_files_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let (data, folder) = (home.path().join("data"), home.path().join("rules"));
    write(&folder, "checks/aws/s3/house_name.toml", CHECK);
    write(&folder, "controls/house.toml", FRAMEWORK);
    let wrong = CHECK.replace("resource.id", "thing.id");
    write(&folder, "checks/aws/s3/broken.toml", &wrong);
    write(&folder, "checks/aws/s3/blocks_public_access.toml", CHECK);

    let moto = Moto::start().await.unwrap();
    for name in ["invoices", "website"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }
    let checks_folder = ("REEVE_CHECKS_FOLDER", folder.to_str().unwrap());
    let service = Service::serve(&data, &[EMULATORS, checks_folder]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;

    // The files in force, and those that are refused with line and reason.
    let listed = own(&admin).await;
    let ids = |member: &str, name: &str| -> Vec<String> {
        let all = listed[member].as_array().unwrap().iter();
        all.filter_map(|one| one[name].as_str().map(str::to_owned))
            .collect()
    };
    assert_eq!(
        ids("files", "id"),
        ["house", "aws.s3.house_name"],
        "{listed:#}"
    );
    assert_eq!(
        ids("refused", "path"),
        [
            "checks/aws/s3/blocks_public_access.toml",
            "checks/aws/s3/broken.toml"
        ]
    );
    assert_eq!(listed["refused"][1]["line"], 7, "{listed:#}");
    let loaded = until("the entry", PATIENCE, || async {
        entries(&admin).await.first().cloned()
    })
    .await;
    assert_eq!(loaded["metadata"]["in_force"], 2, "{loaded:#}");
    assert_eq!(loaded["metadata"]["refused"], 2);
    assert_eq!(loaded["actor"]["type"], "system");
    assert_eq!(
        loaded["changes"]["after"]["files"][0]["sha256"],
        listed["files"][1]["sha256"]
    );

    // Results, evidence and a recommendation with a plan, marked as own.
    let all = found(&admin, "compliance_intelligence").await;
    let is_own = |one: &&Value| one["resource"]["aspect"] == "aws.s3.house_name";
    let findings: Vec<&Value> = all.iter().filter(is_own).collect();
    let [finding] = findings.as_slice() else {
        panic!("{findings:#?}");
    };
    assert_eq!(finding["resource"]["id"], "invoices");
    assert_eq!(finding["plan"]["change"]["name"], "block_public_access");
    let path = "intelligence/controls/house:H1/results?result=fail";
    let results = admin.get(path).await.expect(200);
    assert_eq!(results.items()[0]["is_own"], true, "{}", results.text);
    let frameworks = admin.get("intelligence/frameworks").await.expect(200);
    let house = frameworks.items().iter().find(|one| one["id"] == "house");
    let house = house.unwrap();
    assert_eq!(
        (&house["is_own"], &house["is_checked"], &house["score"]),
        (&json!(true), &json!(true), &json!(50.0))
    );
    assert_eq!(own(&admin).await["files"][1]["results"]["fail"], 1);

    // Another text judges anew in a full run, without a restart.
    let other = CHECK.replace("== \"website\"", "!= \"other\"");
    write(&folder, "checks/aws/s3/house_name.toml", &other);
    let passed = until("the run with the new text", PATIENCE, || async {
        let path = "intelligence/controls/house:H1/results?result=pass";
        let passed = admin.get(path).await.expect(200).items().to_vec();
        (passed.len() == 2).then_some(passed)
    })
    .await;
    assert_eq!(passed[0]["check"], "aws.s3.house_name");
    let newest = entries(&admin).await[0].clone();
    assert_eq!(
        newest["changes"]["before"]["files"][0]["path"],
        "checks/aws/s3/house_name.toml"
    );

    // A restart over the same files records nothing; the check that left takes its results along.
    let known = entries(&admin).await.len();
    service.stop().unwrap();
    let service = Service::serve(&data, &[EMULATORS, checks_folder]).unwrap();
    let admin = service.admin();
    for name in ["checks", "controls"] {
        fs::rename(folder.join(name), home.path().join(name)).unwrap();
    }
    until("the files left", PATIENCE, || async {
        let files = own(&admin).await["files"].as_array().map(Vec::len);
        (files == Some(0)).then_some(())
    })
    .await;
    let _ = admin
        .get("intelligence/controls/house:H1")
        .await
        .expect(404);
    let entries = until("the entry", PATIENCE, || async {
        let all = entries(&admin).await;
        (all.len() > known && all[0]["metadata"]["in_force"] == 0).then_some(all)
    })
    .await;
    // Two folders leave one after the other, and a look between them is an entry of its own.
    let new = &entries[..entries.len() - known];
    assert!(new.len() <= 2, "{entries:#?}");
    assert_eq!(new[0]["metadata"]["in_force"], 0);
    let files = new[new.len() - 1]["changes"]["before"]["files"].as_array();
    assert_eq!(files.map(Vec::len), Some(2), "{entries:#?}");
}
