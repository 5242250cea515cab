//! Cuts a stream of JSON into the texts of single records without reading more than one of them
//! into memory.
//!
//! Takes an object with one of the given members that is an array, such as `{"Records": [...]}` (log
//! files) or `{"Events": [...]}` (`aws cloudtrail lookup-events`), a plain array, one record, records
//! one after the other with or without line breaks. It only looks
//! at brackets and quotes; whether a cut-out text is a record is decided later, so one bad record
//! does not hide the next.

use std::io::{self, BufRead};

/// A single record's text may be this long; CloudTrail's own limit is 256 KiB.
pub const MAX_RECORD_BYTES: usize = 16 << 20;

/// Reason why the stream could not be cut further, or a piece not taken.
#[derive(Debug, thiserror::Error)]
pub enum SplitError {
    /// The input could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is not JSON from here on.
    #[error("expected {expected} at byte {offset}")]
    Syntax { expected: &'static str, offset: u64 },
    /// The input ends too early.
    #[error("ends inside a record that begins at byte {offset}")]
    Truncated { offset: u64 },
    /// One record is too long; the next can be read.
    #[error("the record at byte {offset} is longer than {MAX_RECORD_BYTES} bytes")]
    TooLarge { offset: u64 },
}

/// The text of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitPiece {
    pub text: Vec<u8>,
    /// Offset in the (decompressed) stream.
    pub offset: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Top,
    /// Inside an array of records, which may itself be a member of an object.
    Array {
        in_object: bool,
    },
    /// The input has ended.
    Done,
}

/// An iterator over the texts of the records of one input.
pub struct Splitter<R> {
    input: R,
    offset: u64,
    state: State,
    /// Members of a top-level object that hold the records, in double quotes.
    members: Vec<Vec<u8>>,
}

impl<R: BufRead> Iterator for Splitter<R> {
    type Item = Result<SplitPiece, SplitError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Done {
            return None;
        }
        match self.advance() {
            Ok(Some(piece)) => Some(Ok(piece)),
            Ok(None) => {
                self.state = State::Done;
                None
            }
            Err(e) => {
                if !matches!(e, SplitError::TooLarge { .. }) {
                    self.state = State::Done;
                }
                Some(Err(e))
            }
        }
    }
}

impl<R: BufRead> Splitter<R> {
    /// Cuts `input`. An object at its top that has one of `members` as an array holds the records.
    pub fn new(input: R, members: &[&str]) -> Self {
        let quoted = members
            .iter()
            .map(|name| format!("\"{name}\"").into_bytes());
        Self {
            input,
            offset: 0,
            state: State::Top,
            members: quoted.collect(),
        }
    }

    fn advance(&mut self) -> Result<Option<SplitPiece>, SplitError> {
        loop {
            self.space(None)?;
            let byte = self.peek()?;
            match (self.state, byte) {
                (State::Top, None) | (State::Done, _) => return Ok(None),
                (State::Top, Some(b'[')) => self.enter(false),
                (State::Top, Some(b'{')) => {
                    if let Some(piece) = self.object()? {
                        return Ok(Some(piece));
                    }
                }
                (State::Top, Some(_)) => return Err(self.expected("`{` or `[`")),
                (State::Array { .. }, Some(b',')) => self.bump(),
                (State::Array { in_object }, Some(b']')) => {
                    self.bump();
                    if in_object {
                        self.rest_of_object()?;
                    }
                    self.state = State::Top;
                }
                (State::Array { .. }, None | Some(b'}' | b':')) => {
                    return Err(self.expected("a record or `]`"));
                }
                (State::Array { .. }, Some(_)) => {
                    let offset = self.offset;
                    let mut text = Vec::new();
                    self.value(&mut text, offset)?;
                    return Ok(Some(SplitPiece { text, offset }));
                }
            }
        }
    }

    fn enter(&mut self, in_object: bool) {
        self.bump();
        self.state = State::Array { in_object };
    }

