//! Results of checks in compliance reports: the numbers of the page Compliance, as of the end of
//! the period, in every file, proved offline.

use std::collections::BTreeMap;
use std::path::Path;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{PATIENCE, connect};
use crate::compliance::{BLOCK, CHECK, REGION, controls_of, results};
use crate::reports::{downloaded, made, run, verified};
use crate::unused::found;

/// The results of the framework's controls as the page Compliance has them.
async fn on_the_page(admin: &Api) -> Vec<(Value, Value, Value)> {
    let controls = controls_of(admin, "soc2").await;
    let of = |one: &Value| {
        (
            one["number"].clone(),
            one["checks_total"].clone(),
            one["results"].clone(),
        )
    };
    controls.iter().map(of).collect()
}

/// The same, as a run's summary has them.
fn in_the_report(configuration: &Value) -> Vec<(Value, Value, Value)> {
    let controls = configuration["controls"].as_array().unwrap();
    let of = |one: &Value| {
        (
            one["number"].clone(),
            one["checks"].clone(),
            one["results"].clone(),
        )
    };
    controls.iter().map(of).collect()
}

/// The failing results of a check, each once: a check proves several controls.
fn failing<'r>(configuration: &'r Value, check: &str) -> Vec<&'r Value> {
    let controls = configuration["controls"].as_array().unwrap().iter();
    let all = controls.flat_map(|control| control["failing"].as_array().unwrap());
    let of_check = all.filter(|one| one["check"] == check);
    let each: BTreeMap<&str, &Value> = of_check
        .map(|one| (one["resource_id"].as_str().unwrap(), one))
        .collect();
    each.into_values().collect()
}

