//! Lists: paging in, a page out.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Page of a list to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Paging {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before; stable while entries arrive. Not together with `offset`.
    pub cursor: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct List<T> {
    pub items: Vec<T>,
    pub total: u64,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
