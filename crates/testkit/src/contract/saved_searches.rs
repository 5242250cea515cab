//! Contract of every [`SavedSearchStore`].

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use reeve_access::{
    AccessError, AccessStore, SavedSearch, SavedSearchStore, SharedWith, Team, TeamId, User, UserId,
};

use super::access::user;

/// A saved search with something in every field.
#[must_use]
pub fn saved_search(id: &str, owner: &str, name: &str) -> SavedSearch {
    SavedSearch {
        id: id.into(),
        owner: UserId(owner.into()),
        name: name.into(),
        description: "What failed since \"yesterday\"; é".into(),
        query: "status:failed timestamp:>now-24h".into(),
        filters: BTreeMap::from([("user".into(), "alice*".into())]),
        start_time: Some("now-7d".into()),
        end_time: None,
        columns: vec!["timestamp".into(), "resource.tags.env".into()],
        shared_with: SharedWith::Private,
        version: 1,
        created_at_ms: 1_700_000_000_123,
        updated_at_ms: 1_700_000_000_456,
    }
}

/// A store of both ports: saved searches have owners, and teams they are shared with.
pub trait Both: AccessStore + SavedSearchStore {}
impl<T: AccessStore + SavedSearchStore> Both for T {}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn Both>) -> Result<()> {
    let team = |id: &str| Team {
        id: TeamId(id.into()),
        name: format!("Team {id}"),
        created_at_ms: 1,
    };
    store.team_insert(&team("t-1")).await?;

    store.team_insert(&team("t-2")).await?;
    for (id, teams) in [
        ("ann", &["t-1"][..]),
        ("bob", &["t-1", "t-2"]),
        ("cleo", &["t-2"]),
        ("dan", &[]),
    ] {
        store
            .user_insert(&user(id, &format!("{id}@example.com"), teams))
            .await?;
    }

    there_and_back(&*store).await?;
    visibility_of_saved_searches(&*store).await?;
    pages(&*store).await?;
    an_owner_takes_theirs_along(&*store).await?;

    one_change_wins(store).await
}

fn reader(id: &str) -> UserId {
    UserId(id.into())
}

async fn there_and_back(store: &dyn Both) -> Result<()> {
    let first = saved_search("s-1", "ann", "Failures; DROP TABLE users");
    store.saved_search_insert(&first, 3).await?;
    assert_eq!(store.saved_search_get("s-1", &reader("ann")).await?, first);

    let same_name = saved_search("s-2", "ann", &first.name);
    assert!(matches!(
        store.saved_search_insert(&same_name, 3).await,
        Err(AccessError::Conflict(_))
    ));

    // Somebody else may use the name, and case makes another one.
    store
        .saved_search_insert(&saved_search("s-3", "bob", &first.name), 3)
        .await?;
    store
        .saved_search_insert(&saved_search("s-4", "ann", &first.name.to_uppercase()), 3)
        .await?;
    store
        .saved_search_insert(&saved_search("s-5", "ann", "third"), 3)
        .await?;
    let one_too_many = store
        .saved_search_insert(&saved_search("s-6", "ann", "fourth"), 3)
        .await;
    assert!(
        matches!(one_too_many, Err(AccessError::Conflict(_))),
        "{one_too_many:?}"
    );

    let orphan = store
        .saved_search_insert(&saved_search("s-7", "nobody", "x"), 3)
        .await;
    assert!(
        matches!(orphan, Err(AccessError::NotFound { what: "user", .. })),
        "{orphan:?}"
    );

    let changed = SavedSearch {
        description: String::new(),
        query: String::new(),
        filters: BTreeMap::new(),
        start_time: None,
        end_time: Some("2026-11-20T00:00:00Z".into()),
        columns: Vec::new(),
        shared_with: SharedWith::Team,
        version: 2,
        updated_at_ms: 1_700_000_009_000,
        ..first.clone()
    };
    store.saved_search_update(&changed).await?;

    assert_eq!(
        store.saved_search_get("s-1", &reader("ann")).await?,
        changed
    );

    let stale = store.saved_search_update(&changed).await;
    assert!(matches!(stale, Err(AccessError::Conflict(_))), "{stale:?}");

    let renamed = SavedSearch {
        name: "third".into(),
        version: 3,
        ..changed.clone()
    };

    assert!(
        matches!(
            store.saved_search_update(&renamed).await,
            Err(AccessError::Conflict(_))
        ),
        "a name is taken"
    );

    let missing = SavedSearch {
        id: "s-9".into(),
        version: 3,
        ..changed
    };

    assert!(matches!(
        store.saved_search_update(&missing).await,
        Err(AccessError::NotFound { .. })
    ));
    for id in ["s-1", "s-3", "s-4", "s-5"] {
        store.saved_search_delete(id).await?;
        assert!(matches!(
            store.saved_search_delete(id).await,
            Err(AccessError::NotFound { .. })
        ));
    }

    Ok(())
}

