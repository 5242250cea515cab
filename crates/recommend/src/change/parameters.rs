//! Strict reading of a change's parameters: every member is known, typed and there, or the error
//! names it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::Json;
use reeve_audit::json::Object;
use reeve_estate::ResourceState;

/// Parameters that do not fit their change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// They are not an object.
    #[error("parameters: expected an object")]
    NotAnObject,
    /// A member is missing or of another form.
    #[error("parameters.{name}: expected {expected}")]
    Wrong {
        /// Name of the member.
        name: String,
        /// Form that it must have.
        expected: &'static str,
    },
    /// A member that the change does not have.
    #[error("parameters.{name}: not a parameter of this change")]
    Unknown {
        /// Name of the member.
        name: String,
    },
}

/// Parameters while they are read.
#[derive(Debug)]
pub struct Parameters<'a> {
    object: &'a Object,
    read: BTreeSet<&'static str>,
}

impl<'a> Parameters<'a> {
    /// The members of an object.
    ///
    /// # Errors
    /// [`ParameterError::NotAnObject`].
    pub fn from_json(json: &'a Json) -> Result<Self, ParameterError> {
        let object = json.as_object().ok_or(ParameterError::NotAnObject)?;
        Ok(Parameters {
            object,
            read: BTreeSet::new(),
        })
    }

    /// Returns `true` if a member is there: a variant of a change has members that the others lack.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.object.get(name).is_some()
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        expected: &'static str,
        form: impl Fn(&'a Json) -> Option<T>,
    ) -> Result<T, ParameterError> {
        self.read.insert(name);
        let found = self.object.get(name).and_then(form);
        found.ok_or_else(|| ParameterError::Wrong {
            name: name.to_owned(),
            expected,
        })
    }

    /// A text that is not empty.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`], as for every member.
    pub fn text(&mut self, name: &'static str) -> Result<String, ParameterError> {
        self.take(name, "a text that is not empty", |json| {
            json.as_str()
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        })
    }

    /// A text, or `null`.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn text_or_null(&mut self, name: &'static str) -> Result<Option<String>, ParameterError> {
        self.take(name, "a text or null", |json| match json {
            Json::Null => Some(None),
            Json::String(text) => Some(Some(text.clone())),
            _ => None,
        })
    }

    /// A list of texts.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn texts(&mut self, name: &'static str) -> Result<Vec<String>, ParameterError> {
        self.take(name, "a list of texts", |json| {
            json.as_array()?
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        })
    }

    /// A whole number from 0.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn number(&mut self, name: &'static str) -> Result<u32, ParameterError> {
        self.take(name, "a whole number from 0 to 4294967295", whole)
    }

    /// A whole number from 0 that may be a size in bytes.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn whole(&mut self, name: &'static str) -> Result<u64, ParameterError> {
        self.take(name, "a whole number from 0 to 9007199254740991", |json| {
            let number = json.as_f64()?;
            let is_exact = number.fract() == 0.0 && (0.0..=EXACT).contains(&number);
            is_exact.then_some(number as u64)
        })
    }

    /// A whole number from 0, or `null`.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn number_or_null(&mut self, name: &'static str) -> Result<Option<u32>, ParameterError> {
        self.take(
            name,
            "a whole number from 0 to 4294967295, or null",
            |json| match json {
                Json::Null => Some(None),
                number => whole(number).map(Some),
            },
        )
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn boolean(&mut self, name: &'static str) -> Result<bool, ParameterError> {
        self.take(name, "true or false", Json::as_bool)
    }

    /// An object, by its members.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn members(
        &mut self,
        name: &'static str,
    ) -> Result<serde_json::Map<String, serde_json::Value>, ParameterError> {
        self.take(name, "an object", |json| {
            match serde_json::to_value(json).ok()? {
                serde_json::Value::Object(members) => Some(members),
                _ => None,
            }
        })
    }

    /// A time by RFC 3339.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn time(&mut self, name: &'static str) -> Result<Timestamp, ParameterError> {
        self.take(name, "a time such as 2026-11-20T10:00:00Z", |json| {
            json.as_str()?.parse().ok()
        })
    }

    /// A state of a resource.
    ///
    /// # Errors
    /// [`ParameterError::Wrong`].
    pub fn state(&mut self, name: &'static str) -> Result<ResourceState, ParameterError> {
        self.take(name, "a state of a resource, such as running", |json| {
            ResourceState::parse(json.as_str()?)
        })
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] for a member that nobody requested: a parameter that decides
    /// nothing must not look as if it did.
    pub fn end(self) -> Result<(), ParameterError> {
        let unknown = self
            .object
            .iter()
            .map(|(name, _)| name)
            .find(|name| !self.read.contains(name));
        unknown.map_or(Ok(()), |name| {
            Err(ParameterError::Unknown {
                name: name.to_owned(),
            })
        })
    }
}

/// Greatest number up to which every whole number has a value of its own (RFC 8259, section 6).
const EXACT: f64 = 9_007_199_254_740_991.0;

fn whole(json: &Json) -> Option<u32> {
    let number = json.as_f64()?;
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number))
        .then_some(number as u32)
}
