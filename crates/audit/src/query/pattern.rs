//! Texts with wildcards: `*` for any text, `?` for one character. Case-blind.

use std::iter::once;

use super::fold::fold;

/// Piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPiece {
    /// This text. Never empty, never beside another text.
    Text(String),
    /// `?`: one character.
    AnyCharacter,
    /// `*`: any text, also none. Never beside another one.
    AnyText,
}

/// Pattern of texts and wildcards, as a query writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pattern(Vec<PatternPiece>);

impl Pattern {
    /// Returns a pattern of these pieces. Texts side by side become one, and so do stars.
    pub fn new(pieces: impl IntoIterator<Item = PatternPiece>) -> Self {
        let mut pattern = Self::default();
        pieces.into_iter().for_each(|piece| pattern.push(piece));
        pattern
    }

    /// Returns the pattern of texts with a `*` between each two.
    pub fn starred<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let pieces = texts
            .into_iter()
            .flat_map(|text| [PatternPiece::AnyText, PatternPiece::Text(text.to_owned())]);
        Self::new(pieces.skip(1))
    }

    /// Adds a piece at the end.
    pub fn push(&mut self, piece: PatternPiece) {
        match (self.0.last_mut(), piece) {
            (_, PatternPiece::Text(text)) if text.is_empty() => {}
            (Some(PatternPiece::Text(before)), PatternPiece::Text(text)) => before.push_str(&text),
            (Some(PatternPiece::AnyText), PatternPiece::AnyText) => {}
            (_, piece) => self.0.push(piece),
        }
    }

    /// Returns the pieces in their order.
    pub fn pieces(&self) -> &[PatternPiece] {
        &self.0
    }

    /// Returns the texts between wildcards.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| {
            if let PatternPiece::Text(text) = piece {
                Some(text.as_str())
            } else {
                None
            }
        })
    }

    /// Returns the text that every value begins with; empty if a wildcard stands there.
    pub fn start(&self) -> &str {
        if let Some(PatternPiece::Text(text)) = self.0.first() {
            text
        } else {
            ""
        }
    }

    /// Returns the text that every value ends with; empty if a wildcard stands there.
    pub fn end(&self) -> &str {
        if let Some(PatternPiece::Text(text)) = self.0.last() {
            text
        } else {
            ""
        }
    }

    /// Returns `true` if the pattern has a wildcard.
    pub fn is_wild(&self) -> bool {
        self.0
            .iter()
            .any(|piece| !matches!(piece, PatternPiece::Text(_)))
    }

    /// Returns the pattern as written, without quotes.
    pub fn text(&self) -> String {
        let piece = |piece: &PatternPiece| match piece {
            PatternPiece::Text(text) => text.clone(),
            PatternPiece::AnyCharacter => "?".to_owned(),
            PatternPiece::AnyText => "*".to_owned(),
        };
        self.0.iter().map(piece).collect()
    }

    /// Returns `true` if the whole value fits the pattern, ignoring case.
    pub fn is_satisfied_by(&self, value: &str) -> bool {
        let value = fold(value);
        let mut parts = self.0.split(|piece| *piece == PatternPiece::AnyText);
        let Some(mut rest) = after(&value, parts.next().unwrap_or_default()) else {
            return false;
        };

        let mut next = parts.next();
        if next.is_none() {
            return rest.is_empty();
        }

        // Each part has a fixed number of characters, so the leftmost place is as good as any
        // other.
        while let Some(part) = next {
            next = parts.next();
            if next.is_none() {
                return before(rest, part);
            }
            match after_first(rest, part) {
                Some(left) => rest = left,
                None => return false,
            }
        }

        true
    }
}

/// Returns what follows a part without stars at the beginning of a value.
fn after<'v>(value: &'v str, part: &[PatternPiece]) -> Option<&'v str> {
    part.iter().try_fold(value, |rest, piece| match piece {
        PatternPiece::Text(text) => rest.strip_prefix(fold(text).as_ref()),
        PatternPiece::AnyCharacter | PatternPiece::AnyText => {
            rest.chars().next().map(|c| &rest[c.len_utf8()..])
        }
    })
}

/// Returns what follows the leftmost place of a part.
fn after_first<'v>(value: &'v str, part: &[PatternPiece]) -> Option<&'v str> {
    if let [PatternPiece::Text(text)] = part {
        let text = fold(text);
        return value
            .find(text.as_ref())
            .map(|at| &value[at + text.len()..]);
    }

    let starts = value
        .char_indices()
        .map(|(at, _)| at)
        .chain(once(value.len()));
    starts.into_iter().find_map(|at| after(&value[at..], part))
}

/// Returns `true` if a value ends with a part.
fn before(value: &str, part: &[PatternPiece]) -> bool {
    let start = part
        .iter()
        .rev()
        .try_fold(value, |rest, piece| match piece {
            PatternPiece::Text(text) => rest.strip_suffix(fold(text).as_ref()),
            PatternPiece::AnyCharacter | PatternPiece::AnyText => rest
                .chars()
                .next_back()
                .map(|c| &rest[..rest.len() - c.len_utf8()]),
        });
    start.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text.chars().map(|c| match c {
            '*' => PatternPiece::AnyText,
            '?' => PatternPiece::AnyCharacter,
            c => PatternPiece::Text(c.to_string()),
        }))
    }

    #[test]
    fn values_fit_patterns() {
        for (value, written, expect) in [
            ("prod-db-1", "prod*1", true),
            ("prod-db-1", "*DB*", true),
            ("prod-db-1", "prod*2", false),
            ("aba", "ab*ba", false),
            ("abba", "ab*ba", true),
            ("abc", "*", true),
            ("a.b.c", "a*b*c", true),
            ("a.c.b", "a*b*c", false),
            ("i-0abc", "i-?abc", true),
            ("i-0abc", "i-??abc", false),
            ("ÉCOLE", "?cole", true),
            ("", "?", false),
            ("a", "?*", true),
            ("ab", "*??", true),
            ("a", "*??", false),
            ("xaybzb", "*a?b*b", true),
            ("ab", "?", false),
            ("abxab", "ab*?ab", true),
        ] {
            assert_eq!(
                pattern(written).is_satisfied_by(value),
                expect,
                "{value} {written}"
            );
        }
    }

    #[test]
    fn pieces_are_joined() {
        assert_eq!(pattern("a**b?").text(), "a*b?");
        assert_eq!(Pattern::starred(["a", "", "b"]), pattern("a*b"));
        assert_eq!(Pattern::starred(["", "b", ""]), pattern("*b*"));
        assert_eq!(
            (
                pattern("ab*c").start(),
                pattern("ab*c").end(),
                pattern("*").start()
            ),
            ("ab", "c", "")
        );

        assert!(!pattern("plain").is_wild() && pattern("plai?").is_wild());
    }
}
