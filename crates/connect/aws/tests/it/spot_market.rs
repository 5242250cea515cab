//! Market of spot capacity, against moto with prices that move and scores that are refused as EC2
//! refuses them.

use jiff::{SignedDuration, Timestamp};
use reeve_connect_aws::PlacementScores;
use reeve_testkit::moto::{EC2, Moto};

use crate::{connection, open};

const REGION: &str = "us-east-1";

#[tokio::test]
async fn prices_are_those_of_pools_and_scores_those_of_zones() {
    let moto = Moto::spot_market().await.unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let now = Timestamp::now();
    let time = (now - SignedDuration::from_hours(24 * 7), now);

    let types = vec!["m5.large".to_owned()];
    let prices = aws.spot_prices(REGION, &types, time).await.unwrap();
    let of = |zone: &str| prices.iter().find(|one| one.zone == zone).unwrap();
    let moving = of("us-east-1a");
    // Four days at 3 cents, two at 4 and one at 5.
    assert!((moving.mean_usd - 0.25 / 7.0).abs() < 1e-4, "{moving:?}");
    assert_eq!(
        (moving.low_usd, moving.high_usd, moving.now_usd),
        (0.03, 0.05, 0.05)
    );
    assert_eq!(
        (of("us-east-1b").mean_usd, moving.platform.as_str()),
        (0.02, "Linux/UNIX")
    );
    assert!(prices.iter().all(|one| one.instance_type == "m5.large"));

    let ask = |machines| aws.placement_scores(REGION, &types, machines);
    let PlacementScores::Of(few) = ask(4).await.unwrap() else {
        panic!("questions are left");
    };
    assert_eq!((few["us-east-1a"], few["us-east-1b"]), (9, 7));
    let PlacementScores::Of(many) = ask(8).await.unwrap() else {
        panic!("questions are left");
    };
    assert_eq!(many["us-east-1a"], 2);

    // Ten configurations a day; one that was asked for may be asked for again.
    for machines in 9..=16 {
        assert!(matches!(
            ask(machines).await.unwrap(),
            PlacementScores::Of(_)
        ));
    }
    assert_eq!(ask(17).await.unwrap(), PlacementScores::UsedUp);
    assert!(matches!(ask(4).await.unwrap(), PlacementScores::Of(_)));
    assert!(ask(0).await.is_err());
    assert!(aws.placement_scores(REGION, &[], 4).await.is_err());

    // The peer is as strict as EC2 about what it does not know.
    let odd = [
        ("TargetCapacity", "4"),
        ("InstanceType.1", "m5.large"),
        ("Zone", "a"),
    ];
    let odd: Vec<(String, String)> = odd.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    let refused = moto
        .query(&EC2, REGION, "GetSpotPlacementScores", &odd)
        .await;
    assert!(format!("{:?}", refused.unwrap_err()).contains("UnknownParameter"));
}
