//! Reads members off an object one by one, gathers every error, and refuses what is left over.

use std::fmt::Display;
use std::str::FromStr;

use super::UnknownName;
use crate::field_error::{FieldCode, FieldError};
use crate::json::{Json, Object};
use crate::suggest;

/// Members of an entry over the wire that a source cannot send.
const SET_BY_REEVE: [&str; 4] = ["category", "integrity", "recorded_at", "submitted_by"];

/// The members of one object still to be read.
pub(super) struct EntryFields<'e> {
    path: &'static str,
    members: Object,
    known: Vec<&'static str>,
    errors: &'e mut Vec<FieldError>,
}

impl<'e> EntryFields<'e> {
    pub(super) fn new(
        path: &'static str,
        members: Object,
        errors: &'e mut Vec<FieldError>,
    ) -> Self {
        Self {
            path,
            members,
            known: Vec::new(),
            errors,
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub(super) fn error(&mut self, name: &str, code: FieldCode, message: impl Into<String>) {
        let path = self.path_of(name);
        self.errors.push(FieldError::new(path, code, message));
    }

    fn wrong_type(&mut self, name: &str, expected: &str, got: &Json) {
        self.error(
            name,
            FieldCode::WrongType,
            format!("must be {expected}, not {}", got.kind()),
        );
    }

    /// Takes a member as it is.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Json> {
        self.known.push(name);
        self.members.remove(name)
    }

    /// Takes a string; `null` and the empty string count as absent.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Json::Null => None,
            Json::String(text) => Some(text).filter(|text| !text.is_empty()),
            other => {
                self.wrong_type(name, "a string", &other);
                None
            }
        }
    }

    /// Takes a string that means a `T`.
    pub(super) fn parsed<T, E: Display>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(name)?;
        match parse(&text) {
            Ok(value) => Some(value),
            Err(e) => {
                self.error(name, FieldCode::InvalidValue, e.to_string());
                None
            }
        }
    }

    /// Takes a name out of a closed list.
    pub(super) fn name<T: FromStr<Err = UnknownName>>(&mut self, name: &'static str) -> Option<T> {
        self.parsed(name, |text| {
            text.parse::<T>().map_err(|e| match e.suggestion() {
                Some(meant) => format!("{e}; did you mean {meant}?"),
                None => e.to_string(),
            })
        })
    }

    /// Takes an object; `null` counts as absent.
    pub(super) fn object(&mut self, name: &'static str) -> Option<Object> {
        match self.take(name)? {
            Json::Null => None,
            Json::Object(object) => Some(object),
            other => {
                self.wrong_type(name, "an object", &other);
                None
            }
        }
    }

    /// Takes an object or `null`, keeping which of the two it was.
    pub(super) fn state(&mut self, name: &'static str) -> Option<Json> {
        match self.take(name)? {
            value @ (Json::Null | Json::Object(_)) => Some(value),
            other => {
                self.wrong_type(name, "an object or null", &other);
                None
            }
        }
    }

    /// Takes a list of strings.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<String> {
        let items = match self.take(name) {
            None | Some(Json::Null) => return Vec::new(),
            Some(Json::Array(items)) => items,
            Some(other) => {
                self.wrong_type(name, "a list of strings", &other);
                return Vec::new();
            }
        };
        let mut texts = Vec::with_capacity(items.len());

        for (at, item) in items.into_iter().enumerate() {
            match item {
                Json::String(text) => texts.push(text),
                other => self.wrong_type(&format!("{name}[{at}]"), "a string", &other),
            }
        }

        texts
    }

    /// Takes a map from names to strings.
    pub(super) fn text_map(&mut self, name: &'static str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (key, value) in self.object(name).unwrap_or_default() {
            match value {
                Json::String(text) => pairs.push((key, text)),
                other => self.wrong_type(&format!("{name}.{key}"), "a string", &other),
            }
        }
        pairs
    }

    /// Reads the members of an object inside this one.
    pub(super) fn inside<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(EntryFields<'_>) -> T,
    ) -> Option<T> {
        let members = self.object(name)?;
        Some(read(EntryFields::new(name, members, self.errors)))
    }

    /// Returns the members that no reader has taken.
    pub(super) fn rest(self) -> Object {
        self.members
    }

    /// Refuses what nobody took.
    pub(super) fn finish(mut self) {
        for (name, _) in std::mem::take(&mut self.members) {
            let message = match suggest::closest(&name, self.known.iter().copied()) {
                _ if self.path.is_empty() && SET_BY_REEVE.contains(&name.as_str()) => {
                    "is set by Reeve and cannot be sent".to_owned()
                }
                Some(meant) => format!(
                    "is not a field of an entry; did you mean {}?",
                    self.path_of(meant)
                ),
                None => format!(
                    "is not a field of an entry; known here: {}",
                    self.known.join(", ")
                ),
            };
            self.error(&name, FieldCode::UnknownField, message);
        }
    }
}
