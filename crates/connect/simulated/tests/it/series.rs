//! Tests of metrics: each load has the shape that its name says, and changes show.

use std::time::Instant;

use jiff::SignedDuration;
use reeve_estate::{Act, GIB, Metric, Mutation, Observe, Resource, SampleQuery};

use crate::{account, anchor, days, mean, named, percentile, points, quiet};

const CPU: Metric = Metric::CpuUtilization;

#[tokio::test]
async fn loads_look_like_what_they_are_called() {
    let (estate, _) = quiet();
    let week = anchor() - days(7);

    // Load, machine, then bounds: mean, p95, highest.
    for (cloud, name, mean_in, p95_in, max_in) in [
        (
            "acme-production",
            "old-wiki",
            0.1..0.4,
            0.1..0.45,
            0.1..0.45,
        ),
        (
            "acme-production",
            "recommender",
            3.0..9.0,
            5.0..12.5,
            5.0..15.0,
        ),
        (
            "acme-production",
            "shop-web-a",
            20.0..50.0,
            40.0..65.0,
            45.0..75.0,
        ),
        (
            "acme-production",
            "search-query",
            92.0..99.0,
            92.0..99.5,
            92.0..99.5,
        ),
        (
            "acme-production",
            "edge-proxy-1",
            29.0..30.1,
            29.0..43.0,
            29.0..44.0,
        ),
        (
            "acme-production",
            "fraud-scoring",
            4.0..10.0,
            3.0..19.0,
            80.0..88.0,
        ),
        (
            "acme-production",
            "settlement",
            8.0..16.0,
            70.0..95.0,
            75.0..99.0,
        ),
        (
            "acme-production",
            "session-store",
            44.0..52.0,
            44.0..54.0,
            44.0..56.0,
        ),
        (
            "acme-production",
            "price-feed",
            7.0..11.0,
            8.0..12.0,
            8.0..12.0,
        ),
        (
            "acme-analytics",
            "feature-store",
            5.0..10.0,
            7.0..12.0,
            8.0..13.0,
        ),
        (
            "acme-corporate",
            "desktop-pool-1",
            8.0..25.0,
            30.0..55.0,
            40.0..56.0,
        ),
    ] {
        let account = account(&estate, cloud);
        let machine = named(&account, name).await;
        // These two are short of CPU for less than a week.
        let from = if matches!(name, "edge-proxy-1" | "search-query") {
            anchor() - days(4)
        } else {
            week
        };
        let cpu = points(&account, &machine, CPU, from, anchor()).await;
        let (mean, p95, max) = (mean(&cpu), percentile(&cpu, 0.95), percentile(&cpu, 1.0));
        println!(
            "{name}: mean {mean:.2} p95 {p95:.2} max {max:.2}, {} points",
            cpu.len()
        );
        assert!(mean_in.contains(&mean), "{name}: mean {mean}");
        assert!(p95_in.contains(&p95), "{name}: p95 {p95}");
        assert!(max_in.contains(&max), "{name}: max {max}");
    }
}

#[tokio::test]
async fn a_bad_deployment_shows_in_what_the_balancer_sees() {
    let (estate, _) = quiet();
    let aws = account(&estate, "acme-production");
    let balancer = named(&aws, "checkout-api").await;

    for (metric, usual) in [(Metric::ResponseTime, 0.2), (Metric::ErrorRate, 0.35)] {
        let day = points(&aws, &balancer, metric, anchor() - days(1), anchor()).await;
        let bad = day.iter().filter(|one| one.value > usual).count();
        assert_eq!((day.len(), bad), (288, 9), "{metric}");
    }
}

#[tokio::test]
async fn bursts_that_the_mean_hides_are_generated() {
    let (estate, _) = quiet();
    let (start, end) = (anchor() - days(30), anchor());
    let aws = account(&estate, "acme-production");
    let values_of = async |name: &str, metric| {
        let resource = named(&aws, name).await;
        points(&aws, &resource, metric, start, end).await
    };
    let memory = values_of("search-index-1", Metric::MemoryUtilization).await;
    assert!((86.0..92.0).contains(&mean(&memory)), "{}", mean(&memory));

    let credits = values_of("edge-proxy-1", Metric::CpuCreditBalance).await;
    assert!(credits[0].value > 800.0 && credits.last().unwrap().value == 0.0);

    let feed = mean(&values_of("price-feed", Metric::NetworkOut).await)
        + mean(&values_of("price-feed", Metric::NetworkIn).await);
    assert!(feed * 8.0 > 0.55e9, "{feed}");
    assert!(
        values_of("loyalty-2024", Metric::DatabaseConnections)
            .await
            .iter()
            .all(|sample| sample.value == 0.0)
    );

    let free = values_of("payments-ledger", Metric::FreeStorage).await;
    let full = 500.0 * GIB;
    assert!(free.last().unwrap().value < 0.13 * full && free[free.len() - 2880].value > 0.2 * full);

    let leak = values_of("log-shipper", Metric::MemoryUtilization).await;
    assert!(percentile(&leak, 0.99) > 90.0 && percentile(&leak, 0.01) < 40.0);

    // Machines without an agent have no memory figures, and a machine launched five days ago has
    // five days.
    assert!(
        values_of("fraud-scoring", Metric::MemoryUtilization)
            .await
            .is_empty()
    );

    let young = values_of("catalogue-v2", CPU).await.len();
    assert!((1430..=1440).contains(&young), "{young}");

    let holes = values_of("staging-web", CPU).await.len();
    assert!((7_800..8_600).contains(&holes), "{holes} of 8,640");

    let gcp = account(&estate, "acme-analytics");
    let closing = named(&gcp, "month-end-close").await;
    let cpu = points(&gcp, &closing, CPU, start, end).await;
    assert!(percentile(&cpu, 0.5) < 5.0 && percentile(&cpu, 1.0) > 60.0);
}

