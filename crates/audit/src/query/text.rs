//! Free text: how values and search terms fall into words, and when a term is found.
//!
//! A word is a maximal run of letters and digits (Unicode `alphanumeric`), in lower case.
//! Everything else only separates. A term is found in an entry when one value of the entry has all
//! words of the term, in order and side by side; a wildcard stands for letters and digits within
//! one word. So `alice`, `alice@example.com` and `example.com` all find `alice@example.com`,
//! `i-0abc` finds `i-0abc` and not `0abc-i`, and `exa*` finds it too.

use std::cell::OnceCell;

use super::fold::fold;
use super::pattern::{Pattern, PatternPiece};
use crate::entry::{Entry, Leaf};

/// A bare term or a "phrase".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// Words, at least one, that stand side by side.
    pub words: Vec<TextWord>,
}

/// A word of a term, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextWord {
    /// The term is the complete word.
    Whole(String),
    /// The beginning of a word.
    Start(String),
    /// A word with wildcards elsewhere than in one star at its end.
    Like(Pattern),
}

impl TextWord {
    /// Returns the word that a pattern in lower case stands for.
    fn new(pattern: Pattern) -> Self {
        match pattern.pieces() {
            [PatternPiece::Text(text)] => Self::Whole(text.clone()),
            [PatternPiece::Text(text), PatternPiece::AnyText] => Self::Start(text.clone()),
            _ => Self::Like(pattern),
        }
    }

    /// Returns the word if it has no wildcard.
    pub fn whole(&self) -> Option<&str> {
        if let Self::Whole(word) = self {
            Some(word)
        } else {
            None
        }
    }

    /// Returns the texts that stand in every word that fits.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Whole(word) | Self::Start(word) => vec![word],
            Self::Like(pattern) => pattern.texts().collect(),
        }
    }

    /// Returns the text that every word that fits begins with, in lower case.
    pub fn start(&self) -> &str {
        match self {
            Self::Whole(word) | Self::Start(word) => word,
            Self::Like(pattern) => pattern.start(),
        }
    }

    /// Returns `true` if a word fits, ignoring case.
    pub fn is_satisfied_by(&self, word: &str) -> bool {
        match self {
            Self::Whole(wanted) => super::fold::equals(word, wanted),
            Self::Start(wanted) => super::fold::starts_with(word, wanted),
            Self::Like(pattern) => pattern.is_satisfied_by(word),
        }
    }
}

/// The words of a text, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

impl TextMatch {
    /// A term with the words of a text, the last of which may go on; `None` if the text has no
    /// letter or digit.
    pub fn new(text: &str, prefix: bool) -> Option<Self> {
        let star = prefix.then_some(PatternPiece::AnyText);
        Self::of_pattern(&Pattern::new(
            [PatternPiece::Text(text.to_owned())]
                .into_iter()
                .chain(star),
        ))
    }

    /// A term with the words of a pattern; `None` if it has no letter or digit. A wildcard stands
    /// for letters and digits of one word.
    pub fn of_pattern(pattern: &Pattern) -> Option<Self> {
        let mut words = vec![Pattern::default()];
        for piece in pattern.pieces() {
            let PatternPiece::Text(text) = piece else {
                words.last_mut()?.push(piece.clone());
                continue;
            };
            for (at, part) in text.split(|c: char| !c.is_alphanumeric()).enumerate() {
                if at > 0 {
                    words.push(Pattern::default());
                }
                words
                    .last_mut()?
                    .push(PatternPiece::Text(part.to_lowercase()));
            }
        }

        words.retain(|word| !word.pieces().is_empty());
        // A star behind a separator, as in `a.b.*`, belongs to the word before it, and so do
        // further ones: `a * *` is `a*`.
        while words.len() > 1
            && words
                .last()
                .is_some_and(|last| *last.pieces() == [PatternPiece::AnyText])
        {
            words.pop();
            words.last_mut()?.push(PatternPiece::AnyText);
        }

        let has_text = words.iter().any(|word| word.texts().next().is_some());
        has_text.then(|| Self {
            words: words.into_iter().map(TextWord::new).collect(),
        })
    }

