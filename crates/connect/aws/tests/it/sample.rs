//! Samples are the points that were put, in Reeve's units: recorded series where the data is there,
//! look-alikes otherwise.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Act as _, Metric, Mutation, Observe, Resource, ResourceKind, Sample, SampleQuery,
};
use reeve_testkit::moto::seed::Metric as CloudMetric;
use reeve_testkit::moto::series::{PERIOD_S, Recording, recordings};
use reeve_testkit::moto::{Moto, test_data};

use crate::{by_id, connection, open};

/// Points of a metric of a resource, oldest first.
fn points(samples: &[Sample], resource: &Resource, metric: Metric) -> Vec<(Timestamp, f64)> {
    let mut found: Vec<_> = samples
        .iter()
        .filter(|s| s.resource == resource.id && s.metric == metric)
        .map(|s| (s.timestamp, s.value))
        .collect();
    found.sort_by_key(|p| p.0);
    found
}

#[track_caller]
fn assert_points(found: &[(Timestamp, f64)], put: &[(Timestamp, f64)], context: &str) {
    assert_eq!(found.len(), put.len(), "{context}");
    for (a, b) in found.iter().zip(put) {
        assert_eq!(a.0, b.0, "{context}");
        assert!(
            (a.1 - b.1).abs() <= 1e-9 * b.1.abs().max(1.0),
            "{context} at {}: {} is not {}",
            a.0,
            a.1,
            b.1
        );
    }
}

/// The last two days of the first recording whose name has this prefix.
fn recording(all: &[Recording], prefix: &str) -> Recording {
    let found = all
        .iter()
        .find(|r| r.name.starts_with(prefix))
        .unwrap_or_else(|| panic!("no {prefix}*"))
        .clone();

    eprintln!(
        "{prefix}: {} {}",
        found.name,
        if found.recorded {
            "as recorded"
        } else {
            "generated: no test data"
        }
    );

    found.ending_at(Timestamp::now()).last(576)
}

fn scaled(points: &[(Timestamp, f64)], factor: f64) -> Vec<(Timestamp, f64)> {
    points
        .iter()
        .map(|(time, value)| (*time, value * factor))
        .collect()
}

