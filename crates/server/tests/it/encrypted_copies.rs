//! Disks and databases that are not encrypted, from the failed check to the signed change, the
//! encrypted copy in their place, and back.

use std::time::Duration;

use reeve_testkit::http::Api;
use reeve_testkit::moto::{EC2, Moto, RDS, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{connect, findings_of, pairs};
use crate::unused::{ended, rolled_back};

const REGION: &str = "us-east-1";
const PATIENCE: Duration = Duration::from_secs(300);

/// A service with a connected account, and the findings of `compliance_intelligence` in it.
async fn served(moto: &Moto, home: &tempfile::TempDir) -> (Service, Vec<Value>) {
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connect(&admin, moto.endpoint()).await;
    // Copies take hours at worst, which a month with 99.9 % does not have.
    let limits = json!({
        "availability": { "min_uptime": "95%" }, "blast_radius": { "max_share_per_day": "100%" },
        "version": admin.get("intelligence/guardrails").await.expect(200).body["version"],
    });
    let _ = admin
        .put("intelligence/guardrails", limits)
        .await
        .expect(200);
    let agent = json!({
        "agent_type": "compliance_intelligence", "name": "Compliance", "mode": "active", "learning_period": "14d",
        "confidence_threshold": "80%", "auto_apply": { "enabled": false }, "reason": "configurations are facts",
        "settings": { "remediation_suggestions": { "priorities": "critical, high, medium, low" } },
    });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    let all = findings_of(&admin, &agent.text_at("/id"), PATIENCE).await;
    (service, all)
}

/// The finding whose plan has a change.
fn with_change<'a>(all: &'a [Value], change: &str) -> &'a Value {
    let is_it = |one: &&Value| one["plan"]["change"]["name"] == change;
    all.iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{change}: {all:#?}"))
}

/// Carries out a finding with two signatures; the action.
async fn carried_out(admin: &Api, finding: &Value) -> Value {
    assert_eq!(
        (&finding["impact_level"], &finding["plan"]["reversible"]),
        (&json!("high"), &json!(true)),
        "{finding:#}"
    );
    let (_, director) = admin.person("maria@acme.example", &["director"], &[]).await;
    let (_, security) = admin
        .person("sam@acme.example", &["security_analyst"], &[])
        .await;

    // Both copies are paid for a while, which the limit of cost refuses.
    let path = format!(
        "intelligence/recommendations/{}",
        finding["id"].as_str().unwrap()
    );
    let plan = json!({ "plan_hash": finding["plan"]["hash"] });
    let refused = admin
        .post(&format!("{path}/execute"), plan)
        .await
        .expect(409);
    assert!(
        refused.text.contains("cost would rise by 100.0 %"),
        "{}",
        refused.text
    );
    let wanted =
        json!({ "plan_hash": finding["plan"]["hash"], "reason": "an audit asks for encryption" });
    let asked = admin
        .post(&format!("{path}/exception"), wanted)
        .await
        .expect(202);
    for signer in [&security, &director] {
        let approval = format!("intelligence/approvals/{}/approve", asked.text_at("/id"));
        let _ = signer.post(&approval, json!({})).await.expect(200);
    }
    let action = ended(admin, finding).await;
    assert_eq!(action["status"], "succeeded", "{action:#}");
    action
}

/// Volumes of a machine, each with `true` if it is encrypted.
async fn volumes(moto: &Moto, machine: &str) -> Vec<(String, bool)> {
    let attached = pairs(&[
        ("Filter.1.Name", "attachment.instance-id"),
        ("Filter.1.Value.1", machine),
    ]);
    let answer = moto
        .query(&EC2, REGION, "DescribeVolumes", &attached)
        .await
        .unwrap();
    let encrypted = texts(&answer, "encrypted");
    // The identifier stands in the volume and in its attachment.
    let mut ids = texts(&answer, "volumeId");
    ids.dedup();
    ids.into_iter()
        .zip(encrypted)
        .map(|(id, encrypted)| (id.to_owned(), encrypted == "true"))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_is_replaced_by_an_encrypted_one_and_given_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);
    let before = volumes(&moto, &machine).await;
    assert!(matches!(before.as_slice(), [(_, false)]), "{before:?}");

    let (service, _) = served(&moto, &home).await;
    let admin = service.admin();
    // Among the findings about the public snapshots of others, which moto lists as one's own.
    let path = format!(
        "intelligence/recommendations?resource={}&limit=100",
        before[0].0
    );
    let all = admin.get(&path).await.expect(200).items().to_vec();
    let action = carried_out(&admin, with_change(&all, "encrypt_volume")).await;
    let after = volumes(&moto, &machine).await;
    assert!(matches!(after.as_slice(), [(_, true)]), "{after:?}");
    assert_ne!(after[0].0, before[0].0);

    rolled_back(&admin, &action, PATIENCE).await;
    assert_eq!(volumes(&moto, &machine).await, before);
}

/// A database by its name: its state, `true` if it is encrypted, its endpoint and security groups.
async fn database(moto: &Moto, name: &str) -> (String, bool, String, String) {
    let named = pairs(&[("DBInstanceIdentifier", name)]);
    let answer = moto
        .query(&RDS, REGION, "DescribeDBInstances", &named)
        .await
        .unwrap();
    let one = |tag: &str| texts(&answer, tag).join(" ");
    (
        one("DBInstanceStatus"),
        one("StorageEncrypted") == "true",
        one("Address"),
        one("VpcSecurityGroupId"),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_replaced_by_an_encrypted_one_and_given_back() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let before = database(&moto, "orders").await;
    assert!(!before.1);

    let (service, all) = served(&moto, &home).await;
    let admin = service.admin();
    let finding = with_change(&all, "encrypt_database");
    let performance = finding["impact"]["performance"].to_string();
    assert!(performance.contains("about 75 minutes"), "{finding:#}");
    let action = carried_out(&admin, finding).await;
    let encrypted = (before.0.clone(), true, before.2.clone(), before.3.clone());
    assert_eq!(database(&moto, "orders").await, encrypted);
    let kept = database(&moto, "orders-unencrypted").await;
    assert_eq!((kept.0.as_str(), kept.1), ("stopped", false));
    assert_ne!(kept.3, before.3, "no client reaches it");

    rolled_back(&admin, &action, PATIENCE).await;
    assert_eq!(database(&moto, "orders").await, before);
    let copy = database(&moto, "orders-encrypted").await;
    assert_eq!((copy.0.as_str(), copy.1), ("stopped", true));
}
