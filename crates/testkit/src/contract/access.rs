//! Contract of every [`AccessStore`].

use std::sync::Arc;

use anyhow::Result;
use reeve_access::{
    AccessError, AccessSession, AccessStore, ApiToken, EventTypePattern, Role, SignInMethod, Team,
    TeamId, TokenHash, User, UserId,
};

/// A user with a role, an address and no password.
#[must_use]
pub fn user(id: &str, email: &str, teams: &[&str]) -> User {
    User {
        id: UserId(id.into()),
        email: email.into(),
        name: format!("Name of {id}"),
        roles: vec![Role::RegularUser],
        teams: teams.iter().map(|&team| TeamId(team.into())).collect(),
        password_hash: None,
        active: true,
        expires_at_ms: None,
        scope: None,
        created_at_ms: 1_700_000_000_000,
    }
}

fn team(id: &str, name: &str) -> Team {
    Team {
        id: TeamId(id.into()),
        name: name.into(),
        created_at_ms: 1_700_000_000_123,
    }
}

fn token(id: &str, user: &str, created_at_ms: i64) -> ApiToken {
    ApiToken {
        id: id.into(),
        user: UserId(user.into()),
        name: format!("token {id}"),
        hash: TokenHash::from_secret(id),
        roles: vec![],
        event_types: vec![],
        parent: None,
        created_at_ms,
        expires_at_ms: None,
        last_used_at_ms: None,
    }
}

fn session(id: &str, user: &str, expires_at_ms: i64) -> AccessSession {
    AccessSession {
        id: id.into(),
        user: UserId(user.into()),
        hash: TokenHash::from_secret(id),
        method: SignInMethod::Password,
        created_at_ms: 1_000,
        expires_at_ms,
        ip_address: Some("2001:db8::1".into()),
        user_agent: None,
    }
}

fn is_missing<T>(result: Result<T, AccessError>, what: &str) -> bool {
    matches!(result, Err(AccessError::NotFound { what: found, .. }) if found == what)
}

fn is_conflict<T>(result: &Result<T, AccessError>) -> bool {
    matches!(result, Err(AccessError::Conflict(_)))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn AccessStore>) -> Result<()> {
    users(&*store).await?;
    teams(&*store).await?;
    tokens(&*store).await?;
    sessions(&*store).await?;
    one_address_is_taken_once(store.clone()).await?;
    an_administrator_stays(store).await
}

async fn users(store: &dyn AccessStore) -> Result<()> {
    assert!(
        store.user_list().await?.is_empty(),
        "the suite needs an empty store"
    );

    let zoe = User {
        name: "Zoë \"Z\" O'Neil; DROP TABLE users".into(),
        roles: Role::ALL.to_vec(),
        password_hash: Some("$argon2id$v=19$...".into()),
        active: false,
        ..user("u-zoe", "zoe@example.com", &[])
    };
    store.user_insert(&zoe).await?;

    store
        .user_insert(&user("u-ann", "ann@example.com", &[]))
        .await?;
    assert_eq!(store.user_get(&zoe.id).await?, zoe);
    assert_eq!(
        store.user_by_email("ZOE@example.com").await?,
        zoe,
        "addresses are looked up case-blind"
    );

    let emails: Vec<_> = store
        .user_list()
        .await?
        .into_iter()
        .map(|user| user.email)
        .collect();
    assert_eq!(emails, ["ann@example.com", "zoe@example.com"], "by address");

    assert!(
        is_conflict(
            &store
                .user_insert(&user("u-3", "Ann@Example.com", &[]))
                .await
        ),
        "an address is taken once"
    );

    assert!(
        is_conflict(
            &store
                .user_insert(&user("u-ann", "other@example.com", &[]))
                .await
        ),
        "an id is taken once"
    );

    assert!(is_missing(
        store
            .user_insert(&user("u-4", "dan@example.com", &["t-none"]))
            .await,
        "team"
    ));

    assert!(
        is_missing(store.user_by_email("dan@example.com").await, "user"),
        "nothing half done"
    );

    let renamed = User {
        expires_at_ms: Some(9_000),
        email: "zoe.new@example.com".into(),
        active: true,
        roles: vec![Role::Manager],
        ..zoe.clone()
    };
    store.user_update(&zoe, &renamed).await?;

    assert_eq!(store.user_get(&zoe.id).await?, renamed);
    assert!(is_missing(
        store.user_by_email("zoe@example.com").await,
        "user"
    ));
    assert!(
        is_conflict(&store.user_update(&zoe, &zoe).await),
        "it was changed since it was read"
    );

    let taken = User {
        email: "ann@example.com".into(),
        ..renamed.clone()
    };
    assert!(is_conflict(&store.user_update(&renamed, &taken).await));
    assert_eq!(
        store.user_get(&zoe.id).await?,
        renamed,
        "a refused update changes nothing"
    );

    let none = user("u-none", "none@example.com", &[]);
    assert!(is_missing(store.user_update(&none, &none).await, "user"));

    store.user_delete(&zoe.id).await?;
    assert!(is_missing(store.user_get(&zoe.id).await, "user"));
    assert!(is_missing(store.user_delete(&zoe.id).await, "user"));
    store.user_delete(&UserId("u-ann".into())).await?;

    Ok(())
}

