//! Verdicts: what a check found, and the values that it saw.

use reeve_recommend::judgement::evidence::CheckAnswer;
use serde_json::Value;

/// Value of a document that a check read.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenValue {
    /// Path of the member (`PublicAccessBlock.BlockPublicAcls`).
    pub path: String,
    /// The value; `None` if the document does not have the member. Long lists and texts are cut
    /// (see [`SeenValue::MOST_ELEMENTS`]).
    pub value: Option<Value>,
}

impl SeenValue {
    /// Most elements of a list, and of the members of an object, that are kept.
    pub const MOST_ELEMENTS: usize = 10;
    /// Longest text that is kept, characters.
    pub const LONGEST_TEXT: usize = 300;

    /// Returns the value at a path, cut to what people can read.
    pub(crate) fn at(path: &str, value: Option<&Value>) -> SeenValue {
        SeenValue {
            path: path.to_owned(),
            value: value.map(cut),
        }
    }
}

/// Shortens lists and texts to what people can read.
fn cut(value: &Value) -> Value {
    match value {
        Value::Array(elements) => {
            let mut kept: Vec<Value> = elements
                .iter()
                .take(SeenValue::MOST_ELEMENTS)
                .map(cut)
                .collect();
            if elements.len() > kept.len() {
                let more = elements.len() - kept.len();
                kept.push(Value::String(format!("… and {more} more")));
            }
            Value::Array(kept)
        }
        Value::Object(members) => {
            let kept = members.iter().take(SeenValue::MOST_ELEMENTS);
            Value::Object(
                kept.map(|(name, value)| (name.clone(), cut(value)))
                    .collect(),
            )
        }
        Value::String(text) if text.chars().count() > SeenValue::LONGEST_TEXT => {
            let kept: String = text.chars().take(SeenValue::LONGEST_TEXT).collect();
            Value::String(kept + "…")
        }
        other => other.clone(),
    }
}

/// Finding of a check about one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlVerdict {
    pub answer: CheckAnswer,
    /// Reason, as a sentence that names the values which decided.
    pub why: String,
    /// Values that the check read; those that made it fail if it failed.
    pub values: Vec<SeenValue>,
}

impl ControlVerdict {
    /// Returns the values as an object, by their paths; a member that is missing is null.
    #[must_use]
    pub fn values_by_path(&self) -> Value {
        let pairs = self
            .values
            .iter()
            .map(|seen| (seen.path.clone(), seen.value.clone().unwrap_or_default()));
        Value::Object(pairs.collect())
    }
}