    /// Returns `true` if the value contains the words side by side.
    pub fn found_in(&self, value: &str) -> bool {
        let mut rest = words(value);
        loop {
            if self.starts(rest.clone()) {
                return true;
            }
            if rest.next().is_none() {
                return false;
            }
        }
    }

    fn starts<'a>(&self, mut value: impl Iterator<Item = &'a str>) -> bool {
        self.words.iter().all(|wanted| {
            value
                .next()
                .is_some_and(|word| wanted.is_satisfied_by(word))
        })
    }
}

/// An entry whose words are collected when the first term asks for them. Asking many queries about
/// one entry then walks its values once and not once a term: of ten thousand alert rules, the few
/// with free words took half of the time.
#[derive(Debug)]
pub struct EntryWords<'e> {
    entry: &'e Entry,
    /// The folded words, sorted.
    sorted: OnceCell<Vec<Box<str>>>,
}

impl<'e> EntryWords<'e> {
    /// Returns the words of an entry, none collected yet.
    pub fn new(entry: &'e Entry) -> Self {
        Self {
            entry,
            sorted: OnceCell::new(),
        }
    }

    /// Returns the entry that the words were read from.
    pub fn entry(&self) -> &'e Entry {
        self.entry
    }

    /// Returns `false` if the entry lacks a word of the term; only [`TextMatch::found_in`] tells
    /// that the term is found.
    pub(super) fn may_have(&self, term: &TextMatch) -> bool {
        let sorted = self.sorted.get_or_init(|| {
            let mut sorted = Vec::with_capacity(128);
            self.entry.any_text(&mut |Leaf(value)| {
                sorted.extend(words(&value).map(|word| Box::<str>::from(fold(word))));
                false
            });
            sorted.sort_unstable();
            sorted
        });

        let has = |word: &str| {
            sorted
                .binary_search_by(|other| other.as_ref().cmp(fold(word).as_ref()))
                .is_ok()
        };

        term.words.iter().filter_map(TextWord::whole).all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_word_by_word() {
        let cases = [
            ("alice", "alice@example.com", true),
            ("ALICE@example.com", "Alice@Example.com", true),
            ("example.com", "alice@example.com", true),
            ("alice.com", "alice@example.com", false),
            ("ali", "alice@example.com", false),
            ("i-0abc", "arn:aws:ec2:::instance/i-0abc", true),
            ("i-0abc", "0abc-i", false),
            ("École", "une ÉCOLE", true),
            ("a b", "a a b", true),
            ("a a b", "a a a b", true),
            ("x", "", false),
        ];

        for (term, value, expect) in cases {
            assert_eq!(
                TextMatch::new(term, false).is_some_and(|t| t.found_in(value)),
                expect,
                "{term} in {value}"
            );
        }

        assert!(TextMatch::new("alice exa", true).is_some_and(|t| t.found_in("alice@example.com")));
        assert!(TextMatch::new("ali exa", true).is_some_and(|t| !t.found_in("alice@example.com")));
        assert_eq!(TextMatch::new("@-", false), None);
    }

    #[test]
    fn wildcards_stand_within_words() {
        let pattern = |text: &str| {
            Pattern::new(text.chars().map(|c| match c {
                '*' => PatternPiece::AnyText,
                '?' => PatternPiece::AnyCharacter,
                c => PatternPiece::Text(c.to_string()),
            }))
        };

        for (term, value, expect) in [
            ("*ice", "alice@example.com", true),
            ("al?ce", "ALICE", true),
            ("al?ce", "allice", false),
            ("a*e", "alpha-bee", false),
            ("a*-b?e", "alpha-bee", true),
            ("*lic*@ex*", "alice@example.com", true),
            ("ex*.com", "alice@example.org", false),
            ("security.*", "security group", true),
            ("security.*-", "securitygroup", true),
        ] {
            let found =
                TextMatch::of_pattern(&pattern(term)).is_some_and(|term| term.found_in(value));
            assert_eq!(found, expect, "{term} in {value}");
        }

        assert_eq!(TextMatch::of_pattern(&pattern("?*")), None);
    }
}