async fn teams(store: &dyn AccessStore) -> Result<()> {
    for (id, name) in [("t-b", "beta"), ("t-a", "alpha"), ("t-z", "Zeta")] {
        store.team_insert(&team(id, name)).await?;
    }

    let names: Vec<_> = store
        .team_list()
        .await?
        .into_iter()
        .map(|team| team.name)
        .collect();

    assert_eq!(
        names,
        ["Zeta", "alpha", "beta"],
        "by name, byte by byte on every database"
    );

    assert!(
        is_conflict(&store.team_insert(&team("t-c", "alpha")).await),
        "a name is taken once"
    );
    assert!(is_conflict(&store.team_update(&team("t-a", "beta")).await));
    assert!(is_missing(
        store.team_update(&team("t-none", "none")).await,
        "team"
    ));
    store.team_update(&team("t-z", "gamma")).await?;
    assert_eq!(store.team_list().await?.pop(), Some(team("t-z", "gamma")));

    store
        .user_insert(&user("u-1", "one@example.com", &["t-b", "t-a"]))
        .await?;
    store
        .user_insert(&user("u-2", "two@example.com", &["t-a"]))
        .await?;
    store
        .user_insert(&user("u-3", "three@example.com", &[]))
        .await?;
    assert_eq!(
        store.user_get(&UserId("u-1".into())).await?.teams,
        [TeamId("t-b".into()), TeamId("t-a".into())]
    );

    let members = async |teams: &[&str]| -> Result<Vec<String>> {
        let teams: Vec<_> = teams.iter().map(|&team| TeamId(team.into())).collect();
        Ok(store
            .team_members(&teams)
            .await?
            .into_iter()
            .map(|user| user.id.0)
            .collect())
    };
    assert_eq!(members(&["t-a"]).await?, ["u-1", "u-2"]);

    assert_eq!(members(&["t-b"]).await?, ["u-1"]);
    assert_eq!(
        members(&["t-a", "t-b", "t-none"]).await?,
        ["u-1", "u-2"],
        "nobody twice"
    );
    assert!(members(&[]).await?.is_empty() && members(&["t-z"]).await?.is_empty());

    let (two, moved) = (
        user("u-2", "two@example.com", &["t-a"]),
        user("u-2", "two@example.com", &["t-b"]),
    );
    store.user_update(&two, &moved).await?;
    assert_eq!(members(&["t-a"]).await?, ["u-1"]);
    store.team_delete(&TeamId("t-a".into())).await?;
    assert!(is_missing(
        store.team_delete(&TeamId("t-a".into())).await,
        "team"
    ));
    assert_eq!(
        store.user_get(&UserId("u-1".into())).await?.teams,
        [TeamId("t-b".into())],
        "members stay"
    );
    assert_eq!(members(&["t-b"]).await?, ["u-1", "u-2"]);

    Ok(())
}

