//! Entries for what is measured without HTTP: the generator's first ones.

use crate::generate::{Generator, SEED};

/// `count` entries as JSON text.
pub(crate) fn entries(count: usize) -> Vec<Vec<u8>> {
    let mut generator = Generator::new(SEED);
    let one = |_| {
        let mut text = Vec::with_capacity(1_024);
        generator.push(&mut text);
        text
    };
    (0..count).map(one).collect()
}

/// `text` without its identifier: it gets a fresh one each time it is read.
pub(crate) fn unnamed(text: &[u8]) -> Vec<u8> {
    match text.windows(2).position(|pair| pair == b"\",") {
        Some(end) => [b"{", &text[end + 2..]].concat(),
        None => text.to_vec(),
    }
}
