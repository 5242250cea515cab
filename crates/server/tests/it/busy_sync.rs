//! Requests and entries go on while a sync stores thousands of descriptions, whatever else the
//! sync's task is busy with.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::future;
use jiff::Timestamp;
use reeve_estate::{
    Connection, Described, DescriptionReadError, DescriptionReading, DescriptionSink, Document,
    KindReader, Kinds, ReadOutcome, Relation, RelationKind, Resource, ResourceId, ResourceKind,
    ResourceState, Specification,
};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::change::ChangeRegistry;
use reeve_server::Startup;
use reeve_testkit::http::{Api, until};
use reeve_testkit::moto::Moto;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(300);
const REGION: &str = "us-east-1";
const TOKEN: &str = "the-administrator-of-a-busy-service";
/// Listings that one task reads side by side.
const LISTINGS: u64 = 4;
const PAGES: u64 = 4;
const PAGE: u64 = 500;

/// A connector with thousands of resources, whose one task reads several listings side by side.
/// Each reading adds a drive.
#[derive(Debug, Default)]
struct Archive {
    readings: AtomicU64,
}

fn kind() -> ResourceKind {
    ResourceKind::named("archive_box").unwrap()
}

fn described(connection: &Connection, listing: u64, number: u64, drives: u64) -> Described {
    let resource = Resource {
        id: ResourceId::new(format!("box-{listing}-{number}")),
        connection: connection.id.clone(),
        provider: connection.provider,
        account: connection.account.clone(),
        region: format!("shelf-{listing}"),
        service: "archive".to_owned(),
        kind: kind(),
        name: format!("Box {number}"),
        state: ResourceState::Available,
        specification: Specification::default(),
        purchase: None,
        tags: std::collections::BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: Timestamp::now(),
    };

    let shelves: Vec<_> = (0..20)
        .map(|shelf| json!({ "shelf": shelf, "label": format!("{listing}-{number}") }))
        .collect();
    let relations = (0..4)
        .map(|room| Relation::to(RelationKind::LocatedIn, format!("room-{room}")))
        .collect();
    Described {
        resource,
        document: Document::new(json!({ "drives": drives, "shelves": shelves })),
        relations,
    }
}

impl Archive {
    async fn listing(
        &self,
        connection: &Connection,
        sink: &dyn DescriptionSink,
        listing: u64,
        drives: u64,
    ) -> Result<(), DescriptionReadError> {
        let failed = |error: reeve_estate::StoreError| DescriptionReadError(error.to_string());
        for page in 0..PAGES {
            // Turning an answer into descriptions keeps the task busy, as a connector's parser
            // does.
            let numbers = page * PAGE..(page + 1) * PAGE;
            let page: Vec<Described> = numbers
                .map(|number| described(connection, listing, number, drives))
                .collect();
            sink.page(page).await.map_err(failed)?;
        }

        let now = Timestamp::now();
        let reading = DescriptionReading {
            kind: kind(),
            region: format!("shelf-{listing}"),
            outcome: ReadOutcome::Complete,
            permission: "archive:List".to_owned(),
            seen: PAGES * PAGE,
            message: String::new(),
            begun_at: now,
            read_at: now,
            complete_at: Some(now),
        };

        sink.end(reading).await.map_err(failed)
    }
}

#[async_trait]
impl KindReader for Archive {
    async fn read(
        &self,
        connection: &Connection,
        sink: &dyn DescriptionSink,
    ) -> Result<(), DescriptionReadError> {
        let drives = self.readings.fetch_add(1, Ordering::Relaxed) + 1;
        let listings = (0..LISTINGS).map(|listing| self.listing(connection, sink, listing, drives));
        future::join_all(listings).await.into_iter().collect()
    }
}