async fn tokens(store: &dyn AccessStore) -> Result<()> {
    let full = ApiToken {
        roles: vec![Role::SecurityAnalyst, Role::RegularUser],
        event_types: EventTypePattern::parse_all(&["authentication.*", "resource.create"])?,
        expires_at_ms: Some(9_999_999_999_999),
        last_used_at_ms: Some(5),
        ..token("k-2", "u-1", 20)
    };
    store.token_insert(&full).await?;

    store.token_insert(&token("k-1", "u-2", 10)).await?;
    assert_eq!(
        store.token_by_hash(&TokenHash::from_secret("k-2")).await?,
        full
    );
    assert!(is_missing(
        store.token_by_hash(&TokenHash::from_secret("k-3")).await,
        "token"
    ));

    let ids = async |user: Option<&str>| -> Result<Vec<String>> {
        let user = user.map(|user| UserId(user.into()));
        Ok(store
            .token_list(user.as_ref())
            .await?
            .into_iter()
            .map(|token| token.id)
            .collect())
    };
    assert_eq!(ids(None).await?, ["k-1", "k-2"], "oldest first");

    assert_eq!(ids(Some("u-1")).await?, ["k-2"]);
    assert!(is_conflict(
        &store.token_insert(&token("k-1", "u-1", 30)).await
    ));
    assert!(is_missing(
        store.token_insert(&token("k-9", "u-none", 30)).await,
        "user"
    ));

    store.token_touch("k-1", 500).await?;
    store.token_touch("k-1", 400).await?;
    assert_eq!(
        store
            .token_by_hash(&TokenHash::from_secret("k-1"))
            .await?
            .last_used_at_ms,
        Some(500),
        "never backwards"
    );

    assert_eq!(store.token_get("k-1").await?.last_used_at_ms, Some(500));
    // What was made with a token goes with it, and nothing else does.
    store
        .token_insert(&ApiToken {
            parent: Some("k-1".into()),
            ..token("k-3", "u-2", 30)
        })
        .await?;

    store
        .token_insert(&ApiToken {
            parent: Some("k-3".into()),
            ..token("k-4", "u-2", 40)
        })
        .await?;

    store.token_insert(&token("k-5", "u-2", 50)).await?;
    for (id, method) in [
        ("s-k1", SignInMethod::Token("k-1".into())),
        ("s-k4", SignInMethod::Token("k-4".into())),
        ("s-k5", SignInMethod::Token("k-5".into())),
        ("s-pw", SignInMethod::Password),
    ] {
        store
            .session_insert(&AccessSession {
                method,
                ..session(id, "u-2", 9_000)
            })
            .await?;
    }

    store.token_delete("k-1").await?;
    assert_eq!(
        ids(Some("u-2")).await?,
        ["k-5"],
        "its children and theirs are gone"
    );

    let left = store.session_list(Some(&UserId("u-2".into()))).await?;
    let left: Vec<_> = left
        .into_iter()
        .map(|session| (session.id, session.method))
        .collect();
    let with = |id: &str| SignInMethod::Token(id.into());
    assert_eq!(
        left,
        [
            ("s-k5".to_owned(), with("k-5")),
            ("s-pw".to_owned(), SignInMethod::Password)
        ]
    );

    for id in ["s-k5", "s-pw"] {
        store.session_delete(id).await?;
    }

    assert!(is_missing(
        store.token_by_hash(&TokenHash::from_secret("k-1")).await,
        "token"
    ));
    assert!(is_missing(store.token_get("k-1").await, "token"));
    assert!(is_missing(store.token_delete("k-1").await, "token"));

    Ok(())
}

