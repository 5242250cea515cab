//! Catalogue of sample files. Kept in memory, rebuilt from the folder at start; the names say
//! everything.
//!
//! `<connection>/<day>/<first:020>-<last:020>.parquet`: the inserts it holds. A file whose range
//! lies within another's of the same folder was merged into that one. Only files older than every
//! insert still being written are merged, so that no insert can ever land inside a range that is
//! already taken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::RwLock;
use reeve_estate::ConnectionId;

use super::day::Day;
use crate::place::{Place, PlaceError, path_segment, path_segment_text};

/// One file of one connection and day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SampleFile {
    connection: ConnectionId,
    day: Day,
    first: u64,
    last: u64,
    path: String,
}

impl SampleFile {
    /// The file of the inserts `first` to `last`.
    pub(super) fn new(
        folder: &str,
        connection: ConnectionId,
        day: Day,
        first: u64,
        last: u64,
    ) -> Self {
        let path = format!(
            "{folder}/{}/{day}/{first:020}-{last:020}.parquet",
            path_segment(&connection.0)
        );
        SampleFile {
            connection,
            day,
            first,
            last,
            path,
        }
    }

    /// Its path below the data directory.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Connection of the samples.
    pub(super) fn connection(&self) -> &ConnectionId {
        &self.connection
    }

    /// The last insert it holds: the greater one wins.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    fn parse(folder: &str, path: &str) -> Option<Self> {
        let mut parts = path.strip_prefix(folder)?.strip_prefix('/')?.split('/');
        let (connection, day, name) = (parts.next()?, parts.next()?, parts.next()?);
        let (first, last) = name.strip_suffix(".parquet")?.split_once('-')?;
        let file = SampleFile::new(
            folder,
            ConnectionId(path_segment_text(connection)?),
            Day::parse(day)?,
            first.parse().ok()?,
            last.parse().ok()?,
        );

        (file.path == path && file.first <= file.last).then_some(file)
    }

    fn within(&self, other: &SampleFile) -> bool {
        other.first <= self.first
            && self.last <= other.last
            && (self.first, self.last) != (other.first, other.last)
    }
}

type Key = (ConnectionId, Day);

#[derive(Debug, Default)]
struct State {
    next: u64,
    writing: BTreeSet<u64>,
    files: BTreeMap<Key, Vec<Arc<SampleFile>>>,
    /// Inserts of each connection since the table was opened. The numbers of inserts do not tell: a
    /// greater one may end first.
    revisions: BTreeMap<ConnectionId, u64>,
}

/// The files of the table.
#[derive(Debug)]
pub(super) struct SampleCatalogue {
    folder: String,
    state: RwLock<State>,
}

impl SampleCatalogue {
    /// Reads the contents of the folder; merged-away files are deleted.
    pub(super) async fn load(place: &Place, folder: &str) -> Result<Self, PlaceError> {
        let mut files: BTreeMap<Key, Vec<Arc<SampleFile>>> = BTreeMap::new();
        for meta in place.list(folder).await? {
            match SampleFile::parse(folder, meta.location.as_ref()) {
                Some(file) => files
                    .entry((file.connection.clone(), file.day))
                    .or_default()
                    .push(Arc::new(file)),
                None => tracing::warn!(file = %meta.location, "not a sample file: left alone"),
            }
        }

        let mut next = 1;
        for group in files.values_mut() {
            let (merged, mut kept): (Vec<_>, Vec<_>) = group
                .iter()
                .cloned()
                .partition(|file| group.iter().any(|other| file.within(other)));
            for file in merged {
                place.delete(file.path()).await?;
            }
            kept.sort_by_key(|file| file.last);
            next = next.max(kept.iter().map(|file| file.last + 1).max().unwrap_or(1));
            *group = kept;
        }

        Ok(SampleCatalogue {
            folder: folder.to_owned(),
            state: RwLock::new(State {
                next,
                files,
                ..State::default()
            }),
        })
    }

    /// Lets the numbers of inserts go on after those that another catalogue knows, whose samples may
    /// have expired.
    pub(super) fn go_on_after(&self, other: &SampleCatalogue) {
        let known = other.state.read().next;
        let mut state = self.state.write();
        state.next = state.next.max(known);
    }

