//! Receivers that refuse, fail and lie, and the entries that arrive.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;

const LIMITS: BatchLimits = BatchLimits {
    entries: 64,
    bytes: 1 << 20,
    linger: Duration::ZERO,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap_or_default()
}

fn record(sequence: u64) -> StreamRecord {
    StreamRecord {
        sequence,
        event_id: format!("entry-{sequence}"),
        resource_id: None,
        timestamp: at(0),
        recorded_at: at(0),
        body: b"{}".to_vec(),
    }
}

fn records(count: u64) -> Vec<StreamRecord> {
    (0..count).map(record).collect()
}

fn passing() -> SendError {
    SendError::Passing {
        message: "busy".to_owned(),
        retry_after_s: None,
    }
}

fn refused(index: Option<usize>) -> SendError {
    SendError::Refused {
        message: "bad entry".to_owned(),
        index,
    }
}

/// Sends everything to a receiver that refuses batches with a poisoned entry in them; returns what
/// arrived in order, the dead letters, and the number of requests.
fn run(count: u64, poisoned: &BTreeSet<u64>, names_entry: bool) -> (Vec<u64>, Vec<u64>, usize) {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let mut left = records(count);
    let (mut arrived, mut dead, mut requests) = (Vec::new(), Vec::new(), 0);
    while !left.is_empty() {
        requests += 1;
        let batch = left
            .get(..delivery.count(&left, &LIMITS))
            .unwrap_or_default()
            .to_vec();
        let bad = batch
            .iter()
            .position(|record| poisoned.contains(&record.sequence));
        let answer = match (bad, batch.last()) {
            (Some(bad), _) => Err(refused(names_entry.then_some(bad))),
            (None, Some(last)) => Ok(Acked {
                through: last.sequence,
            }),
            (None, None) => unreachable!("a batch has a record"),
        };
        let took = answer.is_ok();
        let judged = delivery.judge(&batch, answer, at(0));
        if took {
            arrived.extend(batch.iter().take(judged.done).map(|record| record.sequence));
        }
        dead.extend(judged.dead_letter.map(|letter| letter.sequence));
        left.drain(..judged.done);
        assert!(requests < 10_000, "it ends");
    }
    (arrived, dead, requests)
}

proptest! {
    #[test]
    fn poisoned_entries_are_found_and_all_others_arrive_once_in_order(
        count in 1_u64..200,
        // Fewer than ten, so that no receiver counts as set up wrongly.
        poisoned in prop::collection::btree_set(0_u64..200, 0..8),
        names_entry in any::<bool>(),
    ) {
        let (arrived, dead, _) = run(count, &poisoned, names_entry);
        let expected: Vec<u64> = (0..count).filter(|at| !poisoned.contains(at)).collect();
        prop_assert_eq!(arrived, expected);
        let expected: Vec<u64> = poisoned.into_iter().filter(|at| *at < count).collect();
        prop_assert_eq!(dead, expected);
    }
}

#[test]
fn an_entry_that_the_receiver_names_is_found_in_three_requests() {
    let poisoned = BTreeSet::from([40]);
    let (_, dead, requests) = run(64, &poisoned, true);
    // The batch, what stands before the entry, the rest with the entry first, the entry alone, the
    // rest in batches of one, two, four, eight and the last ones.
    assert_eq!(dead, [40]);
    assert!(requests <= 10, "{requests}");
}

#[test]
fn waits_grow_and_end_with_a_success() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let batch = records(1);
    let mut waits = Vec::new();
    for _ in 0..9 {
        delivery.judge(&batch, Err(passing()), at(0));
        waits.push(delivery.wait(at(0)).map_or(0, |wait| wait.as_secs()));
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);

    let judged = delivery.judge(&batch, Ok(Acked { through: 0 }), at(1));
    assert_eq!((judged.done, delivery.wait(at(1))), (1, None));
    assert_eq!(
        judged.transition, None,
        "the failures were too short for the log"
    );
}

#[test]
fn the_log_learns_once_of_failures_and_once_of_their_end() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let batch = records(1);
    let mut news = Vec::new();
    for second in [0, 100, 299, 300, 400] {
        let judged = delivery.judge(&batch, Err(passing()), at(second));
        news.extend(judged.transition.map(|change| (second, change)));
    }
    let judged = delivery.judge(&batch, Ok(Acked { through: 0 }), at(500));
    news.extend(judged.transition.map(|change| (500, change)));
    assert_eq!(
        news,
        [(300, Transition::Failing), (500, Transition::Recovered)]
    );
}

#[test]
fn a_wrong_token_is_news_at_once_and_is_tried_again_later() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let error = SendError::Configuration {
        message: "invalid token".to_owned(),
    };
    let judged = delivery.judge(&records(3), Err(error), at(0));
    assert_eq!(judged.transition, Some(Transition::Failing));
    assert_eq!(judged.done, 0);
    assert_eq!(delivery.wait(at(0)), Some(SignedDuration::from_mins(5)));
}

#[test]
fn a_receiver_that_refuses_everything_does_not_turn_the_log_into_dead_letters() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let mut left = records(100);
    let mut dead = 0;
    for _ in 0..200 {
        let batch = left
            .get(..delivery.count(&left, &LIMITS))
            .unwrap_or_default()
            .to_vec();
        let judged = delivery.judge(&batch, Err(refused(None)), at(0));
        dead += usize::from(judged.dead_letter.is_some());
        left.drain(..judged.done);
    }
    assert_eq!(dead, 10);
    assert!(
        delivery
            .state
            .last_failure
            .is_some_and(|failure| failure.needs_person)
    );
}

#[test]
fn half_an_answer_counts_for_its_half() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    let judged = delivery.judge(&records(10), Ok(Acked { through: 4 }), at(0));
    assert_eq!(judged.done, 5);
    assert_eq!(delivery.state.sent_entries, 5);
}

#[test]
fn a_receiver_that_confirms_nothing_has_failed() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(5));
    let batch = [record(5), record(6)];
    let judged = delivery.judge(&batch, Ok(Acked { through: 4 }), at(0));
    assert_eq!((judged.done, delivery.state.failures), (0, 1));
}

#[test]
fn a_receiver_that_asks_for_a_wait_gets_it_within_an_hour() {
    let mut delivery = StreamDelivery::new(StreamState::beginning_at(0));
    for (asked, expected) in [(7, 7), (86_400, 3600), (0, 1)] {
        let error = SendError::Passing {
            message: "busy".to_owned(),
            retry_after_s: Some(asked),
        };
        delivery.judge(&records(1), Err(error), at(0));
        assert_eq!(
            delivery.wait(at(0)),
            Some(SignedDuration::from_secs(expected))
        );
    }
}
