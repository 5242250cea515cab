//! The configuration of a cloud's resources: read, kept, compared and searched; each difference is
//! recorded once, with who made it.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::{EC2, Moto, texts};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::pairs;

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";

/// Begins a sync once none is under way, and waits for its end.
async fn sync(admin: &Api, connection: &str) -> Value {
    let finished = async || admin.get(connection).await.expect(200).body["last_sync"].clone();
    let before = until("the beginning of the sync", PATIENCE, || async {
        let before = finished().await;
        (admin
            .post(&format!("{connection}/sync"), json!({}))
            .await
            .status
            == 202)
            .then_some(before)
    })
    .await;

    until("the end of the sync", PATIENCE, || async {
        let now = finished().await;
        (now["finished_at"] != before["finished_at"]).then_some(now)
    })
    .await
}

/// The entries of syncs about a resource, oldest first.
async fn observed(admin: &Api, id: &str) -> Vec<Value> {
    let query =
        json!({ "query": format!("resource.id:{id} metadata.tags:observed"), "limit": 100 });
    let found = admin.post("audit-logs/search", query).await.expect(200);
    let mut entries = found.items().to_vec();
    entries.reverse();
    entries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_difference_is_recorded_once_with_who_made_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let moto = Moto::start().await.unwrap();
    let made = pairs(&[("GroupName", "web"), ("GroupDescription", "web")]);
    let made = moto
        .query(&EC2, REGION, "CreateSecurityGroup", &made)
        .await
        .unwrap();
    let group = texts(&made, "groupId")[0].to_owned();
    let machine = moto
        .machines(REGION, "m5.large", 1, &[("Name", "web")])
        .await
        .unwrap()
        .remove(0);

    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let id = admin
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");
    let connection = format!("connections/{id}");
    sync(&admin, &connection).await;
    assert_eq!(
        observed(&admin, &group).await,
        Vec::<Value>::new(),
        "the first reading finds what is there already"
    );

    let path = format!("resources/{group}");
    let first = admin
        .get(&format!("{path}/configuration"))
        .await
        .expect(200)
        .body;
    assert_eq!(first["configuration"]["groupName"], "web", "{first}");

    // Somebody opens a port, and the provider's record of it is in the log.
    let open = [
        ("GroupId", group.as_str()),
        ("IpPermissions.1.IpProtocol", "tcp"),
        ("IpPermissions.1.FromPort", "22"),
        ("IpPermissions.1.ToPort", "22"),
        ("IpPermissions.1.IpRanges.1.CidrIp", "0.0.0.0/0"),
    ];

    moto.query(&EC2, REGION, "AuthorizeSecurityGroupIngress", &pairs(&open))
        .await
        .unwrap();
    let record = json!({
        "event_type": "resource.modify", "actor": { "type": "user", "id": "mallory", "email": "mallory@acme.example" },
        "action": { "operation": "AuthorizeSecurityGroupIngress", "status": "success", "method": "api" },
        "resource": { "type": "security_group", "id": group },
    });

    let cause = admin
        .post("audit-logs", record)
        .await
        .expect(201)
        .text_at("/event_id");
    sync(&admin, &connection).await;
    let entries = observed(&admin, &group).await;
    assert_eq!(entries.len(), 1, "{entries:#?}");

    let entry = &entries[0];
    assert_eq!(
        (&entry["event_type"], &entry["resource"]["type"]),
        (&json!("resource.modify"), &json!("security_group"))
    );
    assert_eq!(
        entry["changes"]["before"],
        json!({ "configuration": { "ipPermissions": [] } }),
        "only what differs"
    );

    let opened = &entry["changes"]["after"]["configuration"]["ipPermissions"][0];
    assert_eq!(
        (&opened["fromPort"], &opened["ipRanges"][0]["cidrIp"]),
        (&json!("22"), &json!("0.0.0.0/0"))
    );
    assert_eq!(
        entry["metadata"]["changed_by"]["email"], "mallory@acme.example",
        "{entry}"
    );
    assert_eq!(entry["metadata"]["caused_by"], json!(cause));

    sync(&admin, &connection).await;
    assert_eq!(
        observed(&admin, &group).await.len(),
        1,
        "nothing changed, nothing is written"
    );

    let versions = admin.get(&format!("{path}/versions")).await.expect(200);
    assert_eq!(versions.items().len(), 2, "{}", versions.text);

    let query = "type:security_group%20configuration.ipPermissions.ipRanges.cidrIp:%220.0.0.0/0%22";
    let open = admin
        .get(&format!("resources?query={query}"))
        .await
        .expect(200);
    assert_eq!(
        (open.items().len(), &open.items()[0]["id"]),
        (1, &json!(group)),
        "{}",
        open.text
    );

    let _ = admin
        .get("resources?query=severity:high")
        .await
        .problem(422, "invalid_query");

    searched(&admin, &machine).await;
    hidden(&admin, &moto, &connection, &group).await;
    service.kill().unwrap();
}

