//! Daily maxima: computed once a day is over, kept when its samples expire, never lowered.

use std::path::{Path, PathBuf};

use reeve_estate::{ConnectionId, Metric, ResourceId, Sample, SampleStore as _};
use reeve_lake::SampleLake;

use super::{DAY_S, START_S, at, files, sample, series};

/// Daily maxima as (resource, day, value).
async fn maxima(lake: &SampleLake, resources: &[&str]) -> Vec<(String, i64, f64)> {
    let ids: Vec<ResourceId> = resources.iter().map(|&id| ResourceId::new(id)).collect();
    let found = lake
        .sample_maxima(
            &ConnectionId("c".into()),
            &ids,
            &[Metric::CpuUtilization],
            at(-1000 * DAY_S),
            at(1000 * DAY_S),
        )
        .await
        .unwrap();

    let mut all = Vec::new();
    for one in found {
        assert_eq!(one.period_s, DAY_S as u32);
        for (time, value) in one.points {
            assert_eq!(time.as_second().rem_euclid(DAY_S), 0);
            let day = (time.as_second() - START_S) / DAY_S;
            all.push((one.resource.0.clone(), day, value));
        }
    }
    all
}

#[tokio::test]
async fn the_maximum_of_each_day_outlives_the_days_samples() {
    let home = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(home.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    for day in 0..3 {
        // A peak at noon, of another height each day, in an insert of its own.
        let rest: Vec<Sample> = (0..288)
            .flat_map(|n| ["i-1", "i-2"].map(|id| sample("c", id, cpu, day * DAY_S + n * 300, 5.0)))
            .collect();
        lake.sample_insert(&rest).await.unwrap();
        let noon = day * DAY_S + DAY_S / 2;
        let peak = sample("c", "i-1", cpu, noon, 50.0 + day as f64);
        lake.sample_insert(&[peak]).await.unwrap();
    }

    // Two days are over; the third is not.
    assert_eq!(lake.condense(at(2 * DAY_S + 10), 1).await.unwrap(), 1);
    assert_eq!(lake.condense(at(2 * DAY_S + 10), 10).await.unwrap(), 1);
    assert_eq!(lake.condense(at(2 * DAY_S + 10), 10).await.unwrap(), 0);
    let of_first = [("i-1".to_owned(), 0, 50.0), ("i-1".to_owned(), 1, 51.0)];
    assert_eq!(maxima(&lake, &["i-1"]).await, of_first);

    lake.compact().await.unwrap();
    assert_eq!(
        lake.condense(at(2 * DAY_S + 10), 10).await.unwrap(),
        0,
        "a merge is nothing new"
    );
    assert!(lake.expire(at(2 * DAY_S)).await.unwrap() > 0);
    drop(lake);

    // Questions for the samples themselves do not see them, and a restart finds them.
    let lake = SampleLake::open(home.path()).await.unwrap();
    assert!(
        series(&lake, &["i-1"], &[cpu], 0, 2 * DAY_S)
            .await
            .is_empty()
    );
    let of_second = [("i-2".to_owned(), 0, 5.0), ("i-2".to_owned(), 1, 5.0)];
    assert_eq!(
        maxima(&lake, &["i-1", "i-2"]).await,
        [of_first.clone(), of_second].concat()
    );

    // A part of a day that comes late lowers no maximum, and a higher one counts.
    let late = [
        sample("c", "i-1", cpu, 60, 7.0),
        sample("c", "i-2", cpu, 60, 8.0),
    ];
    lake.sample_insert(&late).await.unwrap();
    assert_eq!(lake.condense(at(DAY_S), 10).await.unwrap(), 1);
    assert_eq!(maxima(&lake, &["i-1"]).await, of_first);
    assert_eq!(maxima(&lake, &["i-2"]).await[0].2, 8.0);

    assert_eq!(lake.expire_maxima(at(DAY_S)).await.unwrap(), 1);
    assert_eq!(maxima(&lake, &["i-1"]).await, of_first[1..]);
}

#[tokio::test]
async fn samples_of_a_day_whose_maxima_outlived_it_count_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(home.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    for value in [5.0, 6.0, 7.0] {
        lake.sample_insert(&[sample("c", "i-1", cpu, 60, value)])
            .await
            .unwrap();
    }
    lake.condense(at(DAY_S), 10).await.unwrap();
    lake.expire(at(DAY_S)).await.unwrap();
    drop(lake);

    let lake = SampleLake::open(home.path()).await.unwrap();
    lake.sample_insert(&[sample("c", "i-1", cpu, 120, 9.0)])
        .await
        .unwrap();
    assert_eq!(lake.condense(at(DAY_S), 10).await.unwrap(), 1);
    assert_eq!(maxima(&lake, &["i-1"]).await, [("i-1".to_owned(), 0, 9.0)]);
}

#[tokio::test]
async fn of_two_senders_the_higher_maximum_counts_and_a_damaged_day_stops_no_other() {
    let home = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(home.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    lake.sample_sources(&[ConnectionId("prom".into())]);
    for (sender, value) in [("c", 40.0), ("prom", 10.0)] {
        lake.sample_insert(&[sample(sender, "i-1", cpu, 60, value)])
            .await
            .unwrap();
    }
    lake.sample_insert(&[sample("b", "i-1", cpu, 60, 1.0)])
        .await
        .unwrap();
    let damaged = files(home.path()).remove(0);
    assert!(damaged.to_str().unwrap().contains("/b/"), "{damaged:?}");
    std::fs::write(&damaged, "no parquet").unwrap();

    let failed = lake.condense(at(DAY_S), 10).await.unwrap_err();
    assert!(failed.to_string().contains("/b/"), "{failed}");
    assert_eq!(maxima(&lake, &["i-1"]).await, [("i-1".to_owned(), 0, 40.0)]);
}

#[tokio::test]
async fn maxima_cut_short_are_finished_at_the_next_start() {
    let home = tempfile::tempdir().unwrap();
    let lake = SampleLake::open(home.path()).await.unwrap();
    let cpu = Metric::CpuUtilization;
    lake.sample_insert(&[sample("c", "i-1", cpu, 60, 7.0)])
        .await
        .unwrap();
    lake.condense(at(DAY_S), 10).await.unwrap();
    let folder = home.path().join("lake/maxima/c/2026-11-01");
    let only = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    let first = only(&folder).remove(0);
    let kept = std::fs::read(&first).unwrap();

    lake.sample_insert(&[sample("c", "i-1", cpu, 120, 9.0)])
        .await
        .unwrap();
    lake.condense(at(DAY_S), 10).await.unwrap();
    assert!(!first.exists());
    drop(lake);

    // As if the program had ended before the earlier file was removed.
    std::fs::write(&first, kept).unwrap();
    let lake = SampleLake::open(home.path()).await.unwrap();
    assert_eq!(only(&folder).len(), 1);
    assert_eq!(maxima(&lake, &["i-1"]).await, [("i-1".to_owned(), 0, 9.0)]);
}
