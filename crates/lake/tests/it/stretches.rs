//! Reading onwards never fails for want of time: it goes on in stretches.

use std::time::Duration;

use jiff::Timestamp;
use rand::SeedableRng;
use rand::rngs::StdRng;
use reeve_audit::query::Query;
use reeve_ledger::{EntryReader, ReadOn};

use crate::generate::{self, NOW_S};
use crate::log::Log;

#[tokio::test]
async fn a_reader_without_time_advances_segment_by_segment_and_leaves_nothing_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = StdRng::seed_from_u64(9);
    let log = Log::open(folder.path()).await;
    let now = Timestamp::from_second(NOW_S).unwrap();

    for number in 0..900 {
        let entry = generate::entry(&mut random, number);
        let received = generate::received(&mut random, &entry);
        log.append(entry, received);
    }

    // Segments of several classes overlap, and their numbers of entries differ.
    for until in [100, 250, 251, 600, 800] {
        log.seal(until).await;
    }

    let search = log.search().with_limit(Duration::ZERO);
    for text in [
        "",
        "alice",
        "severity:critical changes.after.size:5",
        "4a1f",
        "nowhere AND found",
    ] {
        let query: Query = text.parse().unwrap();
        let (mut from, mut found, mut stretches) = (0, Vec::new(), 0);
        while from < 900 {
            let request = ReadOn {
                query: query.clone(),
                from,
                to: 900,
                entries: 200,
                bytes: 1 << 20,
                now,
            };
            let stretch = search.read_on(&request).await.unwrap();
            assert!(
                stretch.to > from,
                "{text}: a stretch must advance beyond {from}"
            );
            assert!(
                stretch
                    .entries
                    .iter()
                    .all(|stored| (from..stretch.to).contains(&stored.sequence))
            );
            found.extend(stretch.entries.iter().map(|stored| stored.sequence));
            (from, stretches) = (stretch.to, stretches + 1);
        }
        let matching = log
            .entries()
            .into_iter()
            .filter(|stored| query.matches(&stored.entry, stored.recorded_at, now));
        assert_eq!(
            found,
            matching.map(|stored| stored.sequence).collect::<Vec<_>>(),
            "{text}"
        );
        assert!(
            stretches >= 4,
            "{text}: the time was over after each segment, but there were {stretches} stretches"
        );
    }
}
