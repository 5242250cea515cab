//! Names as numbers: each distinct text once, at most so many; beyond that all new ones share a
//! number.

use std::collections::HashMap;

/// Index of a text in [`BehaviorNames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(pub(crate) u32);

/// Texts by number, and the numbers by text.
#[derive(Debug, Clone)]
pub(crate) struct BehaviorNames {
    numbers: HashMap<String, u32>,
    texts: Vec<String>,
    most: usize,
}

/// Bytes kept of a name; two that differ only beyond them are one.
const LONGEST: usize = 256;

impl BehaviorNames {
    /// Room for `most` names.
    pub(crate) fn new(most: usize) -> Self {
        // The first stands for every name beyond the room.
        Self {
            numbers: HashMap::new(),
            texts: vec!["another".to_owned()],
            most: most.max(1),
        }
    }

    /// The number of a text, a new one where it is not known.
    pub(crate) fn number(&mut self, text: &str) -> NameId {
        let text = cut(text);
        if let Some(number) = self.numbers.get(text) {
            return NameId(*number);
        }
        if self.texts.len() > self.most {
            return NameId(0);
        }

        let number = u32::try_from(self.texts.len()).unwrap_or(0);
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);

        NameId(number)
    }

    /// Returns the number of names.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a number.
    pub(crate) fn text(&self, id: NameId) -> &str {
        self.texts.get(id.0 as usize).map_or("", String::as_str)
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A number of 64 bits for a text, the same on every machine and in every release (FNV-1a with a
/// final mix).
pub(crate) fn fingerprint(parts: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_and_their_bound() {
        let mut names = BehaviorNames::new(2);
        let (a, b) = (names.number("a"), names.number("b"));
        assert_eq!((names.number("a"), names.text(b)), (a, "b"));
        assert_eq!(
            (names.number("c"), names.number("d")),
            (NameId(0), NameId(0))
        );
        assert_eq!(cut(&"é".repeat(200)).len(), 256);
    }
}
