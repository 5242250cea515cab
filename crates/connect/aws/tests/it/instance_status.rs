//! Scheduled events and status checks of machines. moto schedules no events and finds every machine
//! healthy; the endpoint here answers an event on the second page, and denies the call.

use reeve_estate::Observe as _;
use serde_json::{Value, json};

use crate::describe::Kept;
use crate::strict::answering;
use crate::throttle::machines;
use crate::{connection, open};

/// A page of DescribeInstanceStatus with the status of one machine.
fn page(machine: &str, events: &str, next: &str) -> String {
    let check = "<details><item><name>reachability</name><status>passed</status></item></details><status>ok</status>";
    format!(
        r#"<DescribeInstanceStatusResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>
        <instanceStatusSet><item><instanceId>{machine}</instanceId><instanceState><code>16</code><name>running</name></instanceState>
        <systemStatus>{check}</systemStatus><instanceStatus>{check}</instanceStatus>{events}</item></instanceStatusSet>{next}</DescribeInstanceStatusResponse>"#
    )
}

const RETIRED: &str = "<eventsSet><item><instanceEventId>instance-event-1</instanceEventId><code>instance-retirement</code><description>degraded hardware</description><notBefore>2026-12-03T00:00:00.000Z</notBefore></item></eventsSet>";

/// The document of the machine `i-1`.
async fn read(is_denied: bool) -> Value {
    let endpoint = answering(Box::new(move |action, body, _| match action {
        "DescribeInstances" => Some(Ok(machines(""))),
        "DescribeInstanceStatus" if is_denied => None,
        "DescribeInstanceStatus" if body.contains("NextToken=more") => {
            Some(Ok(page("i-1", RETIRED, "")))
        }
        "DescribeInstanceStatus" => Some(Ok(page("i-2", "", "<nextToken>more</nextToken>"))),
        _ => None,
    }))
    .await;

    let kept = Kept::default();
    let aws = open(&connection(&endpoint, &["us-east-1"])).await;
    aws.describe(&kept).await.unwrap();
    let described = kept.described.into_inner();
    let machine = described
        .iter()
        .find(|one| one.resource.id.as_str() == "i-1")
        .unwrap();
    machine.document.json().clone()
}

#[tokio::test]
async fn a_machine_has_its_own_status_from_any_page() {
    let status = &read(false).await["InstanceStatus"];

    assert_eq!(status.as_array().unwrap().len(), 1, "{status:#}");
    assert_eq!(status[0]["eventsSet"][0]["code"], "instance-retirement");
    assert_eq!(status[0]["systemStatus"]["status"], "ok");
}

#[tokio::test]
async fn a_denied_status_leaves_a_mark_and_the_machine_is_read() {
    let document = read(true).await;

    assert_eq!(document["InstanceStatus"], json!("[not read]"));
    assert_eq!(document["instanceType"], "m5.large");
}
