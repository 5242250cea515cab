//! Sessions right before a machine is ended: between an approval and its step one may have begun.

use jiff::SignedDuration;
use reeve_audit::Obstacle;
use reeve_estate::{Metric, Operation, ResourceId};
use reeve_learn::{Point, Window};
use reeve_recommend::action::Purpose;
use reeve_recommend::judgement::sessions::{IN_FLIGHT, IdleWatch, SessionSource, most};

use crate::execution::runner::ExecutionRunner;

impl ExecutionRunner {
    /// Refuses an operation that ends what serves somebody, or may: sessions that are not known are
    /// no reason to end a machine. A test ends none.
    pub(crate) async fn serves_nobody(&self, operation: &dyn Operation) -> Result<(), Obstacle> {
        let watch = self.procedure.change().must_be_idle(operation);
        let Some(watch) = watch.filter(|_| self.action.purpose == Purpose::Apply) else {
            return Ok(());
        };

        let mut sessions = 0.0;
        for id in &watch.measured_at {
            sessions += self.sessions_of(&watch, id).await?;
        }
        let none = match watch.source {
            SessionSource::Sessions => 0.0,
            SessionSource::Requests => IN_FLIGHT,
        };
        if sessions > none || watch.measured_at.is_empty() {
            return Err(Obstacle::of(format_args!(
                "{sessions:.2} {} in the last {} minutes: it is not ended while it serves a user",
                words(watch.source),
                watch.quiet_minutes
            )));
        }
        Ok(())
    }

    /// Most sessions, or requests in flight, at a resource in the time of the watch.
    async fn sessions_of(&self, watch: &IdleWatch, id: &ResourceId) -> Result<f64, Obstacle> {
        let now = self.execution.records.clock.now();
        let quiet_ms = i64::from(watch.quiet_minutes) * 60_000;
        let window = Window::ending(now.as_millisecond(), quiet_ms);
        let since = now - SignedDuration::from_millis(quiet_ms);
        let series = self
            .execution
            .ports
            .samples
            .sample_series(
                &self.resource.connection,
                std::slice::from_ref(id),
                watch.source.metrics(),
                since,
                now,
            )
            .await
            .map_err(|error| Obstacle::of(&error))?;

        let highest = |metric: &Metric| {
            let own = series.iter().find(|one| one.metric == *metric)?;
            let finite = own.points.iter().filter(|(_, value)| value.is_finite());
            let points: Vec<Point> = finite
                .map(|(at, value)| (at.as_millisecond(), *value))
                .collect();
            most(&points, i64::from(own.period_s.max(1)) * 1000, window)
        };
        let all: Option<Vec<f64>> = watch.source.metrics().iter().map(highest).collect();
        all.map(|all| all.into_iter().product()).ok_or_else(|| {
            Obstacle::of(format_args!(
                "the {} of {id} in the last {} minutes are not known: nothing is ended",
                words(watch.source),
                watch.quiet_minutes
            ))
        })
    }
}

fn words(source: SessionSource) -> &'static str {
    match source {
        SessionSource::Sessions => "active sessions",
        SessionSource::Requests => "requests in flight",
    }
}
