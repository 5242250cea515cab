//! A cache bounded by bytes: what was put in first goes first.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// The newest values that fit.
#[derive(Debug)]
pub(super) struct Newest<K, V> {
    /// Each value with its size, bytes.
    kept: HashMap<K, (V, usize)>,
    order: VecDeque<K>,
    bytes: usize,
    most: usize,
}

impl<K: Eq + Hash + Clone, V> Newest<K, V> {
    /// Keeps so many bytes at most.
    pub(super) fn new(most: usize) -> Self {
        Newest {
            kept: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
            most,
        }
    }

    /// The value of a key, while it is kept.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.kept.get(key).map(|(value, _)| value)
    }

    /// Keeps a value of so many bytes in place of what the key had before.
    pub(super) fn put(&mut self, key: K, value: V, bytes: usize) {
        self.bytes += bytes;
        match self.kept.insert(key.clone(), (value, bytes)) {
            Some((_, before)) => self.bytes -= before,
            None => self.order.push_back(key),
        }

        while self.bytes > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.kept.remove(&oldest).map_or(0, |(_, bytes)| bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_that_fit_are_kept() {
        let mut kept = Newest::new(100);
        for number in 0..6 {
            kept.put(number, "", 25);
            // Put twice, it counts once.
            kept.put(number, "again", 25);
        }

        let there =
            |kept: &Newest<u64, &str>| [0, 1, 2, 3, 4, 5].map(|number| kept.get(&number).is_some());
        assert_eq!(there(&kept), [false, false, true, true, true, true]);
        assert_eq!(kept.get(&5), Some(&"again"));
        kept.put(6, "", 101);
        assert_eq!(there(&kept), [false; 6]);
        assert!(kept.get(&6).is_none());
        kept.put(7, "", 1);
        assert!(kept.get(&7).is_some() && kept.bytes == 1 && kept.order.len() == 1);
    }
}