#[tokio::test]
async fn samples_are_what_was_put() {
    let moto = Moto::start().await.unwrap();
    let all = recordings(&test_data().join("nab/realAWSCloudwatch")).unwrap();
    let (cpu, network) = (
        recording(&all, "ec2_cpu"),
        recording(&all, "ec2_network_in"),
    );
    let (database, requests) = (
        recording(&all, "rds_cpu"),
        recording(&all, "elb_request_count"),
    );

    let web = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);

    moto.database("us-east-1", "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let balancer = moto
        .load_balancer("us-east-1", "front", std::slice::from_ref(&web), &[])
        .await
        .unwrap();
    let (_, balancer_name) = balancer.split_once(":loadbalancer/").unwrap();
    let machine: &[(&str, &str)] = &[("InstanceId", &web)];
    let agent: &[(&str, &str)] = &[
        ("InstanceId", &web),
        ("ImageId", "ami-1e749f67"),
        ("InstanceType", "m5.large"),
    ];
    let orders: &[(&str, &str)] = &[("DBInstanceIdentifier", "orders")];
    let front: &[(&str, &str)] = &[("LoadBalancer", balancer_name)];
    let free = scaled(&database.points, 1e7);

    // Of 8 GiB: what is free falls as the processor works.
    let gib = 1024.0 * 1024.0 * 1024.0;
    let freeable: Vec<(Timestamp, f64)> = database
        .points
        .iter()
        .map(|(at, cpu)| (*at, (100.0 - cpu) / 100.0 * 8.0 * gib))
        .collect();
    let answers = scaled(&requests.points, 1e-3);
    let asked: Vec<(Timestamp, f64)> = requests
        .points
        .iter()
        .copied()
        .filter(|(_, count)| *count > 0.0)
        .collect();
    let failed = scaled(&asked[..2], 0.25);
    let refused = failed[..1].to_vec();

    for (namespace, name, unit, dimensions, points) in [
        ("AWS/EC2", "CPUUtilization", "Percent", machine, &cpu.points),
        ("AWS/EC2", "NetworkIn", "Bytes", machine, &network.points),
        (
            "AWS/EC2",
            "DiskReadBytes",
            "Bytes",
            machine,
            &network.points,
        ),
        ("CWAgent", "mem_used_percent", "Percent", agent, &cpu.points),
        (
            "AWS/RDS",
            "CPUUtilization",
            "Percent",
            orders,
            &database.points,
        ),
        ("AWS/RDS", "FreeStorageSpace", "Bytes", orders, &free),
        ("AWS/RDS", "FreeableMemory", "Bytes", orders, &freeable),
        (
            "AWS/ApplicationELB",
            "RequestCount",
            "Count",
            front,
            &requests.points,
        ),
        (
            "AWS/ApplicationELB",
            "TargetResponseTime",
            "Seconds",
            front,
            &answers,
        ),
        (
            "AWS/ApplicationELB",
            "HTTPCode_Target_5XX_Count",
            "Count",
            front,
            &failed,
        ),
        (
            "AWS/ApplicationELB",
            "HTTPCode_ELB_5XX_Count",
            "Count",
            front,
            &refused,
        ),
    ] {
        moto.metric(
            "us-east-1",
            CloudMetric {
                namespace,
                name,
                unit,
                dimensions,
            },
            points,
        )
        .await
        .unwrap();
    }

    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let end = Timestamp::now() + SignedDuration::from_secs(PERIOD_S);
    let start = end - SignedDuration::from_hours(60);
    let query = |id: &str| SampleQuery {
        resource: by_id(&seen, id).clone(),
        metrics: Metric::ALL.to_vec(),
        start,
        end,
    };

    let batch = aws
        .samples(&[query(&web), query("orders"), query(&balancer)])
        .await
        .unwrap();
    assert_eq!((batch.denied, batch.problems), (vec![], vec![]));
    assert!(batch.samples.iter().all(|s| s.period_s == 300));

    let per_second = 1.0 / PERIOD_S as f64;
    let found = |id: &str, metric| points(&batch.samples, by_id(&seen, id), metric);
    assert_points(
        &found(&web, Metric::CpuUtilization),
        &cpu.points,
        "machine CPU",
    );

    assert_points(
        &found(&web, Metric::NetworkIn),
        &scaled(&network.points, per_second),
        "network",
    );

    assert_points(
        &found(&web, Metric::DiskRead),
        &scaled(&network.points, per_second),
        "disk, by the fallback",
    );

    assert_points(
        &found(&web, Metric::MemoryUtilization),
        &cpu.points,
        "memory, by the agent",
    );

    assert_points(
        &found("orders", Metric::CpuUtilization),
        &database.points,
        "database CPU",
    );

    assert_points(
        &found("orders", Metric::FreeStorage),
        &free,
        "database storage",
    );

    assert_points(
        &found("orders", Metric::MemoryUtilization),
        &database.points,
        "database memory in use",
    );

    assert_points(
        &found(&balancer, Metric::RequestRate),
        &scaled(&requests.points, per_second),
        "requests",
    );

    assert_points(
        &found(&balancer, Metric::ResponseTime),
        &answers,
        "response time",
    );

    let mut rates: Vec<(Timestamp, f64)> = asked.iter().map(|(at, _)| (*at, 0.0)).collect();
    (rates[0].1, rates[1].1) = (50.0, 25.0);
    assert_points(
        &found(&balancer, Metric::ErrorRate),
        &rates,
        "errors of targets and balancer, none where none were told",
    );

    assert_eq!(
        found(&web, Metric::NetworkOut),
        [],
        "what was not measured is not there"
    );

    let put = cpu.points.len() * 2
        + network.points.len() * 2
        + database.points.len() * 3
        + requests.points.len() * 2;
    assert_eq!(batch.samples.len(), put + asked.len());
}

