//! Characters of a query: words, quoted texts, field names, and where each begins.

use super::error::{Problem, QueryError};
use super::value::Written;

/// A place in the text of a query.
pub(super) struct Scanner<'q> {
    text: &'q str,
    at: usize,
}

/// A word, a quoted text or a mix of both, as written in the query.
pub(super) struct Lexeme {
    /// Text split at unquoted stars.
    pub(super) written: Written,
    /// Text as written in the query.
    pub(super) raw: String,
    /// Any part of it stood in quotes.
    pub(super) quoted: bool,
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')')
}

impl<'q> Scanner<'q> {
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
        after.is_some_and(|after| after.chars().next().is_none_or(|c| ends_word(c) || c == '"'))
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.sees_word(word) && self.take(word)
    }

    /// A fault of the `part` that comes next.
    pub(super) fn fail(&self, problem: Problem, part: &str) -> QueryError {
        problem.at(self.position(), part)
    }

    /// A field name and its colon, if that is what comes next: dotted segments, of which all but the first may be in
    /// double quotes.
    pub(super) fn field(&mut self) -> Result<Option<Vec<String>>, QueryError> {
        if !self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            return Ok(None);
        }
        let start = self.at;
        let mut segments = Vec::new();
        loop {
            if !segments.is_empty() && self.peek() == Some('"') {
                segments.push(self.quoted()?);
            } else {
                let plain = |c: char| !ends_word(c) && !matches!(c, ':' | '.' | '"' | '<' | '>' | '=' | '*');
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
        let (mut pieces, mut quoted) = (vec![String::new()], false);
        let extend = |pieces: &mut Vec<String>, text: &str| {
            if let Some(last) = pieces.last_mut() {
                last.push_str(text);
            }
        };
        while let Some(c) = self.peek().filter(|c| !ends_word(*c)) {
            if c == '"' {
                quoted = true;
                extend(&mut pieces, &self.quoted()?);
            } else if c == '*' {
                let doubled = pieces.len() > 1 && pieces.last().is_some_and(String::is_empty);
                if !doubled {
                    pieces.push(String::new());
                }
                self.at += 1;
            } else {
                let end = self.rest().find(|c| ends_word(c) || matches!(c, '"' | '*')).unwrap_or(self.rest().len());
                extend(&mut pieces, &self.rest()[..end]);
                self.at += end;
            }
        }
        if self.peek() == Some('(') {
            let problem = Problem::new("`(` cannot follow a word directly");
            return Err(self.fail(problem.hint("put a space before it, or quote the text it belongs to"), "("));
        }
        Ok(Lexeme { written: Written(pieces), raw: self.text[start..self.at].to_owned(), quoted })
    }

    /// Reads a text in double quotes; `\"` and `\\` are `"` and `\`, any other backslash is a plain character.
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
