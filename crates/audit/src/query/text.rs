//! Free text: how values and search terms fall into words, and when a term is found.
//!
//! A word is a maximal run of letters and digits (Unicode `alphanumeric`), in lower case. Everything else only
//! separates. A term is found in an entry when one value of the entry has all words of the term, in order and side by
//! side; with a trailing `*` the last word may go on. So `alice`, `alice@example.com` and `example.com` all find
//! `alice@example.com`, `i-0abc` finds `i-0abc` and not `0abc-i`, and `exa*` finds it too.

use std::cell::OnceCell;

use super::fold::fold;
use crate::entry::{Entry, Leaf};

/// A bare term or a "phrase".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    /// Words in lower case, at least one.
    pub words: Vec<String>,
    /// The last word may go on.
    pub prefix: bool,
}

/// The words of a text, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

impl TextMatch {
    /// A term with these words, unless the text has none.
    pub fn new(text: &str, prefix: bool) -> Option<Self> {
        let words: Vec<_> = words(text).map(str::to_lowercase).collect();
        if words.is_empty() { None } else { Some(Self { words, prefix }) }
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
        self.words.iter().enumerate().all(|(at, wanted)| {
            let goes_on = self.prefix && at + 1 == self.words.len();
            value.next().is_some_and(|word| super::fold::starts_or_equals(word, wanted, goes_on))
        })
    }
}

/// An entry whose words are collected when the first term asks for them. Asking many queries about one entry then walks its values once
/// and not once a term: of ten thousand alert rules, the few with free words took half of the time.
#[derive(Debug)]
pub struct EntryWords<'e> {
    entry: &'e Entry,
    /// The folded words, sorted.
    sorted: OnceCell<Vec<Box<str>>>,
}

impl<'e> EntryWords<'e> {
    /// Returns the words of an entry, none collected yet.
    pub fn new(entry: &'e Entry) -> Self {
        Self { entry, sorted: OnceCell::new() }
    }

    /// Returns the entry.
    pub fn entry(&self) -> &'e Entry {
        self.entry
    }

    /// Returns `false` if the entry lacks a word of the term; only [`TextMatch::found_in`] tells that the term is found.
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
        let has = |word: &str| sorted.binary_search_by(|other| other.as_ref().cmp(fold(word).as_ref())).is_ok();
        let whole = term.words.len() - usize::from(term.prefix);
        term.words[..whole].iter().all(|word| has(word))
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
            assert_eq!(TextMatch::new(term, false).is_some_and(|t| t.found_in(value)), expect, "{term} in {value}");
        }
        assert!(TextMatch::new("alice exa", true).is_some_and(|t| t.found_in("alice@example.com")));
        assert!(TextMatch::new("ali exa", true).is_some_and(|t| !t.found_in("alice@example.com")));
        assert_eq!(TextMatch::new("@-", false), None);
    }
}
