//! Events of a log group on moto.

use jiff::Timestamp;
use reeve_testkit::moto::Moto;

use crate::{connection, open};

const REGION: &str = "us-east-1";

#[tokio::test]
async fn events_of_a_time_are_read() {
    let moto = Moto::start().await.unwrap();
    let now = Timestamp::now().as_millisecond();
    let events: Vec<(i64, String)> = (0..30)
        .map(|number| {
            (
                now - 60_000 + number * 1000,
                format!("2 1 eni-1 line {number}"),
            )
        })
        .collect();
    moto.log_events(REGION, "flows", &events).await.unwrap();

    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let (from, until) = (now - 60_000, now - 50_000);
    let (mut read, mut token) = (Vec::new(), None);
    loop {
        let page = aws
            .log_events(REGION, "flows", (from, until), token.as_deref())
            .await
            .unwrap();
        read.extend(page.messages);
        if page.next.is_none() {
            break;
        }
        token = page.next;
    }
    assert_eq!(read.len(), 10, "the end is exclusive: {read:?}");
    assert_eq!(read[9], "2 1 eni-1 line 9");

    let missing = aws.log_events(REGION, "nothing", (from, until), None).await;
    assert!(
        missing
            .unwrap_err()
            .message
            .contains("logs:FilterLogEvents")
    );
}
