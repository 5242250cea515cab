//! `kill -9` in the middle of evaluation: no firing is lost and none doubled, in the list and in
//! the log.

use reeve_testkit::service::Service;
use serde_json::json;

use super::{PATH, fail, firings, rule};

const ROUNDS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_neither_loses_nor_doubles_a_firing() {
    let home = tempfile::tempdir().unwrap();
    let mut service = Service::serve(home.path(), &[]).unwrap();
    let id = service
        .admin()
        .post(PATH, rule())
        .await
        .expect(201)
        .text_at("/id");

    for round in 0..ROUNDS {
        let admin = service.admin();
        // Part of a burst before the kill, the rest after it, and another burst whose firing the
        // kill may interrupt anywhere.
        fail(&admin, &format!("split-{round}@acme.example"), 3).await;
        fail(&admin, &format!("whole-{round}@acme.example"), 5).await;
        if round % 2 == 0 {
            firings(&admin, &id, 2 * round + 1, 5 * (2 * round as u64 + 1)).await;
        }
        service.kill().unwrap();
        service = Service::serve(home.path(), &[]).unwrap();
        fail(&service.admin(), &format!("split-{round}@acme.example"), 2).await;
        firings(
            &service.admin(),
            &id,
            2 * round + 2,
            5 * (2 * round as u64 + 2),
        )
        .await;
    }

    let admin = service.admin();
    let number = 2 * ROUNDS;
    let found = firings(&admin, &id, number, 5 * number as u64).await;
    let groups: std::collections::BTreeSet<_> = found
        .iter()
        .map(|firing| firing["group"].to_string())
        .collect();
    assert_eq!(groups.len(), number, "each burst fired once");

    let recorded =
        reeve_testkit::http::until("the entries of the firings", super::PATIENCE, || async {
            let search = json!({ "query": "event_type:audit.alert.fire", "limit": 1000 });
            let answer = admin.post("audit-logs/search", search).await.expect(200);
            (answer.items().len() >= number).then_some(answer)
        })
        .await;

    assert_eq!(recorded.items().len(), number, "each is recorded once");
}
