//! From entries to the fields of an index: every value that a query can ask for, once, with the
//! rows that have it.
//!
//! A field whose values are nearly all different keeps the rows of their words instead of the
//! values. Of UUIDs among those, only the last piece is kept, as a hash.

use std::collections::HashMap;

use reeve_audit::query::{QueryColumn, column_text, fold, words};
use reeve_audit::{Entry, Json, SubmitterField};

use super::code::hash;
use super::intern::Values;
use super::kind;

/// Distinct values of open members that one segment's index holds; members beyond are not indexed.
const MAX_FIELDS: usize = 2_000;
/// A field with more values than this, and more than half as many as rows that have one, is kept by
/// its words.
const FEW: usize = 256;
/// So many values without repetition and a field is kept by its words from then on.
const EARLY: usize = 2_048;

/// A field while it is collected.
#[derive(Debug)]
pub(super) struct Field {
    /// Its name in the index.
    pub(super) key: Vec<u8>,
    /// `true` if free text looks into it.
    pub(super) searched: bool,
    /// Its values, unless it is kept by words.
    pub(super) values: Values,
    /// Pairs of a row and the number of a value.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Rows that have a value, where it is kept by words.
    pub(super) by_words: Option<Vec<u32>>,
    /// `true` if all values are texts or numbers.
    plain: bool,
    /// `true` if UUIDs are among the values that are kept by their words.
    pub(super) uuids: bool,
}

/// Members of a state by name.
#[derive(Debug, Default)]
struct Node {
    field: Option<usize>,
    members: HashMap<Box<str>, usize>,
    path: Vec<u8>,
}

/// Words and their rows, of all fields that are kept by words.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Words in folded case.
    pub(super) values: Values,
    /// Pairs of a row and the number of a word.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Hash of the last piece of a UUID, and its row.
    pub(super) hashed: Vec<(u64, u32)>,
    /// Rows with a UUID.
    pub(super) uuid_rows: Vec<u32>,
}

/// Everything an index is made of.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) fields: Vec<Field>,
    pub(super) words: Words,
    /// `true` if members were left out.
    pub(super) incomplete: bool,
    columns: [Option<usize>; QueryColumn::ALL.len()],
    tags: HashMap<Box<str>, usize>,
    fixed: [Option<usize>; 2],
    submitter: [Option<usize>; SubmitterField::ALL.len()],
    nodes: Vec<Node>,
}

impl Collected {
    pub(super) fn new() -> Self {
        let roots = [kind::BEFORE, kind::AFTER, kind::METADATA];
        let nodes = roots
            .map(|root| Node {
                path: vec![root, b':'],
                ..Node::default()
            })
            .into();

        Collected {
            nodes,
            ..Collected::default()
        }
    }

    /// Adds the entry of a row; rows ascend.
    pub(super) fn add(&mut self, row: u32, entry: &Entry) {
        for (at, column) in QueryColumn::ALL.into_iter().enumerate() {
            if let Some(text) = column_text(entry, column) {
                let field = match self.columns[at] {
                    Some(field) => field,
                    None => {
                        let key = kind::column_key(column);
                        let field = self.field(key, column != QueryColumn::Category);
                        self.columns[at] = Some(field);
                        field
                    }
                };
                self.put(field, row, kind::TEXT, text.as_bytes());
            }
        }

        let version = self.fixed(0, kind::API_VERSION);
        self.put(
            version,
            row,
            kind::TEXT,
            entry.metadata.api_version.as_bytes(),
        );

        for tag in &entry.metadata.tags {
            let labels = self.fixed(1, kind::LABELS);
            self.put(labels, row, kind::TEXT, tag.as_bytes());
        }

        for (name, value) in entry.resource.tags.iter() {
            if let Some(field) = self.tag(name) {
                self.put(field, row, kind::TEXT, value.as_bytes());
            }
        }

        for (root, state) in [&entry.changes.before, &entry.changes.after]
            .into_iter()
            .enumerate()
        {
            if let Some(state) = state {
                self.state(root, row, state);
            }
        }

        for (name, value) in entry.metadata.extra.iter() {
            self.member(2, row, name, value);
        }

        self.submitter(row, entry);
    }

    /// Free text does not look into the submitter: it would find all that one token has sent.
    fn submitter(&mut self, row: u32, entry: &Entry) {
        let Some(submitter) = &entry.submitted_by else {
            return;
        };
        for (at, member) in SubmitterField::ALL.into_iter().enumerate() {
            let Some(text) = submitter.text(member) else {
                continue;
            };
            let field = match self.submitter[at] {
                Some(field) => field,
                None => {
                    let field = self.field(kind::submitter_key(member), false);
                    *self.submitter[at].insert(field)
                }
            };
            self.put(field, row, kind::TEXT, text.as_bytes());
        }
    }

