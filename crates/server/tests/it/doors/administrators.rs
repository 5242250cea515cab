//! Tests that an administrator always has access: the last administrator stays, and the token of
//! the environment restores access.

use reeve_testkit::service::ADMIN_TOKEN;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_who_demote_each_other_leave_one() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let first = service.admin();
    let first_id = first
        .get("sessions/current")
        .await
        .expect(200)
        .text_at("/id");

    for round in 0..10 {
        let (second_id, second) = first
            .person(&format!("b{round}@acme.example"), &["administrator"], &[])
            .await;
        let demoted = || json!({ "roles": ["regular_user"] });
        let (paths, body) = (
            [format!("users/{second_id}"), format!("users/{first_id}")],
            demoted(),
        );
        let (one, other) = tokio::join!(
            first.patch(&paths[0], body.clone()),
            second.patch(&paths[1], body)
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert!(
            statuses == [200, 409] || statuses == [200, 403],
            "round {round}: {statuses:?}"
        );
        if other.status == 200 {
            let _ = second
                .patch(&paths[1], json!({ "roles": ["administrator"] }))
                .await
                .expect(200);
            let _ = first.delete(&paths[0]).await.expect(204);
        }
        // One success each for what was done, none for what was not.
        let query = format!("event_type:user.modify action.status:success resource.id:{second_id}");
        let done = first
            .post("audit-logs/search", json!({ "query": query }))
            .await
            .expect(200);
        assert_eq!(done.body["total"], u64::from(one.status == 200));
    }

    let last = first
        .patch(&format!("users/{first_id}"), json!({ "active": false }))
        .await;
    let _ = last.problem(409, "conflict");
    let _ = first
        .delete(&format!("users/{first_id}"))
        .await
        .problem(409, "conflict");
}

#[tokio::test]
async fn the_token_of_the_environment_is_the_way_back_in() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let first = service.admin();
    let first_id = first
        .get("sessions/current")
        .await
        .expect(200)
        .text_at("/id");

    let (second_id, second) = first
        .person("second@acme.example", &["administrator"], &[])
        .await;
    let demoted = json!({ "roles": ["regular_user"], "active": false });
    let _ = second
        .patch(&format!("users/{first_id}"), demoted)
        .await
        .expect(200);
    let _ = first.get("users").await.problem(401, "unauthenticated");
    assert!(service.stop().unwrap().0.success());

    let service = Service::serve(home.path(), &[("REEVE_ADMIN_TOKEN", ADMIN_TOKEN)]).unwrap();
    let admin = service.admin();
    let _ = admin.get("users").await.expect(200);
    assert_eq!(
        admin
            .get("sessions/current")
            .await
            .expect(200)
            .text_at("/id"),
        second_id,
        "for one who administers"
    );

    let first = admin.get(&format!("users/{first_id}")).await.expect(200);
    assert_eq!(
        (&first.body["active"], &first.body["roles"]),
        (&json!(false), &json!(["regular_user"])),
        "not given back"
    );

    let query = "event_type:token.create action.status:success actor.type:system";
    let recorded = admin
        .post("audit-logs/search", json!({ "query": query }))
        .await
        .expect(200);
    assert_eq!(
        recorded.body["total"], 2,
        "each time the token was made is recorded"
    );
}
