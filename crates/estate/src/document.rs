//! Configuration documents: a provider's own description of a resource as JSON, with secrets
//! removed.
//!
//! Secrets are removed when a document is made, so that none reaches the store, the log or a page.
//! The table of member names is closed on purpose: a list of what may stay would hide each new
//! member of a provider until somebody adds it.

mod difference;
mod secrets;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use difference::Difference;
pub use secrets::REMOVED;

/// Value of a member that the account's permissions hid: the member may be there.
pub const NOT_READ: &str = "[not read]";

/// Longest canonical text of a document, bytes. The largest descriptions known (a role with all its
/// inline policies) stay below a tenth of it.
const LONGEST: usize = 1 << 20;

/// A configuration document. Equal documents have the same canonical text (RFC 8785) and the same
/// hash.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    json: Value,
    text: String,
    hash: String,
}

impl Document {
    /// Returns the document of a description, with secrets removed. A description beyond 1 MiB is
    /// replaced by its size.
    #[must_use]
    pub fn new(mut description: Value) -> Document {
        secrets::remove(&mut description);
        let document = Document::kept(description);
        if document.text.len() <= LONGEST {
            return document;
        }
        Document::kept(
            json!({ "not_kept": "the description is too large", "bytes": document.text.len() }),
        )
    }

    /// Returns the document of a description that was a document before.
    #[must_use]
    pub fn kept(json: Value) -> Document {
        // Only numbers that are none fail, and JSON has none of these; members of `Value` are
        // sorted as well.
        let text = serde_json_canonicalizer::to_string(&json).unwrap_or_else(|_| json.to_string());
        let hash = hex::encode(Sha256::digest(&text));
        Document { json, text, hash }
    }

    /// Returns the document with the members that were [`NOT_READ`] as an earlier one had them:
    /// what was merely hidden has not changed.
    #[must_use]
    pub fn with_unread_from(self, earlier: &Document) -> Document {
        let Value::Object(mut members) = self.json else {
            return self;
        };

        let unread = |(_, value): &(&String, &mut Value)| value.as_str() == Some(NOT_READ);
        for (name, value) in members.iter_mut().filter(unread) {
            if let Some(known) = earlier.json.get(name) {
                *value = known.clone();
            }
        }

        Document::kept(Value::Object(members))
    }

    /// Returns the description as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the SHA-256 of the canonical text, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        self.hash.clone()
    }

    /// Returns `true` if a permission hid members of the description.
    #[must_use]
    pub fn is_partly_unread(&self) -> bool {
        let members = self
            .json
            .as_object()
            .into_iter()
            .flat_map(|members| members.values());
        members
            .filter_map(Value::as_str)
            .any(|text| text == NOT_READ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_its_content_and_has_no_secret() {
        let one =
            Document::new(json!({ "b": 1, "a": { "UserData": "c2VjcmV0", "x": [true, null] } }));
        let other =
            Document::new(json!({ "a": { "x": [true, null], "UserData": "ZWxzZQ==" }, "b": 1.0 }));
        assert_eq!(
            one.text(),
            r#"{"a":{"UserData":"[removed]","x":[true,null]},"b":1}"#
        );
        assert_eq!(one.hash(), other.hash(), "secrets are no part of a version");
        assert_eq!(one.hash().len(), 64);
        assert_ne!(one.hash(), Document::new(json!({ "b": 2 })).hash());
    }

    #[test]
    fn what_is_hidden_has_not_changed() {
        let earlier = Document::new(json!({ "Policy": { "a": 1 }, "b": 1 }));
        let now = Document::new(json!({ "Policy": NOT_READ, "b": 2, "new": NOT_READ }));
        let expect = json!({ "Policy": { "a": 1 }, "b": 2, "new": NOT_READ });
        assert_eq!(now.with_unread_from(&earlier).json(), &expect);
    }

    #[test]
    fn a_description_without_measure_is_not_kept() {
        let vast = Document::new(json!({ "text": "x".repeat(2 << 20) }));
        assert_eq!(vast.json()["bytes"], json!((2 << 20) + 11));
    }
}
