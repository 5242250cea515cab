//! Context of a request: the condition keys with their values, those that are absent, and those
//! that are not known.

use std::collections::BTreeMap;

/// Knowledge about a condition key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyValue<'c> {
    Values(&'c [String]),
    Absent,
    Unknown,
}

/// Condition keys of a request. A key that is not listed is unknown, or absent in a complete
/// context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IamContext {
    /// Keys in lower case; without values, the key is absent.
    keys: BTreeMap<String, Option<Vec<String>>>,
    /// Beginnings of keys that are absent unless they are listed, such as `aws:principaltag/`.
    complete_families: Vec<String>,
    /// Keys that are not listed are absent.
    is_complete: bool,
}

impl IamContext {
    /// Returns a context without keys, in which all keys that are not set are absent.
    #[must_use]
    pub fn complete() -> Self {
        IamContext {
            is_complete: true,
            ..IamContext::default()
        }
    }

    /// Makes all keys that are not set absent.
    pub fn complete_keys(&mut self) {
        self.is_complete = true;
    }

    /// Makes the keys with a beginning absent that are not set: all tags of a principal are known.
    pub fn complete_family(&mut self, beginning: &str) {
        self.complete_families.push(beginning.to_ascii_lowercase());
    }

    /// Sets the values of a key.
    pub fn set<V: Into<String>>(&mut self, key: &str, values: impl IntoIterator<Item = V>) {
        let values = values.into_iter().map(Into::into).collect();
        self.keys.insert(key.to_ascii_lowercase(), Some(values));
    }

    /// Returns the context with a key set to one value.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.set(key, [value.into()]);
        self
    }

    /// Marks a key as absent.
    pub fn set_absent(&mut self, key: &str) {
        self.keys.insert(key.to_ascii_lowercase(), None);
    }

    /// Adds the keys of another context that this one does not have.
    pub fn add_missing(&mut self, other: &IamContext) {
        for (key, values) in &other.keys {
            self.keys
                .entry(key.clone())
                .or_insert_with(|| values.clone());
        }
        let families = other.complete_families.iter().cloned();
        self.complete_families.extend(families);
        self.is_complete |= other.is_complete;
    }

    /// Returns what is known of a key, given in lower case.
    #[must_use]
    pub fn key(&self, key: &str) -> KeyValue<'_> {
        match self.keys.get(key) {
            Some(Some(values)) => KeyValue::Values(values),
            Some(None) => KeyValue::Absent,
            None if self.is_complete || self.is_of_complete_family(key) => KeyValue::Absent,
            None => KeyValue::Unknown,
        }
    }

    fn is_of_complete_family(&self, key: &str) -> bool {
        let mut families = self.complete_families.iter();
        families.any(|family| key.starts_with(family.as_str()))
    }
}
