//! Retrospective scoring: reads shortly before or after a severe event of the same principal, in
//! the same service, belong to it.
//!
//! A read says next to nothing by itself: everybody lists instances. Whoever asks fifty times
//! whether a machine answers and then sends it a command has prepared that command, and whoever
//! looks into the case wants to see both. While events come in, nobody can know that; in a file
//! that is complete it is known. So each judgement is held back until room is needed or the file
//! has ended, and events that only look, or take on a role, take over a part of the most severe
//! event of their hand within an hour: one look alone a half, since people look at things all the
//! time; an evident search nearly all. An event that changes something is judged by its own meaning
//! and past alone: hindsight never makes one suspect because of what stands beside it.

use std::collections::{BTreeMap, VecDeque};

use super::event::{ActivityEvent, BehaviorPrincipalKind};
use super::evidence::{BehaviorJudgement, BehaviorReason};
use super::names::fingerprint;
use super::prior::Meaning;
use super::words::{Verb, WordClass};

/// Time over which a severe action raises others, on both sides.
const REACH_MS: i64 = 3_600_000;
/// Distance at which half of it is left.
const HALVES_MS: f64 = 900_000.0;
/// Least score of a severe event.
const LEAST_SEVERE: f64 = 0.2;
/// Share of a severe action's score that another action takes over at no distance in time.
const SHARE: f64 = 0.97;
/// Factor for actions from another network than the severe one.
const ELSEWHERE: f64 = 0.5;
/// Largest reduction of an action's rarity by the habits of the estate.
const OF_OTHERS: f64 = 0.5;
/// Share of an event's own log-odds that orders what is raised together, around those of a plain
/// look, and its bound.
const ORDER: f64 = 0.2;
const PLAIN_READ: f64 = -4.0;
const MOST_ORDER: f64 = 0.4;
/// Any service: for what prepares whatever comes.
const ANY: u64 = 0;

/// A principal in a service: fingerprints of both.
type Actor = (u64, u64);
type MinuteOperation = (i64, u64);
/// In the place of an operation: any look.
const READS: u64 = 0;

#[derive(Debug, Clone)]
struct SevereEvent {
    score: f64,
    at_ms: i64,
    network: u64,
    operation: String,
}

/// A judgement that is held back.
#[derive(Debug)]
struct HeldJudgement<T> {
    context: T,
    judgement: BehaviorJudgement,
    at_ms: i64,
    network: u64,
    from: Option<RaisedBy>,
}

/// Source of the raised score: severe actions around the action, or before it.
#[derive(Debug, Clone, Copy)]
enum RaisedBy {
    /// All of the same hour, as far as looks of `Actor` were many.
    Around(Actor),
    /// Those that came after it.
    After(Actor),
}

/// Recorded actions of one hand (a principal with its network).
#[derive(Debug, Default)]
struct History {
    /// By moment, the most severe.
    severe: BTreeMap<MinuteOperation, SevereEvent>,
    /// By minute, how often it looked at something.
    reads: BTreeMap<i64, u32>,
}

/// Judgements in the order they were given, each held back so that what came after it can be looked
/// at.
#[derive(Debug)]
pub(crate) struct Retrospect<T> {
    held: VecDeque<HeldJudgement<T>>,
    events: BTreeMap<Actor, History>,
    /// Order of arrival, so that the oldest records are dropped first.
    order: VecDeque<(Actor, MinuteOperation)>,
    capacity: usize,
}