#[tokio::test]
async fn a_resize_shows_and_a_stopped_machine_is_silent() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "recommender").await;
    let before = mean(&points(&aws, &machine, CPU, anchor() - days(7), anchor()).await);
    aws.apply(&machine, &Mutation::Stop).await.unwrap();
    hands.forward(SignedDuration::from_hours(2));
    let silent = points(&aws, &machine, CPU, anchor(), hands.now()).await;
    assert!(
        silent.is_empty(),
        "{} points of a stopped machine",
        silent.len()
    );

    aws.apply(
        &machine,
        &Mutation::Resize {
            instance_type: "m6i.2xlarge".to_owned(),
        },
    )
    .await
    .unwrap();

    aws.apply(&machine, &Mutation::Start).await.unwrap();
    let started = hands.now() + SignedDuration::from_mins(5);
    hands.forward(days(7));
    let after = mean(&points(&aws, &machine, CPU, started, hands.now()).await);
    assert!(
        (after / before - 2.0).abs() < 0.15,
        "{before} became {after}"
    );

    let history = mean(&points(&aws, &machine, CPU, anchor() - days(7), anchor()).await);
    assert_eq!(history, before, "the past changed");

    let memory = points(
        &aws,
        &machine,
        Metric::MemoryUtilization,
        started,
        hands.now(),
    )
    .await;

    assert!((40.0..65.0).contains(&mean(&memory)), "{}", mean(&memory));
}

#[tokio::test]
async fn a_larger_size_frees_what_was_throttled() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");

    for (name, size, bounds) in [
        ("search-query", "c6i.4xlarge", 58.0..75.0),
        ("edge-proxy-1", "t3.xlarge", 16.0..23.0),
    ] {
        let machine = named(&aws, name).await;
        aws.apply(&machine, &Mutation::Stop).await.unwrap();
        hands.forward(SignedDuration::from_secs(60));
        aws.apply(
            &machine,
            &Mutation::Resize {
                instance_type: size.to_owned(),
            },
        )
        .await
        .unwrap();
        aws.apply(&machine, &Mutation::Start).await.unwrap();
        hands.forward(SignedDuration::from_hours(24));
        let cpu = mean(
            &points(
                &aws,
                &machine,
                CPU,
                hands.now() - SignedDuration::from_hours(20),
                hands.now(),
            )
            .await,
        );
        assert!(bounds.contains(&cpu), "{name}: {cpu}");
    }

    let credits = named(&aws, "edge-proxy-1").await;
    let credits = points(
        &aws,
        &credits,
        Metric::CpuCreditBalance,
        anchor(),
        hands.now(),
    )
    .await;

    assert!(credits.last().unwrap().value > 500.0);
}

#[tokio::test]
async fn windows_join_and_nothing_comes_early() {
    let (estate, hands) = quiet();
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "shop-web-b").await;
    let (start, middle) = (
        anchor() - days(2),
        anchor() - SignedDuration::from_mins(701),
    );
    let whole = points(&aws, &machine, CPU, start, anchor()).await;
    let mut parts = points(&aws, &machine, CPU, start, middle).await;
    parts.extend(points(&aws, &machine, CPU, middle, anchor()).await);
    assert_eq!(whole, parts);

    // A point is there when its five minutes are over.
    let ahead = async || {
        points(&aws, &machine, CPU, anchor(), anchor() + days(1))
            .await
            .len()
    };
    assert_eq!(ahead().await, 0);
    hands.forward(SignedDuration::from_secs(299));
    assert_eq!(ahead().await, 0);
    hands.forward(SignedDuration::from_secs(1));
    assert_eq!(ahead().await, 1);
}

#[tokio::test]
async fn a_month_is_fast() {
    let (estate, _) = quiet();
    let (start, end) = (anchor() - days(30), anchor());
    let aws = account(&estate, "acme-production");
    let machine = named(&aws, "shop-web-a").await;
    let metrics = vec![
        CPU,
        Metric::MemoryUtilization,
        Metric::NetworkIn,
        Metric::NetworkOut,
    ];

    let begun = Instant::now();
    let query = |resource: Resource, metrics| SampleQuery {
        resource,
        metrics,
        start,
        end,
    };

    let count = aws
        .samples(&[query(machine, metrics)])
        .await
        .unwrap()
        .samples
        .len();

    println!(
        "one machine, 30 days, 4 metrics: {count} points in {:?}",
        begun.elapsed()
    );
    assert_eq!(count, 4 * 8640);

    let (begun, mut points) = (Instant::now(), 0);
    for connection in estate.connections() {
        let account = estate.account(&connection.id).unwrap();
        for resource in account.inventory().await.unwrap().resources {
            let queries = [query(resource, Metric::ALL.to_vec())];
            points += account.samples(&queries).await.unwrap().samples.len();
        }
    }

    println!(
        "the whole estate, 30 days: {points} points in {:?}",
        begun.elapsed()
    );
    assert!(points > 1_000_000);
}
