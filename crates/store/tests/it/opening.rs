//! Tests of databases that cannot be opened: each error names its cause.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use anyhow::Result;
use reeve_access::{AccessError, AccessStore as _};
use reeve_store::{DatabaseOptions, OpenError, Store};
use reeve_testkit::postgres::{PASSWORD, Postgres};

use crate::place::{Place, vault};

async fn refused(url: &str) -> OpenError {
    Store::open_with(
        url,
        vault(1),
        DatabaseOptions {
            patience: Duration::from_secs(5),
            ..DatabaseOptions::default()
        },
    )
    .await
    .unwrap_err()
}

#[tokio::test]
async fn addresses_that_are_none() {
    for url in ["", "reeve.db", "mysql://localhost/reeve", "sqlite::memory:"] {
        let error = refused(url).await;
        assert!(matches!(error, OpenError::Address(_)), "{url}: {error}");
    }
}

#[tokio::test]
async fn a_dead_server_is_unreachable() {
    let error = refused("postgres://reeve:sEcReT@127.0.0.1:1/reeve").await;
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("postgres://127.0.0.1:1/reeve") && !text.contains("sEcReT"),
        "{text}"
    );
}

#[tokio::test]
async fn a_wrong_password_or_database_is_refused() -> Result<()> {
    let Some(server) = Postgres::shared()? else {
        return Ok(());
    };

    let error = refused(&server.url("wrong", "postgres")).await;
    assert!(matches!(error, OpenError::Refused { .. }), "{error}");
    assert!(
        error.to_string().contains("password authentication failed")
            && !error.to_string().contains("wrong\""),
        "{error}"
    );

    let error = refused(&server.url(PASSWORD, "no_such_database")).await;
    assert!(
        matches!(error, OpenError::Refused { .. })
            && error.to_string().contains("no_such_database"),
        "{error}"
    );
    Ok(())
}

#[tokio::test]
async fn a_server_that_goes_away_and_comes_back() -> Result<()> {
    let Some(server) = Postgres::start()? else {
        return Ok(());
    };

    let options = DatabaseOptions {
        patience: Duration::from_secs(2),
        ..DatabaseOptions::default()
    };
    let store = Store::open_with(&server.database().await?, vault(1), options).await?;
    store.ping().await?;
    server.stop()?;
    let error = store.user_list().await.unwrap_err();
    assert!(matches!(error, AccessError::Unavailable(_)), "{error}");
    server.resume()?;
    assert_eq!(store.user_list().await?, []);

    Ok(())
}

#[tokio::test]
async fn a_file_that_is_no_database() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("notes.txt");
    std::fs::write(
        &file,
        "dear diary, this is long enough not to be taken for an empty file".repeat(20),
    )?;
    let error = refused(&format!("sqlite://{}", file.display())).await;
    assert!(
        matches!(error, OpenError::File { .. }) && error.to_string().contains("notes.txt"),
        "{error}"
    );
    assert!(
        std::fs::read_to_string(&file)?.starts_with("dear diary"),
        "left alone"
    );

    let below = file.join("reeve.db");
    let error = refused(&format!("sqlite://{}", below.display())).await;
    assert!(matches!(error, OpenError::File { .. }), "{error}");

    Ok(())
}

#[tokio::test]
async fn the_file_is_for_its_owner_alone_and_synced() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("odd name %?#/reeve.db");
    let store = Store::open(&format!("sqlite://{}", file.display()), vault(1)).await?;
    assert_eq!(
        std::fs::metadata(&file)?.permissions().mode() & 0o777,
        0o600
    );
    store.close().await;
    assert!(std::fs::read(&file)?.starts_with(b"SQLite format 3\0"));

    // Bytes 18 and 19 of the header are 2 in WAL mode (SQLite file format, 1.3.3).
    assert_eq!(std::fs::read(&file)?[18..20], [2, 2]);
    Ok(())
}

#[tokio::test]
async fn the_path_is_the_file_systems() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let root = directory.path().canonicalize()?;
    std::fs::create_dir_all(root.join("far/below"))?;
    std::os::unix::fs::symlink(root.join("far/below"), root.join("link"))?;
    let store = Store::open(
        &format!("sqlite://{}/link/../reeve.db", root.display()),
        vault(1),
    )
    .await?;
    store.setting_put("here", &true.into()).await?;
    store.close().await;
    assert!(root.join("far/reeve.db").exists() && !root.join("reeve.db").exists());

    Ok(())
}

#[tokio::test]
async fn two_programs_on_one_file_wait_for_each_other() -> Result<()> {
    let place = Place::sqlite()?;
    let (one, two) = (place.open().await?, place.open().await?);
    let write = |store: Store, name: &'static str| {
        tokio::spawn(async move {
            for index in 0..20 {
                store
                    .setting_put(&format!("{name}-{index}"), &true.into())
                    .await?;
            }
            anyhow::Ok(())
        })
    };
    let (first, second) = (write(one.clone(), "one"), write(two, "two"));

    first.await??;
    second.await??;

    for name in ["one", "two"] {
        for index in 0..20 {
            assert_eq!(
                one.setting_get(&format!("{name}-{index}")).await?,
                Some(true.into())
            );
        }
    }

    Ok(())
}
