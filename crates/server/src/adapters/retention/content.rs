//! A segment read as a whole before it may go: every row compared with the log, every hold
//! evaluated on every entry.

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_lake::EntrySegments;
use reeve_ledger::{Ledger, SegmentContent, SegmentMeta, SegmentStore as _};
use reeve_retention::{HoldAnswer, HoldCheck, LegalHold, SegmentSurvey};
use reeve_tlog::{Hash, Tree};

/// Rows that are restored at a time.
const ROWS_AT_ONCE: usize = 4_096;

/// What a segment holds.
pub(super) struct ContentReading {
    pub(super) survey: SegmentSurvey,
    pub(super) holds: HoldAnswer,
    /// Identifiers of the holds that were evaluated.
    pub(super) looked_at: Vec<String>,
    /// Root over the commitments of its entries.
    pub(super) root: Hash,
}

impl ContentReading {
    /// Reads a segment.
    ///
    /// # Errors
    /// It is not what was sealed, or an entry in it is not what the log committed to.
    pub(super) async fn of(
        ledger: &Ledger,
        segments: &EntrySegments,
        segment: &SegmentMeta,
        holds: &[LegalHold],
    ) -> Result<ContentReading, Obstacle> {
        let mut rows = segments.read(segment).await.map_err(Obstacle::of)?;
        let mut check = HoldCheck::new(holds);
        let looked_at = check.looked_at();
        let (mut content, mut tree) = (SegmentContent::default(), Tree::new());

        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(ROWS_AT_ONCE));
            let chunk = std::mem::replace(&mut rows, rest);
            for stored in ledger.restore(chunk).await.map_err(Obstacle::of)? {
                tree.append(stored.leaf_hash, |_, _| {});
                check.entry(&stored.entry, stored.recorded_at);
                content.add(stored.entry.event_type.as_str(), 1);
                content.date(
                    stored.entry.timestamp.as_millisecond(),
                    stored.recorded_at.as_millisecond(),
                );
            }
        }

        Ok(ContentReading {
            survey: survey(content)?,
            holds: check.finish(),
            looked_at,
            root: tree.root(),
        })
    }
}

/// Event types and times of a segment as retention takes them.
pub(super) fn survey(content: SegmentContent) -> Result<SegmentSurvey, Obstacle> {
    let time = |ms: i64| Timestamp::from_millisecond(ms).map_err(Obstacle::of);
    Ok(SegmentSurvey {
        newest_timestamp: time(content.max_timestamp_ms)?,
        newest_recorded_at: time(content.max_recorded_at_ms)?,
        event_types: content.event_types,
    })
}
