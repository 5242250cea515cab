//! Fixture of an anomaly, written before its likely cause was typed.

use reeve_anomalies::{Indication, LikelyCause};
use reeve_testkit::contract::anomalies as samples;

use super::super::anomaly::AnomalyRow;
use super::super::{decode, encode};
use super::check;

const V1: &str = include_str!("../../../tests/fixtures/anomaly-v1.json");

#[test]
fn anomaly_v1() {
    let sample = samples::anomaly("an-1", "i-1", 1_763_632_800_000).unwrap();
    check(&AnomalyRow::from(&sample), V1);

    let row: AnomalyRow = decode(V1).unwrap();
    // The sentence alone was kept, without the action, and no counts of calls or probable cause.
    let cause = Some(LikelyCause::ChangeByReeve(None));
    let mut older = reeve_anomalies::Anomaly {
        cause,
        activity: None,
        ..sample
    };
    if let Some(investigation) = &mut older.investigation {
        investigation.probable_cause = None;
    }
    assert_eq!(row.into_anomaly(), older);
}

#[test]
fn sentences_of_earlier_releases_become_values() {
    let read = |from: &str, to: &str| {
        assert!(V1.contains(from), "{from}");
        decode::<AnomalyRow>(&V1.replace(from, to))
            .unwrap()
            .into_anomaly()
    };
    let listed = read("\"a jump\"", "\"on a threat list\"");
    assert_eq!(listed.readings[0].indication, Indication::ThreatList);

    let text = encode(&AnomalyRow::from(&listed)).unwrap();
    assert_eq!(decode::<AnomalyRow>(&text).unwrap().into_anomaly(), listed);

    let changed = "a change that Reeve made to the resource shortly before";
    let unknown = read(
        changed,
        "not known: nothing else changed that Reeve sees; it showed as a jump",
    );
    assert_eq!(unknown.cause, Some(LikelyCause::Unknown));
    assert_eq!(
        unknown.cause_in_words(),
        "not known: Reeve saw no other change. Detected as: a jump"
    );
    assert_eq!(read(changed, "").cause, None, "nobody had investigated it");
}
