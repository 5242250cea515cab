//! A place in text that is known to be UTF-8, and the small steps from there. It gives up on
//! whatever is out of the ordinary.

use std::borrow::Cow;

use crate::json::{end_of_run, read_text};

/// Unusual input: it may be wrong, or valid in a way that only the slow reader handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unusual;

pub(super) type Fast<T> = Result<T, Unusual>;

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the byte at the cursor; 0, which is invalid in JSON, at the end.
    #[inline]
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The next byte that is not white space, without taking it.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                other => return other,
            }
        }
    }

    /// Takes the next byte when it is this one.
    #[inline]
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let same = self.peek() == byte;
        self.at += usize::from(same);
        same
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Fast<()> {
        if self.takes(byte) {
            Ok(())
        } else {
            Err(Unusual)
        }
    }

    /// Returns `true` if only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek();
        self.at == self.text.len()
    }

    pub(super) fn word(&mut self, word: &str) -> Fast<()> {
        let rest = self.rest()?;
        if !rest.starts_with(word) {
            return Err(Unusual);
        }
        self.at += word.len();
        Ok(())
    }

    /// Consumes `null` if it is next.
    #[inline]
    pub(super) fn takes_null(&mut self) -> Fast<bool> {
        if self.peek() != b'n' {
            return Ok(false);
        }
        self.word("null").map(|()| true)
    }

    pub(super) fn rest(&self) -> Fast<&'a str> {
        self.text.get(self.at..).ok_or(Unusual)
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns the next string; borrowed if it has no escapes.
    #[inline]
    pub(super) fn string(&mut self) -> Fast<Cow<'a, str>> {
        self.expect(b'"')?;
        let bytes = self.text.as_bytes();
        let end = end_of_run(bytes, self.at);

        match bytes.get(end) {
            Some(b'"') => {
                let text = self.text.get(self.at..end).ok_or(Unusual)?;
                self.at = end + 1;
                Ok(Cow::Borrowed(text))
            }
            Some(b'\\') => {
                let (text, next) = read_text(self.text, self.at).map_err(|_| Unusual)?;
                self.at = next;
                Ok(Cow::Owned(text))
            }
            _ => Err(Unusual),
        }
    }

    /// The name of a member with its colon.
    #[inline]
    fn name(&mut self) -> Fast<Cow<'a, str>> {
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Calls `each` with the name of every member of the next object; `each` reads the value.
    #[inline]
    pub(super) fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Fast<()>,
    ) -> Fast<()> {
        self.expect(b'{')?;
        if self.takes(b'}') {
            return Ok(());
        }

        loop {
            let name = self.name()?;
            each(self, name)?;
            if self.takes(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Calls `each` at every element of the next array; `each` reads it.
    #[inline]
    pub(super) fn elements(&mut self, mut each: impl FnMut(&mut Self) -> Fast<()>) -> Fast<()> {
        self.expect(b'[')?;
        if self.takes(b']') {
            return Ok(());
        }

        loop {
            each(self)?;
            if self.takes(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }
}
