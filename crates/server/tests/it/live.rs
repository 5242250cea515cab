//! Tests of the live view: new entries are streamed once and in order to everyone who may see them,
//! whatever happens to the stream.

use std::time::Duration;

use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::live::Live;
use reeve_testkit::service::{ADMIN_TOKEN, Service};
use serde_json::{Value, json};

const DEEDS: &str = "audit-logs/live?query=event_type:test.deed";

/// Appends numbered entries; the sequence of the last.
async fn append(api: &Api, numbers: std::ops::Range<usize>, padding: &str) -> u64 {
    let mut last = 0;
    let numbers: Vec<usize> = numbers.collect();

    for part in numbers.chunks(500) {
        let entries: Vec<Value> = part
            .iter()
            .map(|n| json!({ "event_type": "test.deed", "resource": { "id": format!("r-{n}") }, "metadata": { "padding": padding } }))
            .collect();
        let receipts = api.post("audit-logs", json!(entries)).await.expect(201);
        last = receipts.items().last().unwrap()["sequence"]
            .as_u64()
            .unwrap();
    }

    last
}

/// Reads the entries with these numbers; each arrives once, in order, and none is missing.
async fn reads(live: &mut Live, numbers: std::ops::Range<usize>) {
    for n in numbers {
        assert_eq!(live.entry().await["resource"]["id"], format!("r-{n}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_entries_are_streamed_and_opening_is_recorded_once() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    append(&admin, 0..5, "").await;
    let size = admin.size().await;
    let mut new = Live::open(&admin, DEEDS, &[]).await;
    assert_eq!(admin.size().await, size + 1, "opening is recorded once");

    let mut whole = Live::open(&admin, &format!("{DEEDS}&after=0"), &[]).await;
    let hello = whole.any().await.unwrap();
    assert_eq!(
        (hello.comment.as_deref(), hello.name.as_str()),
        (Some("live"), "")
    );
    append(&admin, 5..8, "").await;
    let _ = admin
        .post("audit-logs", json!({ "event_type": "test.other" }))
        .await
        .expect(201);
    append(&admin, 8..9, "").await;
    reads(&mut new, 5..9).await;
    reads(&mut whole, 0..9).await;
    let recorded = admin
        .get("audit-logs?query=event_type:audit.live")
        .await
        .expect(200);
    assert_eq!(
        recorded.body["total"], 2,
        "and nothing more, however much is recorded"
    );
    assert_eq!(
        recorded.items()[1]["metadata"]["request"],
        json!({ "query": "event_type:test.deed", "after": null })
    );
    assert_eq!(recorded.items()[0]["action"]["operation"], "open_live_view");

    // An event is the entry as everywhere else.
    append(&admin, 9..10, "").await;
    let streamed = new.entry().await;
    let read = admin
        .get(&format!(
            "audit-logs/{}",
            streamed["event_id"].as_str().unwrap()
        ))
        .await
        .expect(200);

    assert_eq!(streamed, read.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_goes_on_where_it_ended_across_seals_and_restarts() {
    let home = tempfile::tempdir().unwrap();
    let settings = [("REEVE_SEAL_AFTER_ENTRIES", "100")];
    let service = Service::serve(home.path(), &settings).unwrap();
    let admin = service.admin();
    let mut live = Live::open(&admin, DEEDS, &[]).await;
    append(&admin, 0..250, "").await;
    reads(&mut live, 0..200).await;
    let reached = live.entry().await["integrity"]["sequence"].to_string();
    drop(live);
    append(&admin, 250..700, "").await;
    assert!(service.stop().unwrap().0.success());

    let service = Service::serve(home.path(), &settings).unwrap();
    let admin = service.admin();
    append(&admin, 700..720, "").await;

    // The browser sends the address it began with; what it received last goes before it.
    let mut live = Live::open(
        &admin,
        &format!("{DEEDS}&after=1"),
        &[("last-event-id", &reached)],
    )
    .await;
    reads(&mut live, 201..720).await;

    append(&admin, 720..730, "").await;
    reads(&mut live, 720..730).await;

    // The service says when it goes, and goes.
    let stopping = tokio::task::spawn_blocking(move || service.stop().unwrap());
    assert_eq!(live.end().await.as_deref(), Some("stopping"));

    let (status, took) = stopping.await.unwrap();
    assert!(
        status.success() && took < Duration::from_secs(10),
        "{status} after {took:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_does_not_read_holds_up_nobody_and_misses_nothing() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "5000")]).unwrap();
    let admin = service.admin();
    let mut slow = Live::open(&admin, DEEDS, &[]).await;
    let mut quick = Live::open(&admin, DEEDS, &[]).await;
    let quick = tokio::spawn(async move {
        reads(&mut quick, 0..20_000).await;
        quick
    });

    // Some 60 MB of events: more than the ring of the log and the buffers of the connection hold.
    // Every append is taken.
    append(&admin, 0..20_000, &"x".repeat(2000)).await;
    let mut quick = quick.await.unwrap();
    append(&admin, 20_000..20_100, "").await;
    reads(&mut quick, 20_000..20_100).await;
    reads(&mut slow, 0..20_100).await;
    append(&admin, 20_100..20_101, "").await;
    reads(&mut slow, 20_100..20_101).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_with_what_its_reader_may_see() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let team = admin
        .post("teams", json!({ "name": "Platform" }))
        .await
        .expect(201)
        .text_at("/id");

    let (mira, manager) = admin
        .person("mira@acme.example", &["manager"], &[&team])
        .await;
    let (ada, reader) = admin
        .person("ada@acme.example", &["regular_user"], &[&team])
        .await;
    let deeds = |who: &str, marker: &str| json!({ "event_type": "test.deed", "actor": { "id": who }, "resource": { "id": marker } });
    let mut of_team = Live::open(&manager, "audit-logs/live", &[]).await;
    let mut own = Live::open(&reader, "audit-logs/live?after=0", &[]).await;
    let all = json!([
        deeds("stranger", "hidden"),
        deeds(&ada, "ada"),
        deeds(&mira, "mira"),
        deeds("stranger", "hidden")
    ]);
    let _ = admin.post("audit-logs", all).await.expect(201);

    let _ = admin
        .post("audit-logs", deeds(&ada, "last"))
        .await
        .expect(201);
    // Each sees their own opening of a live view, as any entry.
    assert_eq!(own.entry().await["event_type"], "audit.live");

    for (live, seen) in [
        (&mut of_team, &["ada", "mira", "last"][..]),
        (&mut own, &["ada", "last"]),
    ] {
        let mut received = Vec::new();
        while received.last().map(String::as_str) != Some("last") {
            let entry = live.entry().await;
            if entry["event_type"] == "test.deed" {
                received.push(entry["resource"]["id"].as_str().unwrap().to_owned());
            }
        }
        assert_eq!(received, seen);
        assert!(!live.read.contains("hidden"));
    }

    // A change of what one may see ends the stream within seconds; it can be opened anew, with what
    // one may see now.
    let _ = admin
        .patch(&format!("users/{ada}"), json!({ "teams": [] }))
        .await
        .expect(200);
    assert_eq!(of_team.end().await.as_deref(), Some("signed_out"));

    let mut of_team = Live::open(&manager, "audit-logs/live", &[]).await;
    let _ = admin
        .post(
            "audit-logs",
            json!([deeds(&ada, "gone"), deeds(&mira, "still")]),
        )
        .await
        .expect(201);

    assert_eq!(of_team.entry().await["resource"]["id"], "still");

    let _ = admin
        .patch(
            &format!("users/{mira}"),
            json!({ "roles": ["regular_user"] }),
        )
        .await
        .expect(200);

    assert_eq!(of_team.end().await.as_deref(), Some("signed_out"));

    // So does the end of a token, or of its user.
    let tokens = reader.get("tokens").await.expect(200);
    let token = tokens.items()[0]["id"].as_str().unwrap();
    let _ = admin.delete(&format!("tokens/{token}")).await.expect(204);
    assert_eq!(own.end().await.as_deref(), Some("signed_out"));

    let _ = reader
        .get("audit-logs/live")
        .await
        .problem(401, "unauthenticated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_a_browser_is_enough_and_ends_the_stream_when_it_ends() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let signed_in = service
        .nobody()
        .post("sessions", json!({ "token": ADMIN_TOKEN }))
        .await
        .expect(201);

    let cookie = signed_in.headers["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let mut live = Live::open(&service.nobody(), DEEDS, &[("cookie", &cookie)]).await;

    append(&admin, 0..1, "").await;
    reads(&mut live, 0..1).await;
    let headers = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let out = service
        .nobody()
        .send_with("DELETE", "sessions/current", &headers, None, Vec::new())
        .await;
    assert_eq!(out.status, 204, "{}", out.text);
    assert_eq!(live.end().await.as_deref(), Some("signed_out"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_live_views_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let size = admin.size().await;
    let wrong = admin
        .get(&format!("audit-logs/live?query={}", encoded("é usr:x")))
        .await
        .problem(422, "invalid_query");
    assert_eq!(
        (
            &wrong.body["position"],
            wrong.text_at("/part"),
            wrong.text_at("/hint")
        ),
        (&json!(2), "usr".into(), "did you mean user?".into())
    );

    let wrong = admin
        .get("audit-logs/live?from=3")
        .await
        .problem(422, "invalid_fields");
    assert_eq!(wrong.text_at("/errors/0/field"), "from");

    let wrong = admin
        .get(&format!("audit-logs/live?after={size}"))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(wrong.text_at("/errors/0/field"), "after");

    for id in ["-1", "x", "99999999999999999999", "4096"] {
        let wrong = admin
            .send_with(
                "GET",
                "audit-logs/live",
                &[("last-event-id", id)],
                None,
                Vec::new(),
            )
            .await;
        assert_eq!(
            wrong
                .problem(422, "invalid_fields")
                .text_at("/errors/0/field"),
            "Last-Event-ID",
            "{id}"
        );
    }

    assert_eq!(admin.size().await, size, "what was refused was not opened");

    // Ten at once for everybody; a closed one makes room.
    let (_, reader) = admin
        .person("ada@acme.example", &["regular_user"], &[])
        .await;
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(Live::open(&reader, "audit-logs/live", &[]).await);
    }

    let refused = reader
        .get("audit-logs/live")
        .await
        .problem(429, "too_many_requests");
    assert_eq!(refused.headers["retry-after"], "5");

    let _others = Live::open(&admin, "audit-logs/live", &[]).await;
    open.pop();
    let again = || async {
        let answer = reader.ask("audit-logs/live", &[]).await.unwrap();
        (answer.status() == 200).then_some(())
    };

    until("a closed stream makes room", Duration::from_secs(20), again).await;
}
