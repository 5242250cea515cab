//! Samples: inserted, replaced, merged, expired, and found again after a restart.

mod maxima;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_estate::{
    ConnectionId, Metric, ResourceId, Sample, SampleScan, SampleSeries, SampleStore, StoreError,
};
use reeve_lake::SampleLake;

const DAY_S: i64 = 86_400;
/// 2026-11-01T00:00:00Z.
const START_S: i64 = 1_793_491_200;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(START_S + second).unwrap()
}

fn sample(connection: &str, resource: &str, metric: Metric, second: i64, value: f64) -> Sample {
    Sample {
        connection: ConnectionId(connection.into()),
        resource: ResourceId::new(resource),
        metric,
        timestamp: at(second),
        value,
        period_s: 300,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.join("lake/samples")];

    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path)
            } else {
                found.push(path)
            }
        }
    }

    found.sort();
    found
}

async fn series(
    lake: &SampleLake,
    resources: &[&str],
    metrics: &[Metric],
    from: i64,
    to: i64,
) -> Vec<SampleSeries> {
    series_of(lake, "c", resources, metrics, from, to).await
}

async fn series_of(
    lake: &SampleLake,
    connection: &str,
    resources: &[&str],
    metrics: &[Metric],
    from: i64,
    to: i64,
) -> Vec<SampleSeries> {
    let resources: Vec<ResourceId> = resources.iter().map(|&id| ResourceId::new(id)).collect();
    let connection = ConnectionId(connection.to_owned());
    lake.sample_series(&connection, &resources, metrics, at(from), at(to))
        .await
        .unwrap()
}

#[tokio::test]
async fn connections_do_not_share_samples_and_all_have_those_of_metric_sources() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let (cpu, memory) = (Metric::CpuUtilization, Metric::MemoryUtilization);
    lake.sample_insert(&[
        sample("prod", "orders", cpu, 0, 90.0),
        sample("dev", "orders", cpu, 300, 0.1),
    ])
    .await
    .unwrap();

    lake.sample_insert(&[sample("prometheus", "orders", memory, 0, 40.0)])
        .await
        .unwrap();
    let read = async |lake: &SampleLake, connection: &str| {
        let found = series_of(lake, connection, &["orders"], &[cpu, memory], 0, DAY_S).await;
        found
            .into_iter()
            .flat_map(|series| series.values())
            .collect::<Vec<f64>>()
    };
    assert_eq!(read(&lake, "prod").await, [90.0]);

    assert_eq!(read(&lake, "dev").await, [0.1]);
    lake.sample_sources(&[ConnectionId("prometheus".into())]);
    assert_eq!(read(&lake, "prod").await, [90.0, 40.0]);
    assert_eq!(read(&lake, "dev").await, [0.1, 40.0]);

    // The same after a compaction and in a pass over everything.
    lake.compact().await.unwrap();
    assert_eq!(read(&lake, "prod").await, [90.0, 40.0]);

    let scan = lake.scan(&[cpu], at(0), at(DAY_S)).await.unwrap();
    let tracks = scan.band(0).await.unwrap();
    let seen: Vec<(&str, f64)> = tracks
        .iter()
        .map(|track| (track.connection.0.as_str(), track.points[0].1))
        .collect();
    assert_eq!(seen, [("dev", 0.1), ("prod", 90.0)]);
}

