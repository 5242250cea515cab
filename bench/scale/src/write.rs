//! The estate's points, into the lake: each day in inserts of a thousand resources, then merged, as
//! a service leaves them.

use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, ResourceId, Sample, SampleStore as _};
use reeve_lake::SampleLake;

use crate::estate::{DAY, DAYS, Line, START_S, STEP_S, name};

/// Resources of an insert.
const TOGETHER: usize = 1_000;

/// A line under way.
struct Source {
    resource: ResourceId,
    metric: Metric,
    line: Line,
}

/// Writes the points of all resources into the lake.
pub(crate) async fn run(dir: &Path, resources: u32) -> anyhow::Result<()> {
    let began = Instant::now();
    let lake = SampleLake::open(dir).await?;
    let mut sources: Vec<Source> = (0..resources)
        .flat_map(|resource| {
            [
                (Metric::CpuUtilization, false),
                (Metric::MemoryUtilization, true),
            ]
            .map(|(metric, memory)| Source {
                resource: ResourceId::new(name(resource)),
                metric,
                line: Line::new(resource, memory),
            })
        })
        .collect();

    let connection = ConnectionId("scale".to_owned());
    let mut written = 0;

    for day in 0..DAYS {
        for some in sources.chunks_mut(2 * TOGETHER) {
            let mut samples = Vec::with_capacity(some.len() * DAY as usize);
            for source in some {
                for point in day * DAY..(day + 1) * DAY {
                    samples.push(Sample {
                        connection: connection.clone(),
                        resource: source.resource.clone(),
                        metric: source.metric,
                        timestamp: Timestamp::from_second(START_S + point * STEP_S)?,
                        value: source.line.next(point),
                        period_s: STEP_S as u32,
                    });
                }
            }
            written += samples.len();
            lake.sample_insert(&samples).await?;
        }
        lake.compact().await?;
        eprintln!(
            "day {} of {DAYS}: {written} samples, {:.0} s",
            day + 1,
            began.elapsed().as_secs_f64()
        );
    }

    Ok(())
}
