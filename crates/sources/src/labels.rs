//! Labels of a series, sorted by name.

use std::fmt;

/// Label that carries the metric's name.
pub(crate) const NAME: &str = "__name__";

/// Labels of a series, its metric's name among them as `__name__`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Vec<(String, String)>);

/// Error of labels of which two have one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the label {0} is given twice")]
pub struct LabelTwice(pub String);

impl Labels {
    /// Sorts labels. A label with an empty value is one that is not there, as in Prometheus.
    ///
    /// # Errors
    /// A name is given twice.
    pub fn new(mut labels: Vec<(String, String)>) -> Result<Labels, LabelTwice> {
        labels.retain(|(_, value)| !value.is_empty());
        labels.sort_unstable();
        match labels.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(LabelTwice(pair[0].0.clone())),
            None => Ok(Labels(labels)),
        }
    }

    /// Returns the value of a label.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self
            .0
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
            .ok()?;
        Some(&self.0[at].1)
    }

    /// Returns the metric's name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.get(NAME)
    }

    /// Returns the labels without the metric's name: by these Prometheus pairs the two sides of a
    /// division.
    #[must_use]
    pub fn without_name(&self) -> Labels {
        Labels(
            self.0
                .iter()
                .filter(|(name, _)| name != NAME)
                .cloned()
                .collect(),
        )
    }

    /// Returns the labels in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// As Prometheus writes a series: `name{label="value"}`.
impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or_default())?;
        let mut rest = self.iter().filter(|(name, _)| *name != NAME).peekable();
        if rest.peek().is_none() {
            return Ok(());
        }

        f.write_str("{")?;
        for (place, (name, value)) in rest.enumerate() {
            write!(f, "{}{name}={value:?}", if place == 0 { "" } else { "," })?;
        }

        f.write_str("}")
    }
}
