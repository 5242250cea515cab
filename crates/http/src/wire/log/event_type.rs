//! Event types of the catalogue on the wire.

use serde::Serialize;
use utoipa::ToSchema;

use reeve_audit::EventKind;

/// An event type of the catalogue, with its category and severity.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EventTypeBody {
    /// Category and operation, joined by a point.
    #[schema(example = "authentication.login")]
    pub event_type: &'static str,
    /// The part of the name before the first dot.
    pub category: &'static str,
    /// Area of activity, as a heading.
    pub area: &'static str,
    /// Severity of an entry of which nothing more severe is known.
    pub severity: &'static str,
    /// Writers of such entries: `reeve` alone, `shared` with other systems, `others` alone, or
    /// `planned` when Reeve lacks the feature so far.
    pub source: &'static str,
    /// One sentence about what such an entry means.
    pub description: &'static str,
    /// Fields that such entries of Reeve carry beside those of every entry.
    pub fields: &'static [&'static str],
}

impl EventTypeBody {
    /// Returns the wire form of a kind.
    pub(crate) fn new(kind: &'static EventKind) -> Self {
        EventTypeBody {
            event_type: kind.name,
            category: kind.category(),
            area: kind.area.title(),
            severity: kind.severity.as_str(),
            source: kind.source.as_str(),
            description: kind.meaning,
            fields: kind.fields,
        }
    }
}
