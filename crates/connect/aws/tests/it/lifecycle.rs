//! Lifecycle configurations: what a change of Reeve puts in the place of one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::IntoResponse as _;
use reeve_connect_aws_ec2::Place;
use reeve_estate::{Act as _, ConnectionId, ResourceKind};
use reeve_recommend::change::{LifecycleOperation, LifecycleRule};

use crate::strict::IDENTITY;
use crate::{connection, open};

const LEAST_SIZE: &str = "x-amz-transition-default-minimum-object-size";
const BEFORE: &str = "<LifecycleConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule><ID>cold</ID><Filter><And>\
    <Prefix>a&amp;b/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter><Status>Enabled</Status><Transition><Days>30</Days>\
    <StorageClass>GLACIER</StorageClass></Transition></Rule></LifecycleConfiguration>";

/// Header of the least size and body of each configuration that was put.
type Puts = Arc<Mutex<Vec<(Option<String>, String)>>>;

/// A bucket of before September 2024: objects of any size move to GLACIER, as its configuration's
/// header says.
async fn old_bucket(puts: Puts) -> String {
    let answer = move |method: Method, uri: Uri, headers: HeaderMap, body: String| {
        let is_lifecycle = uri.query() == Some("lifecycle");
        let answer = match method {
            Method::GET if is_lifecycle => {
                ([(LEAST_SIZE, "varies_by_storage_class")], BEFORE).into_response()
            }
            Method::PUT if is_lifecycle => {
                let size = headers
                    .get(LEAST_SIZE)
                    .map(|size| size.to_str().unwrap().to_owned());
                puts.lock().unwrap().push((size, body));
                "".into_response()
            }
            _ => IDENTITY.into_response(),
        };
        async move { answer }
    };

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });

    endpoint
}

#[tokio::test]
async fn a_rule_more_leaves_the_other_rules_and_their_least_size_as_they_are() {
    let puts = Puts::default();
    let aws = open(&connection(&old_bucket(puts.clone()).await, &["us-east-1"])).await;
    let (region, account) = ("us-east-1".to_owned(), "1".to_owned());
    let place = Place {
        connection: ConnectionId("test".into()),
        account,
        region,
        endpoint: None,
    };
    let bucket = place.resource(ResourceKind::Bucket, "s3", "logs", BTreeMap::new());

    aws.apply(
        &bucket,
        &LifecycleOperation::Add(LifecycleRule::AbortUploads { days: 7 }),
    )
    .await
    .unwrap();

    let (size, body) = puts.lock().unwrap().pop().unwrap();
    assert_eq!(size.as_deref(), Some("varies_by_storage_class"));

    let own = body.find("<Rule><ID>reeve-abort-uploads</ID>").unwrap();
    assert!(
        body.starts_with(&BEFORE[..own]),
        "the rule of others stays to the letter: {body}"
    );
}
