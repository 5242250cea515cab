//! Work of which one piece for each identifier is done at a time, such as the syncs of a
//! connection.

use std::collections::HashSet;
use std::hash::Hash;

use parking_lot::Mutex;

/// Identifiers whose work is in progress.
#[derive(Debug)]
pub(crate) struct Running<Id>(Mutex<HashSet<Id>>);

impl<Id> Default for Running<Id> {
    fn default() -> Self {
        Running(Mutex::default())
    }
}

impl<Id: Clone + Eq + Hash> Running<Id> {
    /// Returns `true` while the work is in progress.
    pub(crate) fn contains(&self, id: &Id) -> bool {
        self.0.lock().contains(id)
    }

    /// Begins the work; `None` if it is in progress already. It ends with the turn, also by a
    /// panic.
    pub(crate) fn begin(&self, id: &Id) -> Option<Turn<'_, Id>> {
        self.0.lock().insert(id.clone()).then(|| Turn {
            running: self,
            id: id.clone(),
        })
    }
}

/// A piece of work that is under way.
#[derive(Debug)]
pub(crate) struct Turn<'a, Id: Eq + Hash> {
    running: &'a Running<Id>,
    id: Id,
}

impl<Id: Eq + Hash> Drop for Turn<'_, Id> {
    fn drop(&mut self) {
        self.running.0.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_at_a_time() {
        let running = Running::default();
        let turn = running.begin(&"a");
        assert!(turn.is_some() && running.contains(&"a") && !running.contains(&"b"));
        assert!(running.begin(&"a").is_none());
        drop(turn);
        assert!(!running.contains(&"a") && running.begin(&"a").is_some());
    }
}