    /// Reads a top-level object: the record itself, or what holds an array of them, which is then
    /// entered.
    fn object(&mut self) -> Result<Option<SplitPiece>, SplitError> {
        let offset = self.offset;
        let mut text = vec![b'{'];
        self.bump();

        loop {
            self.space(Some(&mut text))?;
            match self.peek()? {
                Some(b'}') => {
                    text.push(b'}');
                    self.bump();
                    return Ok(Some(SplitPiece { text, offset }));
                }
                Some(b'"') => {
                    let start = text.len();
                    self.value(&mut text, offset)?;
                    let holds = self.members.iter().any(|name| *name == text[start..]);
                    self.space(Some(&mut text))?;
                    self.punctuation(b':', "`:`", &mut text, offset)?;
                    self.space(Some(&mut text))?;
                    if holds && self.peek()? == Some(b'[') {
                        self.enter(true);
                        return Ok(None);
                    }
                    self.value(&mut text, offset)?;
                    self.space(Some(&mut text))?;
                    if self.peek()? != Some(b'}') {
                        self.punctuation(b',', "`,` or `}`", &mut text, offset)?;
                    }
                }
                Some(_) => return Err(self.expected("a key in double quotes")),
                None => return Err(SplitError::Truncated { offset }),
            }
        }
    }

    /// Passes over what follows the array of records in its object.
    fn rest_of_object(&mut self) -> Result<(), SplitError> {
        let offset = self.offset;
        let mut passed = Vec::new();

        loop {
            self.space(None)?;
            match self.peek()? {
                Some(b'}') => break self.bump(),
                Some(b',' | b':') => self.bump(),
                Some(b']') => return Err(self.expected("`,` or `}`")),
                Some(_) => {
                    passed.clear();
                    self.value(&mut passed, offset)?;
                }
                None => return Err(SplitError::Truncated { offset }),
            }
        }

        Ok(())
    }

    /// Takes one byte of the object that begins at `start`.
    fn punctuation(
        &mut self,
        byte: u8,
        expected: &'static str,
        text: &mut Vec<u8>,
        start: u64,
    ) -> Result<(), SplitError> {
        match self.peek()? {
            Some(found) if found == byte => {
                text.push(byte);
                self.bump();
                Ok(())
            }
            Some(_) => Err(self.expected(expected)),
            None => Err(SplitError::Truncated { offset: start }),
        }
    }

    fn expected(&self, expected: &'static str) -> SplitError {
        SplitError::Syntax {
            expected,
            offset: self.offset,
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    fn bump(&mut self) {
        self.consume(1);
    }

    fn consume(&mut self, count: usize) {
        self.input.consume(count);
        self.offset += count as u64;
    }

    /// Passes over white space, a byte order mark and record separators (RFC 7464).
    fn space(&mut self, mut text: Option<&mut Vec<u8>>) -> io::Result<()> {
        loop {
            let chunk = self.input.fill_buf()?;
            let blank = |b: &u8| b.is_ascii_whitespace() || matches!(b, 0x1e | 0xef | 0xbb | 0xbf);
            let run = chunk.iter().take_while(|b| blank(b)).count();
            let more = run > 0 && run == chunk.len();
            if let Some(text) = &mut text {
                text.extend_from_slice(&chunk[..run]);
            }
            self.consume(run);
            if !more {
                return Ok(());
            }
        }
    }

    /// Copies one value. Beyond the limit it is passed over to its end and refused.
    fn value(&mut self, text: &mut Vec<u8>, start: u64) -> Result<(), SplitError> {
        let mut scan = Scan::default();
        let mut fits = true;

        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return if scan.scalar {
                    Ok(())
                } else {
                    Err(SplitError::Truncated { offset: start })
                };
            }
            let (used, done) = scan.feed(chunk);
            fits = fits && text.len() + used <= MAX_RECORD_BYTES;
            if fits {
                text.extend_from_slice(&chunk[..used]);
            }
            self.consume(used);
            if done {
                return if fits {
                    Ok(())
                } else {
                    Err(SplitError::TooLarge { offset: start })
                };
            }
        }
    }
}