#[tokio::test]
async fn a_series_comes_back_in_order_and_within_its_span() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    let samples: Vec<Sample> = [DAY_S + 300, 300, 0, DAY_S - 300, 600]
        .map(|second| sample("c/1", "i-1", cpu, second, second as f64))
        .into_iter()
        .chain([
            sample("c/1", "i-2", cpu, 0, 7.5),
            sample("c/1", "i-1", Metric::NetworkIn, 0, 1e9),
        ])
        .collect();
    lake.sample_insert(&samples).await.unwrap();

    lake.sample_insert(&[]).await.unwrap();
    assert_eq!(files(folder.path()).len(), 2, "one file a day");

    let found = series_of(
        &lake,
        "c/1",
        &["i-1", "i-2", "i-9", "i-1"],
        &[cpu],
        0,
        DAY_S + 300,
    )
    .await;

    let expect = |resource: &str, points: &[(i64, f64)]| SampleSeries {
        resource: ResourceId::new(resource),
        metric: cpu,
        points: points
            .iter()
            .map(|&(second, value)| (at(second), value))
            .collect(),
        period_s: 300,
    };

    let day = DAY_S - 300;
    let first = expect(
        "i-1",
        &[(0, 0.0), (300, 300.0), (600, 600.0), (day, day as f64)],
    );
    assert_eq!(
        found,
        [first, expect("i-2", &[(0, 7.5)])],
        "the end is exclusive"
    );

    assert!(
        series_of(&lake, "c/1", &["i-1"], &[], 0, 10)
            .await
            .is_empty()
    );

    assert!(
        series_of(&lake, "c/1", &["i-1"], &[cpu], 10, 10)
            .await
            .is_empty()
    );

    assert!(
        series_of(&lake, "c/1", &["i-1"], &[cpu], 1, 300)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_point_given_again_replaces_the_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let cpu = Metric::CpuUtilization;
    let value = |found: Vec<SampleSeries>| {
        found[0]
            .points
            .iter()
            .map(|(_, value)| *value)
            .collect::<Vec<_>>()
    };

    {
        let lake = SampleLake::open(folder.path()).await.unwrap();
        lake.sample_insert(&[
            sample("c", "i", cpu, 0, 1.0),
            sample("c", "i", cpu, 300, 2.0),
            sample("c", "i", cpu, 0, 3.0),
        ])
        .await
        .unwrap();
        assert_eq!(
            value(series(&lake, &["i"], &[cpu], 0, DAY_S).await),
            [3.0, 2.0],
            "within an insert"
        );
        lake.sample_insert(&[sample("c", "i", cpu, 300, 4.0)])
            .await
            .unwrap();
        lake.sample_insert(&[sample("other", "i", cpu, 0, 5.0)])
            .await
            .unwrap();
        assert_eq!(
            value(series(&lake, &["i"], &[cpu], 0, DAY_S).await),
            [3.0, 4.0],
            "across inserts, of its own connection"
        );
    }

    let lake = SampleLake::open(folder.path()).await.unwrap();
    assert_eq!(
        value(series(&lake, &["i"], &[cpu], 0, DAY_S).await),
        [3.0, 4.0],
        "after a restart"
    );

    lake.sample_insert(&[sample("c", "i", cpu, 0, 6.0)])
        .await
        .unwrap();
    assert_eq!(
        value(series(&lake, &["i"], &[cpu], 0, DAY_S).await),
        [6.0, 4.0],
        "numbering goes on"
    );
}

#[tokio::test]
async fn what_is_not_a_finite_number_is_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let bad = sample("c", "i-7", Metric::DiskRead, 0, f64::NAN);
    let refused = lake
        .sample_insert(&[sample("c", "i", Metric::DiskRead, 0, 1.0), bad])
        .await;
    assert!(
        matches!(refused, Err(StoreError::Backend(message)) if message.contains("i-7 disk_read"))
    );
    assert!(files(folder.path()).is_empty());
}

