//! Difference of two documents: the members that differ, before and after, and nothing else.

use serde_json::{Map, Value, json};

/// Members of a difference at most.
const MOST_MEMBERS: usize = 100;
/// Longest text of one value of a difference, characters.
const LONGEST_VALUE: usize = 500;

/// The members that differ between two documents, nested as in the documents. A list that differs
/// is shown whole.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Difference {
    /// The members before; one that was added is missing.
    pub before: Map<String, Value>,
    /// The members after; one that was removed is missing.
    pub after: Map<String, Value>,
    /// `true` if there are more than a hundred members or a value was cut.
    pub is_cut: bool,
}

impl Difference {
    /// Returns the difference of two descriptions.
    #[must_use]
    pub fn between(before: &Value, after: &Value) -> Difference {
        let mut difference = Difference::default();
        let mut left = MOST_MEMBERS;
        let empty = Map::new();
        let members = |value: &Value| value.as_object().cloned();

        match (members(before), members(after)) {
            (None, None) => {
                if before != after {
                    difference.put("value", Some(before), Some(after));
                }
            }
            (old, new) => {
                let pair = compare(
                    old.as_ref().unwrap_or(&empty),
                    new.as_ref().unwrap_or(&empty),
                    &mut left,
                );
                (difference.before, difference.after, difference.is_cut) = pair;
            }
        }

        difference
    }

    /// Returns `true` if the documents are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && !self.is_cut
    }

    /// Takes the members of these names out, as a difference of their own.
    #[must_use]
    pub fn split_off(&mut self, is_wanted: impl Fn(&str) -> bool) -> Difference {
        let mut taken = Difference::default();
        for (from, into) in [
            (&mut self.before, &mut taken.before),
            (&mut self.after, &mut taken.after),
        ] {
            let names: Vec<String> = from
                .keys()
                .filter(|name| is_wanted(name))
                .cloned()
                .collect();
            into.extend(
                names
                    .into_iter()
                    .filter_map(|name| from.remove_entry(&name)),
            );
        }

        taken
    }

    fn put(&mut self, name: &str, before: Option<&Value>, after: Option<&Value>) {
        for (value, into) in [(before, &mut self.before), (after, &mut self.after)] {
            if let Some(value) = value {
                let (value, cut) = clipped(value);
                self.is_cut |= cut;
                into.insert(name.to_owned(), value);
            }
        }
    }
}

type Pair = (Map<String, Value>, Map<String, Value>, bool);

fn compare(old: &Map<String, Value>, new: &Map<String, Value>, left: &mut usize) -> Pair {
    let mut found = Difference::default();
    let names = old
        .keys()
        .chain(new.keys().filter(|name| !old.contains_key(*name)));

    for name in names {
        match (old.get(name), new.get(name)) {
            (Some(before), Some(after)) if before == after => {}
            _ if *left == 0 => found.is_cut = true,
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                let (before, after, cut) = compare(before, after, left);
                found.is_cut |= cut;
                found.before.insert(name.clone(), Value::Object(before));
                found.after.insert(name.clone(), Value::Object(after));
            }
            (before, after) => {
                *left -= 1;
                found.put(name, before, after);
            }
        }
    }

    (found.before, found.after, found.is_cut)
}

/// A value of bounded length: a longer one is shown by the beginning of its text.
fn clipped(value: &Value) -> (Value, bool) {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => (json!(format!("{}\u{2026}", &text[..end])), true),
        None => (value.clone(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_members_that_differ_are_shown() {
        let before = json!({ "a": 1, "b": { "c": true, "d": "same" }, "e": [1, 2], "gone": "x" });
        let after = json!({ "a": 1, "b": { "c": false, "d": "same" }, "e": [1, 3], "new": null });
        let found = Difference::between(&before, &after);
        assert_eq!(
            Value::Object(found.before),
            json!({ "b": { "c": true }, "e": [1, 2], "gone": "x" })
        );
        assert_eq!(
            Value::Object(found.after),
            json!({ "b": { "c": false }, "e": [1, 3], "new": null })
        );
        assert!(Difference::between(&after, &after).is_empty());
    }

    #[test]
    fn a_difference_is_bounded() {
        let many: Map<String, Value> = (0..150)
            .map(|n| (format!("m{n:03}"), json!("é".repeat(600))))
            .collect();
        let found = Difference::between(&json!({}), &Value::Object(many));
        assert!(found.is_cut && found.after.len() == 100);
        assert_eq!(
            found.after["m000"]
                .as_str()
                .map(|text| text.chars().count()),
            Some(501)
        );
    }

    #[test]
    fn members_are_split_off_by_name() {
        let mut found =
            Difference::between(&json!({ "Tags": 1, "x": 1 }), &json!({ "Tags": 2, "x": 2 }));
        let tags = found.split_off(|name| name == "Tags");
        assert_eq!(Value::Object(tags.after), json!({ "Tags": 2 }));
        assert_eq!(Value::Object(found.before), json!({ "x": 1 }));
    }
}
