//! Maintenance that waits for databases, and their events. moto offers no pending maintenance; the
//! endpoint here answers it on the second page, and denies the call.

use reeve_estate::Observe as _;
use serde_json::{Value, json};

use crate::describe::Kept;
use crate::strict::answering;
use crate::{connection, open};

const DATABASE: &str = "arn:aws:rds:us-east-1:123456789012:db:orders";

fn databases() -> String {
    format!(
        r#"<DescribeDBInstancesResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><DescribeDBInstancesResult><DBInstances><DBInstance>
        <DBInstanceIdentifier>orders</DBInstanceIdentifier><DBInstanceArn>{DATABASE}</DBInstanceArn><DBInstanceStatus>available</DBInstanceStatus>
        <DBInstanceClass>db.m5.large</DBInstanceClass><Engine>postgres</Engine></DBInstance></DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>"#
    )
}

fn maintenance(resource: &str, marker: &str) -> String {
    format!(
        r#"<DescribePendingMaintenanceActionsResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><DescribePendingMaintenanceActionsResult>
        <PendingMaintenanceActions><ResourcePendingMaintenanceActions><ResourceIdentifier>{resource}</ResourceIdentifier>
        <PendingMaintenanceActionDetails><PendingMaintenanceAction><Action>system-update</Action><Description>New Operating System update is available</Description>
        <AutoAppliedAfterDate>2026-12-01T07:00:00Z</AutoAppliedAfterDate></PendingMaintenanceAction></PendingMaintenanceActionDetails>
        </ResourcePendingMaintenanceActions></PendingMaintenanceActions>{marker}</DescribePendingMaintenanceActionsResult></DescribePendingMaintenanceActionsResponse>"#
    )
}

fn events() -> String {
    r#"<DescribeEventsResponse xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><DescribeEventsResult><Events><Event>
    <SourceIdentifier>orders</SourceIdentifier><SourceType>db-instance</SourceType><Message>Multi-AZ instance failover completed</Message>
    <EventCategories><EventCategory>failover</EventCategory></EventCategories><Date>2026-11-28T10:00:00Z</Date></Event></Events></DescribeEventsResult></DescribeEventsResponse>"#
        .to_owned()
}

async fn read(is_denied: bool) -> Value {
    let endpoint = answering(Box::new(move |action, body, _| match action {
        "DescribeDBInstances" => Some(Ok(databases())),
        "DescribePendingMaintenanceActions" if is_denied => None,
        "DescribePendingMaintenanceActions" if body.contains("Marker=more") => {
            Some(Ok(maintenance(DATABASE, "")))
        }
        "DescribePendingMaintenanceActions" => Some(Ok(maintenance(
            "arn:aws:rds:us-east-1:1:db:other",
            "<Marker>more</Marker>",
        ))),
        "DescribeEvents" if body.contains("EventCategories.EventCategory.1=failure") => {
            Some(Ok(events()))
        }
        _ => None,
    }))
    .await;

    let kept = Kept::default();
    let aws = open(&connection(&endpoint, &["us-east-1"])).await;
    aws.describe(&kept).await.unwrap();
    let described = kept.described.into_inner();
    let database = described
        .iter()
        .find(|one| one.resource.id.as_str() == DATABASE)
        .unwrap();
    database.document.json().clone()
}

#[tokio::test]
async fn a_database_has_its_own_maintenance_and_events() {
    let document = read(false).await;
    let waiting = &document["PendingMaintenance"];
    assert_eq!(waiting.as_array().unwrap().len(), 1, "{document:#}");
    let detail = &waiting[0]["PendingMaintenanceActionDetails"][0];
    assert_eq!(detail["Action"], "system-update", "{document:#}");
    assert_eq!(
        document["RecentEvents"][0]["EventCategories"],
        json!(["failover"])
    );
}

#[tokio::test]
async fn denied_maintenance_leaves_a_mark_and_the_database_is_read() {
    let document = read(true).await;
    assert_eq!(document["PendingMaintenance"], json!("[not read]"));
    assert_eq!(document["DBInstanceClass"], "db.m5.large");
}
