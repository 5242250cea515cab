//! Resources prepared for their checks.

use jiff::Timestamp;
use reeve_estate::{Provider, ResourceKind};

use crate::expression::ExpressionScope;
use crate::subject::ControlSubject;

/// A resource, prepared once for all checks of its kind and for the changes that mend what fails.
pub struct PreparedControl<'s> {
    pub(crate) scope: ExpressionScope<'s>,
    /// Cloud and kind of the resource.
    pub(crate) judged: (Provider, ResourceKind),
}

impl<'s> PreparedControl<'s> {
    /// Prepares a resource. `now` is the time that ages are counted to.
    #[must_use]
    pub fn new(subject: &ControlSubject<'s>, now: Timestamp) -> PreparedControl<'s> {
        PreparedControl {
            scope: ExpressionScope::new(subject, now),
            judged: (subject.provider, subject.kind),
        }
    }
}
