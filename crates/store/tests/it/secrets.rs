//! Credentials at rest: sealed, bound to their connection, and never in the way of the others.

use anyhow::Result;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionStatus, EstateStore as _, StoreError,
};
use reeve_predict::RuleStore as _;
use reeve_predict::calendar::{Calendar, Refresh, Subscription};
use reeve_store::Store;
use reeve_testkit::contract::estate::connection;
use reeve_testkit::contract::predictive::calendar;
use sqlx::{Connection as _, Row as _};

use crate::place::{Place, on_both, vault};

on_both!(
    sealed_in_the_database => super::sealed_in_the_database,
    another_key_hides_only_what_it_cannot_open => super::another_key_hides_only_what_it_cannot_open,
    moved_secrets_do_not_open => super::moved_secrets_do_not_open,
    addresses_of_calendars_are_sealed => super::addresses_of_calendars_are_sealed,
    addresses_of_earlier_releases_are_sealed_at_start => super::addresses_of_earlier_releases_are_sealed_at_start,
);

/// A connection beside the store.
async fn beside(place: &Place) -> Result<sqlx::AnyConnection> {
    sqlx::any::install_default_drivers();
    Ok(sqlx::AnyConnection::connect(&place.url).await?)
}

async fn sealed_in_the_database(place: &Place) -> Result<()> {
    let store = place.open().await?;
    store.connection_insert(&connection("c-1", 1)?).await?;
    store.connection_update(&connection("c-1", 1)?).await?;
    let mut raw = beside(place).await?;
    let row = sqlx::query("SELECT document, secret FROM connections")
        .fetch_one(&mut raw)
        .await?;

    for column in 0..2 {
        let text: String = row.try_get(column)?;
        assert!(
            !text.contains("AKIDEXAMPLE") && !text.contains("a secret"),
            "{text}"
        );
    }

    raw.close().await?;
    assert!(!format!("{store:?}").contains("secret"));
    store.close().await;

    Ok(())
}

async fn another_key_hides_only_what_it_cannot_open(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let old = connection("c-old", 1)?;
    store.connection_insert(&old).await?;
    store.close().await;

    let other_key = Store::open(&place.url, vault(2)).await?;
    let new = Connection {
        credentials: ConnectionCredentials::Ambient,
        ..connection("c-new", 2)?
    };
    other_key.connection_insert(&new).await?;
    assert!(
        other_key.connection_get(&new.id).await? == new,
        "the others go on"
    );

    let error = other_key.connection_get(&old.id).await.unwrap_err();
    assert!(matches!(error, StoreError::Backend(_)), "{error}");

    let message = error.to_string();
    assert!(
        message.contains("secrets.key") && message.contains(vault(1).key_id()),
        "{message}"
    );
    assert!(!message.contains("AKIDEXAMPLE"));

    let listed = other_key.connection_list().await?;
    let ids: Vec<_> = listed
        .iter()
        .map(|connection| connection.id.0.as_str())
        .collect();
    assert_eq!(ids, ["c-old", "c-new"]);
    assert_eq!(listed[0].status, ConnectionStatus::Failed);
    assert!(
        listed[0]
            .last_error
            .as_deref()
            .is_some_and(|error| error.contains("secrets.key"))
    );

    assert!(
        listed[0].credentials != ConnectionCredentials::Ambient,
        "nobody else's credentials take their place"
    );
    assert!(listed[1] == new);

    other_key.connection_update(&listed[0]).await?;
    other_key.close().await;
    let store = place.open().await?;
    assert!(
        store.connection_get(&old.id).await?.credentials == old.credentials,
        "writing the listed one back loses nothing"
    );
    store.close().await;

    Ok(())
}

async fn moved_secrets_do_not_open(place: &Place) -> Result<()> {
    let store = place.open().await?;
    store.connection_insert(&connection("c-1", 1)?).await?;
    store.connection_insert(&connection("c-2", 2)?).await?;
    let mut raw = beside(place).await?;
    sqlx::query("UPDATE connections SET secret = (SELECT secret FROM connections WHERE id = 'c-1') WHERE id = 'c-2'")
        .execute(&mut raw)
        .await?;
    raw.close().await?;
    let error = store
        .connection_get(&connection("c-2", 2)?.id)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("altered"), "{error}");
    assert!(
        store
            .connection_get(&connection("c-1", 1)?.id)
            .await
            .is_ok()
    );

    store.close().await;
    Ok(())
}

/// An address whose path is a secret, as calendar providers give them.
const ADDRESS: &str = "https://calendar.example.com/private-4f1c/basic.ics";

fn subscribed(id: &str) -> Result<Calendar> {
    let subscription = Subscription {
        url: ADDRESS.to_owned(),
        refresh: Refresh::default(),
    };
    Ok(Calendar {
        subscription: Some(subscription),
        ..calendar(id, 1_000)?
    })
}

/// Document and sealed address of the one calendar, as they are in the database.
async fn stored_calendar(place: &Place) -> Result<(String, Option<String>)> {
    let mut raw = beside(place).await?;
    let row = sqlx::query("SELECT document, address FROM calendars")
        .fetch_one(&mut raw)
        .await?;
    let found = (row.try_get(0)?, row.try_get(1)?);
    raw.close().await?;
    Ok(found)
}

async fn addresses_of_calendars_are_sealed(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let given = subscribed("cal-1")?;
    store.calendar_insert(&given).await?;
    let (document, address) = stored_calendar(place).await?;
    assert!(!document.contains("private-4f1c"), "{document}");
    assert!(address.is_some_and(|sealed| sealed.starts_with("v1.")));
    store.close().await;

    // Another key hides the address and nothing else, and writing the calendar back loses nothing.
    let other_key = Store::open(&place.url, vault(2)).await?;
    let mut found = other_key.calendar_list().await?.remove(0);
    let subscription = found.subscription.as_ref().unwrap();
    assert_eq!(subscription.url, "");
    assert!(
        subscription
            .refresh
            .problem
            .as_deref()
            .is_some_and(|problem| problem.contains("secrets.key"))
    );
    assert_eq!(found.text, given.text);
    found.version += 1;
    other_key.calendar_update(&found).await?;
    other_key.close().await;

    let store = place.open().await?;
    let found = store.calendar_get(&given.id).await?;
    assert_eq!(found.subscription, given.subscription);

    let imported = Calendar {
        subscription: None,
        version: found.version + 1,
        ..found
    };
    store.calendar_update(&imported).await?;
    assert_eq!(stored_calendar(place).await?.1, None);
    store.close().await;

    Ok(())
}

async fn addresses_of_earlier_releases_are_sealed_at_start(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let given = subscribed("cal-1")?;
    store.calendar_insert(&given).await?;
    store.close().await;

    let (document, _) = stored_calendar(place).await?;
    let plain = document.replacen("\"text\":", &format!("\"url\":\"{ADDRESS}\",\"text\":"), 1);
    let mut raw = beside(place).await?;
    sqlx::query("UPDATE calendars SET document = $1, address = NULL")
        .bind(&plain)
        .execute(&mut raw)
        .await?;
    raw.close().await?;

    let store = place.open().await?;
    let (document, address) = stored_calendar(place).await?;
    assert!(!document.contains("private-4f1c"), "{document}");
    assert!(address.is_some());
    assert_eq!(store.calendar_get(&given.id).await?, given);
    store.close().await;

    Ok(())
}