async fn visibility_of_saved_searches(store: &dyn Both) -> Result<()> {
    for (id, shared_with) in [
        ("p", SharedWith::Private),
        ("t", SharedWith::Team),
        ("e", SharedWith::Everyone),
    ] {
        for owner in ["ann", "bob"] {
            let name = format!("{owner}-{id}");
            store
                .saved_search_insert(
                    &SavedSearch {
                        shared_with,
                        ..saved_search(&name, owner, &name)
                    },
                    10,
                )
                .await?;
        }
    }

    let expected: [(&str, &[&str]); 5] = [
        ("ann", &["ann-e", "ann-p", "ann-t", "bob-e", "bob-t"]),
        ("bob", &["ann-e", "ann-t", "bob-e", "bob-p", "bob-t"]),
        ("cleo", &["ann-e", "bob-e", "bob-t"]),
        ("dan", &["ann-e", "bob-e"]),
        ("nobody", &["ann-e", "bob-e"]),
    ];

    for (user, seen) in expected {
        let (listed, total) = store.saved_search_list(&reader(user), 100, 0).await?;
        let ids: Vec<_> = listed.iter().map(|search| search.id.as_str()).collect();
        assert_eq!((ids.as_slice(), total), (seen, seen.len() as u64), "{user}");
        for id in ["ann-p", "ann-t", "ann-e", "bob-p", "bob-t", "bob-e"] {
            let found = store.saved_search_get(id, &reader(user)).await;
            assert_eq!(found.is_ok(), seen.contains(&id), "{user} opens {id}");
            assert!(
                found.is_ok() || matches!(found, Err(AccessError::NotFound { .. })),
                "{user} opens {id}"
            );
        }
    }

    // Who leaves the team no longer opens what is shared with it.
    let cleo = store.user_get(&reader("cleo")).await?;
    store
        .user_update(
            &cleo,
            &User {
                teams: Vec::new(),
                ..cleo.clone()
            },
        )
        .await?;

    assert!(
        store
            .saved_search_get("bob-t", &reader("cleo"))
            .await
            .is_err()
    );

    Ok(())
}

async fn pages(store: &dyn Both) -> Result<()> {
    let page = async |limit, offset| -> Result<Vec<String>> {
        let (listed, total) = store
            .saved_search_list(&reader("bob"), limit, offset)
            .await?;
        assert_eq!(total, 5);
        Ok(listed.into_iter().map(|search| search.name).collect())
    };
    assert_eq!(page(2, 0).await?, ["ann-e", "ann-t"]);

    assert_eq!(page(2, 4).await?, ["bob-t"]);
    assert!(page(2, 5).await?.is_empty());
    Ok(())
}

async fn an_owner_takes_theirs_along(store: &dyn Both) -> Result<()> {
    store.user_delete(&reader("ann")).await?;
    let (listed, total) = store.saved_search_list(&reader("dan"), 100, 0).await?;
    assert_eq!((listed.len(), total), (1, 1));
    Ok(())
}

async fn one_change_wins(store: Arc<dyn Both>) -> Result<()> {
    let changes: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            let change = SavedSearch {
                version: 2,
                ..saved_search("bob-e", "bob", &format!("change {n}"))
            };
            tokio::spawn(async move { store.saved_search_update(&change).await })
        })
        .collect();

    let mut won = 0;
    for change in changes {
        match change.await? {
            Ok(()) => won += 1,
            Err(error) => assert!(matches!(error, AccessError::Conflict(_)), "{error}"),
        }
    }

    assert_eq!(won, 1);

    // As many at once as there is room for, and not one more.
    let inserts: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            let search = saved_search(&format!("n-{n}"), "cleo", &format!("new {n}"));
            tokio::spawn(async move { store.saved_search_insert(&search, 3).await })
        })
        .collect();

    let mut made = 0;
    for insert in inserts {
        made += usize::from(insert.await?.is_ok());
    }

    assert_eq!(made, 3);
    Ok(())
}
