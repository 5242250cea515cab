//! Files of other systems that are imported.

use std::io::Cursor;

use reeve_audit::{Draft, Entry, Json};
use reeve_connect_cloudtrail::{RecordReader, map_record, restore, with_distinct_id};

use super::moment;

/// Any file is read to its end; a record that is taken becomes an entry that the log takes, out of
/// which the record comes back unchanged.
pub fn cloudtrail(data: &[u8]) {
    let Ok(reader) = RecordReader::new(Cursor::new(data.to_vec())) else {
        return;
    };

    let mut ended = false;
    for record in reader.take(data.len() + 1) {
        assert!(!ended, "it went on after an error that ends it");
        match record {
            Err(error) => {
                ended = error.ends_reading();
                let _ = error.to_string();
            }
            Ok(record) => {
                let original = Json::Object(record.members.clone());
                let entry = map_record(record);
                comes_back(&entry, &original);
                comes_back(&with_distinct_id(entry), &original);
            }
        }
    }
}

fn comes_back(entry: &Entry, original: &Json) {
    let draft = match Draft::from_entry(entry.clone(), moment(1_790_000_000)) {
        Ok(draft) => draft,
        Err(errors) => {
            assert!(
                errors.iter().all(|error| error.code == "entry_too_large"),
                "{errors:?} for {original}"
            );
            return;
        }
    };
    let (stored, _) = Entry::from_canonical(&draft.canonical).expect("what is stored reads back");

    let restored = restore(&stored).expect("it was mapped from a record");
    assert_eq!(
        restored.to_string(),
        original.to_string(),
        "the record is not what it was"
    );
}
