//! CloudTrail records: those of Stratus Red Team where the data is there, generated ones where not.

use std::path::{Path, PathBuf};
use std::process::Output;

use reeve_testkit::http::Api;
use reeve_testkit::moto::test_data;
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve};
use serde_json::json;

fn records(home: &Path) -> PathBuf {
    let real = test_data().join("cloudtrail/stratus");
    if real.is_dir() {
        return real;
    }

    let folder = home.join("cloudtrail");
    std::fs::create_dir_all(&folder).unwrap();
    let records: Vec<_> = (0..150)
        .map(|n| {
            json!({
                "eventVersion": "1.08", "eventID": format!("6f1c0b1e-0000-4000-8000-{n:012}"), "eventTime": format!("2026-03-01T10:{:02}:00Z", n % 60),
                "eventSource": "ec2.amazonaws.com", "eventName": "DescribeInstances", "awsRegion": "us-east-1", "sourceIPAddress": "198.51.100.7",
                "userAgent": "aws-cli/2.15", "recipientAccountId": "123456789012", "eventType": "AwsApiCall",
                "userIdentity": { "type": "IAMUser", "principalId": "AIDA", "arn": "arn:aws:iam::123456789012:user/jo", "accountId": "123456789012", "userName": "jo" },
                "requestParameters": { "maxResults": n }, "responseElements": null,
            })
        })
        .collect();

    std::fs::write(
        folder.join("records.json"),
        json!({ "Records": records }).to_string(),
    )
    .unwrap();
    folder
}

fn text_of(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said.lines().last().unwrap_or_default().to_owned()
}

/// Returns the number before a word in the last line.
fn number(said: &str, word: &str) -> u64 {
    let before = said
        .split(word)
        .next()
        .unwrap()
        .trim()
        .rsplit(' ')
        .next()
        .unwrap();
    before
        .replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("no number before {word:?} in {said:?}"))
}

/// Imports into the data directory while no service has it open; how many entries.
pub(super) fn import(home: &Path, data: &Path) -> u64 {
    let folder = records(home);
    let generated = folder.starts_with(home);
    let kind = if generated {
        "generated: no test data"
    } else {
        "as recorded"
    };
    eprintln!("CloudTrail: {} {kind}", folder.display());

    let output = reeve(&[
        "audit",
        "import",
        "--format",
        "cloudtrail",
        "--data-dir",
        data.to_str().unwrap(),
        folder.to_str().unwrap(),
    ]);
    let said = text_of(&output.unwrap());
    let imported = number(&said, "entries imported");
    assert!(imported >= 60 && number(&said, "refused") == 0, "{said}");

    imported
}

/// Every imported entry is found, with its source's identifier, through the service.
pub(super) async fn is_there(admin: &Api, imported: u64) {
    let search = json!({ "query": "timestamp:<now-1d", "limit": 1, "aggregations": ["event_type", "resource.cloud_provider"] });
    let found = admin.post("audit-logs/search", search).await.expect(200);
    assert_eq!(found.body["total"], imported, "{}", found.text);
    assert!(admin.size().await >= imported);

    let one = &found.items()[0];
    assert_eq!(
        one["category"].as_str(),
        one["event_type"]
            .as_str()
            .and_then(|kind| kind.split('.').next())
    );

    let by_id = admin
        .get(&format!("audit-logs/{}", one["event_id"].as_str().unwrap()))
        .await
        .expect(200);
    assert_eq!(&by_id.body, one);
}

/// Importing again, into the running service, adds no entry of the source. The service may write
/// its own meanwhile.
pub(super) async fn import_again(home: &Path, service: &Service, admin: &Api, imported: u64) {
    let folder = records(home);
    let url = service.url().to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let folder = folder.to_str().unwrap();
        reeve(&[
            "audit",
            "import",
            "--format",
            "cloudtrail",
            "--url",
            &url,
            "--token",
            ADMIN_TOKEN,
            folder,
        ])
    });
    text_of(&output.await.unwrap().unwrap());

    let search = json!({ "query": "timestamp:<now-1d", "limit": 1 });
    assert_eq!(
        admin
            .post("audit-logs/search", search)
            .await
            .expect(200)
            .body["total"],
        imported
    );
}
