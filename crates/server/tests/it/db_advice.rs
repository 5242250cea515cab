//! `db_optimizer` on a real PostgreSQL: from a login that may only read to findings of an index, a
//! setting and a table; and the same judgement by `reeve analyze database`.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::postgres::{PASSWORD, Postgres, USER};
use reeve_testkit::service::{EMULATORS, Service, reeve};
use serde_json::{Value, json};

use crate::account::{applied, findings_of};

const PATIENCE: Duration = Duration::from_secs(120);

/// Password of the login that may change the database.
pub(crate) const KEEPER: &str = "keeping carefully";

const SCHEMA: &str = "
    CREATE EXTENSION pg_stat_statements;
    CREATE TABLE orders (id int, customer_id int NOT NULL, status text NOT NULL, note text);
    INSERT INTO orders SELECT n, n % 5000, 'status ' || n % 5, repeat('x', 60) FROM generate_series(1, 60000) n;
    CREATE INDEX orders_status ON orders (status);
    CREATE INDEX orders_status_again ON orders (status);
    ANALYZE;
    CREATE ROLE watcher LOGIN PASSWORD 'watching closely' IN ROLE pg_monitor, pg_read_all_data;
";

/// A server with a workload; the address of its database, and its URL for the owner.
pub(crate) async fn seeded() -> Option<(Postgres, String, String)> {
    let server =
        Postgres::start_with(&["-c shared_preload_libraries=pg_stat_statements"]).unwrap()?;
    let url = server.database().await.unwrap();
    server.execute(&url, SCHEMA).await.unwrap();
    let work: String = (0..60)
        .map(|number| format!("SELECT id, note FROM orders WHERE customer_id = {number};"))
        .collect();
    server.execute(&url, &work).await.unwrap();
    let endpoint = format!("postgres://{}/test_0", server.authority());
    Some((server, endpoint, url))
}

fn rules(advice: &[Value], rule: &str) -> Vec<String> {
    let of_rule = advice.iter().filter(|one| one["rule"] == rule);
    of_rule
        .map(|one| one["object"].as_str().unwrap().to_owned())
        .collect()
}

async fn connected(admin: &Api, endpoint: &str) -> Value {
    connected_as(admin, endpoint, ("watcher", "watching closely"), false).await
}

