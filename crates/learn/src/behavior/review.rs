//! Review of a complete file of events: sorts them by time, judges them, and raises scores in
//! retrospect.
//!
//! In which order records are in a file says nothing: CloudTrail writes them as they come in from
//! many places. So events are judged in the order of their times, and those of one time together,
//! since it is unknown which of them came first. The answer then does not depend on the order of
//! the records, as long as they are not further apart than is held back.

use std::collections::VecDeque;

use super::event::ActivityEvent;
use super::evidence::BehaviorJudgement;
use super::retrospect::Retrospect;
use super::watch::Watch;

/// Judgements of a file's events, in the order in which the events were given; `T` tells which
/// event it was.
#[derive(Debug)]
pub struct Review<T> {
    watch: Watch,
    retrospect: Retrospect<(u64, T)>,
    /// Not judged yet, with their places in the file.
    waiting: Vec<(u64, ActivityEvent, T)>,
    /// Judged by everything, and not taken yet.
    ready: VecDeque<(T, BehaviorJudgement)>,
    capacity: usize,
    next_position: u64,
}

impl<T> Review<T> {
    /// Judges by what a watch knows already. Puts `capacity` events into order at a time, and holds
    /// as many judgements back.
    pub fn new(watch: Watch, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self {
            watch,
            retrospect: Retrospect::new(capacity),
            waiting: Vec::new(),
            ready: VecDeque::new(),
            capacity,
            next_position: 0,
        }
    }

    /// Takes the next event. Judgements come back in the same order, once `capacity` or two more
    /// were taken.
    pub fn add(&mut self, event: ActivityEvent, context: T) -> Option<(T, BehaviorJudgement)> {
        self.waiting.push((self.next_position, event, context));
        self.next_position += 1;

        if self.waiting.len() >= self.capacity {
            // As many come free as are judged: all that were judged the last time.
            let released = self.judge();
            self.release_in_order(released);
        }
        self.ready.pop_front()
    }

    /// The oldest judgement that has not come back, after the last event was taken.
    pub fn release(&mut self) -> Option<(T, BehaviorJudgement)> {
        if self.ready.is_empty() {
            let mut rest = self.judge();
            rest.extend(std::iter::from_fn(|| self.retrospect.release()));
            self.release_in_order(rest);
        }
        self.ready.pop_front()
    }

    /// Returns the number of judged actions.
    pub fn events(&self) -> u64 {
        self.watch.events()
    }

    /// Judges what waits, and gives back what need not be held any longer.
    fn judge(&mut self) -> Vec<((u64, T), BehaviorJudgement)> {
        let mut events = std::mem::take(&mut self.waiting);
        // Those of one time in an order of their content, so that they are learnt in the same order
        // wherever they lie.
        events.sort_by(|(_, a, _), (_, b, _)| {
            a.at_ms
                .cmp(&b.at_ms)
                .then_with(|| content(a).cmp(&content(b)))
        });

        let judgements: Vec<BehaviorJudgement> = events
            .chunk_by(|(_, a, _), (_, b, _)| a.at_ms == b.at_ms)
            .flat_map(|same| {
                self.watch
                    .observe_together(&same.iter().map(|(_, event, _)| event).collect::<Vec<_>>())
            })
            .collect();
        let judged = events.into_iter().zip(judgements);

        judged
            .filter_map(|((place, event, context), judgement)| {
                self.retrospect.add(&event, judgement, (place, context))
            })
            .collect()
    }

    /// Puts judgements into the order of the file.
    fn release_in_order(&mut self, mut released: Vec<((u64, T), BehaviorJudgement)>) {
        released.sort_by_key(|((place, _), _)| *place);
        self.ready.extend(
            released
                .into_iter()
                .map(|((_, context), judgement)| (context, judgement)),
        );
    }
}

