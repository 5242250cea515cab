//! States of one profile a resource, as they are kept and read again.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::models::trainer::NotTrained;

/// Newest format of such states.
const FORMAT: u32 = 2;

/// Profiles by the resource's identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles<P> {
    format: u32,
    /// By the resource's identifier.
    pub resources: BTreeMap<String, P>,
}

impl<P> Profiles<P> {
    /// A state of these profiles.
    #[must_use]
    pub fn new(resources: BTreeMap<String, P>) -> Self {
        Profiles {
            format: FORMAT,
            resources,
        }
    }
}

impl<P: Serialize> Profiles<P> {
    /// The text that is kept.
    ///
    /// # Errors
    /// [`NotTrained`] where a profile has no JSON.
    pub fn text(&self) -> Result<String, NotTrained> {
        serde_json::to_string(self).map_err(|error| NotTrained(error.to_string()))
    }
}

impl<P: DeserializeOwned> Profiles<P> {
    /// Reads a kept text.
    ///
    /// # Errors
    /// [`NotTrained`] for a text of another form or a newer format.
    pub fn parse(text: &str) -> Result<Self, NotTrained> {
        let kept: Profiles<P> = serde_json::from_str(text)
            .map_err(|error| NotTrained(format!("the kept state: {error}")))?;
        if kept.format > FORMAT {
            return Err(NotTrained(format!(
                "the kept state has format {}, newer than {FORMAT}",
                kept.format
            )));
        }
        Ok(kept)
    }
}
