//! Sources of alerts: other tools, each with a format and a token of its own.

use std::fmt;

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

use crate::callback::CloseCallback;
use crate::format::{AlertField, AlertFormat, FieldMapping, FormatRefusal};

/// Prefix of the tokens that other tools push with.
pub const TOKEN_PREFIX: &str = "rva_";
/// Days without a report after which alerts of a source expire unless a person sets others.
pub const EXPIRE_AFTER_DAYS: u32 = 30;
/// Longest name that is accepted, in characters.
const MAX_NAME: usize = 100;
/// Longest path of a mapping, in characters.
const MAX_PATH: usize = 200;
/// Refusals that are kept of a source.
const MAX_REFUSALS: usize = 10;

/// Identifier of a source of alerts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AlertSourceId(pub String);

impl fmt::Display for AlertSourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Another tool that pushes alerts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertSource {
    pub id: AlertSourceId,
    pub name: String,
    pub format: AlertFormat,
    /// Paths of fields, for plain JSON.
    pub mapping: FieldMapping,
    /// Call that closes an alert at the tool.
    pub callback: Option<CloseCallback>,
    /// `true` if the callback has credentials, which are stored sealed.
    pub has_credentials: bool,
    /// `false` if nothing is taken from it.
    pub enabled: bool,
    /// Days without a report after which an open alert expires, 1 to 365.
    #[serde(default = "expire_after_days")]
    pub expire_after_days: u32,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

/// Course of a source's pushes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceState {
    /// Time of the last push.
    pub last_push_at: Option<Timestamp>,
    /// Alerts that were taken, known ones included.
    pub taken: u64,
    /// Alerts that were refused.
    pub refused: u64,
    /// The last refusals, newest first.
    pub refusals: Vec<PastRefusal>,
}

/// A refusal, and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PastRefusal {
    pub at: Timestamp,
    #[serde(flatten)]
    pub refusal: FormatRefusal,
}

impl SourceState {
    /// Adds a push to the counts, and keeps its refusals.
    pub(crate) fn note(&mut self, taken: u64, refusals: &[FormatRefusal], now: Timestamp) {
        self.last_push_at = Some(now);
        self.taken += taken;
        self.refused += refusals.len() as u64;

        let newest = refusals
            .iter()
            .take(MAX_REFUSALS)
            .map(|refusal| PastRefusal {
                at: now,
                refusal: refusal.clone(),
            });
        self.refusals = newest.chain(self.refusals.drain(..)).collect();
        self.refusals.truncate(MAX_REFUSALS);
    }
}

fn invalid(field: impl Into<String>, message: impl Into<String>) -> FieldError {
    FieldError::new(field.into(), FieldCode::InvalidValue, message.into())
}

/// Reads the name of a source.
///
/// # Errors
/// The name is empty, too long or has control characters.
pub fn read_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
        let message = format!("must have 1 to {MAX_NAME} characters without control characters");
        return Err(invalid("name", message));
    }
    Ok(name.to_owned())
}

/// Default of sources of before alerts expired.
fn expire_after_days() -> u32 {
    EXPIRE_AFTER_DAYS
}

/// Reads the days after which alerts of a source expire.
///
/// # Errors
/// They are not from 1 to 365.
pub fn read_expiry(days: u32) -> Result<u32, FieldError> {
    if (1..=365).contains(&days) {
        return Ok(days);
    }
    let message = "must be a number of days from 1 to 365";
    Err(invalid("expire_after_days", message))
}

/// Reads the mapping of a source: dotted paths by field, for plain JSON alone.
///
/// # Errors
/// A field that there is not, an empty or long path, or a mapping for another format.
pub fn read_mapping(
    format: AlertFormat,
    given: impl IntoIterator<Item = (String, String)>,
) -> Result<FieldMapping, FieldError> {
    let mut mapping = FieldMapping::default();
    for (name, path) in given {
        if format != AlertFormat::Json {
            let message = "is for format json alone; the other formats have fixed fields";
            return Err(FieldError::new("mapping", FieldCode::Conflicting, message));
        }
        let Some(field) = AlertField::parse(&name) else {
            let names: Vec<&str> = AlertField::ALL.iter().map(|field| field.as_str()).collect();
            let message = format!("{name:?} is not one of {}", names.join(", "));
            return Err(FieldError::new("mapping", FieldCode::UnknownField, message));
        };
        let path = path.trim();
        if path.is_empty() || path.chars().count() > MAX_PATH {
            let message = format!("must be a dotted path of 1 to {MAX_PATH} characters");
            return Err(invalid(format!("mapping.{name}"), message));
        }
        mapping.0.insert(field, path.to_owned());
    }
    Ok(mapping)
}

/// Checks a callback. The address itself is judged by [`AlertCaller`](crate::AlertCaller).
///
/// # Errors
/// The method is none that closes, or the address has its placeholder in the host.
pub fn read_callback(callback: CloseCallback) -> Result<CloseCallback, FieldError> {
    callback.check()?;
    Ok(callback)
}
