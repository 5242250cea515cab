//! Likely cause of an anomaly as a value. Code decides on its kind; its sentence is made for
//! readers.

use reeve_recommend::action::ActionId;

use super::investigation::HypothesisKind;
use super::record::Anomaly;

/// Start of the sentence of an unknown cause.
const UNKNOWN: &str = "not known";
/// Sentence of a change by Reeve.
pub(super) const CHANGE_BY_REEVE: &str = "a change that Reeve made to the resource shortly before";

/// Likely cause of an anomaly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikelyCause {
    /// Nothing that Reeve reads explains the anomaly.
    Unknown,
    /// A change that Reeve made to the resource; `None` in documents of releases that kept the
    /// sentence alone.
    ChangeByReeve(Option<ActionId>),
    /// The best supported hypothesis.
    Hypothesis {
        /// Kind; `None` in documents of releases that kept the sentence alone.
        kind: Option<HypothesisKind>,
        /// The hypothesis as a clause.
        statement: String,
    },
}

impl LikelyCause {
    /// Reads the sentence that earlier releases stored; `None` for an empty one, of an anomaly that
    /// nobody investigated.
    #[must_use]
    pub fn from_stored_sentence(sentence: &str) -> Option<Self> {
        match sentence {
            "" => None,
            CHANGE_BY_REEVE => Some(LikelyCause::ChangeByReeve(None)),
            _ if sentence == UNKNOWN || sentence.starts_with("not known: ") => {
                Some(LikelyCause::Unknown)
            }
            _ => Some(LikelyCause::Hypothesis {
                kind: None,
                statement: sentence.to_owned(),
            }),
        }
    }

    /// Returns the action by Reeve that is suspected.
    #[must_use]
    pub fn suspect(&self) -> Option<&ActionId> {
        match self {
            LikelyCause::ChangeByReeve(action) => action.as_ref(),
            LikelyCause::Unknown | LikelyCause::Hypothesis { .. } => None,
        }
    }
}

impl Anomaly {
    /// Returns the likely cause as a sentence; empty until the anomaly was investigated.
    #[must_use]
    pub fn cause_in_words(&self) -> String {
        match &self.cause {
            None => String::new(),
            Some(LikelyCause::Unknown) => {
                let sign = self
                    .readings
                    .first()
                    .map(|reading| reading.indication.to_string());
                let sign = sign
                    .filter(|sign| !sign.is_empty())
                    .unwrap_or_else(|| "unusual behavior".to_owned());
                format!("{UNKNOWN}: Reeve saw no other change. Detected as: {sign}")
            }
            Some(LikelyCause::ChangeByReeve(_)) => CHANGE_BY_REEVE.to_owned(),
            Some(LikelyCause::Hypothesis { statement, .. }) => statement.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_earlier_releases_are_read() {
        let hypothesis = |text: &str| LikelyCause::Hypothesis {
            kind: None,
            statement: text.to_owned(),
        };

        let unknown = "not known: nothing else changed that Reeve sees; it showed as a sudden rise";
        for (sentence, expected) in [
            ("", None),
            (unknown, Some(LikelyCause::Unknown)),
            (CHANGE_BY_REEVE, Some(LikelyCause::ChangeByReeve(None))),
            (
                "not known-7 costs more than before",
                Some(hypothesis("not known-7 costs more than before")),
            ),
            (
                "its tags were changed",
                Some(hypothesis("its tags were changed")),
            ),
        ] {
            assert_eq!(
                LikelyCause::from_stored_sentence(sentence),
                expected,
                "{sentence}"
            );
        }
    }
}
