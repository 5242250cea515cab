//! Splunk's collector: codes, acknowledgements, losses, limits.

use std::time::Duration;

use reeve_connect_streams::{SplunkSink, client};
use reeve_streams::{Acked, SendError, StreamFormat, StreamSink as _};

use crate::hec::{Behavior, Hec, TOKEN};
use crate::{local, records};

fn sink(url: &str, token: &str) -> SplunkSink {
    let outbound = client(local());
    SplunkSink::new(
        outbound,
        url,
        "reeve:audit",
        Some("main"),
        StreamFormat::Json,
        token,
    )
    .unwrap()
    .with_patience(Duration::from_millis(700))
}

#[tokio::test]
async fn events_arrive_in_order_with_time_source_type_and_index() {
    let hec = Hec::start(Behavior::default()).await;
    // However the address is given.
    for path in ["", "/", "/services/collector", "/services/collector/event"] {
        let taken = sink(&format!("{}{path}", hec.url), TOKEN)
            .send(&records(5, 3, 10))
            .await;
        assert_eq!(taken, Ok(Acked { through: 7 }), "{path:?}");
    }
    hec.with(|collected| {
        assert_eq!(collected.events.len(), 12);
        let first = &collected.events[0];
        assert_eq!(first["time"].to_string(), "1800000000.007");
        assert_eq!(first["sourcetype"], "reeve:audit");
        assert_eq!(first["index"], "main");
        assert_eq!(first["event"]["event_id"], "entry-5");
    });
}

#[tokio::test]
async fn other_formats_are_texts() {
    let hec = Hec::start(Behavior::default()).await;
    let sink = SplunkSink::new(
        client(local()),
        &hec.url,
        "cef",
        None,
        StreamFormat::Cef,
        TOKEN,
    );
    sink.unwrap().send(&records(0, 1, 3)).await.unwrap();
    hec.with(|collected| {
        let event = &collected.events[0];
        assert!(event["event"].as_str().unwrap().contains("entry-0"));
        assert!(event.get("index").is_none());
    });
}

#[tokio::test]
async fn a_large_window_is_several_requests_and_one_confirmation() {
    let hec = Hec::start(Behavior {
        acknowledges: true,
        ..Behavior::default()
    })
    .await;
    let taken = sink(&hec.url, TOKEN).send(&records(0, 40, 100_000)).await;
    assert_eq!(taken, Ok(Acked { through: 39 }));
    hec.with(|collected| {
        assert_eq!(collected.requests, 5, "of at most a megabyte each");
        assert_eq!(collected.channels.len(), 1);
    });
    assert_eq!(hec.event_ids().len(), 40);
}

#[tokio::test]
async fn what_is_taken_and_lost_is_sent_again_on_another_channel() {
    let hec = Hec::start(Behavior {
        acknowledges: true,
        loses: 1,
        ..Behavior::default()
    })
    .await;
    let sink = sink(&hec.url, TOKEN);
    let batch = records(0, 2, 10);
    let lost = sink.send(&batch).await.unwrap_err();
    assert!(
        matches!(&lost, SendError::Passing { message, .. } if message.contains("not acknowledged")),
        "{lost:?}"
    );
    assert_eq!(sink.send(&batch).await, Ok(Acked { through: 1 }));
    assert_eq!(hec.event_ids(), ["entry-0", "entry-1"]);
    hec.with(|collected| assert_eq!(collected.channels.len(), 2));
}

#[tokio::test]
async fn an_error_of_the_acknowledgement_interface_acknowledges_nothing() {
    let hec = Hec::start(Behavior {
        acknowledges: true,
        ack_fails: true,
        ..Behavior::default()
    })
    .await;
    let failed = sink(&hec.url, TOKEN).send(&records(0, 1, 10)).await;
    assert!(
        matches!(failed, Err(SendError::Passing { .. })),
        "{failed:?}"
    );
}

#[tokio::test]
async fn what_stands_before_a_refused_event_counts() {
    let hec = Hec::start(Behavior {
        poison: Some("entry-25\"".to_owned()),
        ..Behavior::default()
    })
    .await;
    let sink = sink(&hec.url, TOKEN);
    let batch = records(0, 40, 100_000);
    // Nine events fit into a request; the third request has the refused one.
    assert_eq!(sink.send(&batch).await, Ok(Acked { through: 17 }));
    let refused = sink.send(&batch[18..]).await.unwrap_err();
    assert!(
        matches!(&refused, SendError::Refused { index: Some(7), message } if message.contains("code 6")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn wrong_settings_need_a_person_and_a_busy_collector_needs_time() {
    let hec = Hec::start(Behavior::default()).await;
    let batch = records(0, 1, 10);
    let wrong = sink(&hec.url, "wrong-token")
        .send(&batch)
        .await
        .unwrap_err();
    assert_eq!(wrong, SendError::configuration("code 4: Invalid token"));

    hec.with(|collected| collected.behavior.lies = true);
    let lie = sink(&hec.url, TOKEN).send(&batch).await.unwrap_err();
    assert_eq!(lie, SendError::configuration("code 7: Incorrect index"));

    hec.with(|collected| {
        collected.behavior = Behavior {
            busy: 1,
            ..Behavior::default()
        };
    });
    let busy = sink(&hec.url, TOKEN).send(&batch).await.unwrap_err();
    assert_eq!(busy, SendError::passing("code 9: Server is busy"));

    let nowhere = sink("http://127.0.0.1:1", TOKEN).send(&batch).await;
    assert!(
        matches!(nowhere, Err(SendError::Passing { .. })),
        "{nowhere:?}"
    );
    let inside = sink("http://10.0.0.1:8088", TOKEN).send(&batch).await;
    assert!(
        matches!(inside, Err(SendError::Configuration { .. })),
        "{inside:?}"
    );
}
