//! One entry: by its position, or by its identifier.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{col, lit};
use futures::{StreamExt, TryStreamExt, stream};
use reeve_audit::query::Column;
use reeve_ledger::{SealedEntry, StoredEntry, TrailError};

use super::parts::{failed, on_worker};
use super::scan::sequences_between;
use super::search::{EntrySearch, PARALLEL};

impl EntrySearch {
    /// The tail knows its entries by position; of the segments, the one that has it.
    pub(super) async fn find_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        let view = self.views.view();
        if let Some(entry) = view.tail.get(sequence) {
            return Ok(Some(Arc::clone(entry)));
        }
        for index in 0..view.segments.len() {
            let segment = &view.segments[index];
            if !(segment.first_sequence..=segment.last_sequence).contains(&sequence) {
                continue;
            }
            // Segments of several classes may span the sequence, and one of them may have it.
            let (segments, listed) = (Arc::clone(&self.segments), Arc::clone(&view.segments));
            let found = on_worker(async move {
                segments.sealed(&listed[index], &sequences_between(sequence, sequence)).await.map_err(failed)
            });
            if let Some(entry) = found.await?.pop() {
                return self.restore(entry).await.map(Some);
            }
        }
        Ok(None)
    }

    /// The tail is looked through; segments answer from their bloom filters and page statistics, newest first.
    pub(super) async fn find_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        let view = self.views.view();
        if let Some(entry) = view.tail.iter().rev().find(|entry| entry.entry.event_id.as_str() == event_id) {
            return Ok(Some(Arc::clone(entry)));
        }
        let condition = col(Column::EventId.segment_name()).eq(lit(ScalarValue::Utf8(Some(event_id.to_owned()))));
        let looks = (0..view.segments.len()).rev().map(|index| {
            let (segments, listed, condition) =
                (Arc::clone(&self.segments), Arc::clone(&view.segments), condition.clone());
            on_worker(async move { segments.sealed(&listed[index], &[condition]).await.map_err(failed) })
        });
        let mut answers = stream::iter(looks).buffered(PARALLEL);
        while let Some(mut answer) = answers.try_next().await? {
            if let Some(entry) = answer.pop() {
                return self.restore(entry).await.map(Some);
            }
        }
        Ok(None)
    }

    async fn restore(&self, sealed: SealedEntry) -> Result<Arc<StoredEntry>, TrailError> {
        let sequence = sealed.sequence;
        let restored = self.views.restore(vec![sealed]).await?.pop();
        restored.map(Arc::new).ok_or_else(|| TrailError::Backend(format!("entry {sequence} was not restored")))
    }
}
