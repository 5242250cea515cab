//! Variables of an evaluation: one resource, prepared once for all of its checks.

use std::collections::{BTreeMap, HashMap};

use cel::parser::Expression as Node;
use cel::{Context, ExecutionError};
use jiff::Timestamp;
use reeve_estate::document::NOT_READ;
use reeve_estate::{RelationKind, ResourceKind};
use serde_json::Value;

use super::functions;
use super::reads::RelatedRead;
use super::values::{converted, object};
use crate::subject::{ControlSubject, Related};
use crate::verdict::SeenValue;

/// Variables that expressions may name.
pub(super) const VARIABLES: [&str; 5] = ["doc", "resource", "targets", "sources", "now"];
/// Variables that hold related resources.
pub(super) const RELATED: [&str; 2] = ["targets", "sources"];

/// Variables of the values of a change: those, and the values before it.
pub(super) const VARIABLES_OF_VALUES: [&str; 6] =
    ["doc", "resource", "targets", "sources", "now", "with"];

/// Variables of one resource.
pub(crate) struct ExpressionScope<'s> {
    context: Context<'static, 'static>,
    document: &'s Value,
    targets: Vec<Related<'s>>,
    sources: Vec<Related<'s>>,
    complete: Vec<ResourceKind>,
    size: Size,
}

/// Size of what expressions may walk.
#[derive(Debug, Default)]
struct Size {
    /// Elements of all lists, and members of all objects.
    elements: u64,
    /// Bytes of all texts.
    bytes: u64,
}

impl<'s> ExpressionScope<'s> {
    /// Prepares a resource. `now` is the time that ages are counted to.
    pub(crate) fn new(subject: &ControlSubject<'s>, now: Timestamp) -> ExpressionScope<'s> {
        let mut size = Size::default();
        size.add(subject.document);
        let targets = by_relation(&subject.targets, &mut size);
        let sources = by_relation(&subject.sources, &mut size);

        let mut context = Context::with_env(functions::environment().clone());
        functions::add(&mut context);
        context.add_variable_from_value("doc", converted(subject.document));
        context.add_variable_from_value("resource", converted(&subject.resource()));
        context.add_variable_from_value("targets", targets);
        context.add_variable_from_value("sources", sources);
        context.add_variable_from_value("now", now.to_string());

        ExpressionScope {
            context,
            document: subject.document,
            targets: subject.targets.clone(),
            sources: subject.sources.clone(),
            complete: subject.complete.clone(),
            size,
        }
    }

    /// Gives the values of a change that are known.
    pub(crate) fn give(&mut self, values: &BTreeMap<String, Value>) {
        let members = values
            .iter()
            .map(|(name, value)| (name.as_str(), converted(value)));
        self.context
            .add_variable_from_value("with", object(members));
    }

    /// Returns `true` if every resource of a kind near the judged one is known.
    pub(crate) fn is_complete(&self, kind: ResourceKind) -> bool {
        self.complete.contains(&kind)
    }

    /// Number of elements of all lists, and of members of all objects.
    pub(super) fn elements(&self) -> u64 {
        self.size.elements
    }

    /// Bytes of all texts.
    pub(super) fn bytes(&self) -> u64 {
        self.size.bytes
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

    /// Returns the first resource of a relation whose document lacks, because a permission hid it,
    /// the member at the path that is read, with that path.
    pub(super) fn first_unread_related<'p>(
        &self,
        reads: &'p [RelatedRead],
    ) -> Option<(&'p str, &'s str)> {
        reads.iter().find_map(|read| {
            let path = read.path.as_deref()?;
            let mut rows = self.related(read);
            let hidden = rows.find(|one| one.document.is_some_and(|one| is_unread(one, path)))?;
            Some((path, hidden.id))
        })
    }

    /// Returns the first relation among those that are read that has no resource.
    pub(super) fn first_without_resources<'p>(&self, reads: &'p [RelatedRead]) -> Option<&'p str> {
        let empty = reads
            .iter()
            .find(|read| self.related(read).next().is_none());
        empty.map(|read| read.relation.as_str())
    }

    fn related<'a>(&'a self, read: &'a RelatedRead) -> impl Iterator<Item = &'a Related<'s>> {
        let all = if read.is_target {
            &self.targets
        } else {
            &self.sources
        };
        all.iter()
            .filter(|one| one.relation.as_str() == read.relation)
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

impl Size {
    /// Adds a value with all that is in it.
    fn add(&mut self, value: &Value) {
        match value {
            Value::Array(list) => {
                self.elements += list.len() as u64;
                list.iter().for_each(|value| self.add(value));
            }
            Value::Object(members) => {
                self.elements += members.len() as u64;
                members.values().for_each(|value| self.add(value));
            }
            Value::String(text) => self.bytes += text.len() as u64,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns a variable with the resources of relations: a list by the name of each relation, the
/// empty one for those that there are none of. Documents are converted where they lie.
fn by_relation(related: &[Related<'_>], size: &mut Size) -> cel::Value {
    let mut lists: HashMap<&str, Vec<cel::Value>> = RelationKind::ALL
        .iter()
        .map(|relation| (relation.as_str(), Vec::new()))
        .collect();
    size.elements += lists.len() as u64;

    for one in related {
        let kind = one.kind.map(ResourceKind::as_str);
        let row: HashMap<&str, cel::Value> = HashMap::from([
            ("id", one.id.into()),
            ("kind", kind.map_or(cel::Value::Null, Into::into)),
            ("doc", one.document.map_or_else(no_members, converted)),
            ("known", one.document.is_some().into()),
        ]);

        // The row in its list, and its members.
        size.elements += 1 + row.len() as u64;
        size.bytes += (one.id.len() + kind.map_or(0, str::len)) as u64;
        if let Some(document) = one.document {
            size.add(document);
        }
        lists
            .entry(one.relation.as_str())
            .or_default()
            .push(object(row));
    }

    object(lists.into_iter().map(|(name, rows)| (name, rows.into())))
}

fn no_members() -> cel::Value {
    object([])
}
