//! Wrong keys, missing permissions, roles, and endpoints that do not answer.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws::AwsConnection;
use reeve_estate::{
    Act, ActErrorKind, Metric, Mutation, Observe, ObserveErrorKind, ResourceKind, SampleQuery,
};
use reeve_testkit::moto::Moto;

use crate::strict::{Script, Strict};
use crate::{by_id, connection, emulators, key, open};

/// Policy for everything that Reeve reads, except databases and metrics.
const SOME: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*","Action":
    ["ec2:Describe*","s3:*","elasticloadbalancing:Describe*","autoscaling:Describe*","sts:*"]}]}"#;
const NOTHING: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Resource":"*","Action":["sts:*"]}]}"#;

#[tokio::test]
async fn a_wrong_key_is_distinguished_from_a_missing_permission() {
    let moto = Moto::start().await.unwrap();
    let web = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);

    moto.database("us-east-1", "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let (id, secret) = moto.user("reader", SOME).await.unwrap();
    let role = moto.role("observer", SOME).await.unwrap();
    moto.enforce_keys().await.unwrap();

    for (id, secret) in [("AKIAUNKNOWN", "x"), (id.as_str(), "wrong")] {
        let mut wrong = connection(moto.endpoint(), &["us-east-1"]);
        wrong.credentials = key(id, secret);
        let aws = open(&wrong).await;
        let error = aws.inventory().await.unwrap_err();
        assert_eq!(error.kind, ObserveErrorKind::Unauthenticated, "{error}");
        assert!(
            error.message.contains("access key") && error.message.contains(moto.endpoint()),
            "{error}"
        );
        assert!(
            !error.message.contains(secret) || secret == "x",
            "the secret is in the message"
        );
        assert_eq!(
            aws.identity().await.unwrap_err().kind,
            ObserveErrorKind::Unauthenticated
        );
    }

    let mut partial = connection(moto.endpoint(), &["us-east-1"]);
    partial.credentials = key(&id, &secret);
    let aws = open(&partial).await;
    let seen = aws.inventory().await.unwrap();
    let denied: Vec<_> = seen
        .denied
        .iter()
        .map(|d| (d.permission.as_str(), d.region.as_str()))
        .collect();

    assert_eq!(
        denied,
        [("rds:DescribeDBInstances", "us-east-1")],
        "{:?}",
        seen.problems
    );

    assert!(
        !seen.complete.contains(&ResourceKind::Database)
            && seen.complete.contains(&ResourceKind::VirtualMachine)
    );

    let machine = by_id(&seen, &web);

    let end = Timestamp::now();
    let start = end - SignedDuration::from_hours(1);
    let query = SampleQuery {
        resource: machine.clone(),
        metrics: vec![Metric::CpuUtilization],
        start,
        end,
    };
    let batch = aws.samples(&[query]).await.unwrap();
    assert_eq!(batch.denied[0].permission, "cloudwatch:GetMetricData");

    let error = aws.apply(machine, &Mutation::Stop).await.unwrap_err();
    assert_eq!(error.kind, ActErrorKind::Denied);

    assert!(error.message.contains("ec2:StopInstances"), "{error}");

    let mut assuming = partial.clone();
    assuming.assume_role = Some(role);
    assuming.external_id = Some("reeve-7".into());
    let seen = open(&assuming).await.inventory().await.unwrap();
    assert!(seen.resources.iter().any(|r| r.id.as_str() == web));
}

#[tokio::test]
async fn a_role_that_may_not_be_assumed_is_a_matter_of_credentials() {
    // moto lets anyone assume a role that does not exist.
    let denied = Script {
        failures: usize::MAX,
        status: 403,
        code: "AccessDenied",
        success: String::new(),
    };
    let strict = Strict::start(&[("AssumeRole", denied)]).await;
    let mut assuming = connection(&strict.endpoint, &["us-east-1"]);
    assuming.assume_role = Some("arn:aws:iam::123456789012:role/observer".into());

    let error = open(&assuming).await.inventory().await.unwrap_err();
    assert_eq!(error.kind, ObserveErrorKind::Unauthenticated, "{error}");
    assert!(
        error.message.contains("AccessDenied") && error.message.contains("role"),
        "{error}"
    );
}

#[tokio::test]
async fn a_key_that_may_nothing_lists_everything_as_denied() {
    let moto = Moto::start().await.unwrap();
    let (id, secret) = moto.user("nobody", NOTHING).await.unwrap();
    moto.enforce_keys().await.unwrap();
    let mut connection = connection(moto.endpoint(), &["us-east-1", "eu-west-1"]);
    connection.credentials = key(&id, &secret);
    let seen = open(&connection).await.inventory().await.unwrap();
    assert_eq!((seen.resources.len(), seen.complete.len()), (0, 0));

    for permission in [
        "ec2:DescribeInstances",
        "ec2:DescribeVolumes",
        "rds:DescribeDBInstances",
        "elasticloadbalancing:DescribeLoadBalancers",
        "autoscaling:DescribeAutoScalingGroups",
    ] {
        let regions: Vec<_> = seen
            .denied
            .iter()
            .filter(|d| d.permission == permission)
            .map(|d| d.region.as_str())
            .collect();
        assert_eq!(regions, ["eu-west-1", "us-east-1"], "{permission}");
    }

    assert!(
        seen.denied
            .iter()
            .any(|d| d.permission == "s3:ListAllMyBuckets")
    );
}

#[tokio::test]
async fn a_dead_endpoint_is_named_with_its_cause_within_ten_seconds() {
    // A port that nobody listens on, and one that takes connections and never answers.
    let closed = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();

    for address in [closed, silent.local_addr().unwrap()] {
        let endpoint = format!("http://{address}");
        // Opened as the server opens it: the usual patience, not a test's.
        let aws = AwsConnection::open(&connection(&endpoint, &["us-east-1"]), &emulators())
            .await
            .unwrap();
        let begun = Instant::now();
        let error = aws.inventory().await.unwrap_err();
        assert!(
            begun.elapsed() < Duration::from_secs(11),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(error.kind, ObserveErrorKind::Unreachable, "{error}");
        assert!(error.message.contains(&endpoint), "{error}");
    }

    let refused = AwsConnection::open(
        &connection(&format!("http://{closed}"), &["us-east-1"]),
        &emulators(),
    )
    .await
    .unwrap();
    let error = refused.identity().await.unwrap_err();
    assert!(error.message.contains("refused"), "{error}");

    let mut assuming = connection(&format!("http://{closed}"), &["us-east-1"]);
    assuming.assume_role = Some("arn:aws:iam::123456789012:role/observer".into());

    let begun = Instant::now();
    let error = AwsConnection::open(&assuming, &emulators())
        .await
        .unwrap()
        .identity()
        .await
        .unwrap_err();

    assert!(
        begun.elapsed() < Duration::from_secs(11),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(error.kind, ObserveErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn a_connection_that_cannot_work_is_not_opened() {
    let mut nowhere = connection("http://127.0.0.1:1", &[]);
    assert!(
        AwsConnection::open(&nowhere, &emulators())
            .await
            .unwrap_err()
            .message
            .contains("region")
    );

    nowhere.regions = vec!["us-east-1".into()];
    nowhere.endpoint = Some("127.0.0.1:1".into());
    assert!(
        AwsConnection::open(&nowhere, &emulators())
            .await
            .unwrap_err()
            .message
            .contains("127.0.0.1:1")
    );
}
