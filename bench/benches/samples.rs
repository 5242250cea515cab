//! Measures samples: 120 resources, 4 metrics, 30 days of five minutes, over three connections.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, ResourceId, Sample, SampleStore};
use reeve_lake::SampleLake;

const METRICS: [Metric; 4] = [
    Metric::CpuUtilization,
    Metric::MemoryUtilization,
    Metric::NetworkIn,
    Metric::NetworkOut,
];
const DAYS: i64 = 30;
/// 2026-11-01T00:00:00Z.
const START_S: i64 = 1_793_491_200;

fn history(connection: i64) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut state = connection.unsigned_abs() + 1;

    for resource in 0..40 {
        for metric in METRICS {
            for point in 0..DAYS * 288 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let noise = (state >> 40) as f64 / 1e6;
                samples.push(Sample {
                    connection: ConnectionId(format!("connection-{connection}")),
                    resource: ResourceId::new(format!("i-0{connection}{resource:015x}")),
                    metric,
                    timestamp: Timestamp::from_second(START_S + point * 300).unwrap(),
                    value: 30.0 + noise,
                    period_s: 300,
                });
            }
        }
    }

    samples
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let mut count = 0;

    for connection in 0..3 {
        let samples = history(connection);
        count += samples.len();
        let start = Instant::now();
        lake.sample_insert(&samples).await.unwrap();
        println!("insert {} samples: {:?}", samples.len(), start.elapsed());
    }

    let (from, to) = (
        Timestamp::from_second(START_S).unwrap(),
        Timestamp::from_second(START_S + DAYS * 86_400).unwrap(),
    );
    let resources: Vec<ResourceId> = history(0)
        .chunks(34_560)
        .map(|chunk| chunk[0].resource.clone())
        .collect();

    for (what, resources, metrics) in [
        ("one series", &resources[7..8], &METRICS[..1]),
        ("40 resources, 4 metrics", &resources[..], &METRICS[..]),
    ] {
        let start = Instant::now();
        let series = lake
            .sample_series(
                &ConnectionId("connection-0".into()),
                resources,
                metrics,
                from,
                to,
            )
            .await
            .unwrap();
        println!(
            "{what}: {} points, {:?}",
            series.iter().map(|line| line.points.len()).sum::<usize>(),
            start.elapsed()
        );
    }

    let lake = SampleLake::open(folder.path()).await.unwrap();
    for turn in ["first", "again"] {
        let start = Instant::now();
        let newest = lake
            .sample_newest(&ConnectionId("connection-1".into()))
            .await
            .unwrap();
        println!(
            "newest of {} series, {turn}: {:?}",
            newest.len(),
            start.elapsed()
        );
    }

    let mut small: Vec<Sample> = history(0).into_iter().step_by(8_640).collect();
    let start = Instant::now();

    for turn in 0..8 {
        small
            .iter_mut()
            .for_each(|sample| sample.timestamp = to + jiff::SignedDuration::from_mins(5 * turn));
        lake.sample_insert(&small).await.unwrap();
    }

    println!(
        "8 inserts of {} samples: {:?}",
        small.len(),
        start.elapsed()
    );
    let start = Instant::now();
    println!(
        "merge of {} files: {:?}",
        lake.compact().await.unwrap(),
        start.elapsed()
    );

    println!(
        "{:.2} bytes a sample",
        bytes(folder.path()) as f64 / count as f64
    );
}

fn bytes(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            if entry.path().is_dir() {
                bytes(&entry.path())
            } else {
                entry.metadata().unwrap().len()
            }
        })
        .sum()
}
