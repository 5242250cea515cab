//! PostgreSQL: a seeded schema with a workload, read and judged.

use anyhow::{Context as _, Result, ensure};
use reeve_connect_databases::{DatabaseAddress, DatabaseSession};
use reeve_databases::{
    Area, DatabaseReport, DatabaseThresholds, Observation, StatementSource, TrialMethod,
    candidates, judge,
};
use reeve_testkit::postgres::Postgres;

use crate::advice::{advice_of, found};

const PRELOAD: &str = "-c shared_preload_libraries=pg_stat_statements";

const SCHEMA: &str = "
    CREATE TABLE customers (id int PRIMARY KEY, email text NOT NULL, region text NOT NULL);
    CREATE TABLE orders (
        id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers (id),
        status text NOT NULL, placed_on date NOT NULL, note text);
    CREATE TABLE visits (customer_id int, at date);
    INSERT INTO customers SELECT n, 'c' || n || '@example.com', 'region ' || n % 10
        FROM generate_series(1, 5000) n;
    INSERT INTO orders SELECT n, n % 5000 + 1, 'status ' || n % 5, date '2026-01-01' + n % 300, repeat('x', 60)
        FROM generate_series(1, 60000) n;
    INSERT INTO visits SELECT n % 5000, date '2026-01-01' FROM generate_series(1, 3000) n;
    CREATE INDEX orders_status ON orders (status);
    CREATE INDEX orders_status_again ON orders (status);
    CREATE INDEX orders_status_date ON orders (status, placed_on);
    CREATE UNIQUE INDEX customers_email ON customers (email);
    CREATE SEQUENCE nearly_full MAXVALUE 1000;
    SELECT setval('nearly_full', 990);
    ANALYZE;
";

/// Executes the workload; each statement is counted by its normalized text.
async fn work(server: &Postgres, url: &str) -> Result<()> {
    let mut text = String::new();
    for number in 0..60 {
        text.push_str(&format!(
            "SELECT id, note FROM orders WHERE customer_id = {number};"
        ));
        text.push_str(&format!(
            "SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.email = 'c{number}@example.com';"
        ));
    }
    server.execute(url, &text).await?;
    Ok(())
}

async fn observed(url: &str) -> Result<(Observation, DatabaseReport, Vec<TrialMethod>)> {
    let mut session = DatabaseSession::open(&DatabaseAddress::parse(url)?).await?;
    let mut readings = Vec::new();
    let observation = session
        .observe(&mut |reading: &str| readings.push(reading.to_owned()))
        .await?;
    ensure!(readings.contains(&"statements".to_owned()), "{readings:?}");
    let candidates = candidates(&observation);
    let trials = session.try_indexes(&observation, &candidates).await?;
    let thresholds = DatabaseThresholds {
        unused_days: 0.0,
        ..DatabaseThresholds::default()
    };
    let report = judge(&observation, &trials, &thresholds);
    let methods = trials.iter().map(|trial| trial.method).collect();
    Ok((observation, report, methods))
}

