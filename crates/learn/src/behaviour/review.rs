//! A file of deeds that lies there whole: put into the order of their times, judged, and looked at again in hindsight.
//!
//! In which order records lie in a file says nothing: CloudTrail writes them as they come in from many places. So deeds are judged
//! in the order of their times, and those of one time together, since nobody can tell which of them came first. The answer then
//! does not depend on the order of the records, as long as they are not further apart than is held back.

use std::collections::VecDeque;

use super::deed::Deed;
use super::evidence::Judgement;
use super::hindsight::Hindsight;
use super::watch::Watch;

/// Judgements of a file's deeds, in the order in which the deeds were given; `T` tells which deed it was.
#[derive(Debug)]
pub struct Review<T> {
    watch: Watch,
    hindsight: Hindsight<(u64, T)>,
    /// Not judged yet, with their places in the file.
    waiting: Vec<(u64, Deed, T)>,
    /// Judged by everything, and not taken yet.
    ready: VecDeque<(T, Judgement)>,
    room: usize,
    given: u64,
}

impl<T> Review<T> {
    /// Judges by what a watch knows already. Puts `room` deeds into order at a time, and holds as many judgements back.
    pub fn new(watch: Watch, room: usize) -> Self {
        let room = room.max(1);
        Self { watch, hindsight: Hindsight::new(room), waiting: Vec::new(), ready: VecDeque::new(), room, given: 0 }
    }

    /// Takes the next deed. Judgements come back in the same order, once `room` or two more were taken.
    pub fn add(&mut self, deed: Deed, of: T) -> Option<(T, Judgement)> {
        self.waiting.push((self.given, deed, of));
        self.given += 1;
        if self.waiting.len() >= self.room {
            // As many come free as are judged: all that were judged the last time.
            let free = self.judge();
            self.hand_out(free);
        }
        self.ready.pop_front()
    }

    /// The oldest judgement that has not come back, after the last deed was taken.
    pub fn release(&mut self) -> Option<(T, Judgement)> {
        if self.ready.is_empty() {
            let mut rest = self.judge();
            rest.extend(std::iter::from_fn(|| self.hindsight.release()));
            self.hand_out(rest);
        }
        self.ready.pop_front()
    }

    /// Returns the number of judged actions.
    pub fn deeds(&self) -> u64 {
        self.watch.deeds()
    }

    /// Judges what waits, and gives back what need not be held any longer.
    fn judge(&mut self) -> Vec<((u64, T), Judgement)> {
        let mut deeds = std::mem::take(&mut self.waiting);
        // Those of one time in an order of their content, so that they are learnt in the same order wherever they lie.
        deeds.sort_by(|(_, a, _), (_, b, _)| a.at_ms.cmp(&b.at_ms).then_with(|| content(a).cmp(&content(b))));
        let judgements: Vec<Judgement> = deeds
            .chunk_by(|(_, a, _), (_, b, _)| a.at_ms == b.at_ms)
            .flat_map(|same| self.watch.observe_together(&same.iter().map(|(_, deed, _)| deed).collect::<Vec<_>>()))
            .collect();
        let judged = deeds.into_iter().zip(judgements);
        judged.filter_map(|((place, deed, of), judgement)| self.hindsight.add(&deed, judgement, (place, of))).collect()
    }

    /// Puts judgements into the order of the file.
    fn hand_out(&mut self, mut free: Vec<((u64, T), Judgement)>) {
        free.sort_by_key(|((place, _), _)| *place);
        self.ready.extend(free.into_iter().map(|((_, of), judgement)| (of, judgement)));
    }
}

fn content(deed: &Deed) -> [&str; 4] {
    [&deed.principal, &deed.service, &deed.operation, &deed.resource]
}

#[cfg(test)]
mod tests {
    use super::super::{Place, PrincipalKind, Trait};
    use super::*;

    fn deed(service: &str, operation: &str, second: i64) -> Deed {
        Deed {
            at_ms: second * 1000,
            principal: "a".to_owned(),
            kind: PrincipalKind::Person,
            service: service.to_owned(),
            operation: operation.to_owned(),
            place: Place {
                network: "192.0.2.0/24".to_owned(),
                public: true,
                region: "eu-central-1".to_owned(),
                ..Place::default()
            },
            ..Deed::default()
        }
    }

