//! Members of a JSON object, kept in canonical order so that writing, comparing and looking up need
//! no sorting.

use std::cmp::Ordering;

use super::Json;

/// Members of a JSON object: names are distinct and in RFC 8785 order (UTF-16 code units). The
/// original order is not kept, because it has no meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    members: Vec<(String, Json)>,
}

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
        }
    }

    /// Takes members whose names are known to be distinct and in canonical order.
    pub(crate) fn from_sorted(members: Vec<(String, Json)>) -> Self {
        debug_assert!(
            members
                .windows(2)
                .all(|pair| utf16_order(&pair[0].0, &pair[1].0) == Ordering::Less)
        );
        Self { members }
    }

    fn position(&self, key: &str) -> Result<usize, usize> {
        self.members
            .binary_search_by(|(name, _)| utf16_order(name, key))
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.position(key).ok().map(|at| &self.members[at].1)
    }

    /// The value of `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.position(key).ok().map(|at| &mut self.members[at].1)
    }

    /// Returns `true` if `key` is a member.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_ok()
    }

    /// Sets `key` and returns the value it had.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Json>) -> Option<Json> {
        let (key, value) = (key.into(), value.into());
        match self.position(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.members[at].1, value)),
            Err(at) => {
                self.members.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes a member and returns its value, `None` without that member.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        self.position(key).ok().map(|at| self.members.remove(at).1)
    }

    /// Members in canonical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.members
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns `true` if there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl FromIterator<(String, Json)> for Object {
    /// A later member replaces an earlier one of the same name.
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        let mut members: Vec<_> = members.into_iter().collect();
        members.sort_by(|a, b| utf16_order(&a.0, &b.0));
        members.reverse();
        members.dedup_by(|a, b| a.0 == b.0);
        members.reverse();
        Self { members }
    }
}

/// The order of RFC 8785, section 3.2.3: by UTF-16 code units.
///
/// It differs from the order of UTF-8 bytes only where a character beyond U+FFFF (lead byte 0xF0
/// and up, but a surrogate 0xD800 and up in UTF-16) meets one from U+E000 to U+FFFF (lead byte 0xEE
/// or 0xEF).
pub fn utf16_order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).position(|(x, y)| x != y) {
        None => a.len().cmp(&b.len()),
        Some(at) => match (a[at], b[at]) {
            (0xf0.., 0xee | 0xef) => Ordering::Less,
            (0xee | 0xef, 0xf0..) => Ordering::Greater,
            (x, y) => x.cmp(&y),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_utf16_code_units() {
        let names = [
            "",
            "a",
            "aa",
            "ö",
            "€",
            "\u{e000}",
            "\u{ffff}",
            "\u{10000}",
            "😀",
            "\u{10ffff}",
            "é",
            "A",
            "\u{d7ff}",
        ];
        for a in names {
            for b in names {
                let expect = a.encode_utf16().cmp(b.encode_utf16());
                assert_eq!(utf16_order(a, b), expect, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_later_member_replaces_an_earlier_one() {
        let object: Object = [("b", 1), ("a", 2), ("b", 3)]
            .into_iter()
            .map(|(k, v)| (k.to_owned(), Json::from(v)))
            .collect();
        assert_eq!(object.len(), 2);
        assert_eq!(object.get("b"), Some(&Json::Number(3.0)));
    }

    #[test]
    fn insert_get_remove() {
        let mut object = Object::new();
        assert_eq!(object.insert("x", 1), None);
        assert_eq!(object.insert("x", 2), Some(Json::Number(1.0)));
        assert!(object.contains_key("x") && !object.contains_key("y"));
        assert_eq!(object.remove("x"), Some(Json::Number(2.0)));
        assert!(object.is_empty());
    }
}
