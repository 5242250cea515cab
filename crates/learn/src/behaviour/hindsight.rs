//! Hindsight: what was looked at shortly before or after a grave deed of the same hand, in the same service, belongs to it.
//!
//! A read says next to nothing by itself: everybody lists instances. Whoever asks fifty times whether a machine answers and then
//! sends it a command has prepared that command, and whoever looks into the case wants to see both. While deeds come in, nobody
//! can know that; in a file that lies there whole it is known. So each judgement is held back until room is needed or the file
//! has ended, and deeds that only look, or take on a role, take over a part of the gravest deed of their hand within an hour:
//! one look alone a half, since people look at things all the time; an evident search nearly all.
//! A deed that changes something is judged by its own meaning and past alone: hindsight never makes one suspect because of what
//! stands beside it.

use std::collections::{BTreeMap, VecDeque};

use super::deed::{Deed, PrincipalKind};
use super::evidence::{Judgement, Reason};
use super::names::fingerprint;
use super::prior::Meaning;
use super::words::{Class, Verb};

/// Time over which a severe action raises others, on both sides.
const REACH_MS: i64 = 3_600_000;
/// Distance at which half of it is left.
const HALVES_MS: f64 = 900_000.0;
/// Below it a deed is not grave.
const LEAST: f64 = 0.2;
/// Share of a severe action's score that another action takes over at no distance in time.
const SHARE: f64 = 0.97;
/// Factor for actions from another network than the severe one.
const ELSEWHERE: f64 = 0.5;
/// Largest reduction of an action's rarity by the habits of the estate.
const OF_OTHERS: f64 = 0.5;
/// Share of a deed's own log-odds that orders what is raised together, around those of a plain look, and its bound.
const ORDER: f64 = 0.2;
const PLAIN_LOOK: f64 = -4.0;
const MOST_ORDER: f64 = 0.4;
/// Any service: for what prepares whatever comes.
const ANY: u64 = 0;

/// A principal in a service: fingerprints of both.
type Hand = (u64, u64);
/// Minute and operation.
type Moment = (i64, u64);
/// In the place of an operation: any look.
const LOOKS: u64 = 0;

/// A grave deed.
#[derive(Debug, Clone)]
struct Grave {
    score: f64,
    at_ms: i64,
    network: u64,
    operation: String,
}

/// A judgement that is held back.
#[derive(Debug)]
struct Held<T> {
    of: T,
    judgement: Judgement,
    at_ms: i64,
    network: u64,
    from: Option<From>,
}

/// Source of the raised score: severe actions around the action, or before it.
#[derive(Debug, Clone, Copy)]
enum From {
    /// All of the same hour, as far as looks of `Hand` were many.
    Around(Hand),
    /// Those that came after it.
    After(Hand),
}

/// Recorded actions of one hand (a principal with its network).
#[derive(Debug, Default)]
struct Deeds {
    /// By moment, the gravest.
    graves: BTreeMap<Moment, Grave>,
    /// By minute, how often it looked at something.
    looks: BTreeMap<i64, u32>,
}

/// Judgements in the order they were given, each held back so that what came after it can be looked at.
#[derive(Debug)]
pub(crate) struct Hindsight<T> {
    held: VecDeque<Held<T>>,
    deeds: BTreeMap<Hand, Deeds>,
    /// Order of arrival, so that the oldest records are dropped first.
    order: VecDeque<(Hand, Moment)>,
    room: usize,
}

impl<T> Hindsight<T> {
    /// Holds back at most `room` judgements.
    pub(crate) fn new(room: usize) -> Self {
        Self { held: VecDeque::new(), deeds: BTreeMap::new(), order: VecDeque::new(), room: room.max(1) }
    }

    /// Takes the judgement of a deed, and gives the oldest back where there is no more room.
    pub(crate) fn add(&mut self, deed: &Deed, judgement: Judgement, of: T) -> Option<(T, Judgement)> {
        let full = if self.held.len() >= self.room { self.release() } else { None };
        let network = fingerprint(&[&deed.place.network]);
        let from = takes_over(deed);
        if judgement.score >= LEAST && deed.kind != PrincipalKind::Service {
            self.grave(deed, network, judgement.score);
        }
        if let Some(From::Around(hand)) = from {
            self.look(hand, minute(deed.at_ms));
        }
        self.forget();
        self.held.push_back(Held { of, judgement, at_ms: deed.at_ms, network, from });
        full
    }

    /// Gives the oldest back, judged by everything that was given; nothing when none is held.
    pub(crate) fn release(&mut self) -> Option<(T, Judgement)> {
        let Held { of, mut judgement, at_ms, network, from } = self.held.pop_front()?;
        if let Some((gravity, grave)) = from.and_then(|from| self.gravest(from, at_ms, network)) {
            // What somebody does day by day is likely theirs also in the worst hour; that others do it is no excuse.
            let strange = (2.0 * (judgement.weight_of(Reason::Rarity) + OF_OTHERS)).min(0.0).exp();
            let away = grave.at_ms.saturating_sub(at_ms) / 1000;
            let when = if away < 0 { "after" } else { "before" };
            let words = format!("{} s {when} {}", away.abs(), grave.operation);
            let ranked = rank(SHARE * strange * gravity, judgement.score);
            judgement.raise(ranked, Reason::Sequence, words);
        }
        Some((of, judgement))
    }

