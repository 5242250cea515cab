//! The bill of the estate: daily charges agree with the monthly costs of the inventory, and follow
//! its changes by the hour.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use reeve_connect_simulated::DailyCharge;
use reeve_estate::money::HOURS_PER_MONTH;
use reeve_estate::{Act, Mutation, Observe, Purchase, ResourceId};

use crate::{account, anchor, days, named, quiet};

fn date(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

fn charge_of<'a>(charges: &'a [DailyCharge], id: &ResourceId) -> Option<&'a DailyCharge> {
    charges.iter().find(|charge| charge.resource == *id)
}

#[tokio::test]
async fn a_whole_day_costs_its_share_of_the_monthly_cost() {
    let (estate, _) = quiet();
    let yesterday = estate.charges(date(anchor() - days(1)));
    let mut compared = 0;

    for connection in estate.connections() {
        let inventory = account(&estate, &connection.name)
            .inventory()
            .await
            .unwrap();
        for resource in inventory.resources {
            let standing = resource.created_at.is_none_or(|at| at < anchor() - days(3));
            let Some(monthly) = resource.monthly_cost.filter(|cost| cost.usd() > 0.0) else {
                continue;
            };
            if !standing || resource.purchase == Some(Purchase::Spot) {
                continue;
            }
            let charge = charge_of(&yesterday, &resource.id)
                .unwrap_or_else(|| panic!("no charge of {}", resource.name));
            let expected = monthly.usd() * 24.0 / HOURS_PER_MONTH;
            assert!(
                (charge.cost.usd() - expected).abs() < 1e-4,
                "{}: {} {expected}",
                resource.name,
                charge.cost
            );
            assert!(
                charge.list.usd() >= charge.cost.usd() - 1e-6,
                "{}",
                resource.name
            );
            compared += 1;
        }
    }

    assert!(compared > 50, "{compared} resources");
}

#[tokio::test]
async fn a_bill_follows_changes_from_their_hour_and_leaves_the_past() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "recommender").await;
    let (today, before) = (date(anchor()), date(anchor() - days(1)));
    let past = estate.charges(before);

    // The anchor is ten o'clock: ten hours of the day are over.
    assert_eq!(
        charge_of(&estate.charges(today), &machine.id)
            .unwrap()
            .hours,
        10
    );

    aws.apply(&machine, &Mutation::Stop).await.unwrap();
    hands.forward(days(2));
    let charges = estate.charges(today);
    let stopped = charge_of(&charges, &machine.id).unwrap();
    assert!((10..=11).contains(&stopped.hours), "{}", stopped.hours);
    assert_eq!(
        charge_of(&estate.charges(date(anchor() + days(1))), &machine.id),
        None,
        "a stopped machine costs nothing"
    );
    assert_eq!(estate.charges(before), past, "what is past stays");
    aws.apply(
        &machine,
        &Mutation::Resize {
            instance_type: "m6i.large".to_owned(),
        },
    )
    .await
    .unwrap();

    hands.forward(SignedDuration::from_mins(10));
    aws.apply(&machine, &Mutation::Start).await.unwrap();
    hands.forward(days(3));
    let smaller = estate.charges(date(anchor() + days(4)));
    let (smaller, larger) = (
        charge_of(&smaller, &machine.id).unwrap(),
        charge_of(&past, &machine.id).unwrap(),
    );
    assert_eq!((smaller.hours, smaller.sold.as_str()), (24, "m6i.large"));
    assert!(
        smaller.cost.usd() < larger.cost.usd(),
        "{} {}",
        smaller.cost,
        larger.cost
    );

    assert!(
        estate.charges(date(anchor() + days(30))).is_empty(),
        "hours to come cost nothing yet"
    );
}
