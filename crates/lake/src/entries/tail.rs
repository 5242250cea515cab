//! The unsealed tail: every entry is asked, on several threads where the tail is long.

use std::ops::Range;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use reeve_ledger::{Order, StoredEntry, Tail, TrailError};

use super::parts::{Found, Job, Part, on_worker};
use super::search::PARALLEL;

/// Blocks that one thread looks through by itself: some 16,000 entries.
const FEW_BLOCKS: usize = 64;

/// What the tail has: everything, or what the page can use.
pub(super) async fn tail(tail: &Tail, job: &Job) -> Result<Part, TrailError> {
    let mut part = Part::new(job);
    let blocks = tail.blocks().len();
    let mut left = 0..blocks;
    if !job.all {
        // Mostly the nearest entries fill the page.
        let near = nearest(&mut left, FEW_BLOCKS, job.order);
        let some = look(tail.clone(), job.clone(), near).await?;
        part.merge(some, job);
        if part.found.len() >= job.wanted {
            return Ok(part);
        }
    }
    let share = left.len().div_ceil(PARALLEL).max(FEW_BLOCKS);
    let mut looks = Vec::new();
    while !left.is_empty() {
        let blocks = nearest(&mut left, share, job.order);
        looks.push(look(tail.clone(), job.clone(), blocks));
    }
    let mut parts = stream::iter(looks).buffered(PARALLEL);
    while let Some(more) = parts.try_next().await? {
        part.merge(more, job);
    }
    Ok(part)
}

/// Takes so many blocks from the near end of what is left.
fn nearest(left: &mut Range<usize>, count: usize, order: Order) -> Range<usize> {
    match order {
        Order::NewestFirst => {
            let middle = left.end.saturating_sub(count).max(left.start);
            let taken = middle..left.end;
            left.end = middle;
            taken
        }
        Order::OldestFirst => {
            let middle = left.end.min(left.start + count);
            let taken = left.start..middle;
            left.start = middle;
            taken
        }
    }
}

async fn look(tail: Tail, job: Job, blocks: Range<usize>) -> Result<Part, TrailError> {
    if blocks.is_empty() {
        return Ok(Part::new(&job));
    }
    on_worker(async move {
        let mut part = Part::new(&job);
        let mut asked = job.predicate.asker();
        let blocks = tail.blocks().get(blocks).unwrap_or_default();
        let entries: Box<dyn Iterator<Item = &Arc<StoredEntry>> + Send> = match job.order {
            Order::NewestFirst => Box::new(blocks.iter().rev().flat_map(|block| block.iter().rev())),
            Order::OldestFirst => Box::new(blocks.iter().flat_map(|block| block.iter())),
        };
        for entry in entries {
            let full = part.found.len() >= job.wanted;
            let on_page = !full && job.on_page(entry.sequence);
            if full && !job.all {
                break;
            }
            if !(job.all || on_page) || !asked.matches(entry) {
                continue;
            }
            part.total += 1;
            part.tallies.iter_mut().for_each(|tally| tally.entry(entry));
            if on_page {
                part.found.push(Found::Tail(Arc::clone(entry)));
            }
        }
        Ok(part)
    })
    .await
}
