//! Resources prepared for their checks.

use jiff::Timestamp;
use reeve_estate::{Provider, ResourceKind};

use crate::expression::Scope;
use crate::subject::Subject;

/// A resource, prepared once for all checks of its kind and for the changes that mend what fails.
pub struct Prepared<'s> {
    pub(crate) scope: Scope<'s>,
    /// Cloud and kind of the resource.
    pub(crate) judged: (Provider, ResourceKind),
}

impl<'s> Prepared<'s> {
    /// Prepares a resource. `now` is the time that ages are counted to.
    #[must_use]
    pub fn new(subject: &Subject<'s>, now: Timestamp) -> Prepared<'s> {
        Prepared {
            scope: Scope::new(subject, now),
            judged: (subject.provider, subject.kind),
        }
    }
}
