//! Syncs that could not read everything: nothing is deleted that was merely not read, each kind
//! says what was missing, what a connection no longer looks at leaves the inventory without being
//! called deleted, and one slow account keeps nobody else waiting.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use parking_lot::Mutex;
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
const REGION: &str = "us-east-1";
const IDENTITY: &str = "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/x</Arn><UserId>X</UserId>\
     <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";

/// Behavior of the cloud's listing of snapshots, three of them on three pages.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Whole,
    /// Without the last page, and without a token for it.
    Shorter,
    /// With another tag on each volume.
    Tagged,
    /// The error from the second page on.
    Failing(u16, &'static str),
    /// No answer at all.
    Silent,
}

/// Region in which volumes are listed too, as many as snapshots.
const WITH_VOLUMES: &str = "ap-south-1";

/// A cloud with snapshots in each region, whose every other call is denied.
struct Cloud {
    endpoint: String,
    mode: Arc<Mutex<Mode>>,
}

impl Cloud {
    async fn start(mode: Mode) -> Cloud {
        let mode = Arc::new(Mutex::new(mode));
        let shared = Arc::clone(&mode);
        let answer = move |headers: axum::http::HeaderMap, body: String| {
            let mode = *shared.lock();
            // The region is part of what a request is signed for.
            let signature = headers
                .get("authorization")
                .and_then(|one| one.to_str().ok())
                .unwrap_or_default()
                .to_owned();
            let region = signature.split('/').nth(2).unwrap_or_default().to_owned();
            async move { answer(mode, &region, &body).await }
        };

        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });

        Cloud { endpoint, mode }
    }

    fn set(&self, mode: Mode) {
        *self.mode.lock() = mode;
    }
}

async fn answer(mode: Mode, region: &str, body: &str) -> Response {
    let field = |name: &str| {
        body.split('&')
            .find_map(|pair| pair.strip_prefix(name))
            .unwrap_or_default()
            .to_owned()
    };

    if field("Action=") == "GetCallerIdentity" {
        return IDENTITY.into_response();
    }
    if mode == Mode::Silent {
        std::future::pending::<()>().await;
    }

    let failure = |status: u16, code: &str| {
        let body = format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>no</Message></Error></Errors></Response>"
        );
        (StatusCode::from_u16(status).unwrap(), body).into_response()
    };

    let is_volumes = field("Action=") == "DescribeVolumes" && region == WITH_VOLUMES;
    if field("Action=") != "DescribeSnapshots" && !is_volumes {
        return failure(403, "UnauthorizedOperation");
    }

    // Nothing is shared with everyone.
    if field("RestorableBy.1=") == "all" {
        return "<R><snapshotSet/></R>".into_response();
    }

    let page: usize = field("NextToken=").parse().unwrap_or(0);
    let last = if mode == Mode::Shorter { 1 } else { 2 };

    match mode {
        Mode::Failing(status, code) if page > 0 => failure(status, code),
        _ => {
            let next = if page < last {
                format!("<nextToken>{}</nextToken>", page + 1)
            } else {
                String::new()
            };
            if is_volumes {
                let owner = if mode == Mode::Tagged { "ben" } else { "ann" };
                return format!(
                    "<DescribeVolumesResponse><volumeSet><item><volumeId>vol-{page}</volumeId><size>8</size><status>available</status>\
                     <volumeType>gp3</volumeType><tagSet><item><key>owner</key><value>{owner}</value></item></tagSet>\
                     </item></volumeSet>{next}</DescribeVolumesResponse>"
                )
                .into_response();
            }
            let item = format!(
                "<item><snapshotId>snap-{region}-{page}</snapshotId><status>completed</status></item>"
            );
            format!("<R><snapshotSet>{item}</snapshotSet>{next}</R>").into_response()
        }
    }
}

fn connection(name: &str, cloud: &Cloud, regions: &[&str]) -> Value {
    json!({
        "name": name, "provider": "aws", "regions": regions, "endpoint": cloud.endpoint,
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    })
}

async fn finished(admin: &Api, path: &str) -> Value {
    admin.get(path).await.expect(200).body["last_sync"]["finished_at"].clone()
}