/// The plain truth beside the table.
#[derive(Default)]
struct Model(BTreeMap<(String, &'static str, i64), f64>);

impl Model {
    fn insert(&mut self, samples: &[Sample]) {
        for sample in samples {
            let key = (
                sample.resource.0.clone(),
                sample.metric.as_str(),
                sample.timestamp.as_second(),
            );
            self.0.insert(key, sample.value);
        }
    }

    fn points(
        &self,
        resource: &str,
        metric: Metric,
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<(Timestamp, f64)> {
        let span = (resource.to_owned(), metric.as_str(), from.as_second())
            ..(resource.to_owned(), metric.as_str(), to.as_second());
        self.0
            .range(span)
            .map(|((_, _, second), value)| (Timestamp::from_second(*second).unwrap(), *value))
            .collect()
    }
}

#[tokio::test]
async fn inserts_merges_and_restarts_in_any_order_agree_with_a_map() {
    for seed in 0..6 {
        let mut random = StdRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        let mut lake = SampleLake::open(folder.path()).await.unwrap();
        let mut model = Model::default();
        let metrics = [Metric::CpuUtilization, Metric::NetworkOut];
        for _ in 0..40 {
            match random.random_range(0..10) {
                0 => lake = SampleLake::open(folder.path()).await.unwrap(),
                1 => {
                    lake.compact().await.unwrap();
                }
                _ => {
                    let samples: Vec<Sample> = (0..random.random_range(1..60))
                        .map(|_| {
                            let resource = random.random_range(0..5);
                            let (metric, second) = (
                                metrics[random.random_range(0..2)],
                                300 * random.random_range(0..1_000),
                            );
                            // A resource belongs to one connection.
                            sample(
                                &format!("c{}", resource % 2),
                                &format!("i-{resource}"),
                                metric,
                                second,
                                random.random(),
                            )
                        })
                        .collect();
                    lake.sample_insert(&samples).await.unwrap();
                    model.insert(&samples);
                }
            }
            let (from, to) = (
                300 * random.random_range(0..1_000),
                300 * random.random_range(0..1_100),
            );
            let mut found = Vec::new();
            for resource in 0..5 {
                let (connection, id) = (format!("c{}", resource % 2), format!("i-{resource}"));
                found.extend(series_of(&lake, &connection, &[&id], &metrics, from, to).await);
            }
            let mut expect = Vec::new();
            for resource in 0..5 {
                for metric in metrics {
                    let id = format!("i-{resource}");
                    let points = if from < to {
                        model.points(&id, metric, at(from), at(to))
                    } else {
                        Vec::new()
                    };
                    if !points.is_empty() {
                        expect.push((id, metric, points));
                    }
                }
            }
            let found: Vec<_> = found
                .into_iter()
                .map(|line| (line.resource.0, line.metric, line.points))
                .collect();
            assert_eq!(found, expect, "seed {seed}");
        }
    }
}

#[tokio::test]
async fn merging_leaves_one_file_a_closed_day_and_old_days_go() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;

    for turn in 0..3 {
        let samples: Vec<Sample> = (0..3)
            .map(|day| sample("c", "i", cpu, day * DAY_S + turn * 300, turn as f64))
            .collect();
        lake.sample_insert(&samples).await.unwrap();
    }

    assert_eq!(files(folder.path()).len(), 9);
    assert_eq!(lake.compact().await.unwrap(), 6, "the newest day waits");
    assert_eq!(files(folder.path()).len(), 5);
    assert_eq!(lake.compact().await.unwrap(), 0);
    assert_eq!(
        series(&lake, &["i"], &[cpu], 0, 9 * DAY_S).await[0]
            .points
            .len(),
        9
    );

    assert_eq!(lake.expire(at(DAY_S - 1)).await.unwrap(), 0);
    assert_eq!(lake.expire(at(2 * DAY_S)).await.unwrap(), 2);
    assert_eq!(
        series(&lake, &["i"], &[cpu], 0, 9 * DAY_S).await[0]
            .points
            .len(),
        3
    );

    let lake = SampleLake::open(folder.path()).await.unwrap();
    assert_eq!(
        series(&lake, &["i"], &[cpu], 0, 9 * DAY_S).await[0]
            .points
            .len(),
        3
    );
}

#[tokio::test]
async fn a_merge_cut_short_is_finished_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let cpu = Metric::CpuUtilization;
    let lake = SampleLake::open(folder.path()).await.unwrap();
    lake.sample_insert(&[
        sample("c", "i", cpu, 0, 1.0),
        sample("c", "i", cpu, DAY_S, 1.0),
    ])
    .await
    .unwrap();

    lake.sample_insert(&[sample("c", "i", cpu, 0, 2.0)])
        .await
        .unwrap();
    let before: Vec<(PathBuf, Vec<u8>)> = files(folder.path())
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    assert_eq!(lake.compact().await.unwrap(), 2);

    let after = files(folder.path());
    // The merged file is there, and those it replaced are there still.
    for (path, bytes) in &before {
        std::fs::write(path, bytes).unwrap();
    }

    let lake = SampleLake::open(folder.path()).await.unwrap();
    assert_eq!(files(folder.path()), after);
    assert_eq!(
        series(&lake, &["i"], &[cpu], 0, 10).await[0].points,
        [(at(0), 2.0)]
    );
}

#[tokio::test]
async fn the_newest_point_of_each_series_is_known_before_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (cpu, net) = (Metric::CpuUtilization, Metric::NetworkIn);
    let newest = async |lake: &SampleLake| {
        let found = lake.sample_newest(&ConnectionId("c".into())).await.unwrap();
        found
            .into_iter()
            .map(|(resource, metric, end)| (resource.0, metric, end))
            .collect::<Vec<_>>()
    };

    let lake = SampleLake::open(folder.path()).await.unwrap();
    assert!(newest(&lake).await.is_empty());
    lake.sample_insert(&[sample("c", "i", cpu, 0, 1.0), sample("d", "j", cpu, 0, 1.0)])
        .await
        .unwrap();
    lake.sample_insert(&[
        sample("c", "i", net, 5 * DAY_S, 1.0),
        sample("c", "i", cpu, 300, 1.0),
    ])
    .await
    .unwrap();

    lake.sample_insert(&[sample("c", "i", net, DAY_S, 1.0)])
        .await
        .unwrap();
    let expect = [
        ("i".to_owned(), cpu, at(300)),
        ("i".to_owned(), net, at(5 * DAY_S)),
    ];
    assert_eq!(newest(&lake).await, expect);

    let lake = SampleLake::open(folder.path()).await.unwrap();
    assert_eq!(newest(&lake).await, expect);
    lake.expire(at(2 * DAY_S)).await.unwrap();
    assert_eq!(newest(&lake).await, expect[1..]);
}