async fn sessions(store: &dyn AccessStore) -> Result<()> {
    let kept = AccessSession {
        user_agent: Some("curl/8 \u{1f980}".into()),
        ..session("s-1", "u-1", 3_000)
    };
    store.session_insert(&kept).await?;
    store.session_insert(&session("s-2", "u-1", 2_000)).await?;
    store.session_insert(&session("s-3", "u-2", 1_500)).await?;
    assert_eq!(store.session_by_hash(&kept.hash).await?, kept);
    assert!(is_missing(
        store.session_by_hash(&TokenHash::from_secret("s-9")).await,
        "session"
    ));
    assert!(is_missing(
        store.session_insert(&session("s-9", "u-none", 9)).await,
        "user"
    ));
    assert_eq!(store.session_list(None).await?.len(), 3);
    assert_eq!(
        store.session_list(Some(&UserId("u-2".into()))).await?,
        [session("s-3", "u-2", 1_500)]
    );

    let ended: Vec<_> = store
        .session_expire(2_000)
        .await?
        .into_iter()
        .map(|session| session.id)
        .collect();
    assert_eq!(ended, ["s-3", "s-2"], "those that ended, each once");

    assert!(store.session_expire(2_000).await?.is_empty());
    store.session_delete("s-1").await?;
    assert!(is_missing(store.session_delete("s-1").await, "session"));

    store.session_insert(&session("s-4", "u-1", 9_000)).await?;
    store.user_delete(&UserId("u-1".into())).await?;
    assert!(
        is_missing(
            store.session_by_hash(&TokenHash::from_secret("s-4")).await,
            "session"
        ),
        "sessions go with their user"
    );

    assert!(
        is_missing(
            store.token_by_hash(&TokenHash::from_secret("k-2")).await,
            "token"
        ),
        "tokens go with their user"
    );

    Ok(())
}

/// Many at once ask for one address: one gets it.
async fn one_address_is_taken_once(store: Arc<dyn AccessStore>) -> Result<()> {
    let tasks: Vec<_> = (0..8)
        .map(|index| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .user_insert(&user(&format!("race-{index}"), "race@example.com", &[]))
                    .await
            })
        })
        .collect();

    let mut won = 0;
    for task in tasks {
        match task.await? {
            Ok(()) => won += 1,
            Err(AccessError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }

    assert_eq!(won, 1);
    Ok(())
}

/// The last active administrator is neither demoted, switched off nor removed, also when two try it
/// with each other at once.
async fn an_administrator_stays(store: Arc<dyn AccessStore>) -> Result<()> {
    let administrator = |id: &str| User {
        roles: vec![Role::Operator, Role::Administrator],
        ..user(id, &format!("{id}@example.com"), &[])
    };

    let demoted = |user: &User| User {
        roles: vec![Role::Operator],
        ..user.clone()
    };

    let (one, two) = (administrator("boss-1"), administrator("boss-2"));
    store.user_insert(&one).await?;
    store
        .user_insert(&User {
            active: false,
            ..administrator("boss-off")
        })
        .await?;

    assert!(
        is_conflict(&store.user_update(&one, &demoted(&one)).await),
        "one who is switched off does not count"
    );
    assert!(is_conflict(
        &store
            .user_update(
                &one,
                &User {
                    active: false,
                    ..one.clone()
                }
            )
            .await
    ));

    assert!(is_conflict(&store.user_delete(&one.id).await));
    assert_eq!(store.user_get(&one.id).await?, one);
    store.user_insert(&two).await?;

    for round in 0..20 {
        let each = [one.clone(), two.clone()].map(|leaving| {
            let (store, demoted) = (store.clone(), demoted(&leaving));
            tokio::spawn(async move {
                match round % 3 {
                    0 => store.user_update(&leaving, &demoted).await,
                    1 => {
                        store
                            .user_update(
                                &leaving,
                                &User {
                                    active: false,
                                    ..leaving.clone()
                                },
                            )
                            .await
                    }
                    _ => store.user_delete(&leaving.id).await,
                }
            })
        });
        let [first, second] = each;
        let stays = [is_conflict(&first.await?), is_conflict(&second.await?)];
        assert_eq!(
            stays.iter().filter(|stays| **stays).count(),
            1,
            "round {round}: exactly one stays"
        );
        let gone = if stays[0] { &two } else { &one };
        if round % 3 == 2 {
            store.user_insert(gone).await?;
        } else {
            store
                .user_update(&store.user_get(&gone.id).await?, gone)
                .await?;
        }
    }

    Ok(())
}
