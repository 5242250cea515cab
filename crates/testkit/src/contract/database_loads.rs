//! Contract of every [`DatabaseLoadStore`].

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::database_load::{
    KnownStatement, PlanDetail, PlanNode, StatementPlan, StatementUse,
};
use reeve_estate::{
    ConnectionId, DatabaseKey, DatabaseLoad, DatabaseLoadStore, EstateStore, LoadReading,
    ResourceId,
};

use super::estate::connection;

fn key(resource: &str) -> DatabaseKey {
    DatabaseKey {
        connection: ConnectionId("con-1".to_owned()),
        resource: ResourceId(resource.to_owned()),
    }
}

fn load(at: Timestamp, calls: f64) -> DatabaseLoad {
    let mut load = DatabaseLoad::at(at);
    load.add_look([("CPU".to_owned(), 2), ("Lock:relation".to_owned(), 1)].into());
    load.counted_s = 60.0;
    load.statements = vec![StatementUse {
        id: "7".to_owned(),
        calls,
        total_ms: calls * 2.5,
        rows: calls,
        blocks_read: Some(3.0),
        ..StatementUse::default()
    }];
    load
}

fn statement(id: &str, seen_at: Timestamp) -> KnownStatement {
    let scan = PlanNode {
        operation: "Seq Scan".to_owned(),
        table: Some("orders".to_owned()),
        details: vec![PlanDetail {
            name: "Filter".to_owned(),
            text: "(customer_id = $1)".to_owned(),
        }],
        total_cost: 12.5,
        rows: 3.0,
        ..PlanNode::default()
    };
    KnownStatement {
        id: id.to_owned(),
        text: "SELECT * FROM orders WHERE customer_id = $1".to_owned(),
        seen_at,
        plan: Some(StatementPlan {
            taken_at: seen_at,
            root: PlanNode {
                operation: "Limit".to_owned(),
                children: vec![scan],
                ..PlanNode::default()
            },
        }),
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run<S: DatabaseLoadStore + EstateStore>(store: &S) -> Result<()> {
    store.connection_insert(&connection("con-1", 0)?).await?;
    let begin: Timestamp = "2026-11-20T10:00:00Z".parse()?;
    let after = |minutes| begin + SignedDuration::from_mins(minutes);
    let shop = key("postgres://db.example:5432/shop");

    // Readings of one interval are added up, and others stay apart.
    let known = [statement("7", begin), statement("8", begin)];
    store
        .database_load_add(&shop, &load(after(1), 4.0), &known)
        .await?;
    store
        .database_load_add(&shop, &load(after(2), 6.0), &[])
        .await?;
    store
        .database_load_add(&shop, &load(after(7), 1.0), &[])
        .await?;
    let other = key("postgres://db.example:5432/other");
    store
        .database_load_add(&other, &load(after(1), 9.0), &[])
        .await?;
    let found = store.database_loads(&shop, begin, after(10)).await?;
    let calls: Vec<f64> = found.iter().map(|load| load.statements[0].calls).collect();
    assert_eq!((calls, found[0].looks), (vec![10.0, 1.0], 2));
    assert_eq!(found[0].waits["CPU"], 4);
    let found = store.database_loads(&shop, begin, after(5)).await?;
    assert_eq!(found.len(), 1, "the end is not part of the time");

    // A statement is replaced.
    store
        .database_load_add(&shop, &load(after(7), 1.0), &[statement("7", after(7))])
        .await?;
    let found = store.database_statements(&shop).await?;
    assert_eq!(found, [statement("7", after(7)), statement("8", begin)]);

    let mut reading = LoadReading {
        database: shop.clone(),
        engine: "PostgreSQL".to_owned(),
        version: "15.8".to_owned(),
        read_at: begin,
        failure: String::new(),
        no_statements: String::new(),
        remedy: String::new(),
        no_plans: String::new(),
    };
    store.database_reading_put(&reading).await?;
    reading.failure = "the server cannot be reached".to_owned();
    store.database_reading_put(&reading).await?;
    assert_eq!(store.database_readings().await?, [reading]);

    // What is old goes, and all of a connection goes with it.
    assert_eq!(store.database_load_expire(after(5)).await?, 2);
    assert_eq!(
        store.database_loads(&shop, begin, after(10)).await?.len(),
        1
    );
    let found = store.database_statements(&shop).await?;
    assert_eq!(found, [statement("7", after(7))]);
    store.connection_delete(&shop.connection).await?;
    assert!(
        store
            .database_loads(&shop, begin, after(10))
            .await?
            .is_empty()
    );
    assert!(store.database_readings().await?.is_empty());
    Ok(())
}