async fn started(
    home: &Path,
    stop: &CancellationToken,
) -> (Api, tokio::task::JoinHandle<anyhow::Result<()>>) {
    let config = home.join("reeve.toml");
    let data = home.join("data");
    let text = format!(
        "data_dir = {data:?}\nlisten = \"127.0.0.1:0\"\noutbound = {{ allow = [\"127.0.0.0/8\"] }}\n"
    );
    std::fs::write(&config, text).unwrap();
    let (bound, address) = tokio::sync::oneshot::channel::<SocketAddr>();
    let startup = Startup {
        config,
        changes: ChangeRegistry::builtin(),
        agent_types: AgentTypes::new(reeve_agents::rows()),
        kinds: Kinds::builtin().clone(),
        metrics: Vec::new(),
        readers: vec![Arc::new(Archive::default())],
        admin_token: Some(TOKEN.to_owned()),
        stop: stop.clone(),
    };

    let task = tokio::spawn(reeve_server::serve(startup, move |address| {
        bound.send(address).unwrap_or_default()
    }));
    let Ok(address) = address.await else {
        panic!("the service did not start: {:?}", task.await.unwrap());
    };

    (
        Api::new(&format!("http://{address}")).with_token(TOKEN),
        task,
    )
}

/// Reads, writes state and appends entries, again and again, until a sync has ended; returns the
/// longest wait and the rounds.
async fn worked_until(
    api: &Api,
    connection: &str,
    before: &serde_json::Value,
) -> (Duration, u64, serde_json::Value) {
    let (mut longest, mut rounds) = (Duration::ZERO, 0_u64);
    let begun = Instant::now();

    loop {
        rounds += 1;
        let asked = Instant::now();
        let search =
            json!({ "name": format!("search {rounds} of {connection}"), "query": "severity:high" });
        let entry = json!({
            "event_type": "user.login", "actor": { "type": "user", "id": "ann" },
            "action": { "operation": "login", "status": "success", "method": "api" },
        });
        let made = api
            .post("audit-logs/saved-searches", search)
            .await
            .expect(201);
        let answers = [
            api.delete(&format!(
                "audit-logs/saved-searches/{}",
                made.text_at("/id")
            ))
            .await,
            api.post("audit-logs", entry).await,
            api.get("resources?limit=50").await,
            api.get("resource-kinds").await,
        ];
        longest = longest.max(asked.elapsed());
        for answer in answers {
            assert!(
                answer.status < 300,
                "{} in round {rounds}: {} {}",
                answer.asked,
                answer.status,
                answer.text
            );
        }
        let now = api
            .get(&format!("connections/{connection}"))
            .await
            .expect(200)
            .body;
        if now["last_sync"].is_object() && now["last_sync"]["finished_at"] != before["finished_at"]
        {
            return (longest, rounds, now);
        }
        assert!(now["status"] != "failed", "{now}");
        assert!(begun.elapsed() < PATIENCE, "the sync did not end: {now}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_and_entries_go_on_while_thousands_of_descriptions_are_stored() {
    let home = tempfile::tempdir().unwrap();
    let moto = Moto::start().await.unwrap();
    let stop = CancellationToken::new();
    let (api, task) = started(home.path(), &stop).await;
    let connection = json!({
        "name": "acme", "provider": "aws", "regions": [REGION], "endpoint": moto.endpoint(),
        "credentials": { "access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "secret" },
    });
    let connection = api
        .post("connections", connection)
        .await
        .expect(201)
        .text_at("/id");
    let (first, rounds, now) = worked_until(&api, &connection, &json!({})).await;
    let problems = now["last_sync"]["problems"].to_string();
    assert!(!problems.contains("not read completely"), "{problems}");
    println!("first sync: {rounds} rounds of requests, the longest took {first:?}");

    // The second one finds another document for each resource, and records each.
    let total = LISTINGS * PAGES * PAGE;
    until("another sync", PATIENCE, || async {
        (api.post(&format!("connections/{connection}/sync"), json!({}))
            .await
            .status
            == 202)
            .then_some(())
    })
    .await;

    let (second, rounds, _) = worked_until(&api, &connection, &now["last_sync"]).await;
    println!("second sync: {rounds} rounds of requests, the longest took {second:?}");
    let boxes = api
        .get("resources?type=archive_box&limit=1")
        .await
        .expect(200);
    assert_eq!(boxes.body["total"], total);

    let changes = api
        .get("audit-logs?query=event_type:resource.modify%20resource.type:archive_box&limit=1")
        .await;
    assert_eq!(
        changes.expect(200).body["total"],
        total,
        "each difference is recorded once"
    );
    stop.cancel();
    task.await.unwrap().unwrap();
}
