//! Factors of an explanation: sentences, ordered by their kind.
//!
//! The kinds' order is the order on every page, in messages and over HTTP: the measured fact, the
//! forecast, the price, the consequences, and last the confidence, which means little to a reader
//! who does not know yet of which finding. No other place orders factors.

use std::ops::Index;

use reeve_estate::named;

named!(
    /// Kind of a factor, in the order in which factors are shown.
    FactorKind {
        /// Stored by an earlier version, which kept no kinds: such factors stay in their stored
        /// order.
        Unsorted => "unsorted",
        /// Measurement, or a fact of the inventory or the log.
        Measured => "measured",
        /// Forecast of the coming days.
        Forecast => "forecast",
        /// Cost, and the origin of prices.
        Price => "price",
        /// Effect of the change, its limits, and the work that it leaves to people.
        Consequence => "consequence",
        /// Confidence, and the backtests, models and classes that it is based on.
        Confidence => "confidence",
    }
);

/// Sentences of an explanation. Those of one kind stay in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Factors(Vec<(FactorKind, String)>);

impl Factors {
    /// Adds a sentence behind the others of its kind.
    pub fn add(&mut self, kind: FactorKind, text: impl Into<String>) {
        let place = self.0.partition_point(|(other, _)| *other <= kind);
        self.0.insert(place, (kind, text.into()));
    }

    /// Returns the sentences in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text.as_str())
    }

    /// Returns the kinds of the sentences, in the same order.
    pub fn kinds(&self) -> impl Iterator<Item = FactorKind> {
        self.0.iter().map(|(kind, _)| *kind)
    }

    /// Returns the first sentence.
    #[must_use]
    pub fn first(&self) -> Option<&str> {
        self.iter().next()
    }

    /// Returns copies of the sentences in order.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

impl<T: Into<String>> Extend<(FactorKind, T)> for Factors {
    fn extend<I: IntoIterator<Item = (FactorKind, T)>>(&mut self, factors: I) {
        factors
            .into_iter()
            .for_each(|(kind, text)| self.add(kind, text));
    }
}

impl<T: Into<String>> FromIterator<(FactorKind, T)> for Factors {
    fn from_iter<I: IntoIterator<Item = (FactorKind, T)>>(factors: I) -> Self {
        let mut sorted = Factors::default();
        sorted.extend(factors);
        sorted
    }
}

impl<T: Into<String>, const N: usize> From<[(FactorKind, T); N]> for Factors {
    fn from(factors: [(FactorKind, T); N]) -> Self {
        factors.into_iter().collect()
    }
}

impl IntoIterator for Factors {
    type Item = (FactorKind, String);
    type IntoIter = std::vec::IntoIter<(FactorKind, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Index<usize> for Factors {
    type Output = str;

    fn index(&self, place: usize) -> &str {
        &self.0[place].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_decide_the_order_and_not_the_time_of_adding() {
        let mut factors = Factors::from([
            (FactorKind::Confidence, "safe on 20 of 20 past days"),
            (FactorKind::Price, "saves $70 a month"),
            (FactorKind::Measured, "CPU at most 11 %"),
        ]);
        factors.add(FactorKind::Consequence, "it restarts");
        factors.add(FactorKind::Measured, "memory at most 30 %");
        let shown: Vec<&str> = factors.iter().collect();
        assert_eq!(
            shown,
            [
                "CPU at most 11 %",
                "memory at most 30 %",
                "saves $70 a month",
                "it restarts",
                "safe on 20 of 20 past days"
            ]
        );

        assert_eq!(factors.first(), Some(&factors[0]));

        let again: Factors = factors.clone().into_iter().collect();
        assert_eq!(again, factors);
    }

    #[test]
    fn factors_without_kinds_keep_their_order() {
        let stored = ["confidence 96 %", "CPU at most 11 %"];
        let factors: Factors = stored.map(|text| (FactorKind::Unsorted, text)).into();
        assert_eq!(factors.texts(), stored);
    }
}