#[tokio::test]
async fn inserts_of_a_connection_are_recognized_by_its_revision_and_merges_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let revisions = || ["c", "d"].map(|id| lake.sample_revision(&ConnectionId(id.into())));
    let cpu = Metric::CpuUtilization;
    let before = revisions();
    lake.sample_insert(&[sample("c", "i", cpu, 0, 1.0)])
        .await
        .unwrap();
    let after = revisions();
    assert!(
        after[0] > before[0] && after[1] == before[1],
        "{before:?} {after:?}"
    );
    lake.sample_insert(&[
        sample("c", "i", cpu, 300, 1.0),
        sample("c", "i", cpu, DAY_S, 1.0),
    ])
    .await
    .unwrap();

    let merged = revisions();
    assert!(merged[0] > after[0]);
    lake.compact().await.unwrap();
    assert_eq!(revisions(), merged);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_and_a_merge_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let lake = std::sync::Arc::new(SampleLake::open(folder.path()).await.unwrap());
    let cpu = Metric::CpuUtilization;

    for turn in 0..30 {
        let samples: Vec<Sample> = (0..4)
            .map(|day| sample("c", "i", cpu, day * DAY_S + turn * 300, turn as f64))
            .collect();
        lake.sample_insert(&samples).await.unwrap();
    }

    let merging = tokio::spawn({
        let lake = std::sync::Arc::clone(&lake);
        async move { lake.compact().await.unwrap() }
    });
    let mut reads = 0;

    while !merging.is_finished() || reads == 0 {
        assert_eq!(
            series(&lake, &["i"], &[cpu], 0, 4 * DAY_S).await[0]
                .points
                .len(),
            120
        );
        reads += 1;
    }

    assert!(merging.await.unwrap() > 0);
}

#[tokio::test]
async fn a_damaged_or_lost_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    lake.sample_insert(&[sample("c", "i", cpu, 0, 1.0)])
        .await
        .unwrap();
    let path = files(folder.path()).remove(0);
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let read = async || {
        lake.sample_series(
            &ConnectionId("c".into()),
            &[ResourceId::new("i")],
            &[cpu],
            at(0),
            at(10),
        )
        .await
    };

    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(
        matches!(read().await, Err(StoreError::Backend(message)) if message.contains(&name) && message.contains("damaged"))
    );
    std::fs::remove_file(&path).unwrap();
    assert!(
        matches!(read().await, Err(StoreError::Backend(message)) if message.contains(&name) && message.contains("missing"))
    );
}

#[tokio::test]
async fn a_pass_finds_every_series_as_a_question_does() {
    let folder = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(folder.path()).await.unwrap();
    let metrics = [Metric::CpuUtilization, Metric::MemoryUtilization];
    let mut random = StdRng::seed_from_u64(11);
    let (resources, points) = (900, 600);
    let mut all = Vec::new();

    for resource in 0..resources {
        for metric in [
            Metric::CpuUtilization,
            Metric::MemoryUtilization,
            Metric::NetworkIn,
        ] {
            for point in 0..points {
                let name = format!("i-{resource:05}");
                all.push(sample(
                    "c",
                    &name,
                    metric,
                    point * 300,
                    random.random_range(0.0..100.0),
                ));
            }
        }
    }

    lake.sample_insert(&all).await.unwrap();
    // Points given again, one at a time of its own, and a resource that only the second insert has.
    let again: Vec<Sample> = all
        .iter()
        .step_by(997)
        .map(|old| Sample {
            value: -1.0,
            ..old.clone()
        })
        .collect();
    lake.sample_insert(&again).await.unwrap();

    lake.sample_insert(&[
        sample("c", "i-00000", metrics[0], 150, 5.0),
        sample("c", "z", metrics[1], 0, 6.0),
    ])
    .await
    .unwrap();

    let (from, to) = (at(3_600), at(DAY_S + 7_200));
    let scan = lake.scan(&metrics, from, to).await.unwrap();
    assert!(scan.bands() > 1, "more than one band");

    let mut found: Vec<SampleSeries> = Vec::new();
    for band in 0..scan.bands() {
        for track in scan.band(band).await.unwrap() {
            let points = track
                .points
                .iter()
                .map(|(at, value)| (Timestamp::from_millisecond(*at).unwrap(), *value));
            let (resource, metric, period_s) = (track.resource, track.metric, track.period_s);
            found.push(SampleSeries {
                resource,
                metric,
                points: points.collect(),
                period_s,
            });
        }
    }

    let mut names: Vec<ResourceId> = (0..resources)
        .map(|resource| ResourceId::new(format!("i-{resource:05}")))
        .collect();
    names.push(ResourceId::new("z"));
    let expected = lake
        .sample_series(&ConnectionId("c".into()), &names, &metrics, from, to)
        .await
        .unwrap();
    assert_eq!(found.len(), expected.len());
    assert!(found == expected, "the same series in the same order");

    let nothing = lake
        .scan(&metrics, at(100 * DAY_S), at(101 * DAY_S))
        .await
        .unwrap();
    assert_eq!(nothing.bands(), 0);
}
