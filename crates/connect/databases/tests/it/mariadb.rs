//! MariaDB: a seeded schema with a workload, read and judged.

use anyhow::{Result, ensure};
use reeve_connect_databases::{DatabaseAddress, DatabaseSession};
use reeve_databases::{DatabaseReport, DatabaseThresholds, Engine, candidates, judge};
use reeve_testkit::mariadb::Mariadb;

use crate::advice::{advice_of, found};

const SCHEMA: &str = "
    CREATE TABLE customers (id int PRIMARY KEY, email varchar(80) NOT NULL) ENGINE=InnoDB;
    CREATE TABLE orders (
        id int AUTO_INCREMENT PRIMARY KEY, customer_id int NOT NULL, status varchar(20) NOT NULL,
        placed_on date NOT NULL, note varchar(80),
        KEY orders_status (status), KEY orders_status_again (status),
        KEY orders_status_date (status, placed_on)) ENGINE=InnoDB;
    INSERT INTO customers SELECT seq, CONCAT('c', seq, '@example.com') FROM seq_1_to_2000;
    INSERT INTO orders SELECT seq, seq % 2000 + 1, CONCAT('status ', seq % 5), '2026-01-01', REPEAT('x', 60)
        FROM seq_1_to_30000;
    ANALYZE TABLE customers, orders;
";

async fn report(url: &str) -> Result<DatabaseReport> {
    let mut session = DatabaseSession::open(&DatabaseAddress::parse(url)?).await?;
    assert_eq!(session.engine(), Engine::Mariadb);
    let observation = session.observe(&mut |_: &str| {}).await?;
    ensure!(observation.refused.is_empty(), "{:?}", observation.refused);
    let candidates = candidates(&observation);
    let trials = session.try_indexes(&observation, &candidates).await?;
    let thresholds = DatabaseThresholds {
        unused_days: 0.0,
        ..DatabaseThresholds::default()
    };
    Ok(judge(&observation, &trials, &thresholds))
}

#[tokio::test]
async fn a_workload_leads_to_the_index_that_it_misses() -> Result<()> {
    let Some(server) = Mariadb::start().await? else {
        return Ok(());
    };
    server.database("shop").await?;
    server.execute("shop", SCHEMA).await?;
    server
        .execute(
            "shop",
            "CREATE USER watcher@localhost IDENTIFIED BY 'watching';
             GRANT SELECT, PROCESS, REPLICATION CLIENT ON *.* TO watcher@localhost;",
        )
        .await?;
    let work: String = (0..40)
        .map(|number| format!("SELECT id, note FROM orders WHERE customer_id = {number};"))
        .collect();
    server.execute("shop", &work).await?;

    let url = server.url("watcher", "watching", "shop");
    let before = report(&url).await?;
    assert_eq!(
        found(&before, "missing_index"),
        ["shop.orders (customer_id)"]
    );
    assert_eq!(found(&before, "duplicate_index"), ["shop.orders_status"]);
    assert_eq!(
        found(&before, "redundant_index"),
        ["shop.orders_status_again"]
    );
    assert_eq!(found(&before, "unsafe_setting"), [""; 0]);

    let advice = advice_of(&before, "missing_index")?;
    server.execute("shop", &advice.statements[0]).await?;
    let after = report(&url).await?;
    assert_eq!(found(&after, "missing_index"), [""; 0]);
    server.execute("shop", &advice.undo[0]).await?;

    // Ignored, dropped, and made again by what the advice says.
    let advice = advice_of(&before, "redundant_index")?;
    for statement in advice.statements.iter().chain(&advice.undo) {
        server.execute("shop", statement).await?;
    }
    Ok(())
}

#[tokio::test]
async fn waits_and_totals_are_read() -> Result<()> {
    let Some(server) = Mariadb::start().await? else {
        return Ok(());
    };
    let url = server.database("shop").await?;
    server.execute("shop", SCHEMA).await?;
    let mut session = DatabaseSession::open(&DatabaseAddress::parse(&url)?).await?;
    let sleeping = server.execute("shop", "SELECT SLEEP(2)");
    let looking = async {
        let end = tokio::time::Instant::now() + std::time::Duration::from_secs(2);
        while tokio::time::Instant::now() < end {
            let waits = session.waits().await?;
            if waits.contains_key("User sleep") {
                return Ok(waits);
            }
        }
        anyhow::bail!("no session slept")
    };
    let (slept, waits) = tokio::join!(sleeping, looking);
    slept?;
    let waits: std::collections::BTreeMap<String, u64> = waits?;
    assert_eq!(waits["User sleep"], 1);
    ensure!(matches!(
        session.statement_totals().await?,
        reeve_databases::StatementSource::Read { .. }
    ));
    assert_eq!(
        session
            .plan("SELECT `id` FROM `orders` WHERE `id` = ?")
            .await?,
        None
    );
    Ok(())
}
