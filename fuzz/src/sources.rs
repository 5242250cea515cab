//! Invariants of the events of sources.

use jiff::Timestamp;
use reeve_intake::{Encoding, MAX_EVENTS, SourceKind, read};

/// Any body of any kind is read without panicking and within bounds; what becomes an entry is in the
/// space of its source and of no type that is Reeve's own. The first byte says which kind.
pub fn sources(data: &[u8]) {
    let Some((first, body)) = data.split_first() else {
        return;
    };
    let kinds = SourceKind::ALL;
    let kind = kinds[usize::from(*first) % kinds.len()];
    let encoding = if *first >= 128 {
        Encoding::Protobuf
    } else {
        Encoding::Text
    };
    let Ok(events) = read(
        "fuzz",
        (kind, None),
        (body, encoding),
        Timestamp::UNIX_EPOCH,
    ) else {
        return;
    };
    assert!(events.len() <= MAX_EVENTS);
    for event in events {
        if let Ok(draft) = event.draft {
            assert!(draft.entry.event_id.as_str().starts_with("source/fuzz/"));
            assert!(!draft.entry.event_type.is_reserved());
        }
    }
}