    /// Starts an insert: its number is greater than that of every insert before.
    pub(super) fn begin(&self) -> Turn<'_> {
        let mut state = self.state.write();
        let number = state.next;
        state.next += 1;
        state.writing.insert(number);
        Turn {
            catalogue: self,
            number,
        }
    }

    /// The files of the connections and days that `keep` takes, oldest day first, then in the order
    /// they were inserted.
    pub(super) fn files(&self, keep: impl Fn(&ConnectionId, Day) -> bool) -> Vec<Arc<SampleFile>> {
        let state = self.state.read();
        let mut found: Vec<Arc<SampleFile>> = state
            .files
            .iter()
            .filter(|((connection, day), _)| keep(connection, *day))
            .flat_map(|(_, files)| files.iter().cloned())
            .collect();
        found.sort_by_key(|file| (file.day, file.last));

        found
    }

    /// Returns each connection and day that ended at or before the time, with the number of its
    /// newest insert, oldest day first. A day that an earlier insert may still add to is left out.
    pub(super) fn newest_by_day(&self, until_ms: i64) -> Vec<(ConnectionId, Day, u64)> {
        let state = self.state.read();
        let settled = state.writing.first().copied().unwrap_or(u64::MAX);
        let mut found: Vec<_> = state
            .files
            .iter()
            .filter(|((_, day), _)| day.end_ms() <= until_ms)
            .filter_map(|((connection, day), files)| {
                Some((connection.clone(), *day, newest(files)?))
            })
            .filter(|(_, _, last)| *last < settled)
            .collect();
        found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));

        found
    }

    /// Returns the number of a day's newest insert; `None` where the day has no file.
    pub(super) fn last(&self, connection: &ConnectionId, day: Day) -> Option<u64> {
        let state = self.state.read();
        newest(state.files.get(&(connection.clone(), day))?)
    }

    /// Returns a number that grows with every insert of a connection.
    pub(super) fn revision(&self, connection: &ConnectionId) -> u64 {
        self.state
            .read()
            .revisions
            .get(connection)
            .copied()
            .unwrap_or(0)
    }

    /// Returns `true` if the file still counts.
    pub(super) fn lists(&self, path: &str) -> bool {
        self.state
            .read()
            .files
            .values()
            .flatten()
            .any(|file| file.path == path)
    }

    /// Groups worth merging: of a day that is over for its connection when there are two files, of
    /// its newest day when there are `busy`.
    pub(super) fn mergeable(&self, busy: usize) -> Vec<Vec<Arc<SampleFile>>> {
        let state = self.state.read();
        let settled = state.writing.first().copied().unwrap_or(u64::MAX);
        let mut newest: BTreeMap<&ConnectionId, Day> = BTreeMap::new();
        for (connection, day) in state.files.keys() {
            newest.insert(connection, *day);
        }

        state
            .files
            .iter()
            .filter_map(|((connection, day), files)| {
                let ready: Vec<_> = files
                    .iter()
                    .filter(|file| file.last < settled)
                    .cloned()
                    .collect();
                let enough = if newest.get(connection) == Some(day) {
                    busy
                } else {
                    2
                };
                (ready.len() >= enough.max(2)).then_some(ready)
            })
            .collect()
    }

    /// The file that the given ones, all of one connection and day, merge into.
    pub(super) fn merged(&self, files: &[Arc<SampleFile>]) -> Option<SampleFile> {
        let first = files.iter().map(|file| file.first).min()?;
        let last = files.iter().map(|file| file.last).max()?;
        let any = files.first()?;

        Some(SampleFile::new(
            &self.folder,
            any.connection.clone(),
            any.day,
            first,
            last,
        ))
    }

    /// Takes files out, of which there may be none, and puts one in their place. False, and nothing
    /// changes, when one of them is gone already.
    pub(super) fn replace(&self, old: &[Arc<SampleFile>], new: SampleFile) -> bool {
        let mut state = self.state.write();
        let key = (new.connection.clone(), new.day);
        let known = state.files.get(&key).map_or(&[][..], Vec::as_slice);
        if !old.iter().all(|file| known.contains(file)) {
            return false;
        }

        let group = state.files.entry(key).or_default();
        group.retain(|file| !old.contains(file));
        group.push(Arc::new(new));
        group.sort_by_key(|file| file.last);

        true
    }

    /// Takes out the days that end at or before the time and returns their files.
    pub(super) fn remove_before(&self, before_ms: i64) -> Vec<Arc<SampleFile>> {
        let mut state = self.state.write();
        let (gone, kept) = std::mem::take(&mut state.files)
            .into_iter()
            .partition(|((_, day), _)| day.end_ms() <= before_ms);
        state.files = kept;
        let gone: BTreeMap<Key, Vec<Arc<SampleFile>>> = gone;
        gone.into_values().flatten().collect()
    }
}

