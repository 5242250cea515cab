//! Paging: `limit`, `offset` and `cursor`, checked once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reeve_audit::FieldCode;

use crate::error::Problem;
use crate::wire::form::list::List;

/// Page size unless the caller names one.
pub const DEFAULT_LIMIT: u32 = 50;
/// Largest page size that a caller may ask for.
pub const MAX_LIMIT: u32 = 1000;

/// Largest offset; stores count in signed integers.
pub const MAX_OFFSET: u64 = i64::MAX as u64;

/// A checked page request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagingWindow {
    /// At most this many.
    pub limit: u64,
    /// After skipping this many.
    pub offset: u64,
    /// Position a cursor stands for: its meaning belongs to the list (a sequence, an offset).
    pub cursor: Option<u64>,
}

/// Checks paging parameters.
///
/// # Errors
/// 422 naming `limit`, `offset` or `cursor`.
pub fn window(
    limit: Option<u32>,
    offset: Option<u64>,
    cursor: Option<&str>,
) -> Result<PagingWindow, Problem> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(Problem::field(
            "limit",
            FieldCode::OutOfRange,
            format!("must be 1 to {MAX_LIMIT}, not {limit}"),
        ));
    }

    // What no store counts to, and no client meant.
    if offset.is_some_and(|offset| offset > MAX_OFFSET) {
        return Err(Problem::field(
            "offset",
            FieldCode::OutOfRange,
            format!("must be at most {MAX_OFFSET}"),
        ));
    }

    // An empty parameter is one that was left empty.
    let cursor = match cursor.filter(|text| !text.is_empty()) {
        None => None,
        Some(_) if offset.is_some_and(|offset| offset > 0) => {
            return Err(Problem::field(
                "cursor",
                FieldCode::Conflicting,
                "cannot be given together with offset",
            ));
        }
        Some(text) => Some(decode(text).ok_or_else(|| {
            Problem::field(
                "cursor",
                FieldCode::InvalidValue,
                "is not a cursor of this list; give `next_cursor` of the page before",
            )
        })?),
    };

    Ok(PagingWindow {
        limit: u64::from(limit),
        offset: offset.unwrap_or(0),
        cursor,
    })
}

/// The text of a cursor.
#[must_use]
pub fn encode(position: u64) -> String {
    URL_SAFE_NO_PAD.encode(format!("1:{position}"))
}

fn decode(text: &str) -> Option<u64> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    std::str::from_utf8(&bytes)
        .ok()?
        .strip_prefix("1:")?
        .parse()
        .ok()
}

impl PagingWindow {
    /// The offset of a list whose cursors are offsets.
    #[must_use]
    pub fn start(self) -> u64 {
        self.cursor.unwrap_or(self.offset)
    }

    /// The next page's cursor of such a list.
    #[must_use]
    pub fn next(self, returned: usize, total: u64) -> Option<String> {
        let end = self.start() + returned as u64;
        (returned > 0 && end < total).then(|| encode(end))
    }

    /// Page of a list that is held as a whole.
    #[must_use]
    pub fn page<T, U>(
        self,
        all: impl ExactSizeIterator<Item = T>,
        body: impl FnMut(T) -> U,
    ) -> List<U> {
        let total = all.len() as u64;
        let items: Vec<_> = all
            .skip(self.start() as usize)
            .take(self.limit as usize)
            .map(body)
            .collect();
        let next_cursor = self.next(items.len(), total);

        List {
            items,
            total,
            next_cursor,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn limits_and_cursors() {
        assert_eq!(
            window(None, None, None).unwrap(),
            PagingWindow {
                limit: 50,
                offset: 0,
                cursor: None
            }
        );

        assert!(window(Some(0), None, None).is_err());
        assert!(window(Some(1001), None, None).is_err());
        assert_eq!(
            window(Some(1), None, Some(&encode(77))).unwrap().cursor,
            Some(77)
        );
        assert!(window(None, Some(3), Some(&encode(77))).is_err());
        assert!(window(None, None, Some("nonsense")).is_err());

        let page = window(Some(10), Some(20), None).unwrap();
        assert_eq!(page.next(10, 31), Some(encode(30)));
        assert_eq!(page.next(10, 30), None);
    }
}
