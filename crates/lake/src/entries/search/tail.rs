//! The unsealed tail: pieces of it that have an index are asked by that, of the others every entry,
//! several side by side.

mod pieces;

use std::io;
use std::sync::Arc;

use reeve_audit::query::SortKey;
use reeve_ledger::{Order, StoredEntry, Tail, TrailError};

pub(super) use self::pieces::Pieces;
use self::pieces::TailPiece;
use super::job::{Found, Job, Matches, SortedPage};
use super::workers::share_out;
use crate::entries::index::{Bits, EntryIndex, IndexAnswer};

/// Pieces that are asked first where a page is all that is wanted: some 16,000 entries, and those
/// after the last full piece.
const NEAR: usize = 2;
/// Entries asked between two looks at the time that is left.
const CHECKED_EVERY: usize = 256;

/// Returns the matches of the tail: all of them, or those that the page can use.
pub(super) async fn matches(
    tail: &Tail,
    pieces: &Arc<Pieces>,
    job: &Job,
) -> Result<Matches, TrailError> {
    let mut left = pieces.split(tail);
    if job.order == Order::NewestFirst {
        left.reverse();
    }

    let mut matches = Matches::new(job);
    if !job.needs_every_match() {
        // Mostly the nearest entries fill the page.
        let far = left.split_off(NEAR.min(left.len()));
        matches.merge(in_pieces(tail, job, left).await?, job);
        if matches.found.len() >= job.wanted {
            return Ok(matches);
        }
        left = far;
    }

    let looked_through: Vec<TailPiece> = left
        .iter()
        .filter(|piece| piece.index.is_none())
        .cloned()
        .collect();
    matches.merge(in_pieces(tail, job, left).await?, job);
    pieces.asked(looked_through.into_iter(), tail);

    Ok(matches)
}

/// Returns the matches of some pieces, which are in the order of the page.
async fn in_pieces(tail: &Tail, job: &Job, pieces: Vec<TailPiece>) -> Result<Matches, TrailError> {
    let searched = share_out(pieces, |queue| {
        let (tail, job) = (tail.clone(), job.clone());
        async move {
            let mut matches = Matches::new(&job);
            while let Some(piece) = queue.take() {
                let _turn = job.budget.turn().await?;
                matches.merge(in_piece(&tail, &job, piece)?, &job);
                // The pieces that this worker would take next are farther away.
                if !job.needs_every_match() && matches.found.len() >= job.wanted {
                    break;
                }
            }
            Ok(matches)
        }
    });
    let searched: Vec<Matches> = searched.await?;

    let mut matches = Matches::new(job);
    searched
        .into_iter()
        .for_each(|more| matches.merge(more, job));
    Ok(matches)
}

fn in_piece(tail: &Tail, job: &Job, piece: &TailPiece) -> Result<Matches, TrailError> {
    let indexed = piece.index.as_ref().map(|index| IndexedPiece {
        tail,
        job,
        first: piece.first_sequence(),
        index,
    });

    match indexed.map(|indexed| indexed.matches()) {
        Some(Ok(matches)) => return Ok(matches),
        Some(Err(error)) => job.budget.is_over(&error)?,
        None => {}
    }

    one_by_one(tail, job, piece)
}

fn one_by_one(tail: &Tail, job: &Job, piece: &TailPiece) -> Result<Matches, TrailError> {
    let mut matches = Matches::new(job);
    let mut asker = job.predicate.asker();
    let blocks = tail.blocks().get(piece.blocks.clone()).unwrap_or_default();
    let entries: Box<dyn Iterator<Item = &Arc<StoredEntry>>> = match job.order {
        Order::NewestFirst => Box::new(blocks.iter().rev().flat_map(|block| block.iter().rev())),
        Order::OldestFirst => Box::new(blocks.iter().flat_map(|block| block.iter())),
    };

    for (asked_before, entry) in entries.enumerate() {
        if asked_before % CHECKED_EVERY == 0 {
            job.budget.check().map_err(|_| job.budget.given_up())?;
        }
        let full = matches.found.len() >= job.wanted;
        let on_page = !full && job.on_page(entry.sequence);
        if full && !job.needs_every_match() {
            break;
        }
        if !(job.needs_every_match() || on_page) || !asker.matches(entry) {
            continue;
        }
        matches.total += 1;
        matches
            .tallies
            .iter_mut()
            .for_each(|tally| tally.entry(entry));
        if let Some(page) = &job.sort {
            add_sorted(&mut matches, page, job, entry);
        } else if on_page {
            matches.found.push(Found::Tail(Arc::clone(entry)));
        }
    }

    Ok(matches)
}

