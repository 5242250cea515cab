//! Characters of a query: words, quoted texts, field names, and where each begins.

use super::error::{Problem, QueryError};
use super::pattern::{Pattern, PatternPiece};
use super::value::Written;

/// A place in the text of a query.
pub(super) struct QueryScanner<'q> {
    text: &'q str,
    at: usize,
}

/// A word, a quoted text or a mix of both, as written in the query.
pub(super) struct Lexeme {
    /// Text and its wildcards.
    pub(super) written: Written,
    /// Text as written in the query.
    pub(super) raw: String,
}

/// A range as written: `[a TO b]`, or with `{` and `}` where an end is left out itself.
pub(super) struct WrittenRange {
    pub(super) low: Written,
    pub(super) includes_low: bool,
    pub(super) high: Written,
    pub(super) includes_high: bool,
    /// Range as written in the query.
    pub(super) raw: String,
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')')
}

impl<'q> QueryScanner<'q> {
    pub(super) fn new(text: &'q str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'q str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character the next one is, counted from 0.
    pub(super) fn position(&self) -> usize {
        self.text[..self.at].chars().count()
    }

    pub(super) fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let taken = self.rest().starts_with(wanted);
        self.at += if taken { wanted.len() } else { 0 };
        taken
    }

    /// Returns `true` if the next word is exactly `word`.
    pub(super) fn sees_word(&self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        after.is_some_and(|after| {
            after
                .chars()
                .next()
                .is_none_or(|c| ends_word(c) || c == '"')
        })
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.sees_word(word) && self.take(word)
    }

    /// A fault of the `part` that comes next.
    pub(super) fn fail(&self, problem: Problem, part: &str) -> QueryError {
        problem.at(self.position(), part)
    }

    /// A field name and its colon, if that is what comes next: dotted segments, of which all but
    /// the first may be in double quotes.
    pub(super) fn field(&mut self) -> Result<Option<Vec<String>>, QueryError> {
        if !self
            .peek()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        {
            return Ok(None);
        }

        let start = self.at;
        let mut segments = Vec::new();

        loop {
            if !segments.is_empty() && self.peek() == Some('"') {
                segments.push(self.quoted()?);
            } else {
                let plain = |c: char| {
                    !ends_word(c) && !matches!(c, ':' | '.' | '"' | '<' | '>' | '=' | '*' | '?')
                };
                let end = self.rest().find(|c| !plain(c)).unwrap_or(self.rest().len());
                segments.push(self.rest()[..end].to_owned());
                self.at += end;
            }
            if self.take(":") {
                return Ok(Some(segments));
            }
            if !self.take(".") {
                self.at = start;
                return Ok(None);
            }
        }
    }

    /// A word, a quoted text, or both joined, such as `"a b"*`.
    pub(super) fn lexeme(&mut self) -> Result<Lexeme, QueryError> {
        let start = self.at;
        let written = self.written(ends_word)?;

        if self.peek() == Some('(') {
            let problem = Problem::new("`(` cannot follow a word directly");
            return Err(self.fail(
                problem.hint("put a space before it, or quote the text it belongs to"),
                "(",
            ));
        }

        Ok(Lexeme {
            written,
            raw: self.text[start..self.at].to_owned(),
        })
    }

    /// Text with quoted parts and wildcards, up to a character that ends it.
    fn written(&mut self, ends: impl Fn(char) -> bool) -> Result<Written, QueryError> {
        let (mut pattern, mut quoted) = (Pattern::default(), false);
        while let Some(c) = self.peek().filter(|c| !ends(*c)) {
            if c == '"' {
                quoted = true;
                pattern.push(PatternPiece::Text(self.quoted()?));
                continue;
            }
            let end = match c {
                '*' | '?' => {
                    pattern.push(if c == '*' {
                        PatternPiece::AnyText
                    } else {
                        PatternPiece::AnyCharacter
                    });
                    1
                }
                _ => {
                    let rest = self.rest();
                    let end = rest
                        .find(|c| ends(c) || matches!(c, '"' | '*' | '?'))
                        .unwrap_or(rest.len());
                    pattern.push(PatternPiece::Text(rest[..end].to_owned()));
                    end
                }
            };
            self.at += end;
        }

        Ok(Written { pattern, quoted })
    }

    /// The source of a regular expression between slashes, if that is what comes next: the slash
    /// that closes it ends the word. A path such as `/var/log` is none.
    pub(super) fn regular(&mut self) -> Option<&'q str> {
        let rest = self.rest();
        let inside = rest.strip_prefix('/')?;
        let mut escaped = false;
        let end = inside.find(|c| {
            let closes = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        })?;

        if end == 0
            || inside[end + 1..]
                .chars()
                .next()
                .is_some_and(|c| !ends_word(c))
        {
            return None;
        }

        self.at += end + 2;
        Some(&inside[..end])
    }

    /// A range, if that is what comes next. The place stays where it is none.
    pub(super) fn range(&mut self) -> Result<Option<WrittenRange>, QueryError> {
        let start = self.at;
        let includes_low = match self.peek() {
            Some('[') => true,
            Some('{') => false,
            _ => return Ok(None),
        };
        self.at += 1;
        let ends = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '{' | '}');
        self.skip_space();
        let low = self.written(ends)?;
        self.skip_space();
        let joined = self.take_word("TO");
        self.skip_space();
        let high = self.written(ends)?;
        self.skip_space();
        let includes_high = self.peek() == Some(']');
        let closed = self.take("]") || self.take("}");
        if !joined
            || !closed
            || low.pattern.pieces().is_empty() && !low.quoted
            || high.pattern.pieces().is_empty() && !high.quoted
        {
            self.at = start;
            return Ok(None);
        }

        let raw = self.text[start..self.at].to_owned();
        Ok(Some(WrittenRange {
            low,
            includes_low,
            high,
            includes_high,
            raw,
        }))
    }

    /// Reads a text in double quotes; `\"` and `\\` are `"` and `\`, any other backslash is a plain
    /// character.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let start = self.position();
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);

        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match self.rest()[at + 1..].chars().next() {
                    Some(escaped @ ('"' | '\\')) => {
                        out.push(escaped);
                        chars.next();
                    }
                    _ => out.push('\\'),
                },
                _ => out.push(c),
            }
        }

        Err(Problem::new("this quote is never closed")
            .hint("add a closing \", or write \\\" for a quote inside")
            .at(start, self.rest()))
    }
}