    fn makes_admin(second: i64) -> Deed {
        let traits = [Trait::GivesAdmin].into_iter().collect();
        Deed { traits, resource: "x".to_owned(), ..deed("iam", "AttachUserPolicy", second) }
    }

    /// Judgements in the order of the deeds.
    fn judged(deeds: &[Deed], room: usize) -> Vec<Judgement> {
        let mut review = Review::new(Watch::default(), room);
        let mut out: Vec<(usize, Judgement)> = Vec::new();
        for (at, deed) in deeds.iter().enumerate() {
            out.extend(review.add(deed.clone(), at));
        }
        out.extend(std::iter::from_fn(|| review.release()));
        assert!(out.iter().map(|(at, _)| *at).eq(0..deeds.len()), "one for each, in their order");
        assert_eq!(review.deeds(), deeds.len() as u64);
        out.into_iter().map(|(_, judgement)| judgement).collect()
    }

    fn scores(deeds: &[Deed], room: usize) -> Vec<f64> {
        judged(deeds, room).into_iter().map(|judgement| judgement.score).collect()
    }

    /// Two people over some hours, now and then several deeds in one second.
    fn story() -> Vec<Deed> {
        let mut deeds = Vec::new();
        for n in 0..200_i64 {
            let principal = if n % 3 == 0 { "b" } else { "a" };
            let reads = Deed { principal: principal.to_owned(), ..deed("ec2", "DescribeInstances", n / 4 * 200) };
            deeds.push(Deed { resource: n.to_string(), ..reads });
        }
        let trail = deed("cloudtrail", "StopLogging", 6_000);
        deeds.extend([makes_admin(5_000), deed("iam", "CreateAccessKey", 5_000), trail.clone()]);
        deeds.push(Deed { place: Place { network: "198.51.100.0/24".to_owned(), ..trail.place.clone() }, ..trail });
        deeds
    }

    #[test]
    fn the_order_of_the_file_changes_nothing() {
        let deeds = story();
        let once = scores(&deeds, 1000);
        for step in [1, 3, 7, 11] {
            // Each is another order: 204 has no divisor in common with the step but one and three.
            let places: Vec<usize> = match step {
                1 => (0..deeds.len()).rev().collect(),
                3 => (0..3).flat_map(|from| (from..deeds.len()).step_by(3)).collect(),
                step => (0..deeds.len()).map(|n| n * step % deeds.len()).collect(),
            };
            let moved: Vec<Deed> = places.iter().map(|place| deeds[*place].clone()).collect();
            for (place, score) in places.iter().zip(scores(&moved, 1000)) {
                assert!((once[*place] - score).abs() < 1e-12, "{:?}: {} and {score}", deeds[*place], once[*place]);
            }
        }
    }

    #[test]
    fn events_of_one_second_have_no_order() {
        let key = |second| deed("iam", "CreateAccessKey", second);
        let alone = scores(&[key(60)], 9)[0];
        assert!((scores(&[makes_admin(60), key(60)], 9)[1] - alone).abs() < 1e-12);
        let after = &judged(&[makes_admin(60), key(61)], 9)[1];
        assert!(after.score > alone && after.reasons().any(|words| words.contains("within a minute of")), "{after:?}");
        // How many there are is known all the same.
        let secrets: Vec<Deed> =
            (0..20).map(|n| Deed { resource: n.to_string(), ..deed("secretsmanager", "GetSecretValue", 60) }).collect();
        let (first, all) = (scores(&secrets[..1], 99)[0], scores(&secrets, 99));
        assert!(all.iter().all(|score| *score > first + 0.3 && (score - all[0]).abs() < 1e-12), "{first} {all:?}");
    }

    #[test]
    fn little_room_keeps_the_order_of_what_is_given_back() {
        let deeds = story();
        for room in [1, 2, 7, 204, 205] {
            let grave = scores(&deeds, room)[202];
            assert!(grave > 0.5, "{room}: {grave}");
        }
        let mut review = Review::new(Watch::default(), 7);
        for deed in deeds {
            review.add(deed, ());
            let held = review.waiting.len() + review.ready.len();
            assert!(held <= 14, "{held}");
        }
    }
}