pub(crate) async fn connected_as(
    admin: &Api,
    endpoint: &str,
    (user, password): (&str, &str),
    allow_actions: bool,
) -> Value {
    let body = json!({
        "name": "shop", "provider": "database", "endpoint": endpoint,
        "login": { "user": user, "password": password }, "allow_actions": allow_actions,
    });
    let created = admin.post("connections", body).await.expect(201);
    assert_eq!(created.body["credentials_kind"], "login");
    assert!(!created.text.contains(password), "{}", created.text);

    let path = format!("connections/{}", created.text_at("/id"));
    let tested = admin
        .post(&format!("{path}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["ok"], true, "{}", tested.text);
    let _ = admin.post(&format!("{path}/sync"), json!({})).await;
    until("the database is read", PATIENCE, || async {
        let now = admin.get(&path).await.expect(200).body;
        (now["status"] == "ready" && now["last_sync"].is_object()).then_some(now)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_leads_to_findings_of_its_indexes_settings_and_tables() {
    let Some((server, endpoint, url)) = seeded().await else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let connection = connected(&admin, &endpoint).await;

    // A login is not sent to another server.
    let path = format!("connections/{}", connection["id"].as_str().unwrap());
    let moved = json!({ "endpoint": "postgres://db.example.com:5432/shop" });
    let refused = admin.patch(&path, moved).await.expect(422);
    assert!(
        refused.text.contains("must be given again"),
        "{}",
        refused.text
    );

    let agent = json!({ "agent_type": "db_optimizer", "name": "Databases", "mode": "learning" });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let found = findings_of(&admin, &agent, PATIENCE).await;
    assert!(
        found.iter().all(|one| one["type"] == "database_tuning"),
        "{found:#?}"
    );
    // Shares of time are those of the machine.
    let titles = found.iter().map(|one| one["title"].as_str().unwrap());
    let mut titles: Vec<_> = titles
        .filter(|title| !title.starts_with("One statement takes"))
        .collect();
    titles.sort_unstable();
    assert_eq!(
        titles,
        [
            "Create an index on public.orders (customer_id)",
            "Drop the duplicate index orders_status",
            "Give orders a primary key",
            "Switch fsync on",
            "Switch full_page_writes on",
        ]
    );

    // What was followed is found no longer, and the finding ends.
    let create = "CREATE INDEX reeve_orders_customer_id ON orders (customer_id); ANALYZE orders";
    server.execute(&url, create).await.unwrap();
    let found = findings_of(&admin, &agent, PATIENCE).await;
    let of_index: Vec<_> = found
        .iter()
        .filter(|one| {
            one["title"]
                .as_str()
                .unwrap()
                .starts_with("Create an index")
        })
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert!(
        of_index.iter().all(|status| *status == "expired"),
        "{of_index:?}"
    );
}

/// The finding of a change on an index whose name or table holds a text.
pub(crate) fn planned<'f>(found: &'f [Value], change: &str, text: &str) -> &'f Value {
    let is_it = |one: &&Value| {
        one["plan"]["change"]["name"] == change
            && one["title"]
                .as_str()
                .is_some_and(|title| title.contains(text))
    };
    let one = found.iter().find(is_it);
    one.unwrap_or_else(|| panic!("{change} {text}: {found:#?}"))
}

async fn indexes(server: &Postgres, url: &str) -> Vec<String> {
    let query =
        "SELECT indexname::text FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname";
    server.texts(url, query).await.unwrap()
}

/// Waits for the verdict of the watch over a change.
pub(crate) async fn verdict(admin: &Api, action: &str) -> Value {
    let path = format!("intelligence/actions/{action}");
    until("the verdict", PATIENCE, || async {
        let action = admin.get(&path).await.expect(200).body;
        let verdict = action["watch"]["verdict"].as_str().unwrap_or_default();
        (!["", "watching"].contains(&verdict)).then_some(action)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_is_built_and_stays_where_it_helps_and_goes_where_nothing_uses_it() {
    let Some((server, endpoint, url)) = seeded().await else {
        return;
    };
    let owner = format!("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '{KEEPER}'");
    let more = "
        CREATE TABLE visits AS SELECT n AS id, n % 4000 AS page FROM generate_series(1, 50000) n;
        ANALYZE;";
    server.execute(&url, &owner).await.unwrap();
    server.execute(&url, more).await.unwrap();
    let visits: String = (0..60)
        .map(|number| format!("SELECT id FROM visits WHERE page = {number};"))
        .collect();
    server.execute(&url, &visits).await.unwrap();

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let _ = connected_as(&admin, &endpoint, ("keeper", KEEPER), true).await;
    let guardrails = json!({ "verification": { "window": "20s" }, "cool_down": "0m" });
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let agent = json!({
        "agent_type": "db_optimizer", "name": "Databases", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "50%", "auto_apply": { "enabled": false }, "reason": "people sign each change",
    });
    let agent = admin
        .post("intelligence/agents", agent)
        .await
        .expect(201)
        .text_at("/id");
    let found = findings_of(&admin, &agent, PATIENCE).await;

    // The index that its statements use stays; their times before and after are its evidence.
    let action = applied(&admin, planned(&found, "create_index", "orders")).await;
    assert!(
        indexes(&server, &url)
            .await
            .contains(&"reeve_orders_customer_id".to_owned())
    );
    let work: String = (0..60)
        .map(|number| format!("SELECT id, note FROM orders WHERE customer_id = {number};"))
        .collect();
    server.execute(&url, &work).await.unwrap();
    let judged = verdict(&admin, &action).await;
    assert_eq!(judged["watch"]["verdict"], "holds", "{judged:#}");
    let detail = judged["watch"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("60 calls of its statements took"),
        "{detail}"
    );

    // Nothing asks for pages any more: the other one is dropped again.
    let action = applied(&admin, planned(&found, "create_index", "visits")).await;
    let judged = verdict(&admin, &action).await;
    assert_eq!(judged["watch"]["verdict"], "degraded", "{judged:#}");
    let path = format!("intelligence/actions/{action}");
    until("the rollback has ended", PATIENCE, || async {
        let action = admin.get(&path).await.expect(200).body;
        (action["status"] == "rolled_back").then_some(())
    })
    .await;
    assert!(
        !indexes(&server, &url)
            .await
            .contains(&"reeve_visits_page".to_owned())
    );

    // A duplicate goes, and a person has it built again.
    let action = applied(&admin, planned(&found, "drop_index", "orders_status")).await;
    assert_eq!(
        indexes(&server, &url).await,
        ["orders_status_again", "reeve_orders_customer_id"]
    );
    let undo = format!("intelligence/actions/{action}/rollback");
    let _ = admin.post(&undo, json!({})).await.expect(202);
    until("the index is back", PATIENCE, || async {
        let back = indexes(&server, &url).await;
        back.contains(&"orders_status".to_owned()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_to_a_database_names_the_field_that_is_wrong() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS]).unwrap();
    let admin = service.admin();
    let login = json!({ "user": "watcher", "password": "secret words" });
    let endpoint = "postgres://db.example.com:5432/shop";
    for (field, body) in [
        ("endpoint", json!({ "login": login })),
        (
            "endpoint",
            json!({ "login": login, "endpoint": "https://db.example.com/shop" }),
        ),
        (
            "endpoint",
            json!({ "login": login, "endpoint": "postgres://db.example.com" }),
        ),
        (
            "endpoint",
            json!({ "login": login, "endpoint": "postgres://10.0.0.1/shop" }),
        ),
        (
            "endpoint",
            json!({ "login": login, "endpoint": "postgres://u:secret@db.example.com/shop" }),
        ),
        ("login", json!({ "endpoint": endpoint })),
        (
            "login.password",
            json!({ "endpoint": endpoint, "login": { "user": "watcher", "password": "" } }),
        ),
        (
            "assume_role",
            json!({ "endpoint": endpoint, "login": login, "assume_role": "arn:aws:iam::1:role/r" }),
        ),
    ] {
        let mut body = body;
        body["name"] = json!("shop");
        body["provider"] = json!("database");
        let refused = admin.post("connections", body).await.expect(422);
        assert!(
            refused.text.contains(&format!("\"{field}\"")),
            "{field}: {}",
            refused.text
        );
        assert!(!refused.text.contains("secret"), "{}", refused.text);
    }
    let foreign = json!({ "name": "acme", "provider": "aws", "login": login });
    let refused = admin.post("connections", foreign).await.expect(422);
    assert!(refused.text.contains("\"login\""), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn analyze_prints_the_advice_and_writes_nothing() {
    let Some((server, endpoint, url)) = seeded().await else {
        return;
    };
    let login = format!("watcher:{}@", "watching%20closely");
    let address = endpoint.replace("postgres://", &format!("postgres://{login}"));
    let ran = reeve(&["analyze", "database", &address, "--memory", "8GiB"]).unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("reading statements"), "{said}");
    assert!(said.contains("[critical] Switch fsync on"), "{said}");
    assert!(!said.contains("watching"), "{said}");

    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let advice = report["advice"].as_array().unwrap();
    assert_eq!(
        rules(advice, "missing_index"),
        ["public.orders (customer_id)"]
    );
    assert_eq!(rules(advice, "duplicate_index"), ["public.orders_status"]);
    let index = advice
        .iter()
        .find(|one| one["rule"] == "missing_index")
        .unwrap();
    let cost = &index["cost"];
    assert!(cost["before"].as_f64() > cost["after"].as_f64(), "{cost}");

    let quiet = reeve(&["analyze", "database", &address, "--json"]).unwrap();
    assert_eq!(String::from_utf8(quiet.stderr).unwrap(), "");
    let rows = server
        .execute(&url, "SELECT 1 FROM pg_indexes WHERE tablename = 'orders'")
        .await;
    assert_eq!(rows.unwrap(), 2);

    let wrong = endpoint.replace(
        "postgres://",
        &format!("postgres://{USER}:not-{}@", PASSWORD.len()),
    );
    let refused = reeve(&["analyze", "database", &wrong]).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("refused the user"), "{said}");
}
