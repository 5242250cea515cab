//! Tags of a resource: few names, each with a text, in a list instead of a tree, because most
//! entries carry two or three.

use crate::json::utf16_order;

/// Texts by name; names are distinct and in RFC 8785 order (UTF-16 code units).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// Returns an empty set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes tags in any order; `None` when a name is there twice.
    pub(crate) fn distinct(mut tags: Vec<(String, String)>) -> Option<Self> {
        if !tags.is_sorted_by(|a, b| utf16_order(&a.0, &b.0).is_lt()) {
            tags.sort_by(|a, b| utf16_order(&a.0, &b.0));
            if tags.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
        }

        tags.shrink_to_fit();
        Some(Self(tags))
    }

    /// Sets a tag and returns the text it had.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<String>) -> Option<String> {
        let (name, value) = (name.into(), value.into());
        match self
            .0
            .binary_search_by(|(known, _)| utf16_order(known, &name))
        {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (name, value));
                None
            }
        }
    }

    /// The text of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self
            .0
            .binary_search_by(|(known, _)| utf16_order(known, name))
            .ok()?;
        self.0.get(at).map(|(_, value)| value.as_str())
    }

    /// Names and texts in canonical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The values of the tags, in the order of their names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(_, value)| value.as_str())
    }

    /// Returns the number of tags.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Tags {
    type Item = (String, String);
    type IntoIter = std::vec::IntoIter<(String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(String, String)> for Tags {
    /// A later tag replaces an earlier one of the same name.
    fn from_iter<I: IntoIterator<Item = (String, String)>>(tags: I) -> Self {
        let mut all = Self::new();
        for (name, value) in tags {
            all.insert(name, value);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_stand_in_order_and_once() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut tags: Tags = [pair("b", "1"), pair("a", "2"), pair("b", "3")]
            .into_iter()
            .collect();
        assert_eq!(tags.iter().collect::<Vec<_>>(), [("a", "2"), ("b", "3")]);
        assert_eq!(
            (tags.get("b"), tags.get("c"), tags.len()),
            (Some("3"), None, 2)
        );
        assert_eq!(
            (tags.insert("a", "4"), tags.insert("c", "5")),
            (Some("2".to_owned()), None)
        );
        assert_eq!(tags.values().collect::<Vec<_>>(), ["4", "3", "5"]);
        assert_eq!(
            Tags::distinct(vec![pair("\u{fb33}", "1"), pair("\u{1f600}", "2")])
                .map(|t| t.0[0].1.clone()),
            Some("2".into())
        );

        assert_eq!(
            Tags::distinct(vec![pair("b", "1"), pair("a", "2"), pair("b", "1")]),
            None
        );
    }
}
