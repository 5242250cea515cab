//! Thresholds that count the distinct values of a field: "five users from one address".
//!
//! Of the entries of one value at most two a window are kept, the outermost ones: every window that
//! holds an entry between two of the same value that are at most a window apart also holds one of
//! these two. So the count stays exact, and a flood of one value costs no memory.

use hashbrown::HashMap;

use super::memory::{Counting, Pending};

/// Inserts an entry in order, and drops entries of its value that no window needs. Returns its
/// place; `None` if it is not needed itself. An entry that is dropped is counted by the one of its
/// value before it.
pub(super) fn insert(pending: &mut Vec<Pending>, new: Pending, window_ms: i64) -> Option<usize> {
    let (value, at_ms) = (new.value, new.entry.at_ms);
    let order = (at_ms, new.entry.sequence);
    let at = pending.partition_point(|other| (other.entry.at_ms, other.entry.sequence) < order);
    let near = |from: i64, to: i64| to.saturating_sub(from) <= window_ms;
    let time = |place: usize| pending[place].entry.at_ms;

    let mut earlier = (0..at)
        .rev()
        .take_while(|place| near(time(*place), at_ms))
        .filter(|p| pending[*p].value == value);
    let (previous, before_previous) = (earlier.next(), earlier.next());
    let mut later = (at..pending.len())
        .take_while(|place| near(at_ms, time(*place)))
        .filter(|place| pending[*place].value == value);
    let (next, after_next) = (later.next(), later.next());

    if let (Some(previous), Some(next)) = (previous, next)
        && near(time(previous), time(next))
    {
        pending[previous].weight = pending[previous].weight.saturating_add(new.weight);
        return None;
    }

    pending.insert(at, new);
    let mut place = at;

    // The later one first, so that the places before it stay.
    if let (Some(next), Some(_)) = (next, after_next) {
        let dropped = pending.remove(next + 1);
        pending[at].weight = pending[at].weight.saturating_add(dropped.weight);
    }

    if let (Some(previous), Some(before)) = (previous, before_previous) {
        let dropped = pending.remove(previous);
        pending[before].weight = pending[before].weight.saturating_add(dropped.weight);
        place -= 1;
    }

    Some(place)
}

/// Returns the end of the first run of entries around `at` that has enough values.
pub(super) fn completed(pending: &[Pending], at: usize, by: Counting) -> Option<i64> {
    let time = |place: usize| pending[place].entry.at_ms;
    let first =
        pending.partition_point(|other| other.entry.at_ms < time(at).saturating_sub(by.window_ms));
    let mut values: HashMap<u64, usize> = HashMap::new();
    let mut end = first;

    for begin in first..=at {
        while values.len() < by.count && end < pending.len() {
            *values.entry(pending[end].value).or_default() += 1;
            end += 1;
        }
        if values.len() < by.count {
            return None;
        }
        let last = end - 1;
        if last >= at && time(last).saturating_sub(time(begin)) <= by.window_ms {
            return Some(time(last));
        }
        if let Some(times) = values.get_mut(&pending[begin].value) {
            *times -= 1;
            if *times == 0 {
                values.remove(&pending[begin].value);
            }
        }
    }

    None
}
