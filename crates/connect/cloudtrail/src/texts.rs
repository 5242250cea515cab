//! The texts of single JSON values out of one stream, for callers that decide themselves what a
//! value is.

use std::io::BufRead;

use crate::read::CloudtrailReadError;
use crate::split::Splitter;

/// An iterator over the texts of the values of one input, whatever holds them: an array,
/// `{"Records": [...]}`, `{"Events": [...]}`, one after the other. Holds one text in memory at a
/// time. After an error that [ends reading](CloudtrailReadError::ends_reading) nothing more comes.
pub struct Texts<R> {
    pieces: Splitter<R>,
}

impl<R: BufRead> Texts<R> {
    /// Reads `input`, which is not compressed.
    pub fn new(input: R) -> Self {
        Self {
            pieces: Splitter::new(input, &crate::read::HOLDERS),
        }
    }
}

impl<R: BufRead> Iterator for Texts<R> {
    /// The text, and where in the input it begins.
    type Item = Result<(u64, Vec<u8>), CloudtrailReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.pieces.next()?;
        Some(
            piece
                .map(|piece| (piece.offset, piece.text))
                .map_err(CloudtrailReadError::from),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_their_places() {
        let texts: Vec<_> = Texts::new(&b"[{\"a\":1}, {\"b\":2}]"[..])
            .filter_map(Result::ok)
            .collect();
        assert_eq!(
            texts,
            [(1, b"{\"a\":1}".to_vec()), (10, b"{\"b\":2}".to_vec())]
        );
        assert!(Texts::new(&b"[}"[..]).any(|text| text.is_err_and(|error| error.ends_reading())));
    }
}
