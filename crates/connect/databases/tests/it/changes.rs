//! Changes of real servers: indexes built, dropped and restored, parameters set and set back.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use reeve_connect_databases::{DatabaseAddress, DatabaseSession, change_database};
use reeve_estate::{ActErrorKind, Applied, DatabaseState, Operation};
use reeve_recommend::change::{
    BuildIndexOperation, DropIndexOperation, IndexPlace, ParameterOperation, RestoreIndexOperation,
};
use reeve_testkit::mariadb::Mariadb;
use reeve_testkit::postgres::Postgres;

const PATIENCE: Duration = Duration::from_secs(60);
const SCHEMA: &str = "
    CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL, note text);
    INSERT INTO orders SELECT n, n % 500, 'x' FROM generate_series(1, 20000) n;
    CREATE INDEX orders_note ON orders (note) WHERE note <> 'CREATE INDEX; DROP';
    CREATE UNIQUE INDEX orders_pair ON orders (id, customer_id);
    CREATE ROLE watcher LOGIN PASSWORD 'watching' IN ROLE pg_monitor, pg_read_all_data;
";

fn index(schema: &str, name: &str) -> IndexPlace {
    IndexPlace {
        schema: schema.to_owned(),
        table: "orders".to_owned(),
        name: name.to_owned(),
    }
}

fn build(schema: &str) -> BuildIndexOperation {
    BuildIndexOperation {
        index: index(schema, "reeve_orders_customer_id"),
        columns: vec!["customer_id".to_owned()],
    }
}

fn drop_of(schema: &str, name: &str) -> DropIndexOperation {
    DropIndexOperation {
        index: index(schema, name),
    }
}

/// Asks for an operation until it is no longer under way.
async fn done(address: &DatabaseAddress, operation: &dyn Operation) -> Result<()> {
    let begun = Instant::now();
    while change_database(address, operation).await? != Applied::Accepted {
        ensure!(begun.elapsed() < PATIENCE, "{operation:?} goes on");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

async fn refused(address: &DatabaseAddress, operation: &dyn Operation) -> Result<ActErrorKind> {
    match change_database(address, operation).await {
        Err(error) => Ok(error.kind),
        Ok(applied) => anyhow::bail!("{operation:?} was not refused: {applied:?}"),
    }
}

async fn state(address: &DatabaseAddress) -> Result<DatabaseState> {
    Ok(DatabaseSession::open(address).await?.state().await?)
}

#[tokio::test]
async fn an_index_of_postgresql_is_built_dropped_and_restored() -> Result<()> {
    let Some(server) = Postgres::start_with(&["-c shared_preload_libraries=pg_stat_statements"])?
    else {
        return Ok(());
    };
    let url = server.database().await?;
    server.execute(&url, SCHEMA).await?;
    let address = DatabaseAddress::parse(&url)?;

    done(&address, &build("public")).await?;
    let built = state(&address).await?;
    let new = &built.indexes["public.reeve_orders_customer_id"];
    assert!(new.is_valid && new.scans == Some(0), "{new:?}");
    // Asked for again, nothing happens.
    done(&address, &build("public")).await?;

    let definition = built.indexes["public.orders_note"].definition.clone();
    let name = "orders_note";
    done(&address, &drop_of("public", name)).await?;
    assert!(
        !state(&address)
            .await?
            .indexes
            .contains_key("public.orders_note")
    );
    done(&address, &drop_of("public", name)).await?;
    let mut restore = RestoreIndexOperation {
        index: index("public", name),
        definition: definition.clone(),
    };
    done(&address, &restore).await?;
    let restored = state(&address).await?.indexes["public.orders_note"].clone();
    assert_eq!((restored.definition, restored.is_valid), (definition, true));

    // No other statement passes for a definition.
    restore.index.name = "other".to_owned();
    restore.definition = "CREATE INDEX orders_note ON orders (id); DROP TABLE orders".to_owned();
    assert_eq!(refused(&address, &restore).await?, ActErrorKind::Other);
    restore.definition = "CREATE INDEX other ON orders (id); DROP TABLE orders".to_owned();
    assert_eq!(refused(&address, &restore).await?, ActErrorKind::Other);
    Ok(())
}

#[tokio::test]
async fn postgresql_refuses_what_harms_or_is_not_granted() -> Result<()> {
    let Some(server) = Postgres::start_with(&[])? else {
        return Ok(());
    };
    let url = server.database().await?;
    server.execute(&url, SCHEMA).await?;
    let address = DatabaseAddress::parse(&url)?;

    let enforcing = drop_of("public", "orders_pair");
    assert_eq!(
        refused(&address, &enforcing).await?,
        ActErrorKind::WrongState
    );

    let watcher = address.clone().with_login("watcher", "watching");
    let denied = refused(&watcher, &build("public")).await?;
    assert_eq!(denied, ActErrorKind::Denied);
    let work_mem = ParameterOperation {
        name: "work_mem".to_owned(),
        value: 8 << 20,
    };
    assert_eq!(refused(&watcher, &work_mem).await?, ActErrorKind::Denied);

    done(&address, &work_mem).await?;
    let begun = Instant::now();
    while state(&address).await?.parameters["work_mem"] != 8 << 20 {
        ensure!(begun.elapsed() < PATIENCE, "the server did not read it");
    }
    let unknown = ParameterOperation {
        name: "archive_command".to_owned(),
        value: 1,
    };
    assert_eq!(refused(&address, &unknown).await?, ActErrorKind::Other);

    // What a build that failed left is dropped, and said.
    let broken =
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orders_note'::regclass";
    server.execute(&url, broken).await?;
    let mut rebuild = build("public");
    rebuild.index.name = "orders_note".to_owned();
    assert!(!state(&address).await?.indexes["public.orders_note"].is_valid);
    assert_eq!(refused(&address, &rebuild).await?, ActErrorKind::Other);
    assert!(
        !state(&address)
            .await?
            .indexes
            .contains_key("public.orders_note")
    );
    Ok(())
}

#[tokio::test]
async fn an_index_and_the_buffer_pool_of_mariadb_are_changed_and_changed_back() -> Result<()> {
    let Some(server) = Mariadb::start().await? else {
        return Ok(());
    };
    server.database("shop").await?;
    let schema = "
        CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL) ENGINE=InnoDB;
        INSERT INTO orders SELECT seq, seq % 500 FROM seq_1_to_20000;
        CREATE USER owner@localhost IDENTIFIED BY 'owning';
        GRANT ALL ON *.* TO owner@localhost;";
    server.execute("shop", schema).await?;
    let address = DatabaseAddress::parse(&server.url("owner", "owning", "shop"))?;

    done(&address, &build("shop")).await?;
    let new = "shop.reeve_orders_customer_id";
    assert!(state(&address).await?.indexes[new].is_valid);
    done(&address, &drop_of("shop", "reeve_orders_customer_id")).await?;
    assert!(!state(&address).await?.indexes.contains_key(new));

    let name = "innodb_buffer_pool_size";
    let before = state(&address).await?.parameters[name];
    for value in [before * 2, before] {
        let operation = ParameterOperation {
            name: name.to_owned(),
            value,
        };
        done(&address, &operation).await?;
        let begun = Instant::now();
        while state(&address).await?.parameters[name] != value {
            ensure!(begun.elapsed() < PATIENCE, "the pool was not resized");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    Ok(())
}
