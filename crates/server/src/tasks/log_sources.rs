//! Sources of entries: reads the queues of those that have one, each apart, and notices when a source
//! falls silent and when it sends again.

use std::time::Duration;

use reeve_intake::LogSourceStore as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

/// Time between two looks for silent sources.
const WATCH_EVERY: Duration = Duration::from_secs(5);
/// Time between two readings of a queue. A reading waits for messages.
const BEAT: Duration = Duration::from_secs(1);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (store, reader) = (service.store.clone(), service.observers.log_sources.clone());
    let readings = tracker.clone();
    super::every(tracker, stop, BEAT, move || {
        let (store, reader, readings) = (store.clone(), reader.clone(), readings.clone());
        async move {
            let sources = match store.log_source_list().await {
                Ok(sources) => sources,
                Err(error) => return tracing::warn!(%error, "sources could not be listed"),
            };
            for source in sources {
                if source.queue.is_none() || !source.enabled {
                    continue;
                }
                // A slow queue of one source must not hold up the files of another.
                let reader = reader.clone();
                readings.spawn(async move {
                    if let Err(error) = reader.read_now(&source).await {
                        tracing::warn!(source = source.name, %error, "a queue was not read");
                    }
                });
            }
        }
    });

    let context = service.tasks.clone();
    super::every(tracker, stop, WATCH_EVERY, move || {
        let context = context.clone();
        async move {
            if let Err(error) = context.source_intake.watch().await {
                context.journal.failed("log_sources.watch", &error).await;
            }
        }
    });
}