impl<T> Retrospect<T> {
    /// Holds back at most `capacity` judgements.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            held: VecDeque::new(),
            events: BTreeMap::new(),
            order: VecDeque::new(),
            capacity: capacity.max(1),
        }
    }

    /// Takes the judgement of an event, and gives the oldest back where there is no more room.
    pub(crate) fn add(
        &mut self,
        event: &ActivityEvent,
        judgement: BehaviorJudgement,
        context: T,
    ) -> Option<(T, BehaviorJudgement)> {
        let full = if self.held.len() >= self.capacity {
            self.release()
        } else {
            None
        };

        let network = fingerprint(&[&event.place.network]);
        let from = raised_by(event);
        if judgement.score >= LEAST_SEVERE && event.kind != BehaviorPrincipalKind::Service {
            self.severe(event, network, judgement.score);
        }
        if let Some(RaisedBy::Around(actor)) = from {
            self.add_read(actor, minute(event.at_ms));
        }

        self.drop_oldest();
        self.held.push_back(HeldJudgement {
            context,
            judgement,
            at_ms: event.at_ms,
            network,
            from,
        });

        full
    }

    /// Gives the oldest back, judged by everything that was given; nothing when none is held.
    pub(crate) fn release(&mut self) -> Option<(T, BehaviorJudgement)> {
        let HeldJudgement {
            context,
            mut judgement,
            at_ms,
            network,
            from,
        } = self.held.pop_front()?;

        if let Some((raised, severe)) = from.and_then(|from| self.most_severe(from, at_ms, network))
        {
            // What somebody does day by day is likely theirs also in the worst hour; that others do
            // it is no excuse.
            let strange = (2.0 * (judgement.weight_of(BehaviorReason::Rarity) + OF_OTHERS))
                .min(0.0)
                .exp();
            let away = severe.at_ms.saturating_sub(at_ms) / 1000;
            let when = if away < 0 { "after" } else { "before" };
            let words = format!("{} s {when} {}", away.abs(), severe.operation);
            let ranked = rank(SHARE * strange * raised, judgement.score);
            judgement.raise(ranked, BehaviorReason::Sequence, words);
        }

        Some((context, judgement))
    }

    fn severe(&mut self, event: &ActivityEvent, network: u64, score: f64) {
        let minute_operation = (
            minute(event.at_ms),
            fingerprint(&[&event.service, &event.operation]) | 1,
        );
        let own = actor(&event.principal, &event.service);

        for actor in [own, (own.0, ANY)] {
            let severe = &mut self.events.entry(actor).or_default().severe;
            match severe.get_mut(&minute_operation) {
                Some(severe) if severe.score >= score => {}
                Some(severe) => {
                    (severe.score, severe.at_ms, severe.network) = (score, event.at_ms, network)
                }
                None => {
                    let operation = format!("{}:{}", event.service, event.operation);
                    severe.insert(
                        minute_operation,
                        SevereEvent {
                            score,
                            at_ms: event.at_ms,
                            network,
                            operation,
                        },
                    );
                    self.order.push_back((actor, minute_operation));
                }
            }
        }
    }

    fn add_read(&mut self, actor: Actor, minute: i64) {
        let reads = self
            .events
            .entry(actor)
            .or_default()
            .reads
            .entry(minute)
            .or_insert(0);
        if *reads == 0 {
            self.order.push_back((actor, (minute, READS)));
        }
        *reads = reads.saturating_add(1);
    }

    /// Three at most for each judgement held, and as many of those before them.
    fn drop_oldest(&mut self) {
        while self.order.len() > 6 * self.capacity {
            let Some((actor, minute_operation)) = self.order.pop_front() else {
                break;
            };
            let Some(events) = self.events.get_mut(&actor) else {
                continue;
            };
            if minute_operation.1 == READS {
                events.reads.remove(&minute_operation.0);
            } else {
                events.severe.remove(&minute_operation);
            }
            if events.severe.is_empty() && events.reads.is_empty() {
                self.events.remove(&actor);
            }
        }
    }

    /// The most severe event around a time, with what of its score reaches there.
    fn most_severe(&self, from: RaisedBy, at_ms: i64, network: u64) -> Option<(f64, &SevereEvent)> {
        let until = minute(at_ms.saturating_add(REACH_MS));
        let (actor, since) = match from {
            RaisedBy::Around(actor) => (actor, minute(at_ms.saturating_sub(REACH_MS))),
            RaisedBy::After(actor) => (actor, minute(at_ms)),
        };
        let events = self.events.get(&actor)?;
        let searched = match from {
            RaisedBy::Around(_) => {
                let reads: f64 = events
                    .reads
                    .range(since..=until)
                    .map(|(_, reads)| f64::from(*reads))
                    .sum();
                reads / (reads + 1.0)
            }
            RaisedBy::After(_) => 1.0,
        };

        let mut kinds: BTreeMap<u64, (f64, &SevereEvent)> = BTreeMap::new();
        for ((_, operation), severe) in events.severe.range((since, 0)..=(until, u64::MAX)) {
            let away = severe.at_ms.saturating_sub(at_ms).saturating_abs();
            if away >= REACH_MS {
                continue;
            }
            let near = (-(away as f64) / HALVES_MS).exp2();
            let place = if severe.network == network {
                1.0
            } else {
                ELSEWHERE
            };
            let reaches = severe.score * place * near;
            let kind = kinds.entry(*operation).or_insert((0.0, severe));
            if reaches > kind.0 {
                *kind = (reaches, severe);
            }
        }

        let mut kinds: Vec<(f64, &SevereEvent)> = kinds.into_values().collect();
        kinds.sort_by(|a, b| b.0.total_cmp(&a.0));

        // Several severe events of different kinds are surer than one; each further one counts
        // half, as they are seldom independent.
        let innocent: f64 = kinds
            .iter()
            .zip([1.0, 0.5, 0.25])
            .map(|((reaches, _), part)| (1.0 - reaches).powf(part))
            .product();

        kinds
            .first()
            .map(|(_, severe)| ((1.0 - innocent) * searched, *severe))
    }
}

