//! Distinct values and who has them, while an index is built.

use super::code::hash;

/// Distinct values in the order they came: a kind and bytes each.
#[derive(Debug, Default)]
pub(super) struct Values {
    slots: Vec<u32>,
    hashes: Vec<u64>,
    ends: Vec<usize>,
    bytes: Vec<u8>,
    last: Option<u32>,
}

impl Values {
    /// Returns the number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A value: its kind, then its bytes.
    pub(super) fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    /// The number of a value, which is new the first time.
    pub(super) fn id(&mut self, kind: u8, text: &[u8]) -> u32 {
        let same = |held: &[u8]| held.split_first() == Some((&kind, text));
        if let Some(last) = self.last.filter(|&last| same(self.get(last))) {
            return last;
        }
        if (self.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }

        let hashed = hash(text) ^ u64::from(kind).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mask = self.slots.len() - 1;
        let mut slot = hashed as usize & mask;

        while let Some(id) = self.slots[slot].checked_sub(1) {
            if self.hashes[id as usize] == hashed && same(self.get(id)) {
                self.last = Some(id);
                return id;
            }
            slot = (slot + 1) & mask;
        }

        let id = self.len() as u32;
        self.slots[slot] = id + 1;
        self.hashes.push(hashed);
        self.bytes.push(kind);
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.last = Some(id);

        id
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots = vec![0; size];

        for (id, hashed) in self.hashes.iter().enumerate() {
            let mut slot = *hashed as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id as u32 + 1;
        }
    }
}

/// Rows by value: pairs sorted into a list a value, rows ascending as they came.
pub(super) fn rows_by_value(pairs: &[(u32, u32)], values: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; values + 1];
    for &(_, value) in pairs {
        starts[value as usize + 1] += 1;
    }

    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }

    let mut next = starts.clone();
    let mut rows = vec![0; pairs.len()];
    for &(row, value) in pairs {
        rows[next[value as usize]] = row;
        next[value as usize] += 1;
    }

    (starts, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_has_the_same_number() {
        let mut values = Values::default();
        let texts: Vec<String> = (0..3_000).map(|n| format!("value {}", n % 700)).collect();

        for text in &texts {
            let first = values.id(b's', text.as_bytes());
            assert_eq!(values.get(first), [b"s", text.as_bytes()].concat());
            assert_eq!(values.id(b's', text.as_bytes()), first);
        }

        assert_eq!(values.len(), 700);
        assert_ne!(values.id(b'n', b"value 1"), values.id(b's', b"value 1"));
        assert_eq!(
            rows_by_value(&[(0, 1), (0, 2), (1, 1), (5, 0)], 3),
            (vec![0, 1, 3, 4], vec![5, 0, 1, 0])
        );
    }
}