/// Begins a sync once none is under way, and waits for its end.
async fn sync(admin: &Api, path: &str) {
    let before = until("the beginning of the sync", PATIENCE, || async {
        let before = finished(admin, path).await;
        (admin.post(&format!("{path}/sync"), json!({})).await.status == 202).then_some(before)
    })
    .await;
    until("the end of the sync", PATIENCE, || async {
        (finished(admin, path).await != before).then_some(())
    })
    .await;
}

async fn snapshots(admin: &Api) -> Vec<String> {
    let found = admin.get("resources?type=snapshot").await.expect(200);
    found
        .items()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn reading(admin: &Api, path: &str, region: &str) -> Value {
    let readings = admin
        .get(&format!("{path}/readings?limit=1000"))
        .await
        .expect(200);
    let found = readings
        .items()
        .iter()
        .find(|one| one["type"] == "snapshot" && one["region"] == region);
    found
        .cloned()
        .unwrap_or_else(|| panic!("{}", readings.text))
}

async fn entries(admin: &Api, query: &str) -> Vec<Value> {
    admin
        .post("audit-logs/search", json!({ "query": query, "limit": 100 }))
        .await
        .expect(200)
        .items()
        .to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_read_is_not_deleted_and_what_is_not_watched_is_retired() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let cloud = Cloud::start(Mode::Whole).await;
    let made = admin
        .post(
            "connections",
            connection("acme", &cloud, &[REGION, "eu-west-1"]),
        )
        .await
        .expect(201);
    let path = format!("connections/{}", made.text_at("/id"));
    sync(&admin, &path).await;

    let all: Vec<String> = ["eu-west-1", REGION]
        .iter()
        .flat_map(|region| (0..3).map(move |page| format!("snap-{region}-{page}")))
        .collect();
    assert_eq!(snapshots(&admin).await, all);

    let complete_at = reading(&admin, &path, REGION).await["complete_at"].clone();

    for (mode, outcome) in [
        (Mode::Failing(403, "UnauthorizedOperation"), "denied"),
        (Mode::Failing(503, "RequestLimitExceeded"), "throttled"),
        (Mode::Failing(500, "InternalError"), "failed"),
    ] {
        cloud.set(mode);
        sync(&admin, &path).await;
        assert_eq!(
            snapshots(&admin).await,
            all,
            "{outcome}: nothing is deleted that was merely not read"
        );
        let reading = reading(&admin, &path, REGION).await;
        assert_eq!(
            (&reading["outcome"], &reading["seen"]),
            (&json!(outcome), &json!(1)),
            "{reading}"
        );
        assert!(
            reading["complete_at"].as_str() >= complete_at.as_str()
                && reading["message"].is_string(),
            "{reading}"
        );
        assert!(
            reading["complete_at"].as_str() < reading["read_at"].as_str(),
            "its age is recorded: {reading}"
        );
    }

    let deleted = entries(&admin, "event_type:resource.delete resource.type:snapshot").await;
    assert!(deleted.is_empty(), "{deleted:#?}");

    cloud.set(Mode::Shorter);
    sync(&admin, &path).await;
    assert_eq!(
        snapshots(&admin).await.len(),
        4,
        "a complete reading says what is gone"
    );

    assert_eq!(
        entries(&admin, "event_type:resource.delete resource.type:snapshot")
            .await
            .len(),
        2
    );

    assert_eq!(reading(&admin, &path, REGION).await["outcome"], "complete");

    // A region that is no longer looked at.
    let _ = admin
        .patch(&path, json!({ "regions": [REGION] }))
        .await
        .expect(200);
    sync(&admin, &path).await;
    assert_eq!(
        snapshots(&admin).await,
        ["snap-us-east-1-0", "snap-us-east-1-1"]
    );
    assert_eq!(
        admin
            .get("resources/snap-eu-west-1-0")
            .await
            .expect(200)
            .body["state"],
        "deleted"
    );

    let retired = entries(
        &admin,
        "event_type:integration.sync action.operation:stop_reading",
    )
    .await;

    assert_eq!(
        (retired.len(), &retired[0]["metadata"]["resources"]),
        (1, &json!(2)),
        "{retired:#?}"
    );

    // A connection that is switched off, and on again.
    let _ = admin
        .patch(&path, json!({ "enabled": false }))
        .await
        .expect(200);
    until(
        "the connection's resources are retired",
        PATIENCE,
        || async { snapshots(&admin).await.is_empty().then_some(()) },
    )
    .await;

    let _ = admin
        .patch(&path, json!({ "enabled": true }))
        .await
        .expect(200);
    sync(&admin, &path).await;
    assert_eq!(
        snapshots(&admin).await,
        ["snap-us-east-1-0", "snap-us-east-1-1"]
    );

    let recorded = entries(
        &admin,
        "event_type:(resource.delete OR resource.create) resource.type:snapshot",
    )
    .await;

    assert_eq!(
        recorded.len(),
        2,
        "neither a deletion nor a creation is made up: {recorded:#?}"
    );
    service.kill().unwrap();
}

/// The same of a kind of the inventory, whose pages are taken over one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn volumes_are_compared_page_by_page_and_deleted_only_after_the_last() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let cloud = Cloud::start(Mode::Whole).await;
    let made = admin
        .post("connections", connection("acme", &cloud, &[WITH_VOLUMES]))
        .await
        .expect(201);
    let path = format!("connections/{}", made.text_at("/id"));
    let volumes = async || {
        let found = admin.get("resources?type=volume").await.expect(200);
        found
            .items()
            .iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };

    // Entries about volumes so far: created, deleted, tagged, modified.
    let told = async || {
        let mut counts = Vec::new();
        for event in ["create", "delete", "tag", "modify"] {
            counts.push(
                entries(
                    &admin,
                    &format!("event_type:resource.{event} resource.type:volume"),
                )
                .await
                .len(),
            );
        }
        counts
    };

    sync(&admin, &path).await;
    assert_eq!(volumes().await, ["vol-0", "vol-1", "vol-2"]);
    assert_eq!(
        told().await,
        [0, 0, 0, 0],
        "the first sync finds what is there already"
    );

    for mode in [
        Mode::Failing(403, "UnauthorizedOperation"),
        Mode::Failing(500, "InternalError"),
    ] {
        cloud.set(mode);
        sync(&admin, &path).await;
        assert_eq!(
            volumes().await.len(),
            3,
            "{mode:?}: nothing is deleted that was merely not read"
        );
    }

    assert_eq!(told().await, [0, 0, 0, 0]);
    cloud.set(Mode::Shorter);
    sync(&admin, &path).await;
    assert_eq!(
        (volumes().await, told().await),
        (
            vec!["vol-0".to_owned(), "vol-1".to_owned()],
            vec![0, 1, 0, 0]
        )
    );

    cloud.set(Mode::Whole);
    sync(&admin, &path).await;
    assert_eq!(
        (volumes().await.len(), told().await),
        (3, vec![1, 1, 0, 0]),
        "what comes back is back"
    );
    cloud.set(Mode::Tagged);
    sync(&admin, &path).await;
    assert_eq!(
        told().await,
        [1, 1, 3, 0],
        "each change is told once, with its configuration"
    );

    assert_eq!(
        admin.get("resources/vol-1").await.expect(200).body["tags"]["owner"],
        "ben"
    );
    sync(&admin, &path).await;
    assert_eq!(
        (volumes().await.len(), told().await),
        (3, vec![1, 1, 3, 0]),
        "nothing differs"
    );
    service.kill().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_does_not_answer_keeps_no_other_waiting() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[EMULATORS, ("REEVE_SYNC_EVERY_S", "10")]).unwrap();
    let admin = service.admin();
    let (slow, quick) = (
        Cloud::start(Mode::Silent).await,
        Cloud::start(Mode::Whole).await,
    );
    let slow = admin
        .post("connections", connection("slow", &slow, &[REGION]))
        .await
        .expect(201)
        .text_at("/id");
    let slow = format!("connections/{slow}");
    until("the slow sync has begun", PATIENCE, || async {
        (admin.get(&slow).await.expect(200).body["status"] == "syncing").then_some(())
    })
    .await;
    let quick = admin
        .post("connections", connection("quick", &quick, &[REGION]))
        .await
        .expect(201)
        .text_at("/id");
    let quick = format!("connections/{quick}");
    let first = until("the first sync of the other", PATIENCE, || async {
        Some(finished(&admin, &quick).await).filter(|at| !at.is_null())
    })
    .await;
    until("the next scheduled sync of the other", PATIENCE, || async {
        (finished(&admin, &quick).await != first).then_some(())
    })
    .await;
    let still = admin.get(&slow).await.expect(200).body;
    assert_eq!(
        (&still["status"], &still["last_sync"]),
        (&json!("syncing"), &Value::Null),
        "{still}"
    );
    service.kill().unwrap();
}
