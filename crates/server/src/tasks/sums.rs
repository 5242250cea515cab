//! Adds up what pages tell of the whole estate once after a start, so that the first visitor does
//! not wait for it. The store holds the sums until something that they depend on is written.

use reeve_recommend::ports::RecommendationFilter;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (app, stop) = (service.app.clone(), stop.clone());
    tracker.spawn(async move {
        let any = RecommendationFilter::default();
        let sums = async {
            app.estate.resource_totals().await?;
            app.agents.recommendation_savings(&any).await?;
            app.agents.recommendation_savings_by_day().await
        };
        tokio::select! {
            () = stop.cancelled() => {}
            added = sums => {
                if let Err(error) = added {
                    tracing::warn!(%error, "the sums of the dashboard could not be added up; its first page does");
                }
            }
        }
    });
}