#[tokio::test]
async fn a_workload_leads_to_the_index_that_it_misses() -> Result<()> {
    let Some(server) = Postgres::start_with(&[PRELOAD])? else {
        return Ok(());
    };
    let url = server.database().await?;
    server
        .execute(&url, "CREATE EXTENSION pg_stat_statements")
        .await?;
    server.execute(&url, SCHEMA).await?;
    work(&server, &url).await?;

    let (observation, report, methods) = observed(&url).await?;
    ensure!(observation.refused.is_empty(), "{:?}", observation.refused);
    ensure!(
        methods
            .iter()
            .all(|method| *method == TrialMethod::Estimated),
        "{methods:?}"
    );
    assert_eq!(
        found(&report, "missing_index"),
        ["public.orders (customer_id)"]
    );
    assert_eq!(found(&report, "duplicate_index"), ["public.orders_status"]);
    assert_eq!(
        found(&report, "redundant_index"),
        ["public.orders_status_again"]
    );
    assert_eq!(found(&report, "missing_primary_key"), ["public.visits"]);
    assert_eq!(found(&report, "sequence_end"), ["public.nearly_full"]);
    // The test servers run with these two switched off.
    assert_eq!(
        found(&report, "unsafe_setting"),
        ["fsync", "full_page_writes"]
    );
    let unused = found(&report, "unused_index");
    assert_eq!(
        unused,
        ["public.orders_status_date"],
        "constraints are no unused indexes"
    );

    // The advice is followed to the letter, and what it promised is there.
    let advice = advice_of(&report, "missing_index")?;
    server.execute(&url, &advice.statements[0]).await?;
    server
        .execute(&url, "ANALYZE orders; SELECT pg_stat_statements_reset()")
        .await?;
    work(&server, &url).await?;
    let (observation, report, _) = observed(&url).await?;
    assert_eq!(found(&report, "missing_index"), [""; 0]);
    let made = observation
        .indexes
        .iter()
        .find(|index| index.name == "reeve_orders_customer_id");
    ensure!(made.context("the index")?.scans > Some(50.0), "{made:?}");
    server.execute(&url, &advice.undo[0]).await?;

    // Dropped and made again by what the advice says.
    let advice = advice_of(&report, "redundant_index")?;
    for statement in advice.statements.iter().chain(&advice.undo) {
        server.execute(&url, statement).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_hypothetical_plan_decides_where_hypopg_is_installed() -> Result<()> {
    let Some(server) = Postgres::start_with(&[PRELOAD])? else {
        return Ok(());
    };
    let url = server.database().await?;
    server
        .execute(&url, "CREATE EXTENSION pg_stat_statements")
        .await?;
    if let Err(error) = server.execute(&url, "CREATE EXTENSION hypopg").await {
        eprintln!("skipped: hypopg is not installed: {error}");
        return Ok(());
    }
    server.execute(&url, SCHEMA).await?;
    work(&server, &url).await?;

    let (_, report, methods) = observed(&url).await?;
    ensure!(
        !methods.is_empty()
            && methods
                .iter()
                .all(|method| *method == TrialMethod::Hypothetical)
    );
    assert_eq!(
        found(&report, "missing_index"),
        ["public.orders (customer_id)"]
    );
    let cost = advice_of(&report, "missing_index")?.cost;
    ensure!(
        cost.after.is_some_and(|after| after < cost.before * 0.2),
        "{cost:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_server_without_statistics_of_statements_says_how_to_get_them() -> Result<()> {
    let Some(server) = Postgres::shared()? else {
        return Ok(());
    };
    let url = server.database().await?;
    let (observation, report, _) = observed(&url).await?;
    let StatementSource::Missing { reason, remedy } = &observation.statements else {
        anyhow::bail!("{:?}", observation.statements);
    };
    assert_eq!(reason, "pg_stat_statements is not installed");
    ensure!(remedy.contains("shared_preload_libraries"), "{remedy}");
    ensure!(
        report
            .unjudged
            .iter()
            .any(|one| one.area == Area::Index && &one.remedy == remedy)
    );
    Ok(())
}

#[tokio::test]
async fn a_session_cannot_write_and_executes_no_statement_of_the_workload() -> Result<()> {
    let Some(server) = Postgres::start_with(&[PRELOAD])? else {
        return Ok(());
    };
    let url = server.database().await?;
    // A reader with the documented rights, and a function that must not be evaluated with them.
    server
        .execute(
            &url,
            "CREATE EXTENSION pg_stat_statements;
             CREATE TABLE orders AS SELECT n AS id, n % 5000 AS customer_id FROM generate_series(1, 20000) n;
             ANALYZE;
             CREATE TABLE evaluated (at timestamptz);
             CREATE FUNCTION evil() RETURNS int IMMUTABLE LANGUAGE plpgsql AS
                 $$ BEGIN INSERT INTO evaluated VALUES (now()); RETURN 1; END $$;
             CREATE ROLE watcher LOGIN PASSWORD 'watching' IN ROLE pg_monitor, pg_read_all_data;",
        )
        .await?;
    let reads = "SELECT * FROM orders WHERE customer_id = 3;".repeat(90);
    let work = format!("{reads} DELETE FROM orders WHERE customer_id = 5");
    server.execute(&url, &work).await?;

    let url = url.replace("reeve:correct%20horse@", "watcher:watching@");
    let (observation, report, _) = observed(&url).await?;
    ensure!(observation.refused.is_empty(), "{:?}", observation.refused);
    assert_eq!(
        found(&report, "missing_index"),
        ["public.orders (customer_id)"]
    );
    let owner = url.replace("watcher:watching@", "reeve:correct%20horse@");
    assert_eq!(server.execute(&owner, "SELECT 1 FROM evaluated").await?, 0);
    let left = server
        .execute(&owner, "SELECT 1 FROM orders WHERE customer_id = 7")
        .await?;
    assert_eq!(
        left, 4,
        "nothing but the workload's own statements deleted rows"
    );
    Ok(())
}

#[tokio::test]
async fn waits_totals_and_plans_are_read() -> Result<()> {
    let Some(server) = Postgres::start_with(&[PRELOAD])? else {
        return Ok(());
    };
    let url = server.database().await?;
    server
        .execute(&url, "CREATE EXTENSION pg_stat_statements")
        .await?;
    server.execute(&url, SCHEMA).await?;
    work(&server, &url).await?;
    let mut session = DatabaseSession::open(&DatabaseAddress::parse(&url)?).await?;

    // A session that waits for the lock of another one is counted by its wait.
    let holding = server.execute(&url, "BEGIN; LOCK TABLE visits; SELECT pg_sleep(3); COMMIT");
    let waiting = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        server.execute(&url, "SELECT count(*) FROM visits").await
    };
    let looking = async {
        let end = tokio::time::Instant::now() + std::time::Duration::from_secs(3);
        while tokio::time::Instant::now() < end {
            let waits = session.waits().await?;
            if waits.contains_key("Lock:relation") {
                return Ok(waits);
            }
        }
        anyhow::bail!("no session waited for a lock")
    };
    let (held, waited, waits) = tokio::join!(holding, waiting, looking);
    held?;
    waited?;
    let waits: std::collections::BTreeMap<String, u64> = waits?;
    assert_eq!((waits["Lock:relation"], waits["Timeout:PgSleep"]), (1, 1));

    let StatementSource::Read { statements, .. } = session.statement_totals().await? else {
        anyhow::bail!("no statements");
    };
    let of_orders = statements
        .iter()
        .find(|one| one.text == "SELECT id, note FROM orders WHERE customer_id = $1");
    let of_orders = of_orders.context("the statement on orders")?;
    assert!(of_orders.calls >= 60.0, "{of_orders:?}");

    let plan = session.plan(&of_orders.text).await?.context("a plan")?;
    assert_eq!(plan.operation, "Seq Scan");
    assert_eq!(plan.table.as_deref(), Some("orders"));
    assert_eq!(plan.details[0].text, "(customer_id = $1)");
    assert!(plan.total_cost > 1_000.0 && plan.rows > 1.0, "{plan:?}");
    assert_eq!(session.plan("SELECT no_such_function($1)").await?, None);
    assert_eq!(session.plan("DELETE FROM gone WHERE id = $1").await?, None);
    // The session works on afterwards.
    assert_eq!(session.waits().await?.get("Lock:relation"), None);
    Ok(())
}
