//! Variables of an evaluation: one resource, prepared once for all of its checks.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::parser::Expression as Node;
use cel::{Context, ExecutionError};
use jiff::Timestamp;
use reeve_estate::ResourceKind;
use reeve_estate::document::NOT_READ;
use serde_json::Value;

use super::functions;
use crate::subject::{Subject, by_relation};
use crate::verdict::SeenValue;

/// Variables that expressions may name.
pub(super) const VARIABLES: [&str; 5] = ["doc", "resource", "targets", "sources", "now"];

/// Variables of one resource.
pub(crate) struct Scope<'s> {
    context: Context<'static, 'static>,
    document: &'s Value,
    complete: Vec<ResourceKind>,
    elements: u64,
    bytes: u64,
}

impl<'s> Scope<'s> {
    /// Prepares a resource. `now` is the time that ages are counted to.
    pub(crate) fn new(subject: &Subject<'s>, now: Timestamp) -> Scope<'s> {
        let targets = by_relation(&subject.targets);
        let sources = by_relation(&subject.sources);
        let mut elements = 0;
        let mut bytes = 0;
        for value in [subject.document, &targets, &sources] {
            count(value, &mut elements, &mut bytes);
        }

        let mut context = Context::with_env(functions::environment().clone());
        functions::add(&mut context);
        context.add_variable_from_value("doc", converted(subject.document));
        context.add_variable_from_value("resource", converted(&subject.resource()));
        context.add_variable_from_value("targets", converted(&targets));
        context.add_variable_from_value("sources", converted(&sources));
        context.add_variable_from_value("now", now.to_string());

        Scope {
            context,
            document: subject.document,
            complete: subject.complete.clone(),
            elements,
            bytes,
        }
    }

    /// Returns `true` if every resource of a kind near the judged one is known.
    pub(crate) fn is_complete(&self, kind: ResourceKind) -> bool {
        self.complete.contains(&kind)
    }

    /// Number of elements of all lists, and of members of all objects.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// Bytes of all texts.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn resolve(&self, node: &Node) -> Result<cel::Value, ExecutionError> {
        self.context.resolve(node)
    }

    /// Returns the first of the paths that a permission hid.
    pub(super) fn first_unread<'p, P: AsRef<str>>(&self, paths: &'p [P]) -> Option<&'p str> {
        paths
            .iter()
            .map(AsRef::as_ref)
            .find(|path| is_unread(self.document, path))
    }

    /// Returns the values at paths of the document.
    pub(crate) fn seen<P: AsRef<str>>(&self, paths: &[P]) -> Vec<SeenValue> {
        paths
            .iter()
            .map(|path| SeenValue::at(path.as_ref(), found(self.document, path.as_ref())))
            .collect()
    }
}

/// Returns the value at a path.
fn found<'d>(document: &'d Value, path: &str) -> Option<&'d Value> {
    path.split('.')
        .try_fold(document, |value, member| value.get(member))
}

/// Returns `true` if a permission hid the member at a path, or one that it lies in.
fn is_unread(document: &Value, path: &str) -> bool {
    let mut value = document;
    for member in path.split('.') {
        match value.get(member) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value.as_str() == Some(NOT_READ)
}

/// Adds the elements and the bytes of texts of a value.
fn count(value: &Value, elements: &mut u64, bytes: &mut u64) {
    match value {
        Value::Array(list) => {
            *elements += list.len() as u64;
            list.iter().for_each(|value| count(value, elements, bytes));
        }
        Value::Object(members) => {
            *elements += members.len() as u64;
            members
                .values()
                .for_each(|value| count(value, elements, bytes));
        }
        Value::String(text) => *bytes += text.len() as u64,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns JSON as a value of CEL. Whole numbers are `int`.
pub(super) fn converted(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(flag) => cel::Value::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => cel::Value::Int(whole),
            None => cel::Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(list) => cel::Value::List(Arc::new(list.iter().map(converted).collect())),
        Value::Object(members) => {
            let members: HashMap<Key, cel::Value> = members
                .iter()
                .map(|(name, value)| (Key::from(name.as_str()), converted(value)))
                .collect();
            cel::Value::Map(Map {
                map: Arc::new(members),
            })
        }
    }
}