#[tokio::test]
async fn a_span_is_start_inclusive_and_end_exclusive() {
    let moto = Moto::start().await.unwrap();
    let web = moto
        .machines("us-east-1", "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);
    let hour = Timestamp::now().as_second() / 3600 * 3600;
    let at = |n: i64| Timestamp::from_second(hour - 7200 + n * PERIOD_S).unwrap();
    let put: Vec<_> = (0..12).map(|n| (at(n), n as f64)).collect();
    let cpu = CloudMetric {
        namespace: "AWS/EC2",
        name: "CPUUtilization",
        unit: "Percent",
        dimensions: &[("InstanceId", &web)],
    };
    moto.metric("us-east-1", cpu, &put).await.unwrap();

    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let query = SampleQuery {
        resource: by_id(&seen, &web).clone(),
        metrics: vec![Metric::CpuUtilization],
        start: at(3),
        end: at(8),
    };
    let batch = aws.samples(&[query]).await.unwrap();

    assert_points(
        &points(&batch.samples, by_id(&seen, &web), Metric::CpuUtilization),
        &put[3..8],
        "the span",
    );
    assert_eq!(aws.samples(&[]).await.unwrap().samples, []);
}

#[tokio::test]
async fn databases_of_one_name_in_two_regions_are_two_resources() {
    let moto = Moto::start().await.unwrap();
    let now = Timestamp::now();

    for (region, class, level) in [
        ("us-east-1", "db.m5.large", 80.0),
        ("eu-west-1", "db.m5.xlarge", 0.5),
    ] {
        moto.database(region, "orders", class, "postgres", &[])
            .await
            .unwrap();
        let points: Vec<_> = (1..=12)
            .rev()
            .map(|back| (now - SignedDuration::from_mins(5 * back), level))
            .collect();
        let dimensions = &[("DBInstanceIdentifier", "orders")];
        let metric = CloudMetric {
            namespace: "AWS/RDS",
            name: "CPUUtilization",
            unit: "Percent",
            dimensions,
        };
        moto.metric(region, metric, &points).await.unwrap();
    }

    let aws = open(&connection(moto.endpoint(), &["us-east-1", "eu-west-1"])).await;
    let seen = aws.inventory().await.unwrap();
    let databases: Vec<&Resource> = seen
        .resources
        .iter()
        .filter(|one| one.kind == ResourceKind::Database)
        .collect();
    let mut ids: Vec<&str> = databases.iter().map(|one| one.id.as_str()).collect();
    ids.sort_unstable();
    let arn = |region: &str| format!("arn:aws:rds:{region}:123456789012:db:orders");
    assert_eq!(ids, [arn("eu-west-1"), arn("us-east-1")]);

    for (region, level) in [("us-east-1", 80.0), ("eu-west-1", 0.5)] {
        let database = by_id(&seen, &arn(region));
        assert_eq!(
            (database.name.as_str(), database.region.as_str()),
            ("orders", region)
        );
        let metrics = vec![Metric::CpuUtilization];
        let start = now - SignedDuration::from_hours(2);
        let query = SampleQuery {
            resource: database.clone(),
            metrics,
            start,
            end: now,
        };
        let samples = aws.samples(&[query]).await.unwrap().samples;
        assert!(
            samples.len() > 5 && samples.iter().all(|one| one.value == level),
            "{region}: {samples:?}"
        );
    }

    // A change reaches the instance of its own region.
    let small = by_id(&seen, &arn("us-east-1"));
    aws.apply(
        small,
        &Mutation::Resize {
            instance_type: "db.m5.2xlarge".to_owned(),
        },
    )
    .await
    .unwrap();

    let after = aws.inventory().await.unwrap();
    let class = |region: &str| {
        by_id(&after, &arn(region))
            .specification
            .instance_type
            .clone()
            .unwrap()
    };

    assert_eq!(
        (class("us-east-1").as_str(), class("eu-west-1").as_str()),
        ("db.m5.2xlarge", "db.m5.xlarge")
    );
}

#[tokio::test]
async fn hit_rates_of_caches_are_shares_of_what_was_looked_up() {
    let moto = Moto::start().await.unwrap();
    let step = SignedDuration::from_secs(PERIOD_S);
    let last = Timestamp::from_second(Timestamp::now().as_second() / PERIOD_S * PERIOD_S).unwrap();
    let at = |back: i32| last - step * back;
    // Nothing was looked up in the third period, and nothing missed in the second.
    let hits = [(at(4), 90.0 * 300.0), (at(3), 30.0 * 300.0), (at(2), 0.0)];
    let misses = [(at(4), 10.0 * 300.0), (at(2), 0.0), (at(1), 600.0)];
    let evictions = [(at(4), 1500.0)];
    for (name, cluster, points) in [
        ("CacheHits", "carts", &hits[..]),
        ("CacheMisses", "carts", &misses[..]),
        ("Evictions", "carts", &evictions[..]),
        ("GetHits", "pages", &hits[..1]),
        ("GetMisses", "pages", &misses[..1]),
    ] {
        let metric = CloudMetric {
            namespace: "AWS/ElastiCache",
            name,
            unit: "Count",
            dimensions: &[("CacheClusterId", cluster)],
        };
        moto.metric("us-east-1", metric, points).await.unwrap();
    }

    let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
    let cache = |name: &str| {
        let id = format!("arn:aws:elasticache:us-east-1:123456789012:cluster:{name}");
        Resource {
            kind: ResourceKind::CacheNode,
            region: "us-east-1".to_owned(),
            ..reeve_testkit::contract::estate::resource("test", &id).unwrap()
        }
    };
    let (carts, pages) = (cache("carts"), cache("pages"));
    let query = |resource: &Resource| SampleQuery {
        resource: resource.clone(),
        metrics: ResourceKind::CacheNode.metrics().to_vec(),
        start: at(12),
        end: last + step,
    };
    let batch = aws.samples(&[query(&carts), query(&pages)]).await.unwrap();
    assert_eq!((batch.denied, batch.problems), (vec![], vec![]));

    let found = |one: &Resource, metric| points(&batch.samples, one, metric);
    let requests = [(at(4), 100.0), (at(3), 30.0), (at(2), 0.0), (at(1), 2.0)];
    assert_points(&found(&carts, Metric::RequestRate), &requests, "lookups");
    let rates = [(at(4), 90.0), (at(3), 100.0), (at(1), 0.0)];
    assert_points(&found(&carts, Metric::CacheHitRate), &rates, "hit rate");
    let evicted = [(at(4), 5.0)];
    assert_points(
        &found(&carts, Metric::CacheEvictions),
        &evicted,
        "evictions",
    );
    let rates = [(at(4), 90.0)];
    assert_points(&found(&pages, Metric::CacheHitRate), &rates, "Memcached");
}

#[tokio::test]
async fn hit_rates_of_distributions_are_read_where_cloudfront_sends_them() {
    let moto = Moto::start().await.unwrap();
    let step = SignedDuration::from_secs(PERIOD_S);
    let last = Timestamp::from_second(Timestamp::now().as_second() / PERIOD_S * PERIOD_S).unwrap();
    let at = |back: i32| last - step * back;
    for (name, unit, points) in [
        ("Requests", "None", [(at(4), 300.0 * 20.0), (at(3), 600.0)]),
        ("CacheHitRate", "Percent", [(at(4), 72.5), (at(3), 10.0)]),
    ] {
        let metric = CloudMetric {
            namespace: "AWS/CloudFront",
            name,
            unit,
            dimensions: &[("DistributionId", "E2QWRUHAPOMQZL"), ("Region", "Global")],
        };
        // CloudFront is in no region: it sends its metrics to N. Virginia.
        moto.metric("us-east-1", metric, &points).await.unwrap();
    }

    let aws = open(&connection(moto.endpoint(), &["eu-west-1"])).await;
    let id = "arn:aws:cloudfront::123456789012:distribution/E2QWRUHAPOMQZL";
    let shop = Resource {
        kind: ResourceKind::Distribution,
        region: "global".to_owned(),
        ..reeve_testkit::contract::estate::resource("test", id).unwrap()
    };
    let query = SampleQuery {
        resource: shop.clone(),
        metrics: ResourceKind::Distribution.metrics().to_vec(),
        start: at(12),
        end: last + step,
    };
    let batch = aws.samples(&[query]).await.unwrap();
    assert_eq!((batch.denied, batch.problems), (vec![], vec![]));
    let found = |metric| points(&batch.samples, &shop, metric);
    let requests = [(at(4), 20.0), (at(3), 2.0)];
    assert_points(&found(Metric::RequestRate), &requests, "requests");
    let rates = [(at(4), 72.5), (at(3), 10.0)];
    assert_points(&found(Metric::CacheHitRate), &rates, "hit rate");
}
