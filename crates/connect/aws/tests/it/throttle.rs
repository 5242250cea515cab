//! Tests of throttling and of unanswered calls: temporary throttling is retried, lasting throttling
//! is reported, a change that may have happened is not repeated, and a listing that repeats its
//! pages ends.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws_ec2::Place;
use reeve_estate::{
    Act, ActErrorKind, ConnectionId, Metric, Mutation, Observe, ObserveErrorKind, Resource,
    ResourceKind, SampleQuery,
};

use crate::strict::{IDENTITY, Script, Strict};
use crate::{by_id, connection, open};

const FOREVER: usize = usize::MAX;

fn script(failures: usize, status: u16, code: &'static str, success: &str) -> Script {
    Script {
        failures,
        status,
        code,
        success: success.to_owned(),
    }
}

/// A page of DescribeInstances with one machine.
pub(crate) fn machines(next: &str) -> String {
    format!(
        r#"<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><reservationSet><item>
        <reservationId>r-1</reservationId><instancesSet><item><instanceId>i-1</instanceId><instanceType>m5.large</instanceType>
        <instanceState><code>16</code><name>running</name></instanceState><platformDetails>Linux/UNIX</platformDetails>
        <architecture>x86_64</architecture></item></instancesSet></item></reservationSet>{next}</DescribeInstancesResponse>"#
    )
}

pub(crate) fn machine() -> Resource {
    let place = Place {
        connection: ConnectionId("test".into()),
        account: "1".into(),
        region: "us-east-1".into(),
        endpoint: None,
    };
    place.resource(ResourceKind::VirtualMachine, "ec2", "i-1", BTreeMap::new())
}

#[tokio::test]
async fn throttling_that_passes_is_not_noticed() {
    let strict = Strict::start(&[
        ("GetCallerIdentity", script(2, 400, "Throttling", IDENTITY)),
        (
            "DescribeInstances",
            script(3, 503, "RequestLimitExceeded", &machines("")),
        ),
    ])
    .await;
    let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();

    assert_eq!(
        by_id(&seen, "i-1").specification.platform.as_deref(),
        Some("linux")
    );
    assert!(seen.complete.contains(&ResourceKind::VirtualMachine));
    assert_eq!(
        (
            strict.calls("GetCallerIdentity"),
            strict.calls("DescribeInstances")
        ),
        (3, 4)
    );

    assert!(
        seen.denied
            .iter()
            .any(|d| d.permission == "rds:DescribeDBInstances"),
        "the rest went on: {:?}",
        seen.denied
    );
}

#[tokio::test]
async fn throttling_without_end_is_reported_after_a_bounded_number_of_calls() {
    let strict = Strict::start(&[(
        "GetCallerIdentity",
        script(FOREVER, 400, "ThrottlingException", ""),
    )])
    .await;
    let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
    let error = aws.inventory().await.unwrap_err();
    assert_eq!(error.kind, ObserveErrorKind::Throttled, "{error}");
    assert_eq!(strict.calls("GetCallerIdentity"), 5);

    let strict = Strict::start(&[(
        "DescribeInstances",
        script(FOREVER, 503, "RequestLimitExceeded", ""),
    )])
    .await;

    let seen = open(&connection(&strict.endpoint, &["us-east-1"]))
        .await
        .inventory()
        .await
        .unwrap();

    assert!(
        seen.problems
            .iter()
            .any(|p| p.contains("ec2:DescribeInstances") && p.contains("throttled")),
        "{:?}",
        seen.problems
    );

    assert!(!seen.complete.contains(&ResourceKind::VirtualMachine));
}

#[tokio::test]
async fn a_throttled_change_is_tried_again_and_a_doubtful_one_never() {
    let done = r#"<StopInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId><instancesSet/></StopInstancesResponse>"#;
    for (failures, status, code, outcome, calls) in [
        (2, 503, "RequestLimitExceeded", None, 3),
        (
            FOREVER,
            503,
            "RequestLimitExceeded",
            Some(ActErrorKind::Throttled),
            5,
        ),
        (
            FOREVER,
            500,
            "InternalError",
            Some(ActErrorKind::Unknown),
            1,
        ),
        (FOREVER, 503, "Unavailable", Some(ActErrorKind::Unknown), 1),
        (
            FOREVER,
            400,
            "IncorrectInstanceState",
            Some(ActErrorKind::WrongState),
            1,
        ),
        (
            FOREVER,
            403,
            "UnauthorizedOperation",
            Some(ActErrorKind::Denied),
            1,
        ),
    ] {
        let strict =
            Strict::start(&[("StopInstances", script(failures, status, code, done))]).await;
        let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
        let answer = aws.apply(&machine(), &Mutation::Stop).await;
        assert_eq!(
            (answer.err().map(|e| e.kind), strict.calls("StopInstances")),
            (outcome, calls),
            "{code}"
        );
    }
}

#[tokio::test]
async fn a_start_without_capacity_says_so() {
    let strict = Strict::start(&[(
        "StartInstances",
        script(FOREVER, 500, "InsufficientInstanceCapacity", ""),
    )])
    .await;
    let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
    assert_eq!(
        aws.apply(&machine(), &Mutation::Start)
            .await
            .unwrap_err()
            .kind,
        ActErrorKind::NoCapacity
    );
}

