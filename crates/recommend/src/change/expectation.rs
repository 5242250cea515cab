//! Expectations: a property of a resource, the value it is to have, and the comparison of both.

use std::fmt::{self, Display};
use std::sync::Arc;

use reeve_estate::{Resource, ResourceState};

/// Reads a resource: `Ok` when the property is as wanted, else the value found, `None` where it is
/// unknown.
type Check = Arc<dyn Fn(&Resource) -> Result<(), Option<String>> + Send + Sync>;

/// A property of a resource and the value it is to have. The value is compared as its own type;
/// name and text are for people.
#[derive(Clone)]
pub struct Expectation {
    /// Name of the property, as plans and entries show it.
    pub name: &'static str,
    /// Wanted value in words.
    pub wanted: String,
    check: Check,
}

impl Expectation {
    /// An expectation of a value that `read` finds on a resource.
    pub fn new<T>(
        name: &'static str,
        wanted: T,
        read: impl Fn(&Resource) -> Option<T> + Send + Sync + 'static,
    ) -> Expectation
    where
        T: PartialEq + Display + Send + Sync + 'static,
    {
        let words = wanted.to_string();
        let check = move |resource: &Resource| match read(resource) {
            Some(found) if found == wanted => Ok(()),
            found => Err(found.map(|found| found.to_string())),
        };

        Expectation {
            name,
            wanted: words,
            check: Arc::new(check),
        }
    }

    /// Expects a state of the resource.
    #[must_use]
    pub fn state(wanted: ResourceState) -> Expectation {
        Expectation::new("state", wanted, |resource| Some(resource.state))
    }

    /// A size by the provider's name.
    #[must_use]
    pub fn size(wanted: &str) -> Expectation {
        Expectation::new("instance_type", wanted.to_owned(), |resource| {
            resource.specification.instance_type.clone()
        })
    }

    /// Returns `true` if the resource is as wanted.
    #[must_use]
    pub fn is_met(&self, seen: &Resource) -> bool {
        (self.check)(seen).is_ok()
    }

    /// Difference between the resource and this expectation in words; `None` when it is met.
    #[must_use]
    pub fn difference(&self, seen: &Resource) -> Option<String> {
        let found = (self.check)(seen)
            .err()?
            .unwrap_or_else(|| "unknown".to_owned());
        Some(format!("{} is {found}, not {}", self.name, self.wanted))
    }

    /// Name and wanted value, as the wire shows them.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        (self.name.to_owned(), self.wanted.clone())
    }
}

impl fmt::Debug for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.wanted)
    }
}
