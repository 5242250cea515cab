//! The load of a real PostgreSQL over the interface: waits, statements with their plans, advice with
//! figures before and after, and the history of a change. No answer has a value of the workload.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{EMULATORS, Service};
use serde_json::{Value, json};

use crate::account::{applied, findings_of};
use crate::audit_scope::{ELSEWHERE, limited};
use crate::db_advice::{KEEPER, connected_as, planned, seeded, verdict};

const PATIENCE: Duration = Duration::from_secs(120);
const OFTEN: (&str, &str) = ("REEVE_DATABASES_EVERY_S", "1");

/// A value that no answer may have.
const SECRET: &str = "open sesame 4711";

/// Path of a resource whose identifier is an address.
fn path_of(endpoint: &str) -> String {
    let id = endpoint.replace('%', "%25").replace(':', "%3A");
    format!("databases/{}", id.replace('/', "%2F"))
}

fn work() -> String {
    let select = |number| format!("SELECT id, note FROM orders WHERE customer_id = {number};");
    (0..60).map(select).collect()
}

fn named<'v>(values: &'v Value, name: &str, text: &str) -> Option<&'v Value> {
    let mut values = values.as_array()?.iter();
    values.find(|one| one[name].as_str().is_some_and(|found| found.contains(text)))
}

async fn optimizer(admin: &Api) -> Vec<Value> {
    let agent = json!({
        "agent_type": "db_optimizer", "name": "Databases", "mode": "safe_mode", "learning_period": "14d",
        "confidence_threshold": "50%", "auto_apply": { "enabled": false }, "reason": "people sign each change",
    });
    let agent = admin.post("intelligence/agents", agent).await.expect(201);
    findings_of(admin, &agent.text_at("/id"), PATIENCE).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_load_of_a_database_has_its_waits_statements_plans_and_changes() {
    let Some((server, endpoint, url)) = seeded().await else {
        return;
    };
    let owner = format!("CREATE ROLE keeper LOGIN SUPERUSER PASSWORD '{KEEPER}'");
    server.execute(&url, &owner).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[EMULATORS, OFTEN]).unwrap();
    let admin = service.admin();
    let connection = connected_as(&admin, &endpoint, ("keeper", KEEPER), true).await;
    let path = path_of(&endpoint);

    // Somebody holds a lock for which somebody else waits.
    let holding = server.execute(
        &url,
        "BEGIN; LOCK TABLE orders; SELECT pg_sleep(12); COMMIT",
    );
    let waiting = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.execute(&url, "SELECT count(*) FROM orders").await
    };
    let (held, waited) = tokio::join!(holding, waiting);
    held.unwrap();
    waited.unwrap();
    let load = until("the lock is seen", PATIENCE, || async {
        let load = admin.get(&format!("{path}?hours=1")).await.expect(200).body;
        named(&load["waits"], "name", "Lock:relation")?;
        Some(load)
    })
    .await;
    assert_eq!(
        load["database"]["reading"]["engine"], "PostgreSQL",
        "{load:#}"
    );
    let waits = load["waits"].as_array().unwrap();
    let point = &load["points"][0];
    assert_eq!(point["sessions"].as_array().unwrap().len(), waits.len());
    assert!(waits[0]["sessions"].as_f64().unwrap() > 0.0, "{load:#}");

    // Statements, with the values of a utility statement masked.
    let utility = format!("ALTER ROLE watcher PASSWORD '{SECRET}'");
    let statement = until("the statement has a plan", PATIENCE, || async {
        server.execute(&url, &work()).await.unwrap();
        server.execute(&url, &utility).await.unwrap();
        let queries = admin.get(&format!("{path}/queries?hours=1")).await;
        let queries = queries.expect(200);
        assert!(!queries.text.contains(SECRET), "{}", queries.text);
        named(
            &queries.body["items"],
            "text",
            "ALTER ROLE watcher PASSWORD ?",
        )?;
        let of_orders = named(&queries.body["items"], "text", "WHERE customer_id = $1")?;
        of_orders["plan_taken_at"]
            .is_string()
            .then(|| of_orders.clone())
    })
    .await;
    assert!(
        statement["calls"].as_f64().unwrap() >= 60.0,
        "{statement:#}"
    );
    assert!(
        statement["mean_ms"].as_f64().unwrap() > 0.0,
        "{statement:#}"
    );
    assert!(
        statement["blocks_hit"].as_f64().unwrap() > 0.0,
        "{statement:#}"
    );
    assert!(!statement["trend"].as_array().unwrap().is_empty());
    let id = statement["id"].as_str().unwrap();
    let plan = admin.get(&format!("{path}/queries/{id}/plan")).await;
    let plan = plan.expect(200).body;
    assert_eq!(plan["root"]["operation"], "Seq Scan", "{plan:#}");
    assert_eq!(plan["root"]["table"], "orders");
    assert_eq!(plan["root"]["details"][0]["text"], "(customer_id = $1)");

    // Advice with its figure, and the change with its verified effect.
    let before = admin.get(&format!("{path}/advice")).await.expect(200).body;
    assert_eq!(
        (&before["total"], &before["has_agent"]),
        (&json!(0), &json!(false))
    );
    let guardrails = json!({ "verification": { "window": "15s" }, "cool_down": "0m" });
    let _ = admin
        .put("intelligence/guardrails", guardrails)
        .await
        .expect(200);
    let found = optimizer(&admin).await;
    let advice = admin.get(&format!("{path}/advice")).await.expect(200).body;
    let missing = named(&advice["items"], "rule", "missing_index").unwrap();
    let effect = &missing["effect"];
    assert_eq!(effect["unit"], "planner_cost", "{missing:#}");
    assert!(
        effect["before"].as_f64() > effect["after"].as_f64(),
        "{effect}"
    );

    let action = applied(&admin, planned(&found, "create_index", "orders")).await;
    server.execute(&url, &work()).await.unwrap();
    let _ = verdict(&admin, &action).await;
    let advice = admin.get(&format!("{path}/advice")).await.expect(200).body;
    let change = &advice["history"][0];
    assert_eq!(change["id"], action, "{advice:#}");
    assert_eq!(
        (&change["status"], &change["verdict"]),
        (&json!("succeeded"), &json!("holds"))
    );
    let detail = change["verdict_detail"].as_str().unwrap();
    assert!(
        detail.contains("60 calls of its statements took"),
        "{detail}"
    );

    // Outside of a caller's scope there is no such database.
    let account = connection["account"].as_str().unwrap();
    let inside = limited(&admin, "in@acme.example", json!({ "accounts": [account] })).await;
    let outside = limited(
        &admin,
        "out@acme.example",
        json!({ "accounts": [ELSEWHERE] }),
    )
    .await;
    assert_eq!(inside.get("databases").await.expect(200).body["total"], 1);
    assert_eq!(outside.get("databases").await.expect(200).body["total"], 0);
    for further in ["", "/queries", "/advice", &format!("/queries/{id}/plan")] {
        let _ = inside.get(&format!("{path}{further}")).await.expect(200);
        let _ = outside.get(&format!("{path}{further}")).await.expect(404);
    }
}