fn newest(files: &[Arc<SampleFile>]) -> Option<u64> {
    files.iter().map(|file| file.last).max()
}

/// An insert under way. Dropped without [`Turn::finish`], it leaves nothing behind.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    catalogue: &'a SampleCatalogue,
    number: u64,
}

impl Turn<'_> {
    /// Returns the number of the insert, which orders its files.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Its files count from now on.
    pub(super) fn finish(self, files: Vec<SampleFile>) {
        let mut state = self.catalogue.state.write();
        for file in files {
            *state.revisions.entry(file.connection.clone()).or_default() += 1;
            let group = state
                .files
                .entry((file.connection.clone(), file.day))
                .or_default();
            group.push(Arc::new(file));
            group.sort_by_key(|file| file.last);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.catalogue.state.write().writing.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn file(day: &str, first: u64, last: u64) -> SampleFile {
        SampleFile::new(
            "s",
            ConnectionId("a/b".into()),
            Day::parse(day).unwrap(),
            first,
            last,
        )
    }

    fn empty() -> SampleCatalogue {
        SampleCatalogue {
            folder: "s".into(),
            state: RwLock::new(State {
                next: 1,
                ..State::default()
            }),
        }
    }

    #[test]
    fn names_say_everything() {
        let one = file("2026-11-20", 3, 7);
        assert_eq!(
            one.path(),
            "s/a~2fb/2026-11-20/00000000000000000003-00000000000000000007.parquet"
        );
        assert_eq!(SampleFile::parse("s", one.path()), Some(one));

        for wrong in [
            "s/a/2026-11-20/1-2.parquet",
            "s/a/x/00000000000000000003-00000000000000000007.parquet",
            "t/a",
            "s/a/2026-11-20/.tmp",
        ] {
            assert_eq!(SampleFile::parse("s", wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_insert_under_way_keeps_later_files_from_being_merged() {
        let catalogue = empty();
        for _ in 0..2 {
            let turn = catalogue.begin();
            let number = turn.number();
            turn.finish(vec![file("2026-11-20", number, number)]);
        }

        let slow = catalogue.begin();
        let quick = catalogue.begin();
        let number = quick.number();
        quick.finish(vec![file("2026-11-20", number, number)]);

        let groups = catalogue.mergeable(2);
        assert_eq!(groups.len(), 1);
        assert_eq!(
            groups[0].iter().map(|file| file.last()).collect::<Vec<_>>(),
            [1, 2]
        );
        drop(slow);
        assert_eq!(catalogue.mergeable(2)[0].len(), 3);
        assert!(
            catalogue.mergeable(4).is_empty(),
            "the newest day waits for more files"
        );
    }

    #[test]
    fn a_group_is_replaced_once() {
        let catalogue = empty();
        for _ in 0..2 {
            let turn = catalogue.begin();
            let number = turn.number();
            turn.finish(vec![file("2026-11-20", number, number)]);
        }

        let group = catalogue.mergeable(2).remove(0);
        let merged = catalogue.merged(&group).unwrap();
        assert!(catalogue.replace(&group, merged.clone()));
        assert!(!catalogue.replace(&group, merged.clone()));
        assert!(catalogue.lists(merged.path()));
        assert!(!catalogue.lists(group[0].path()));
    }
}