fn content(event: &ActivityEvent) -> [&str; 4] {
    [
        &event.principal,
        &event.service,
        &event.operation,
        &event.resource,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{BehaviorPlace, BehaviorPrincipalKind, Trait};
    use super::*;

    fn event(service: &str, operation: &str, second: i64) -> ActivityEvent {
        ActivityEvent {
            at_ms: second * 1000,
            principal: "a".to_owned(),
            kind: BehaviorPrincipalKind::Person,
            service: service.to_owned(),
            operation: operation.to_owned(),
            place: BehaviorPlace {
                network: "192.0.2.0/24".to_owned(),
                public: true,
                region: "eu-central-1".to_owned(),
                ..BehaviorPlace::default()
            },
            ..ActivityEvent::default()
        }
    }

    fn makes_admin(second: i64) -> ActivityEvent {
        let traits = [Trait::GivesAdmin].into_iter().collect();
        ActivityEvent {
            traits,
            resource: "x".to_owned(),
            ..event("iam", "AttachUserPolicy", second)
        }
    }

    /// Judgements in the order of the events.
    fn judged(events: &[ActivityEvent], capacity: usize) -> Vec<BehaviorJudgement> {
        let mut review = Review::new(Watch::default(), capacity);
        let mut out: Vec<(usize, BehaviorJudgement)> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            out.extend(review.add(event.clone(), at));
        }

        out.extend(std::iter::from_fn(|| review.release()));
        assert!(
            out.iter().map(|(at, _)| *at).eq(0..events.len()),
            "one for each, in their order"
        );
        assert_eq!(review.events(), events.len() as u64);

        out.into_iter().map(|(_, judgement)| judgement).collect()
    }

    fn scores(events: &[ActivityEvent], capacity: usize) -> Vec<f64> {
        judged(events, capacity)
            .into_iter()
            .map(|judgement| judgement.score)
            .collect()
    }

    /// Two people over some hours, now and then several events in one second.
    fn story() -> Vec<ActivityEvent> {
        let mut events = Vec::new();
        for n in 0..200_i64 {
            let principal = if n % 3 == 0 { "b" } else { "a" };
            let reads = ActivityEvent {
                principal: principal.to_owned(),
                ..event("ec2", "DescribeInstances", n / 4 * 200)
            };
            events.push(ActivityEvent {
                resource: n.to_string(),
                ..reads
            });
        }

        let trail = event("cloudtrail", "StopLogging", 6_000);
        events.extend([
            makes_admin(5_000),
            event("iam", "CreateAccessKey", 5_000),
            trail.clone(),
        ]);

        events.push(ActivityEvent {
            place: BehaviorPlace {
                network: "198.51.100.0/24".to_owned(),
                ..trail.place.clone()
            },
            ..trail
        });

        events
    }

    #[test]
    fn the_order_of_the_file_changes_nothing() {
        let events = story();
        let once = scores(&events, 1000);

        for step in [1, 3, 7, 11] {
            // Each is another order: 204 has no divisor in common with the step but one and three.
            let places: Vec<usize> = match step {
                1 => (0..events.len()).rev().collect(),
                3 => (0..3)
                    .flat_map(|from| (from..events.len()).step_by(3))
                    .collect(),
                step => (0..events.len()).map(|n| n * step % events.len()).collect(),
            };
            let moved: Vec<ActivityEvent> =
                places.iter().map(|place| events[*place].clone()).collect();
            for (place, score) in places.iter().zip(scores(&moved, 1000)) {
                assert!(
                    (once[*place] - score).abs() < 1e-12,
                    "{:?}: {} and {score}",
                    events[*place],
                    once[*place]
                );
            }
        }
    }

    #[test]
    fn events_of_one_second_have_no_order() {
        let key = |second| event("iam", "CreateAccessKey", second);
        let alone = scores(&[key(60)], 9)[0];
        assert!((scores(&[makes_admin(60), key(60)], 9)[1] - alone).abs() < 1e-12);

        let after = &judged(&[makes_admin(60), key(61)], 9)[1];
        assert!(
            after.score > alone
                && after
                    .reasons()
                    .any(|words| words.contains("within a minute of")),
            "{after:?}"
        );

        // How many there are is known all the same.
        let secrets: Vec<ActivityEvent> = (0..20)
            .map(|n| ActivityEvent {
                resource: n.to_string(),
                ..event("secretsmanager", "GetSecretValue", 60)
            })
            .collect();
        let (first, all) = (scores(&secrets[..1], 99)[0], scores(&secrets, 99));

        assert!(
            all.iter()
                .all(|score| *score > first + 0.3 && (score - all[0]).abs() < 1e-12),
            "{first} {all:?}"
        );
    }

    #[test]
    fn little_room_keeps_the_order_of_what_is_given_back() {
        let events = story();
        for capacity in [1, 2, 7, 204, 205] {
            let grave = scores(&events, capacity)[202];
            assert!(grave > 0.5, "{capacity}: {grave}");
        }

        let mut review = Review::new(Watch::default(), 7);
        for event in events {
            review.add(event, ());
            let held = review.waiting.len() + review.ready.len();
            assert!(held <= 14, "{held}");
        }
    }
}