/// Adds an entry of the tail to a sorted page.
fn add_sorted(matches: &mut Matches, page: &SortedPage, job: &Job, entry: &Arc<StoredEntry>) {
    let key = SortKey::of_entry(&entry.entry, entry.recorded_at, page.sort.column);
    matches.add_sorted(page, job, key, Found::Tail(Arc::clone(entry)));
}

/// A piece of the tail with its index. An entry is asked only where the index is not sure of it.
struct IndexedPiece<'a> {
    tail: &'a Tail,
    job: &'a Job,
    /// Sequence of the first row of the index.
    first: u64,
    index: &'a EntryIndex,
}

impl IndexedPiece<'_> {
    fn matches(&self) -> io::Result<Matches> {
        let job = self.job;
        let reach = job.reach();
        let unsealed = self.row_of(self.tail.first_sequence())..self.index.rows();
        let start = self.row_of(reach.start).max(unsealed.start);
        let on_page = start..self.row_of(reach.end).min(unsealed.end).max(unsealed.start);
        let answer = self.index.answer(job.predicate.asked(), &[], &job.budget)?;
        let asked = if job.needs_every_match() {
            unsealed.clone()
        } else {
            on_page.clone()
        };
        let mut rows = self.settle(answer, asked);
        rows.keep_range(unsealed);

        let mut matches = Matches::new(job);
        if job.every_match {
            self.count(&rows, &mut matches)?;
        }

        if let Some(page) = &job.sort {
            rows.iter()
                .filter_map(|row| self.entry(row))
                .for_each(|entry| add_sorted(&mut matches, page, job, entry));
            return Ok(matches);
        }

        rows.keep_range(on_page);
        let nearest = rows
            .iter_in(job.order)
            .take(job.wanted)
            .filter_map(|row| self.entry(row));
        matches
            .found
            .extend(nearest.map(|entry| Found::Tail(Arc::clone(entry))));

        Ok(matches)
    }

    fn entry(&self, row: usize) -> Option<&Arc<StoredEntry>> {
        self.tail.get(self.first + row as u64)
    }

    fn row_of(&self, sequence: u64) -> usize {
        usize::try_from(sequence.saturating_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// Returns the rows that match; in the range, entries are asked that the index is not sure of.
    fn settle(&self, answer: IndexAnswer, range: std::ops::Range<usize>) -> Bits {
        let unsure = answer.unsure();
        let mut rows = answer.sure;
        let Some(mut unsure) = unsure else {
            return rows;
        };

        unsure.keep_range(range);
        let mut asker = self.job.predicate.asker();
        let matches = |row: &usize| self.entry(*row).is_some_and(|entry| asker.matches(entry));

        // A page needs the nearest alone: no more of them than it has places.
        let wanted = if self.job.needs_every_match() {
            usize::MAX
        } else {
            self.job.wanted
        };

        let mut found = Bits::none(self.index.rows());
        unsure
            .iter_in(self.job.order)
            .filter(matches)
            .take(wanted)
            .for_each(|row| found.set(row));
        rows.or(&found);

        rows
    }

    /// Adds the total and the counts of matching rows.
    fn count(&self, rows: &Bits, matches: &mut Matches) -> io::Result<()> {
        matches.total = rows.count();
        for (tally, by) in self.job.counted.iter().enumerate() {
            match self.index.count(by, rows)? {
                Some(counted) => matches.add_counted(tally, counted),
                None => {
                    rows.iter()
                        .filter_map(|row| self.entry(row))
                        .for_each(|entry| matches.tallies[tally].entry(entry));
                }
            }
        }

        Ok(())
    }
}