async fn searched(admin: &Api, machine: &str) {
    let counts = admin
        .get("resource-counts?by=type&provider=aws")
        .await
        .expect(200)
        .body;

    let of = |kind: &str| {
        counts["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["value"] == kind)
            .cloned()
    };
    assert_eq!(of("virtual_machine").unwrap()["count"], 1, "{counts}");

    let untagged = admin
        .get("resources?query=type:virtual_machine%20-tags.owner:*")
        .await
        .expect(200);
    assert_eq!(untagged.items()[0]["id"], json!(machine));

    // Lists mean the values that they have when the estate is searched.
    let listed = "resources?query=id:@machines";
    let unknown = admin.get(listed).await.problem(422, "invalid_query");
    assert!(
        unknown
            .text_at("/detail")
            .contains("there is no list `machines`"),
        "{}",
        unknown.text
    );

    let machines = json!({ "values": [machine, "i-elsewhere"] });
    let _ = admin
        .put("audit-logs/lists/machines", machines)
        .await
        .expect(200);
    let found = admin.get(listed).await.expect(200);
    assert_eq!(
        (found.items().len(), &found.items()[0]["id"]),
        (1, &json!(machine)),
        "{}",
        found.text
    );

    let csv = admin.get("resources.csv?type=virtual_machine").await;
    assert_eq!(csv.status, 200);
    assert!(
        csv.text.starts_with("id,name,type")
            && csv.text.contains(&format!("{machine},web,virtual_machine")),
        "{}",
        csv.text
    );

    let related = admin
        .get(&format!("resources/{machine}/relations"))
        .await
        .expect(200);
    assert!(
        related
            .items()
            .iter()
            .any(|one| one["relation"] == "located_in"),
        "{}",
        related.text
    );

    let _ = admin
        .get("resource-counts?by=colour")
        .await
        .problem(422, "invalid_fields");
}

/// Resources that a missing permission hides are neither deleted nor changed.
async fn hidden(admin: &Api, moto: &Moto, connection: &str, group: &str) {
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*","Action":["sts:*","ec2:DescribeInstances"]}]}"#;
    let (key, secret) = moto.user("reader", policy).await.unwrap();
    moto.enforce_keys().await.unwrap();
    let credentials =
        json!({ "credentials": { "access_key_id": key, "secret_access_key": secret } });
    let _ = admin.patch(connection, credentials).await.expect(200);
    sync(admin, connection).await;
    let readings = admin
        .get(&format!("{connection}/readings?limit=1000"))
        .await
        .expect(200);
    let groups = readings
        .items()
        .iter()
        .find(|one| one["type"] == "security_group")
        .unwrap();

    assert_eq!(
        (&groups["outcome"], &groups["permission"]),
        (&json!("denied"), &json!("ec2:DescribeSecurityGroups"))
    );
    assert!(
        groups["complete_at"].as_str() < groups["read_at"].as_str(),
        "the last complete reading is known: {groups}"
    );

    let still = admin
        .get(&format!("resources/{group}"))
        .await
        .expect(200)
        .body;
    assert_eq!(still["state"], "available", "{still}");
    assert_eq!(
        observed(admin, group).await.len(),
        1,
        "no deletion is recorded"
    );
}