async fn now(admin: &Api) -> String {
    let newest = admin.get("audit-logs?limit=1").await.expect(200);
    newest.items()[0]["recorded_at"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A report that lists failing resources holds, and every forged copy of its JSON does not.
fn is_proved(json: &Path, key: &Path) {
    let whole = std::fs::read_to_string(json).unwrap();
    // Alone in its folder: beside its manifest every change is found by the hash.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.json");
    let check = |text: &str| {
        std::fs::write(&copy, text).unwrap();
        verified(&copy, key)
    };
    let (code, said) = check(&whole);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("failed checks that entries recorded"),
        "{said}"
    );

    let (head, entries) = whole.split_once("\n\"entries\":[").unwrap();
    let forged_head = |from: &str, to: &str| {
        let forged = head.replace(from, to);
        assert_ne!(forged, head, "{from}");
        format!("{forged}\n\"entries\":[{entries}")
    };
    let proving = entries
        .lines()
        .find(|line| line.contains("\"configuration\"],\"entry\""))
        .unwrap();
    let wrong = [
        (
            "another resource",
            forged_head(
                "\"resource_id\":\"invoices\"",
                "\"resource_id\":\"website\"",
            ),
        ),
        (
            "another reason",
            forged_head("\"why\":\"", "\"why\":\"Accepted. "),
        ),
        (
            "another document",
            forged_head("\"document\":\"", "\"document\":\"00"),
        ),
        (
            "a result that no listed entry recorded",
            forged_head("\"sequence\":", "\"sequence\":1"),
        ),
        (
            "an entry that is not said to record results",
            whole
                .replacen(",\"configuration\"],\"entry\"", "],\"entry\"", 1)
                .replacen("[\"configuration\"],\"entry\"", "[],\"entry\"", 1),
        ),
        (
            "an entry that was left out",
            whole.replacen(&format!("{proving}\n"), "", 1),
        ),
        (
            "a changed result in the entry",
            format!(
                "{head}\n\"entries\":[{}",
                entries.replacen("\"result\":\"fail\"", "\"result\":\"pass\"", 1)
            ),
        ),
    ];
    for (what, text) in wrong {
        assert_ne!(text, whole, "{what}");
        let (code, said) = check(&text);
        assert_eq!(code, Some(1), "{what}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_has_the_results_of_checks_as_of_its_end_with_proofs() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let moto = Moto::start().await.unwrap();
    for name in ["invoices", "website"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }
    let service = Service::serve(&data, &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connect(&admin, moto.endpoint()).await;

    // Nobody checked the framework yet: the section says so, and how to begin.
    let report = json!({ "name": "SOC 2", "framework": "soc2", "period": "24h" });
    let report = made(&admin, report).await;
    let unchecked = run(&admin, &report).await;
    let section = &unchecked["summary"]["configuration"];
    assert_eq!(section["is_checked"], false, "{unchecked:#}");
    assert_eq!(section["agents"], json!([]));
    let of_people = &section["controls"][0];
    assert_eq!(of_people["checks"], 0);
    assert!(of_people["by_hand"].as_str().unwrap().starts_with("Show "));

    let all = found(&admin, "compliance_intelligence").await;
    let agent = all[0]["agent_id"].as_str().unwrap().to_owned();
    let broken = now(&admin).await;
    let before = on_the_page(&admin).await;
    let done = run(&admin, &report).await;
    assert_eq!(
        (&done["state"], &done["error"]),
        (&json!("succeeded"), &Value::Null)
    );
    let section = &done["summary"]["configuration"];
    assert_eq!(in_the_report(section), before);
    assert_eq!(section["agents"][0]["name"], "Costs");

    // A failing resource with its proof, and as a change within the period.
    let on_page = results(&admin, "fail").await;
    let listed = failing(section, CHECK);
    let named: Vec<&Value> = listed.iter().map(|one| &one["resource_id"]).collect();
    assert!(named.contains(&&json!("invoices")), "{listed:#?}");
    let one = listed
        .iter()
        .find(|one| one["resource_id"] == "invoices")
        .unwrap();
    let page = on_page
        .iter()
        .find(|one| one["resource_id"] == "invoices")
        .unwrap();
    for (ours, theirs) in [
        ("event_id", "event_id"),
        ("why", "why"),
        ("since", "since"),
        ("document", "document_hash"),
        ("account", "account"),
    ] {
        assert_eq!(one[ours], page[theirs], "{ours}");
    }
    let entry = format!("audit-logs/{}", one["event_id"].as_str().unwrap());
    let entry = admin.get(&entry).await.expect(200).body;
    assert_eq!(entry["integrity"]["sequence"], one["sequence"], "{entry:#}");
    let controls = section["controls"].as_array().unwrap();
    let failed = controls
        .iter()
        .filter(|control| control["results"]["fail"].as_u64() > Some(0));
    for control in failed {
        assert_eq!(control["began_failing"], control["results"]["fail"]);
        let (listed, failed) = (
            control["failing"].as_array().unwrap().len() as u64,
            control["results"]["fail"].as_u64().unwrap(),
        );
        assert_eq!(listed, failed.min(10), "{control:#}");
    }

    // The same in the files, and proved without the service.
    let folder = tempfile::tempdir().unwrap();
    let manifest = downloaded(&admin, &done, folder.path()).await;
    let key = data.join("ledger/log.vkey");
    let (code, said) = verified(&manifest, &key);
    assert_eq!(code, Some(0), "{said}");
    let file = |suffix: &str| {
        let name = manifest.to_str().unwrap().replace("manifest.json", suffix);
        std::path::PathBuf::from(name)
    };
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(file("json")).unwrap()).unwrap();
    assert_eq!(&json["summary"]["configuration"], section);
    let csv = std::fs::read_to_string(file("csv")).unwrap();
    for control in controls.iter().filter(|one| one["checks"] != 0) {
        let number = control["number"].as_str().unwrap();
        let start = format!("configuration_control,{number},");
        let row = csv.lines().find(|line| line.starts_with(&start)).unwrap();
        let of = |answer: &str| control["results"][answer].to_string();
        let end = format!(
            ",{},{},{},{},,{}",
            of("pass"),
            of("fail"),
            of("unknown"),
            of("not_applicable"),
            of("excepted")
        );
        assert!(row.ends_with(&end), "{row}: {end}");
    }
    assert!(csv.contains("configuration_failure,"));
    is_proved(&file("json"), &key);

    // Narrowed to another account nothing is left.
    let elsewhere = json!({ "name": "Elsewhere", "framework": "soc2", "period": "24h", "filters": { "accounts": ["9*"] } });
    let elsewhere = run(&admin, &made(&admin, elsewhere).await).await;
    let section = &elsewhere["summary"]["configuration"];
    assert_eq!(section["is_checked"], false, "{elsewhere:#}");

    // One bucket is mended, the other is gone. A report over the time before still has both.
    moto.public_access_block(REGION, "invoices", BLOCK)
        .await
        .unwrap();
    moto.remove_object(REGION, "website").await.unwrap();
    let _ = admin
        .post(&format!("connections/{connection}/sync"), json!({}))
        .await
        .expect(202);
    until("the check passes", PATIENCE, || async {
        let run = admin
            .post(&format!("intelligence/agents/{agent}/run"), json!({}))
            .await;
        let failed = results(&admin, "fail").await;
        (run.status == 200 && failed.is_empty()).then_some(())
    })
    .await;
    let after = on_the_page(&admin).await;
    assert_ne!(after, before);

    let done = run(&admin, &report).await;
    let section = &done["summary"]["configuration"];
    assert_eq!(in_the_report(section), after);
    assert_eq!(failing(section, CHECK), Vec::<&Value>::new());
    let stopped = section["controls"].as_array().unwrap().iter();
    let stopped: u64 = stopped
        .filter_map(|control| control["stopped_failing"].as_u64())
        .sum();
    assert!(stopped > 0);

    let earlier = json!({ "name": "Earlier", "framework": "soc2", "start_time": "2026-01-01T00:00:00Z", "end_time": broken });
    let earlier = run(&admin, &made(&admin, earlier).await).await;
    let section = &earlier["summary"]["configuration"];
    assert_eq!(in_the_report(section), before, "{earlier:#}");
    assert_eq!(section["as_of"], broken);
    assert_eq!(failing(section, CHECK).len(), 2);
}
