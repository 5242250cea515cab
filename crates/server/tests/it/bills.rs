//! Tests of bills in `charges/`: read once when they arrive, a bad one named by file and line, and
//! unusual costs reported.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;

const PATIENCE: Duration = Duration::from_secs(60);
/// A line that ends with a backslash continues without the spaces that begin the next.
const HEADER: &str = "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ProviderName,ServiceName,\
    SubAccountId,ResourceId,ChargeDescription\n";

/// Forty days of a service that costs a hundred a day, up to midnight; the last of them costs four
/// times as much.
fn bill() -> String {
    let midnight =
        Timestamp::from_second(Timestamp::now().as_second().div_euclid(86_400) * 86_400).unwrap();
    let mut text = HEADER.to_owned();

    for back in (1..=40).rev() {
        let start = midnight - SignedDuration::from_hours(24 * back);
        let end = start + SignedDuration::from_hours(24);
        let cost = if back == 1 {
            400.0
        } else {
            100.0 + (back * 7 % 5) as f64
        };
        let _ = writeln!(
            text,
            "{cost:.2},USD,{start},{end},Usage,AWS,Amazon EC2,111122223333,i-1,BoxUsage:m5.large"
        );
    }

    text
}

/// Puts a file there at once, as an export job does.
fn dropped(folder: &Path, name: &str, text: &str) {
    let aside = folder.join(format!("{name}.part"));
    fs::write(&aside, text).unwrap();
    fs::rename(&aside, folder.join(name)).unwrap();
}

/// Holds the answers about spending against the bill: four weeks, and a day of a resource beside the one before.
async fn spending_is_that_of_the_bill(admin: &Api) {
    let cost = |back: i64| match back {
        1 => 400.0,
        _ => 100.0 + (back * 7 % 5) as f64,
    };
    let spending = admin.get("costs/spending").await.expect(200).body;
    assert_eq!(spending["currency"], "USD");
    let groups = spending["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{spending}");
    assert_eq!(groups[0]["value"], "Amazon EC2");
    assert_eq!(groups[0]["total"], (1..=28).map(cost).sum::<f64>());
    assert!(
        groups[0]["previous_total"].is_null(),
        "the bill begins later"
    );
    let days = spending["all"]["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[27]), (28, &400.0.into()));

    let last = spending["last_day"].as_str().unwrap();
    let path =
        format!("costs/spending?by=resource&account=111122223333&first_day={last}&last_day={last}");
    let of_day = admin.get(&path).await.expect(200).body;
    assert_eq!(of_day["groups"][0]["value"], "i-1", "{of_day}");
    assert_eq!(of_day["all"]["total"], 400.0);
    assert_eq!(of_day["all"]["previous_total"], cost(2));
    let elsewhere = admin.get("costs/spending?account=444455556666").await;
    assert_eq!(elsewhere.expect(200).body["all"]["total"], 0.0);

    for (wrong, field) in [
        ("by=moon", "by"),
        ("first_day=yesterday", "first_day"),
        ("last_day=", "last_day"),
        ("last_day=9999-12-31", "last_day"),
        ("first_day=2026-03-02&last_day=2026-03-01", "last_day"),
        ("tag=team", "tag"),
    ] {
        let refused = admin.get(&format!("costs/spending?{wrong}")).await;
        let refused = refused.problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }
}

#[tokio::test]
async fn a_bill_is_read_once_a_bad_one_is_named_and_unusual_spending_reported() {
    let home = tempfile::tempdir().unwrap();
    let variables = [
        ("REEVE_CHARGES_EVERY_S", "1"),
        ("RUST_LOG", "info,reeve=debug"),
    ];
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    let counted = |words: &str| service.said().matches(words).count();
    let folder = home.path().join("charges");
    fs::create_dir_all(&folder).unwrap();
    dropped(&folder, "november.csv", &bill());
    let list = "intelligence/anomalies?type=cost";
    let found = until("the anomaly of spending", PATIENCE, || async {
        let found = admin.get(list).await.expect(200).body;
        (found["total"] == 1).then_some(found)
    })
    .await;
    let anomaly = &found["items"][0];
    assert!(
        anomaly["title"]
            .as_str()
            .unwrap()
            .starts_with("Amazon EC2 of 111122223333 costs more than usual"),
        "{anomaly}"
    );

    // It looks again every second, and reads nothing again.
    let unchanged = counted("no bill has changed");
    until("more looks", PATIENCE, || async {
        (counted("no bill has changed") >= unchanged + 3).then_some(())
    })
    .await;
    assert_eq!(counted("bills were read"), 1, "{}", service.said());
    assert_eq!(
        admin.get(list).await.expect(200).body["total"],
        1,
        "and tells nothing twice"
    );

    let good = bill();
    let mut lines: Vec<&str> = good.lines().collect();
    lines.insert(2, "1 000,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,AWS,Amazon EC2,111122223333,i-1,x");
    dropped(&folder, "broken.csv", &lines.join("\n"));
    until("word of the bad bill", PATIENCE, || async {
        (counted("a bill could not be read") > 0).then_some(())
    })
    .await;
    let said = service.said();
    let line = said
        .lines()
        .find(|line| line.contains("a bill could not be read"))
        .unwrap();
    assert!(
        line.contains("broken.csv: line 3") && line.contains("BilledCost"),
        "{line}"
    );
    until("the good one beside it", PATIENCE, || async {
        (counted("bills were read") == 2).then_some(())
    })
    .await;
    assert_eq!(
        admin.get(list).await.expect(200).body["total"],
        1,
        "the good bill still counts, once"
    );

    assert!(
        admin
            .get("audit-logs?query=action.operation:anomaly.detect")
            .await
            .expect(200)
            .body["total"]
            .as_u64()
            >= Some(1)
    );

    spending_is_that_of_the_bill(&admin).await;
}
