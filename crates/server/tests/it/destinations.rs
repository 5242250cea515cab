//! Exports carried to real storage: versitygw (S3), Azurite (Azure Blob), fake-gcs-server (Google
//! Cloud Storage) and OpenSSH (SFTP). Wrong credentials are told by destination and reason, an
//! upload that breaks off leaves no file under its name, another attempt delivers the same bytes
//! with the manifest last, and no secret is shown anywhere.

use std::collections::BTreeMap;
use std::path::Path;

use reeve_testkit::http::Api;
use reeve_testkit::line::Line;
use reeve_testkit::service::{EMULATORS, Service};
use reeve_testkit::sshd::Sshd;
use reeve_testkit::storage::{AZURE_KEY, BUCKET, Kind, S3_KEY, Storage};
use serde_json::{Value, json};

use super::exports::{PATH, checked, ended, fill, request};

const DESTINATIONS: &str = "audit-logs/export-destinations";
/// Entries of some 3.5 KB each: an export that goes up in three parts.
const ENTRIES: usize = 6000;
/// Bytes within the second part.
const WITHIN: u64 = 9_000_000;

/// Storage that receives the files.
enum Place {
    Storage(Storage),
    Files(Sshd),
}

/// A destination as it is sent, and a secret that is refused with this reason.
struct Given {
    kind: &'static str,
    settings: Value,
    secret: String,
    wrong: String,
    reason: &'static str,
}

impl Place {
    /// Files by name, those of unfinished uploads included where the peer shows them.
    async fn files(&self) -> BTreeMap<String, Vec<u8>> {
        match self {
            Place::Storage(storage) => storage.objects().await.unwrap(),
            Place::Files(sshd) => {
                let folder = sshd.files().join("audit/2026");
                let Ok(items) = std::fs::read_dir(&folder) else {
                    return BTreeMap::new();
                };
                let names = items.map(|item| item.unwrap().file_name().into_string().unwrap());
                names
                    .map(|name| {
                        (
                            format!("audit/2026/{name}"),
                            std::fs::read(folder.join(&name)).unwrap(),
                        )
                    })
                    .collect()
            }
        }
    }
}

async fn export(admin: &Api) -> Value {
    let mut wanted = request("json");
    wanted["destination"] = "Archive".into();
    let asked = admin.post(PATH, wanted).await.expect(202);
    ended(admin, &asked.text_at("/id")).await
}

fn names(export: &Value) -> Vec<String> {
    let files = export["files"].as_array().unwrap().iter();
    files
        .map(|file| format!("audit/2026/{}", file["name"].as_str().unwrap()))
        .collect()
}

/// An export that cannot be delivered, with the destination and the reason in its failure.
async fn undelivered(admin: &Api, reason: &str) -> Value {
    let failed = export(admin).await;
    assert_eq!(
        (&failed["status"], &failed["failure"]["code"]),
        (&json!("failed"), &json!("destination_unreachable"))
    );

    let message = failed["failure"]["message"].as_str().unwrap();
    assert!(
        message.contains("Archive") && message.contains(reason),
        "{message}"
    );
    failed
}

