//! Rows of answers in the text protocol.

use sqlx::Row as _;
use sqlx::mysql::MySqlRow;

/// A row whose values are texts.
pub(crate) struct AnswerRow(pub(super) MySqlRow);

impl AnswerRow {
    /// Returns the text of a column; `None` for NULL.
    pub(crate) fn text(&self, position: usize) -> Option<String> {
        // The type is not compared: the text protocol sends every value as a text.
        let bytes: Option<Vec<u8>> = self.0.try_get_unchecked(position).ok()?;
        bytes.and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// Returns a column as a number; `None` for NULL and for other texts.
    pub(crate) fn number(&self, position: usize) -> Option<f64> {
        self.text(position)?.parse().ok()
    }

    /// Returns `true` for a column with the number one.
    pub(crate) fn flag(&self, position: usize) -> bool {
        self.number(position) == Some(1.0)
    }
}