/// Scanner for the end of a JSON value, by its brackets and quotes alone.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// A number or a word, which ends where something else begins.
    scalar: bool,
}

impl Scan {
    /// Returns the number of bytes that belong to the value, and whether it ends with them.
    fn feed(&mut self, chunk: &[u8]) -> (usize, bool) {
        for (at, &byte) in chunk.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return (at + 1, true);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            if self.scalar {
                if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}' | b':') {
                    return (at, true);
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ if self.depth == 0 => self.scalar = true,
                _ => {}
            }
        }
        (chunk.len(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// Pieces, and the error that ended them, whatever the size of the reader's buffer.
    fn split(text: &str) -> Vec<String> {
        let read = |capacity| {
            let input = BufReader::with_capacity(capacity, text.as_bytes());
            let pieces = Splitter::new(input, &crate::read::HOLDERS);
            pieces
                .map(|piece| {
                    piece.map_or_else(
                        |e| format!("! {e}"),
                        |p| String::from_utf8_lossy(&p.text).into_owned(),
                    )
                })
                .collect::<Vec<_>>()
        };
        let pieces = read(1);
        assert_eq!(pieces, read(8192));

        pieces
    }

    #[test]
    fn every_shape_of_file() {
        let two = vec![r#"{"a":1}"#.to_owned(), r#"{"b":"]}\""}"#.to_owned()];
        for text in [
            r#"{"Records":[{"a":1},{"b":"]}\""}]}"#,
            r#" {"x":{"Records":[]}, "Records" : [ {"a":1} , {"b":"]}\""} ] , "NextToken":"t" } "#,
            r#"{"Events":[{"a":1},{"b":"]}\""}]}"#,
            r#"[{"a":1},{"b":"]}\""}]"#,
            "{\"a\":1}\n\n{\"b\":\"]}\\\"\"}\n",
            "\u{feff}{\"a\":1}{\"b\":\"]}\\\"\"}",
            "{\"Records\":[{\"a\":1}]}\n{\"Records\":[{\"b\":\"]}\\\"\"}]}",
        ] {
            assert_eq!(split(text), two, "{text}");
        }

        assert_eq!(split(""), Vec::<String>::new());
        assert_eq!(split("{\"Records\":[]}"), Vec::<String>::new());
        assert_eq!(split("{ \"a\" : [1, 2] }"), ["{ \"a\" : [1, 2] }"]);
        assert_eq!(split("[1,\"x\",null]"), ["1", "\"x\"", "null"]);
    }

    #[test]
    fn broken_streams_end_with_the_place() {
        for (text, last) in [
            ("hello", "! expected `{` or `[` at byte 0"),
            (
                "{\"Records\":[{\"a\":1},{\"b\":",
                "! ends inside a record that begins at byte 20",
            ),
            (
                "{\"Records\":[{\"a\":1}",
                "! expected a record or `]` at byte 19",
            ),
            ("{\"a\":1", "! ends inside a record that begins at byte 0"),
            ("{\"a\" 1}", "! expected `:` at byte 5"),
            ("{a:1}", "! expected a key in double quotes at byte 1"),
            ("[}", "! expected a record or `]` at byte 1"),
            ("[{}]]", "! expected `{` or `[` at byte 4"),
        ] {
            assert_eq!(split(text).last().map(String::as_str), Some(last), "{text}");
        }
    }

    #[test]
    fn a_record_beyond_the_limit_is_passed_over() {
        let text = format!(r#"[{{"a":"{}"}},{{"b":1}}]"#, "x".repeat(MAX_RECORD_BYTES));
        let pieces: Vec<_> =
            Splitter::new(BufReader::new(text.as_bytes()), &crate::read::HOLDERS).collect();
        assert!(matches!(
            pieces.first(),
            Some(Err(SplitError::TooLarge { offset: 1 }))
        ));
        assert!(matches!(pieces.get(1), Some(Ok(piece)) if piece.text == br#"{"b":1}"#));
    }
}
