//! `tape_library`: a kind of resource with a reader of its own, whose library gets another drive
//! between two syncs.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    Connection, Described, DescriptionReadError, DescriptionReading, DescriptionSink, Document,
    KindClass, KindInfo, KindReader, Provider, ReadOutcome, Relation, RelationKind, Resource,
    ResourceId, ResourceKind, ResourceState, Specification,
};
use reeve_testkit::http::{Api, until};
use serde_json::json;

use super::PATIENCE;

const LIBRARY: &str = "tape/library-1";

fn kind() -> ResourceKind {
    ResourceKind::named("tape_library").unwrap()
}

/// Row of the kind.
pub(super) fn info() -> KindInfo {
    KindInfo {
        kind: kind(),
        class: KindClass::Storage,
        title: "Tape library".to_owned(),
        plural: "Tape libraries".to_owned(),
        icon: "tape".to_owned(),
        types: vec![(Provider::Aws, "Acme::Tape::Library".to_owned())],
    }
}

/// The reader: one library, with as many drives as it was read.
#[derive(Debug, Default)]
pub(super) struct TapeLibraries {
    readings: AtomicU64,
}

#[async_trait]
impl KindReader for TapeLibraries {
    async fn read(
        &self,
        connection: &Connection,
        sink: &dyn DescriptionSink,
    ) -> Result<(), DescriptionReadError> {
        let drives = self.readings.fetch_add(1, Ordering::Relaxed) + 1;
        let now = Timestamp::now();
        let resource = Resource {
            id: ResourceId::new(LIBRARY),
            connection: connection.id.clone(),
            provider: connection.provider,
            account: connection.account.clone(),
            region: "basement".to_owned(),
            service: "tape".to_owned(),
            kind: kind(),
            name: "Library 1".to_owned(),
            state: ResourceState::Available,
            specification: Specification::default(),
            purchase: None,
            tags: [("team".to_owned(), "archive".to_owned())].into(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at: now,
        };

        let document = Document::new(
            json!({ "drives": drives, "robot": { "arms": 1 }, "password": "hunter2" }),
        );
        let relations = vec![Relation::to(RelationKind::LogsTo, "tape/journal")];
        let failed = |error: reeve_estate::StoreError| DescriptionReadError(error.to_string());
        sink.page(vec![Described {
            resource,
            document,
            relations,
        }])
        .await
        .map_err(failed)?;

        let reading = DescriptionReading {
            kind: kind(),
            region: "basement".to_owned(),
            outcome: ReadOutcome::Complete,
            permission: "tape:ListLibraries".to_owned(),
            seen: 1,
            message: String::new(),
            begun_at: now,
            read_at: now,
            complete_at: Some(now),
        };

        sink.end(reading).await.map_err(failed)
    }
}

/// Checks the kind from its wording to the history of its configuration.
pub(super) async fn is_a_kind_like_any_other(admin: &Api, connection: &str) {
    let kinds = admin.get("resource-kinds?limit=1000").await.expect(200);
    let row = kinds
        .items()
        .iter()
        .find(|row| row["type"] == "tape_library")
        .unwrap();

    assert_eq!(
        (&row["plural"], &row["class"]),
        (&json!("Tape libraries"), &json!("storage"))
    );

    let listed = admin.get("resources?type=tape_library").await.expect(200);
    assert_eq!(listed.items()[0]["name"], "Library 1", "{}", listed.text);

    let path = "resources/tape%2Flibrary-1";
    let first = admin
        .get(&format!("{path}/configuration"))
        .await
        .expect(200)
        .body;
    let drives = first["configuration"]["drives"].as_u64().unwrap();
    assert_eq!(first["configuration"]["password"], "[removed]");

    let _ = admin
        .post(&format!("connections/{connection}/sync"), json!({}))
        .await;
    let second = until("another drive", PATIENCE, || async {
        let now = admin
            .get(&format!("{path}/configuration"))
            .await
            .expect(200)
            .body;
        (now["configuration"]["drives"].as_u64() > Some(drives)).then_some(now)
    })
    .await;

    let versions = admin.get(&format!("{path}/versions")).await.expect(200);
    assert_eq!(
        versions.items()[0]["hash"],
        second["hash"],
        "{}",
        versions.text
    );

    let from = versions.items().last().unwrap()["seen_at"]
        .as_str()
        .unwrap()
        .to_owned();
    let difference = admin
        .get(&format!("{path}/difference?from={from}"))
        .await
        .expect(200)
        .body;

    assert!(
        difference["before"]["drives"].as_u64() < difference["after"]["drives"].as_u64(),
        "{difference}"
    );
    assert_eq!(
        difference["after"].as_object().map(serde_json::Map::len),
        Some(1),
        "{difference}"
    );

    let changes = until("the entry", PATIENCE, || async {
        let query = "audit-logs?query=event_type:resource.modify%20resource.type:tape_library";
        let found = admin.get(query).await.expect(200);
        (!found.items().is_empty()).then_some(found)
    })
    .await;
    let entry = changes.items().last().unwrap();

    assert_eq!(
        entry["changes"]["before"]["configuration"],
        json!({ "drives": 1 }),
        "{entry}"
    );

    let found = admin
        .get("resources?query=configuration.robot.arms:1%20relations.logs_to:tape*")
        .await
        .expect(200);
    assert_eq!(
        (found.items().len(), &found.items()[0]["id"]),
        (1, &json!(LIBRARY))
    );

    let related = admin.get(&format!("{path}/relations")).await.expect(200);
    assert_eq!(
        (&related.items()[0]["relation"], &related.items()[0]["id"]),
        (&json!("logs_to"), &json!("tape/journal"))
    );
}
