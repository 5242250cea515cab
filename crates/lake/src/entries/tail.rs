//! The unsealed tail: pieces of it that have an index are asked by that, of the others every entry, several side by side.

mod pieces;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{StreamExt, TryStreamExt, stream};
use reeve_ledger::{Order, StoredEntry, Tail, TrailError};

use self::pieces::Piece;
pub(super) use self::pieces::Pieces;
use super::index::{Bits, Index};
use super::parts::{Found, Job, Part, on_worker};
use super::search::PARALLEL;

/// Pieces that are asked first where a page is all that is wanted: some 16,000 entries, and those after the last full piece.
const NEAR: usize = 2;
/// Entries asked between two looks at the time that is left.
const CHECKED_EVERY: usize = 256;

/// What the tail has: everything, or what the page can use.
pub(super) async fn tail(tail: &Tail, pieces: &Arc<Pieces>, job: &Job) -> Result<Part, TrailError> {
    let mut left = pieces.of(tail);
    if job.order == Order::NewestFirst {
        left.reverse();
    }
    let mut part = Part::new(job);
    if !job.all {
        // Mostly the nearest entries fill the page.
        let far = left.split_off(NEAR.min(left.len()));
        part.merge(side_by_side(tail, job, left).await?, job);
        if part.found.len() >= job.wanted {
            return Ok(part);
        }
        left = far;
    }
    let looked_through: Vec<Piece> = left.iter().filter(|piece| piece.index.is_none()).cloned().collect();
    part.merge(side_by_side(tail, job, left).await?, job);
    pieces.asked(looked_through.into_iter(), tail);
    Ok(part)
}

/// What some pieces have, which are in the order of the page.
async fn side_by_side(tail: &Tail, job: &Job, pieces: Vec<Piece>) -> Result<Part, TrailError> {
    let workers = pieces.len().min(PARALLEL);
    let (pieces, next) = (Arc::new(pieces), Arc::new(AtomicUsize::new(0)));
    let looks = (0..workers).map(|_| {
        let (tail, job, pieces, next) = (tail.clone(), job.clone(), Arc::clone(&pieces), Arc::clone(&next));
        on_worker(async move {
            let mut part = Part::new(&job);
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _turn = job.budget.turn().await?;
                part.merge(look(&tail, &job, piece)?, &job);
                // What this worker takes after that is farther away.
                if !job.all && part.found.len() >= job.wanted {
                    break;
                }
            }
            Ok(part)
        })
    });
    let parts: Vec<Part> = stream::iter(looks).buffer_unordered(PARALLEL).try_collect().await?;
    let mut all = Part::new(job);
    parts.into_iter().for_each(|part| all.merge(part, job));
    Ok(all)
}

fn look(tail: &Tail, job: &Job, piece: &Piece) -> Result<Part, TrailError> {
    let indexed = piece.index.as_ref().map(|index| by_index(tail, job, piece.first_sequence(), index));
    match indexed {
        Some(Ok(part)) => return Ok(part),
        Some(Err(error)) => job.budget.is_over(&error)?,
        None => {}
    }
    one_by_one(tail, job, piece)
}

fn one_by_one(tail: &Tail, job: &Job, piece: &Piece) -> Result<Part, TrailError> {
    let mut part = Part::new(job);
    let mut asked = job.predicate.asker();
    let blocks = tail.blocks().get(piece.blocks.clone()).unwrap_or_default();
    let entries: Box<dyn Iterator<Item = &Arc<StoredEntry>>> = match job.order {
        Order::NewestFirst => Box::new(blocks.iter().rev().flat_map(|block| block.iter().rev())),
        Order::OldestFirst => Box::new(blocks.iter().flat_map(|block| block.iter())),
    };
    for (asked_before, entry) in entries.enumerate() {
        if asked_before % CHECKED_EVERY == 0 {
            job.budget.check().map_err(|_| job.budget.given_up())?;
        }
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
}

/// What a piece has by its index, whose first row has this sequence; an entry is asked only where the index is not sure of it.
fn by_index(tail: &Tail, job: &Job, first: u64, index: &Index) -> io::Result<Part> {
    let entry = |row: usize| tail.get(first + row as u64);
    let answer = index.answer(job.predicate.asked(), &[], &job.budget)?;
    let reach = job.reach();
    let row_of = |sequence: u64| usize::try_from(sequence.saturating_sub(first)).unwrap_or(usize::MAX);
    let unsealed = row_of(tail.first_sequence())..index.rows();
    let on_page = row_of(reach.start).max(unsealed.start)..row_of(reach.end).min(unsealed.end).max(unsealed.start);
    let mut part = Part::new(job);
    let mut rows = answer.sure.clone();
    if let Some(mut unsure) = answer.unsure() {
        unsure.keep_range(if job.all { unsealed.clone() } else { on_page.clone() });
        let mut asked = job.predicate.asker();
        let matches = |row: &usize| entry(*row).is_some_and(|entry| asked.matches(entry));
        let mut found = Bits::none(index.rows());
        // A page needs the nearest alone: no more of them than it has places.
        let wanted = if job.all { usize::MAX } else { job.wanted };
        in_order(&unsure, job.order).filter(matches).take(wanted).for_each(|row| found.set(row));
        rows.or(&found);
    }
    rows.keep_range(unsealed);
    if job.all {
        part.total = rows.count();
        for (at, by) in job.counted.iter().enumerate() {
            match index.count(by, &rows)? {
                Some(counted) => part.count(at, counted),
                None => rows.iter().filter_map(entry).for_each(|entry| part.tallies[at].entry(entry)),
            }
        }
    }
    rows.keep_range(on_page);
    let nearest = in_order(&rows, job.order).take(job.wanted).filter_map(entry);
    part.found.extend(nearest.map(|entry| Found::Tail(Arc::clone(entry))));
    Ok(part)
}

fn in_order(rows: &Bits, order: Order) -> Box<dyn Iterator<Item = usize> + '_> {
    match order {
        Order::NewestFirst => Box::new(rows.iter_down()),
        Order::OldestFirst => Box::new(rows.iter()),
    }
}
