//! Streams out: one runner for each stream that is not paused, started anew when the stream changes.
//!
//! A runner reads the log on and sends; nothing waits for it. It ends within a moment when it is
//! stopped, also while a receiver hangs: what was sent and not confirmed is sent again.

mod runner;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reeve_streams::{SendError, Stream, StreamId};
use reeve_trail::Trail;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::streams::StreamReceivers;
use crate::service::Service;
use crate::tasks::context::TaskContext;
use runner::StreamRunner;

/// Time between two looks at the list of streams.
const BEAT: Duration = Duration::from_millis(500);

/// A runner of a version of a stream.
struct Running {
    version: u64,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

struct Supervisor {
    context: Arc<TaskContext>,
    receivers: Arc<StreamReceivers>,
    trail: Trail,
    running: HashMap<StreamId, Running>,
}

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let mut supervisor = Supervisor {
        context: service.tasks.clone(),
        receivers: service.tasks.stream_receivers.clone(),
        trail: service.trail.clone(),
        running: HashMap::new(),
    };
    let (tracker_of_runners, stop) = (tracker.clone(), stop.clone());
    tracker.spawn(async move {
        loop {
            supervisor.look(&tracker_of_runners, &stop).await;
            tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(BEAT) => {} }
        }
    });
}

impl Supervisor {
    /// Stops the runners of streams that changed, are paused or gone, and starts those that are
    /// missing.
    async fn look(&mut self, tracker: &TaskTracker, stop: &CancellationToken) {
        let streams = match self.context.streams.stream_list().await {
            Ok(streams) => streams,
            Err(error) => return self.context.journal.failed("streams.list", &error).await,
        };
        let wanted: HashMap<&StreamId, &Stream> = streams
            .iter()
            .filter(|stream| !stream.paused)
            .map(|stream| (&stream.id, stream))
            .collect();

        let is_wanted = |id: &StreamId, running: &Running| {
            wanted
                .get(id)
                .is_some_and(|stream| stream.version == running.version)
                && !running.task.is_finished()
        };
        let ended: Vec<StreamId> = self
            .running
            .iter()
            .filter(|(id, running)| !is_wanted(id, running))
            .map(|(id, _)| id.clone())
            .collect();
        for id in ended {
            if let Some(running) = self.running.remove(&id) {
                running.stop.cancel();
                // It ends at its next await, so two runners of a stream never send side by side.
                running.task.await.ok();
            }
        }

        for (id, stream) in wanted {
            if self.running.contains_key(id) {
                continue;
            }
            let stop = stop.child_token();
            let runner = self.runner(stream);
            let stopped = stop.clone();
            let task = tracker.spawn(async move {
                tokio::select! { () = stopped.cancelled() => {}, () = runner => {} }
            });
            let version = stream.version;
            let running = Running {
                version,
                stop,
                task,
            };
            self.running.insert(id.clone(), running);
        }
    }

    /// Runs a stream until it is stopped, or until its state was changed by another.
    fn runner(&self, stream: &Stream) -> impl Future<Output = ()> + Send + use<> {
        let (context, trail) = (self.context.clone(), self.trail.clone());
        let (receivers, stream) = (self.receivers.clone(), stream.clone());
        async move {
            let store = &context.streams;
            let opened = async {
                let secret = store
                    .stream_secret(&stream.id)
                    .await
                    .map_err(SendError::passing)?;
                receivers.open(&stream, &secret)
            };
            let sink = opened.await;
            let state = match store.stream_state(&stream.id).await {
                Ok(state) => state,
                Err(error) => return context.journal.failed("streams.state", &error).await,
            };
            StreamRunner::new(context.clone(), trail, stream, sink, state)
                .run()
                .await;
        }
    }
}