    fn grave(&mut self, deed: &Deed, network: u64, score: f64) {
        let moment = (minute(deed.at_ms), fingerprint(&[&deed.service, &deed.operation]) | 1);
        let own = hand(&deed.principal, &deed.service);
        for hand in [own, (own.0, ANY)] {
            let graves = &mut self.deeds.entry(hand).or_default().graves;
            match graves.get_mut(&moment) {
                Some(grave) if grave.score >= score => {}
                Some(grave) => (grave.score, grave.at_ms, grave.network) = (score, deed.at_ms, network),
                None => {
                    let operation = format!("{}:{}", deed.service, deed.operation);
                    graves.insert(moment, Grave { score, at_ms: deed.at_ms, network, operation });
                    self.order.push_back((hand, moment));
                }
            }
        }
    }

    fn look(&mut self, hand: Hand, minute: i64) {
        let looks = self.deeds.entry(hand).or_default().looks.entry(minute).or_insert(0);
        if *looks == 0 {
            self.order.push_back((hand, (minute, LOOKS)));
        }
        *looks = looks.saturating_add(1);
    }

    /// Three at most for each judgement held, and as many of those before them.
    fn forget(&mut self) {
        while self.order.len() > 6 * self.room {
            let Some((hand, moment)) = self.order.pop_front() else { break };
            let Some(deeds) = self.deeds.get_mut(&hand) else { continue };
            if moment.1 == LOOKS {
                deeds.looks.remove(&moment.0);
            } else {
                deeds.graves.remove(&moment);
            }
            if deeds.graves.is_empty() && deeds.looks.is_empty() {
                self.deeds.remove(&hand);
            }
        }
    }

    /// The gravest deed around a time, with what of its score reaches there.
    fn gravest(&self, from: From, at_ms: i64, network: u64) -> Option<(f64, &Grave)> {
        let until = minute(at_ms.saturating_add(REACH_MS));
        let (hand, since) = match from {
            From::Around(hand) => (hand, minute(at_ms.saturating_sub(REACH_MS))),
            From::After(hand) => (hand, minute(at_ms)),
        };
        let deeds = self.deeds.get(&hand)?;
        let searched = match from {
            From::Around(_) => {
                let looks: f64 = deeds.looks.range(since..=until).map(|(_, looks)| f64::from(*looks)).sum();
                looks / (looks + 1.0)
            }
            From::After(_) => 1.0,
        };
        let mut kinds: BTreeMap<u64, (f64, &Grave)> = BTreeMap::new();
        for ((_, operation), grave) in deeds.graves.range((since, 0)..=(until, u64::MAX)) {
            let away = grave.at_ms.saturating_sub(at_ms).saturating_abs();
            if away >= REACH_MS {
                continue;
            }
            let near = (-(away as f64) / HALVES_MS).exp2();
            let place = if grave.network == network { 1.0 } else { ELSEWHERE };
            let reaches = grave.score * place * near;
            let kind = kinds.entry(*operation).or_insert((0.0, grave));
            if reaches > kind.0 {
                *kind = (reaches, grave);
            }
        }
        let mut kinds: Vec<(f64, &Grave)> = kinds.into_values().collect();
        kinds.sort_by(|a, b| b.0.total_cmp(&a.0));
        // Several grave deeds of different kinds are surer than one; each further one counts half, as they are seldom
        // independent.
        let innocent: f64 =
            kinds.iter().zip([1.0, 0.5, 0.25]).map(|((reaches, _), part)| (1.0 - reaches).powf(part)).product();
        kinds.first().map(|(_, grave)| ((1.0 - innocent) * searched, *grave))
    }
}

/// Returns the raised score, keeping some of the order of the actions' own scores: a read of secrets beside a severe
/// action ranks above a read of machines.
fn rank(raised: f64, own: f64) -> f64 {
    let log_odds = |score: f64| (score.clamp(1e-6, 1.0 - 1e-6) / (1.0 - score.clamp(1e-6, 1.0 - 1e-6))).ln();
    let order = (ORDER * (log_odds(own) - PLAIN_LOOK)).clamp(-MOST_ORDER, MOST_ORDER);
    1.0 / (1.0 + (-(log_odds(raised) + order)).exp())
}

fn minute(at_ms: i64) -> i64 {
    at_ms.div_euclid(60_000)
}

fn hand(principal: &str, service: &str) -> Hand {
    // Never that of any service.
    (fingerprint(&[principal]), fingerprint(&[service]) | 1)
}