/// Carries exports over a line that breaks.
async fn carry(place: Place, line: Line, given: Given) {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    fill(&admin, 0, ENTRIES, 400).await;
    let Given {
        kind,
        settings,
        secret,
        wrong,
        reason,
    } = given;

    let destination = json!({ "name": "Archive", "type": kind, "prefix": "audit/2026", "settings": settings, "secret": wrong });
    let id = admin
        .post(DESTINATIONS, destination)
        .await
        .expect(201)
        .text_at("/id");

    let tested = admin
        .post(&format!("{DESTINATIONS}/{id}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["reachable"], false);
    assert!(tested.text_at("/error").contains(reason), "{}", tested.body);

    let _ = undelivered(&admin, reason).await;
    assert_eq!(
        place.files().await,
        BTreeMap::new(),
        "nothing arrived with wrong credentials"
    );

    let right = json!({ "secret": secret });
    let _ = admin
        .patch(&format!("{DESTINATIONS}/{id}"), right)
        .await
        .expect(200);
    line.cut_for_good_after(WITHIN);
    let failed = undelivered(&admin, "").await;
    let there = place.files().await;
    for name in names(&failed) {
        assert!(!there.contains_key(&name), "half of {name} has its name");
    }

    assert!(line.cuts() >= 3, "it was tried again");

    line.mend();
    let before = line.cuts();
    line.cut_after(WITHIN);
    let done = export(&admin).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(line.cuts(), before + 1, "the upload broke off once");
    delivered(&place, &done, home.path()).await;

    let recorded = admin
        .get("audit-logs?query=event_type:audit.export.*&limit=1000")
        .await
        .expect(200);
    let deliveries = recorded
        .items()
        .iter()
        .filter(|entry| entry["action"]["operation"] == "export.deliver");
    let mut statuses: Vec<_> = deliveries
        .map(|entry| entry["action"]["status"].as_str().unwrap())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["failed", "failed", "success"]);

    let shown = [
        recorded.text,
        admin.get(DESTINATIONS).await.text,
        admin.get(PATH).await.text,
        service.said(),
    ];

    for secret in [secret, wrong] {
        let Some(line) = secret.lines().max_by_key(|line| line.len()) else {
            continue;
        };
        for text in &shown {
            assert!(!text.contains(line), "a secret is shown");
        }
    }
}

/// The files of an export are there and no others of its name, and the auditor accepts them.
async fn delivered(place: &Place, done: &Value, home: &Path) {
    let there = place.files().await;
    let folder = tempfile::tempdir().unwrap();
    let mut roles = BTreeMap::new();

    for file in done["files"].as_array().unwrap() {
        let name = file["name"].as_str().unwrap();
        let bytes = there
            .get(&format!("audit/2026/{name}"))
            .unwrap_or_else(|| panic!("{name} did not arrive"));
        assert_eq!(
            bytes.len() as u64,
            file["bytes"].as_u64().unwrap(),
            "{name}"
        );
        std::fs::write(folder.path().join(name), bytes).unwrap();
        roles.insert(file["role"].as_str().unwrap().to_owned(), name.to_owned());
    }

    let (code, said) = checked(home, folder.path(), &roles);
    assert_eq!(code, Some(0), "{said}");

    let stem = done["files"][0]["name"]
        .as_str()
        .unwrap()
        .split('.')
        .next()
        .unwrap();

    assert_eq!(
        there.keys().filter(|name| name.contains(stem)).count(),
        3,
        "{:?}",
        there.keys()
    );

    assert!(
        done["delivered_to"]
            .as_str()
            .unwrap()
            .ends_with("manifest.json"),
        "the manifest is carried last"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_arrives_at_s3() {
    let line = Line::open().await.unwrap();
    let storage = Storage::start(Kind::S3).await.unwrap();
    line.lead_to(storage.port());
    let endpoint = format!("http://127.0.0.1:{}", line.port());
    let given = Given {
        kind: "s3",
        settings: json!({ "bucket": BUCKET, "region": "us-east-1", "endpoint": endpoint, "access_key_id": S3_KEY.0 }),
        secret: S3_KEY.1.into(),
        wrong: "another-secret-key-of-s3".into(),
        reason: "SignatureDoesNotMatch",
    };

    carry(Place::Storage(storage), line, given).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_arrives_at_azure_blob() {
    let line = Line::open().await.unwrap();
    let storage = Storage::start(Kind::Azure).await.unwrap();
    line.lead_to(storage.port());
    let endpoint = format!("http://127.0.0.1:{}/{}", line.port(), AZURE_KEY.0);
    let given = Given {
        kind: "azure_blob",
        settings: json!({ "account": AZURE_KEY.0, "container": BUCKET, "endpoint": endpoint }),
        secret: AZURE_KEY.1.into(),
        wrong: "YW5vdGhlciBrZXkgb2YgdGhlIHN0b3JhZ2UgYWNjb3VudA==".into(),
        reason: "403",
    };

    carry(Place::Storage(storage), line, given).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_arrives_at_google_cloud_storage() {
    let line = Line::open().await.unwrap();
    let endpoint = format!("http://127.0.0.1:{}", line.port());
    let storage = Storage::start(Kind::Gcs).await.unwrap();
    line.lead_to(storage.port());
    let given = Given {
        kind: "gcs",
        settings: json!({ "bucket": BUCKET, "endpoint": endpoint }),
        // The peer takes anybody, so what is no key is refused here already.
        secret: String::new(),
        wrong: r#"{ "type": "service_account", "private_key": "the-private-key-of-nobody" }"#
            .into(),
        reason: "client_email is missing",
    };

    carry(Place::Storage(storage), line, given).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_arrives_by_sftp() {
    let line = Line::open().await.unwrap();
    let sshd = Sshd::start().unwrap();
    line.lead_to(sshd.port());
    let given = Given {
        kind: "sftp",
        settings: json!({ "host": "127.0.0.1", "port": line.port(), "username": sshd.username(), "host_key": sshd.fingerprint().unwrap() }),
        secret: sshd.private_key().unwrap(),
        wrong: Sshd::start().unwrap().private_key().unwrap(),
        reason: "Permission denied (publickey)",
    };

    carry(Place::Files(sshd), line, given).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_of_sftp_are_checked_and_an_unknown_host_is_shown() {
    let (home, sshd) = (tempfile::tempdir().unwrap(), Sshd::start().unwrap());
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let sftp = |settings: Value| json!({ "name": "Files", "type": "sftp", "settings": settings, "secret": "hunter2" });

    for (field, settings) in [
        ("settings.host", json!({ "username": "reeve" })),
        (
            "settings.host",
            json!({ "host": "10.1.2.3", "username": "reeve" }),
        ),
        (
            "settings.username",
            json!({ "host": "127.0.0.1", "username": "-oProxyCommand=x" }),
        ),
        (
            "settings.host_key",
            json!({ "host": "127.0.0.1", "username": "reeve", "host_key": "MD5:00" }),
        ),
    ] {
        let refused = admin
            .post(DESTINATIONS, sftp(settings))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }

    let settings = json!({ "host": "127.0.0.1", "port": sshd.port(), "username": sshd.username() });
    let id = admin
        .post(DESTINATIONS, sftp(settings))
        .await
        .expect(201)
        .text_at("/id");

    let tested = admin
        .post(&format!("{DESTINATIONS}/{id}/test"), json!({}))
        .await
        .expect(200);
    assert!(
        tested
            .text_at("/error")
            .contains(&sshd.fingerprint().unwrap()),
        "{}",
        tested.body
    );
}
