//! Values by their Rust type, at most one of each.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// Type of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactType {
    id: TypeId,
    name: &'static str,
}

impl FactType {
    /// Returns the type of the facts that are values of `T`.
    #[must_use]
    pub fn of<T: Any>() -> Self {
        FactType {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
        }
    }
}

/// Facts of one resource, at most one of each type.
#[derive(Clone, Default)]
pub struct OpenFacts(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl OpenFacts {
    /// No facts.
    #[must_use]
    pub fn none() -> &'static OpenFacts {
        static NONE: LazyLock<OpenFacts> = LazyLock::new(OpenFacts::default);
        &NONE
    }

    /// Adds a fact; one of the same type is replaced.
    pub fn put<T: Any + Send + Sync>(&mut self, fact: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(fact));
    }

    /// Returns the facts with one more.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, fact: T) -> Self {
        self.put(fact);
        self
    }

    /// Returns the fact of a type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for OpenFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFacts")
            .field("facts", &self.0.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_has_one_fact_of_each_type() {
        let facts = OpenFacts::default().with(1_u8).with("a").with(2_u8);
        assert_eq!(
            (facts.get::<u8>(), facts.get::<&str>()),
            (Some(&2), Some(&"a"))
        );
        assert_eq!(facts.get::<u16>(), None);
        assert_eq!(OpenFacts::none().get::<u8>(), None);
        assert_eq!(FactType::of::<u8>(), FactType::of::<u8>());
        assert_ne!(FactType::of::<u8>(), FactType::of::<u16>());
    }
}