    fn state(&mut self, node: usize, row: u32, value: &Json) {
        let number;
        let (kind, text): (u8, &str) = match value {
            Json::Array(items) => {
                items.iter().for_each(|item| self.state(node, row, item));
                return;
            }
            Json::Object(object) => {
                object
                    .iter()
                    .for_each(|(name, value)| self.member(node, row, name, value));
                (kind::OBJECT, "")
            }
            Json::Null => (kind::NULL, ""),
            Json::Bool(value) => (kind::BOOL, if *value { "true" } else { "false" }),
            Json::String(text) => (kind::TEXT, text),
            Json::Number(_) => {
                number = value.to_string();
                (kind::NUMBER, &number)
            }
        };

        let field = match self.nodes[node].field {
            Some(field) => field,
            None if self.fields.len() >= MAX_FIELDS => return self.incomplete = true,
            None => {
                let key = self.nodes[node].path.clone();
                // Members that differ by case alone are one field.
                let known = self.fields.iter().position(|field| field.key == key);
                let field = known.unwrap_or_else(|| self.field(key, true));
                self.nodes[node].field = Some(field);
                field
            }
        };

        self.put(field, row, kind, text.as_bytes());
    }

    fn member(&mut self, node: usize, row: u32, name: &str, value: &Json) {
        let child = match self.nodes[node].members.get(name) {
            Some(&child) => child,
            None if self.nodes.len() >= 2 * MAX_FIELDS => return self.incomplete = true,
            None => {
                let mut path = self.nodes[node].path.clone();
                kind::push_step(&mut path, name);
                let child = self.nodes.len();
                self.nodes.push(Node {
                    path,
                    ..Node::default()
                });
                self.nodes[node].members.insert(name.into(), child);
                child
            }
        };
        self.state(child, row, value);
    }

    fn fixed(&mut self, at: usize, kind: u8) -> usize {
        match self.fixed[at] {
            Some(field) => field,
            None => {
                let field = self.field(vec![kind, b':'], true);
                self.fixed[at] = Some(field);
                field
            }
        }
    }

    fn tag(&mut self, name: &str) -> Option<usize> {
        if let Some(&field) = self.tags.get(name) {
            return Some(field);
        }
        if self.fields.len() >= MAX_FIELDS {
            self.incomplete = true;
            return None;
        }

        let field = self.field([&[kind::TAG, b':'], name.as_bytes()].concat(), true);
        self.tags.insert(name.into(), field);
        Some(field)
    }

    fn field(&mut self, key: Vec<u8>, searched: bool) -> usize {
        self.fields.push(Field {
            key,
            searched,
            values: Values::default(),
            pairs: Vec::new(),
            by_words: None,
            plain: true,
            uuids: false,
        });
        self.fields.len() - 1
    }

    fn put(&mut self, at: usize, row: u32, kind: u8, text: &[u8]) {
        let field = &mut self.fields[at];
        if !matches!(kind, kind::TEXT | kind::NUMBER) {
            field.plain = false;
            if field.by_words.is_some() {
                // What is there no longer fits: such a field is not indexed for this row.
                return self.incomplete = true;
            }
        }

        if let Some(rows) = &mut field.by_words {
            if rows.last() != Some(&row) {
                rows.push(row);
            }
            return field.uuids |= self.words.add(row, text);
        }

        let value = field.values.id(kind, text);
        field.pairs.push((row, value));
        let (distinct, pairs) = (field.values.len(), field.pairs.len());

        if pairs == EARLY && distinct == pairs && field.searched && field.plain {
            self.keep_words(at);
        }
    }

    /// Settles which fields are kept by words, once all rows are in.
    pub(super) fn settle(&mut self) {
        for at in 0..self.fields.len() {
            let field = &self.fields[at];
            let many = field.values.len() > FEW && field.values.len() * 2 > field.pairs.len();
            if many && field.searched && field.plain && field.by_words.is_none() {
                self.keep_words(at);
            }
        }
    }

    fn keep_words(&mut self, at: usize) {
        let field = &mut self.fields[at];
        let values = std::mem::take(&mut field.values);
        let mut rows: Vec<u32> = Vec::with_capacity(field.pairs.len());

        for (row, value) in std::mem::take(&mut field.pairs) {
            if rows.last() != Some(&row) {
                rows.push(row);
            }
            field.uuids |= self.words.add(row, &values.get(value)[1..]);
        }

        field.by_words = Some(rows);
    }
}

impl Words {
    /// Adds a value, and says whether it is a UUID.
    fn add(&mut self, row: u32, text: &[u8]) -> bool {
        if is_uuid(text) {
            let mut last = [0; 12];
            last.copy_from_slice(&text[24..]);
            last.make_ascii_lowercase();
            self.hashed.push((hash(&last), row));
            self.uuid_rows.push(row);
            return true;
        }

        let Ok(text) = std::str::from_utf8(text) else {
            return false;
        };

        for word in words(text) {
            let id = self.values.id(kind::TEXT, fold::fold(word).as_bytes());
            self.pairs.push((row, id));
        }

        false
    }
}

/// Returns `true` if a text is a UUID in its usual form.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