#[tokio::test]
async fn a_change_without_an_answer_is_unknown() {
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let aws = open(&connection(&format!("http://{closed}"), &["us-east-1"])).await;
    let error = aws.apply(&machine(), &Mutation::Stop).await.unwrap_err();
    assert_eq!(error.kind, ActErrorKind::Unknown, "{error}");
    assert!(error.message.contains("look before"), "{error}");
}

#[tokio::test]
async fn a_listing_that_goes_round_in_circles_ends() {
    let strict = Strict::start(&[(
        "DescribeInstances",
        script(0, 200, "", &machines("<nextToken>same</nextToken>")),
    )])
    .await;

    let seen = open(&connection(&strict.endpoint, &["us-east-1"]))
        .await
        .inventory()
        .await
        .unwrap();

    assert!(
        seen.problems.iter().any(|p| p.contains("same page token")),
        "{:?}",
        seen.problems
    );
    assert!(!seen.complete.contains(&ResourceKind::VirtualMachine));
    assert_eq!(strict.calls("DescribeInstances"), 2);
}

#[tokio::test]
async fn samples_outlast_throttling_and_name_what_is_denied() {
    let end = Timestamp::from_second(Timestamp::now().as_second() / 300 * 300).unwrap();
    let start = end - SignedDuration::from_mins(10);
    let query = SampleQuery {
        resource: machine(),
        metrics: vec![Metric::CpuUtilization],
        start,
        end,
    };

    let page = format!(
        r#"{{"MetricDataResults":[{{"Id":"m0","Timestamps":[{}],"Values":[7.5],"StatusCode":"Complete"}}]}}"#,
        start.as_second()
    );
    for (failures, status, code, kind, calls) in [
        (3, 400, "Throttling", None, 4),
        (
            FOREVER,
            400,
            "Throttling",
            Some(ObserveErrorKind::Throttled),
            5,
        ),
        (
            FOREVER,
            403,
            "InvalidClientTokenId",
            Some(ObserveErrorKind::Unauthenticated),
            1,
        ),
        (
            FOREVER,
            500,
            "InternalServiceFault",
            Some(ObserveErrorKind::Other),
            5,
        ),
    ] {
        let strict =
            Strict::start(&[("GetMetricData", script(failures, status, code, &page))]).await;
        let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
        let answer = aws.samples(std::slice::from_ref(&query)).await;
        assert_eq!(
            (
                answer.as_ref().err().map(|e| e.kind),
                strict.calls("GetMetricData")
            ),
            (kind, calls),
            "{code}"
        );
        if let Ok(batch) = answer {
            assert_eq!(
                (
                    batch.samples[0].timestamp,
                    batch.samples[0].value,
                    batch.samples.len()
                ),
                (start, 7.5, 1)
            );
        }
    }

    let strict =
        Strict::start(&[("GetMetricData", script(FOREVER, 403, "AccessDenied", ""))]).await;
    let batch = open(&connection(&strict.endpoint, &["us-east-1"]))
        .await
        .samples(&[query])
        .await
        .unwrap();

    assert_eq!(
        (batch.denied[0].permission.as_str(), batch.samples.len()),
        ("cloudwatch:GetMetricData", 0)
    );
}

#[tokio::test]
async fn an_answer_that_is_not_the_actions_is_no_success() {
    for odd in [
        "<html><body>Sign in</body></html>",
        "<StartInstancesResponse/>",
        "{}",
        "",
    ] {
        let strict = Strict::start(&[
            ("StopInstances", script(0, 200, "", odd)),
            ("DescribeInstances", script(0, 200, "", odd)),
            (
                "DescribeVolumes",
                script(0, 200, "", &one_volume("size", "large")),
            ),
        ])
        .await;
        let aws = open(&connection(&strict.endpoint, &["us-east-1"])).await;
        let error = aws.apply(&machine(), &Mutation::Stop).await.unwrap_err();
        assert_eq!(
            (error.kind, strict.calls("StopInstances")),
            (ActErrorKind::Unknown, 1),
            "{odd}: {error}"
        );
        let seen = aws.inventory().await.unwrap();
        assert!(
            !seen.complete.contains(&ResourceKind::VirtualMachine),
            "{odd}"
        );
        assert!(
            seen.problems
                .iter()
                .any(|problem| problem.contains("not that of the action")),
            "{:?}",
            seen.problems
        );
        assert!(
            seen.problems
                .iter()
                .any(|problem| problem.contains("element size")),
            "{:?}",
            seen.problems
        );
        assert!(!seen.complete.contains(&ResourceKind::Volume));
    }
}

/// A page of DescribeVolumes with one volume, which has a member.
fn one_volume(member: &str, value: &str) -> String {
    format!(
        "<DescribeVolumesResponse><volumeSet><item><volumeId>vol-1</volumeId><{member}>{value}</{member}></item></volumeSet>\
         </DescribeVolumesResponse>"
    )
}
