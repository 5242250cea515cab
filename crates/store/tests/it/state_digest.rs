//! Digests of rows: the same on both databases, changed by what counts and by nothing else.

use anyhow::Result;
use reeve_access::AccessStore as _;
use reeve_store::RowDigest;
use reeve_testkit::contract::access::user;

use crate::place::Place;

/// The digests of a database with one user, before and after the user was renamed.
async fn digests(place: &Place) -> Result<[Vec<RowDigest>; 2]> {
    let store = place.open().await?;
    assert_eq!(
        store.row_digests().await?,
        [],
        "nothing is in a new database"
    );

    let before = user("u-1", "ann@acme.example", &[]);
    store.user_insert(&before).await?;
    let first = store.row_digests().await?;
    let mut after = before.clone();
    after.name = "Ann Other".to_owned();
    store.user_update(&before, &after).await?;
    let second = store.row_digests().await?;
    store.close().await;

    Ok([first, second])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_databases_give_the_same_digests() -> Result<()> {
    let on_sqlite = digests(&Place::sqlite()?).await?;
    let [first, second] = &on_sqlite;
    assert_eq!(
        (first.len(), second.len(), first[0].table.as_str()),
        (1, 1, "users")
    );
    assert_eq!(
        (&first[0].row, &first[0].owners),
        (&second[0].row, &vec![first[0].row.clone()])
    );
    assert_ne!(first[0].sha256, second[0].sha256);
    if let Some(place) = Place::postgres().await? {
        assert_eq!(digests(&place).await?, on_sqlite);
    }

    Ok(())
}
