//! One pass over every series of the estate: figures, the shape of the week, a forecast, and what
//! was unusual.
//!
//! [`learn`] analyses one series and is pure. [`sweep`] reads bands of series, analyses several in
//! parallel, and returns the results in order. Memory is that of one band for each worker.

use std::sync::Arc;

use futures::{StreamExt as _, stream};
use reeve_estate::{ConnectionId, Metric, ResourceId, SampleScan, StoreError, Track};
use reeve_learn::anomaly::Detector;
use reeve_learn::forecast::{self, Band, ForecastAbstention, ForecastSettings};
use reeve_learn::grid::{Grid, GridError};
use reeve_learn::{Summary, WeeklyShape, Window};

/// Settings of the analysis of many series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Window that the summary figures describe.
    pub window: Window,
    /// Horizon of the forecast, milliseconds.
    pub ahead_ms: i64,
    /// Number of forecasts that run at the same time.
    pub workers: usize,
}

/// Point that is unusual given the points before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unusual {
    /// Time, milliseconds since the epoch.
    pub at_ms: i64,
    pub value: f64,
    /// Score at the alarm, 0.5 to 1.
    pub score: f64,
    pub expected: f64,
}

/// Reason why a series has no forecast.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoForecast {
    /// It has no regular step.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// It is too short.
    #[error(transparent)]
    Short(#[from] ForecastAbstention),
}

/// Models learned from one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Learnt {
    /// The connection that its points came over.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub metric: Metric,
    pub points: usize,
    /// Figures of the window; nothing where no finite point is in it.
    pub summary: Option<Summary>,
    /// The shape of the week.
    pub week: Option<WeeklyShape>,
    /// The steps ahead, or why there are none.
    pub forecast: Result<Vec<Band>, NoForecast>,
    /// Unusual points, oldest first.
    pub unusual: Vec<Unusual>,
}

/// Learns from one series.
#[must_use]
pub fn learn(track: &Track, sweep: &Sweep) -> Learnt {
    let points = &track.points;
    let mut detector = Detector::new();
    let unusual = points.iter().filter_map(|(at_ms, value)| {
        let judged = detector.observe(*at_ms, *value);
        judged.alarm.then_some(Unusual {
            at_ms: *at_ms,
            value: *value,
            score: judged.score,
            expected: judged.expected,
        })
    });

    Learnt {
        connection: track.connection.clone(),
        resource: track.resource.clone(),
        metric: track.metric,
        points: points.len(),
        unusual: unusual.collect(),
        summary: Summary::new(points, sweep.window, i64::from(track.period_s) * 1_000),
        week: WeeklyShape::fit(points),
        forecast: ahead(track, sweep),
    }
}

fn ahead(track: &Track, sweep: &Sweep) -> Result<Vec<Band>, NoForecast> {
    let grid = Grid::new(&track.points)?;
    let steps = usize::try_from(sweep.ahead_ms / grid.step_ms)
        .unwrap_or(0)
        .max(1);
    let model = forecast::fit(
        &grid,
        &ForecastSettings {
            horizon: steps,
            ..ForecastSettings::default()
        },
    )?;

    Ok(model.forecast(steps))
}

/// Learns from every series of a pass; `each` gets the bands in order.
///
/// # Errors
/// A band cannot be read; earlier ones were passed on.
pub async fn sweep(
    scan: Arc<dyn SampleScan>,
    sweep: Sweep,
    mut each: impl FnMut(Vec<Learnt>),
) -> Result<(), StoreError> {
    let mut bands = stream::iter(0..scan.bands())
        .map(|band| {
            let scan = Arc::clone(&scan);
            async move {
                let tracks = scan.band(band).await?;
                let work = move || {
                    tracks
                        .iter()
                        .map(|track| learn(track, &sweep))
                        .collect::<Vec<Learnt>>()
                };
                let learnt = tokio::task::spawn_blocking(work).await;
                learnt.map_err(|error| {
                    StoreError::Backend(format!("learning from samples was broken off: {error}"))
                })
            }
        })
        .buffered(sweep.workers.max(1));

    while let Some(learnt) = bands.next().await {
        each(learnt?);
    }

    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use async_trait::async_trait;

    use super::*;

    struct Three;

    #[async_trait]
    impl SampleScan for Three {
        fn bands(&self) -> usize {
            3
        }

        async fn band(&self, band: usize) -> Result<Vec<Track>, StoreError> {
            // Two weeks of five minutes; on the last day of the second band, an hour at the
            // ceiling.
            let value = |at: i64| {
                40.0 + 10.0 * ((at % 288) as f64 / 288.0 * std::f64::consts::TAU).sin()
                    + (at * 7919 % 13) as f64 / 10.0
            };

            let spike = |at: i64| band == 1 && (3_900..3_912).contains(&at);
            let points = (0..4_032)
                .map(|at| (at * 300_000, if spike(at) { 99.0 } else { value(at) }))
                .collect();
            let resource = ResourceId::new(format!("i-{band}"));
            let connection = ConnectionId("c-1".to_owned());

            Ok(vec![Track {
                connection,
                resource,
                metric: Metric::CpuUtilization,
                points,
                period_s: 300,
            }])
        }
    }

    #[tokio::test]
    async fn every_series_is_learnt_from_in_order() {
        let window = Window {
            start_ms: 0,
            end_ms: 4_032 * 300_000,
        };
        let plan = Sweep {
            window,
            ahead_ms: 24 * 3_600_000,
            workers: 2,
        };
        let mut all = Vec::new();
        sweep(Arc::new(Three), plan, |learnt| all.extend(learnt))
            .await
            .unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.resource.as_str()).collect();
        assert_eq!(names, ["i-0", "i-1", "i-2"]);
        for one in &all {
            assert_eq!(one.forecast.as_ref().unwrap().len(), 288);
            assert_eq!(one.summary.as_ref().unwrap().coverage, 1.0);
        }

        assert!(
            all[0].unusual.is_empty() && all[2].unusual.is_empty(),
            "{:?}",
            all[0].unusual
        );

        let first = all[1].unusual.first().unwrap();
        assert_eq!(first.at_ms, 3_900 * 300_000);

        let high = all[0]
            .forecast
            .as_ref()
            .unwrap()
            .iter()
            .map(|band| band.p50)
            .fold(0.0, f64::max);

        assert!(
            (45.0..55.0).contains(&high),
            "the daily peak is foreseen: {high}"
        );

        let mut again = Vec::new();
        sweep(Arc::new(Three), Sweep { workers: 1, ..plan }, |learnt| {
            again.extend(learnt)
        })
        .await
        .unwrap();
        assert!(again == all, "the same whatever the number of workers");
    }
}