/// To look around is one with what is done in the same service, to ask who one is with anything, and to take on a role with
/// what that role does.
fn takes_over(deed: &Deed) -> Option<From> {
    let meaning = Meaning::of(&deed.service, &deed.operation);
    let own = hand(&deed.principal, &deed.service);
    match meaning.verb {
        _ if deed.kind == PrincipalKind::Service => None,
        Verb::Assume if !deed.becomes.is_empty() => Some(From::After((hand(&deed.becomes, "").0, ANY))),
        Verb::Read if meaning.class == Class::Standing => Some(From::Around((own.0, ANY))),
        Verb::Read => Some(From::Around(own)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Evidence, Place};
    use super::*;

    fn deed(operation: &str, minute: i64) -> Deed {
        Deed {
            at_ms: minute * 60_000,
            principal: "a".to_owned(),
            kind: PrincipalKind::Person,
            service: "ssm".to_owned(),
            operation: operation.to_owned(),
            place: Place { network: "192.0.2.0/24".to_owned(), ..Place::default() },
            ..Deed::default()
        }
    }

    fn judged(score: f64) -> Judgement {
        let weight = (score / (1.0 - score)).ln();
        Judgement { score, evidence: vec![Evidence { reason: Reason::Meaning, weight, words: "".into() }] }
    }

    /// Scores in hindsight.
    fn look(deeds: &[(Deed, f64)], room: usize) -> Vec<f64> {
        let mut hindsight = Hindsight::new(room);
        let mut out: Vec<(usize, Judgement)> = Vec::new();
        for (at, (deed, score)) in deeds.iter().enumerate() {
            out.extend(hindsight.add(deed, judged(*score), at));
        }
        out.extend(std::iter::from_fn(|| hindsight.release()));
        assert!(out.iter().map(|(at, _)| *at).eq(0..deeds.len()));
        for (_, judgement) in &out {
            let sum: f64 = judgement.evidence.iter().map(|one| one.weight).sum();
            assert!((judgement.score - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-9);
        }
        out.into_iter().map(|(_, judgement)| judgement.score).collect()
    }

    #[test]
    fn looking_belongs_to_what_it_prepared() {
        let sends = (deed("SendCommand", 3), 0.9);
        let mut deeds = vec![(deed("DescribeInstanceInformation", 2), 0.02); 9];
        deeds.extend([sends.clone(), (deed("ListCommands", 5), 0.02)]);
        let scores = look(&deeds, 20);
        assert!(scores[0] > 0.7 && scores[10] > 0.7 && scores[9] == 0.9, "{scores:?}");
        let once = look(&[(deed("DescribeInstanceInformation", 2), 0.02), sends.clone()], 20)[0];
        assert!(once < 0.5 && once > 0.02, "{once}");
        // Not what changes something, what another did, what is another service's, or hours away.
        let other = Deed { principal: "b".to_owned(), ..deed("ListCommands", 3) };
        let elsewhere = Deed { service: "ec2".to_owned(), ..deed("DescribeInstances", 3) };
        for deed in
            [deed("AddTagsToResource", 3), deed("UpdateDocument", 3), other, elsewhere, deed("ListCommands", 70)]
        {
            assert_eq!(look(&[(deed.clone(), 0.02), sends.clone()], 9)[0], 0.02, "{deed:?}");
        }
    }

    #[test]
    fn it_fades_with_time_and_place_and_habit() {
        let sends = (deed("SendCommand", 0), 0.9);
        let at = |deed: Deed| look(&[(deed, 0.02), sends.clone()], 9)[0];
        let moved = Deed { place: Place::default(), ..deed("ListCommands", 1) };
        assert!(at(deed("ListCommands", 1)) > at(deed("ListCommands", 30)) && at(deed("ListCommands", 1)) > at(moved));
        let mut hindsight = Hindsight::new(9);
        let habit = Evidence { reason: Reason::Rarity, weight: -1.0, words: "".into() };
        hindsight.add(&deed("ListCommands", 0), Judgement::of(vec![habit]), ());
        hindsight.add(&sends.0, judged(0.9), ());
        assert!(hindsight.release().is_some_and(|(_, judgement)| judgement.score < 0.5));
    }

    #[test]
    fn a_role_taken_on_lends_what_it_does_later() {
        let assumes = Deed { service: "sts".to_owned(), becomes: "role".to_owned(), ..deed("AssumeRole", 5) };
        let as_role = |minute| (Deed { principal: "role".to_owned(), ..deed("SendCommand", minute) }, 0.9);
        assert!(look(&[(assumes.clone(), 0.1), as_role(6)], 9)[0] > 0.8);
        assert_eq!(look(&[as_role(3), (assumes, 0.1)], 9)[1], 0.1);
    }

    #[test]
    fn memory_is_bounded() {
        let mut hindsight = Hindsight::new(10);
        for n in 0..1_000 {
            let deed = Deed { principal: format!("u{n}"), ..deed("SendCommand", n) };
            let back = hindsight.add(&deed, judged(0.9), n);
            assert_eq!(back.map(|(of, _)| of), (n >= 10).then_some(n - 10));
        }
        assert!(hindsight.order.len() <= 60 && hindsight.deeds.len() <= 60 && hindsight.held.len() == 10);
    }
}