/// Returns the raised score, keeping some of the order of the actions' own scores: a read of
/// secrets beside a severe action ranks above a read of machines.
fn rank(raised: f64, own: f64) -> f64 {
    let log_odds =
        |score: f64| (score.clamp(1e-6, 1.0 - 1e-6) / (1.0 - score.clamp(1e-6, 1.0 - 1e-6))).ln();
    let order = (ORDER * (log_odds(own) - PLAIN_READ)).clamp(-MOST_ORDER, MOST_ORDER);
    1.0 / (1.0 + (-(log_odds(raised) + order)).exp())
}

fn minute(at_ms: i64) -> i64 {
    at_ms.div_euclid(60_000)
}

fn actor(principal: &str, service: &str) -> Actor {
    // Never that of any service.
    (fingerprint(&[principal]), fingerprint(&[service]) | 1)
}

/// To look around is one with what is done in the same service, to ask who one is with anything,
/// and to take on a role with what that role does.
fn raised_by(event: &ActivityEvent) -> Option<RaisedBy> {
    let meaning = Meaning::from_operation(&event.service, &event.operation);
    let own = actor(&event.principal, &event.service);

    match meaning.verb {
        _ if event.kind == BehaviorPrincipalKind::Service => None,
        Verb::Assume if !event.becomes.is_empty() => {
            Some(RaisedBy::After((actor(&event.becomes, "").0, ANY)))
        }
        Verb::Read if meaning.class == WordClass::Standing => Some(RaisedBy::Around((own.0, ANY))),
        Verb::Read => Some(RaisedBy::Around(own)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BehaviorEvidence, BehaviorPlace};
    use super::*;

    fn event(operation: &str, minute: i64) -> ActivityEvent {
        ActivityEvent {
            at_ms: minute * 60_000,
            principal: "a".to_owned(),
            kind: BehaviorPrincipalKind::Person,
            service: "ssm".to_owned(),
            operation: operation.to_owned(),
            place: BehaviorPlace {
                network: "192.0.2.0/24".to_owned(),
                ..BehaviorPlace::default()
            },
            ..ActivityEvent::default()
        }
    }

    fn judged(score: f64) -> BehaviorJudgement {
        let weight = (score / (1.0 - score)).ln();
        BehaviorJudgement {
            score,
            evidence: vec![BehaviorEvidence {
                reason: BehaviorReason::Meaning,
                weight,
                words: "".into(),
            }],
        }
    }

    /// Returns the final scores of the events, after their retrospective rise.
    fn add_read(events: &[(ActivityEvent, f64)], capacity: usize) -> Vec<f64> {
        let mut retrospect = Retrospect::new(capacity);
        let mut out: Vec<(usize, BehaviorJudgement)> = Vec::new();
        for (at, (event, score)) in events.iter().enumerate() {
            out.extend(retrospect.add(event, judged(*score), at));
        }

        out.extend(std::iter::from_fn(|| retrospect.release()));
        assert!(out.iter().map(|(at, _)| *at).eq(0..events.len()));
        for (_, judgement) in &out {
            let sum: f64 = judgement.evidence.iter().map(|one| one.weight).sum();
            assert!((judgement.score - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-9);
        }

        out.into_iter()
            .map(|(_, judgement)| judgement.score)
            .collect()
    }

    #[test]
    fn looking_belongs_to_what_it_prepared() {
        let sends = (event("SendCommand", 3), 0.9);
        let mut events = vec![(event("DescribeInstanceInformation", 2), 0.02); 9];
        events.extend([sends.clone(), (event("ListCommands", 5), 0.02)]);
        let scores = add_read(&events, 20);
        assert!(
            scores[0] > 0.7 && scores[10] > 0.7 && scores[9] == 0.9,
            "{scores:?}"
        );

        let once = add_read(
            &[
                (event("DescribeInstanceInformation", 2), 0.02),
                sends.clone(),
            ],
            20,
        )[0];
        assert!(once < 0.5 && once > 0.02, "{once}");

        // Not what changes something, what another did, what is another service's, or hours away.
        let other = ActivityEvent {
            principal: "b".to_owned(),
            ..event("ListCommands", 3)
        };
        let elsewhere = ActivityEvent {
            service: "ec2".to_owned(),
            ..event("DescribeInstances", 3)
        };

        for event in [
            event("AddTagsToResource", 3),
            event("UpdateDocument", 3),
            other,
            elsewhere,
            event("ListCommands", 70),
        ] {
            assert_eq!(
                add_read(&[(event.clone(), 0.02), sends.clone()], 9)[0],
                0.02,
                "{event:?}"
            );
        }
    }

    #[test]
    fn it_fades_with_time_and_place_and_habit() {
        let sends = (event("SendCommand", 0), 0.9);
        let at = |event: ActivityEvent| add_read(&[(event, 0.02), sends.clone()], 9)[0];
        let moved = ActivityEvent {
            place: BehaviorPlace::default(),
            ..event("ListCommands", 1)
        };
        assert!(
            at(event("ListCommands", 1)) > at(event("ListCommands", 30))
                && at(event("ListCommands", 1)) > at(moved)
        );

        let mut retrospect = Retrospect::new(9);
        let habit = BehaviorEvidence {
            reason: BehaviorReason::Rarity,
            weight: -1.0,
            words: "".into(),
        };

        retrospect.add(
            &event("ListCommands", 0),
            BehaviorJudgement::from_evidence(vec![habit]),
            (),
        );
        retrospect.add(&sends.0, judged(0.9), ());
        assert!(
            retrospect
                .release()
                .is_some_and(|(_, judgement)| judgement.score < 0.5)
        );
    }

    #[test]
    fn a_role_taken_on_lends_what_it_does_later() {
        let assumes = ActivityEvent {
            service: "sts".to_owned(),
            becomes: "role".to_owned(),
            ..event("AssumeRole", 5)
        };

        let as_role = |minute| {
            (
                ActivityEvent {
                    principal: "role".to_owned(),
                    ..event("SendCommand", minute)
                },
                0.9,
            )
        };
        assert!(add_read(&[(assumes.clone(), 0.1), as_role(6)], 9)[0] > 0.8);

        assert_eq!(add_read(&[as_role(3), (assumes, 0.1)], 9)[1], 0.1);
    }

    #[test]
    fn memory_is_bounded() {
        let mut retrospect = Retrospect::new(10);
        for n in 0..1_000 {
            let event = ActivityEvent {
                principal: format!("u{n}"),
                ..event("SendCommand", n)
            };
            let back = retrospect.add(&event, judged(0.9), n);
            assert_eq!(
                back.map(|(context, _)| context),
                (n >= 10).then_some(n - 10)
            );
        }

        assert!(
            retrospect.order.len() <= 60
                && retrospect.events.len() <= 60
                && retrospect.held.len() == 10
        );
    }
}
