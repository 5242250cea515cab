//! An action out of its row.

use reeve_recommend::action::Action;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{decode, unreadable};
use crate::fault::Fault;

/// An action out of its id and document.
pub(crate) fn action(row: &AnyRow) -> Result<Action, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("action", &id))
}
