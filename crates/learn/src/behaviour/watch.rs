//! The watch over an estate: takes deeds in the order they arrive, judges each by those before it, and learns from it.

use std::collections::{BTreeMap, HashMap};

use super::deed::{Deed, Outcome, Trait};
use super::evidence::{Judgement, Reason, Scale};
use super::names::{NameId, Names, fingerprint};
use super::prior::{self, Meaning};
use super::profile::{Profile, Unusual};
use super::rarity::{self, Witnesses};
use super::subject::{Crowd, Step, Subject, Visit};
use super::words::{Class, Verb};
use super::{place, weigh};

/// From this score on a deed is remembered as unusual, makes what follows it suspect, and teaches little.
const UNUSUAL: f64 = 0.5;
/// Weight with which an unusual action is learnt, where an ordinary one has 1.
const UNUSUAL_TEACHES: f64 = 0.25;

/// Secrets that a call for many counts for beside one: as many as leave a single such call unremarkable.
const HANDFUL: u32 = 2;
/// Weight of shutting out a principal that did something unusual within [`ANSWERED_WITHIN_MS`]: it is what a defender does.
const ANSWERS_SUSPECT: f64 = -3.5;
/// A day.
const ANSWERED_WITHIN_MS: i64 = 24 * 3_600_000;
/// Hours below which an action is not a habit.
const SELDOM_H: f64 = 3.0;

/// Limits of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Principals; beyond it those not seen for longest are forgotten.
    pub principals: usize,
    /// Groups of peers.
    pub groups: usize,
    /// Distinct names of actions, networks, regions and programs.
    pub names: usize,
}

impl Default for Limits {
    /// Enough for an estate of ten thousand principals in about 300 MB at the very worst, and a few in practice.
    fn default() -> Self {
        Self { principals: 10_000, groups: 2_000, names: 100_000 }
    }
}

/// A watch over an estate.
#[derive(Debug, Clone)]
pub struct Watch {
    limits: Limits,
    names: Names,
    meanings: HashMap<NameId, Meaning>,
    subjects: HashMap<String, Subject>,
    groups: HashMap<String, Crowd>,
    estate: Crowd,
    /// State that passes on to a principal that is about to be assumed by another.
    handed: BTreeMap<String, Visit>,
    /// Failed sign-ins by network: guessing goes from user to user.
    guessing: BTreeMap<NameId, Visit>,
    /// Names of principals that did something unusual, and when: whoever shuts one of them out answers it.
    suspects: BTreeMap<String, i64>,
    deeds: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Watch {
    /// A watch that knows nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            names: Names::new(limits.names),
            meanings: HashMap::new(),
            subjects: HashMap::new(),
            groups: HashMap::new(),
            estate: Crowd::default(),
            handed: BTreeMap::new(),
            guessing: BTreeMap::new(),
            suspects: BTreeMap::new(),
            deeds: 0,
        }
    }

    /// Judges a deed by the deeds before it, and learns it.
    pub fn observe(&mut self, deed: &Deed) -> Judgement {
        let step = self.count(deed);
        let judgement = self.judge(deed, &step);
        self.learn(deed, &step, &judgement);
        judgement
    }

    /// Judges deeds of one and the same time, and learns them. None of them came before another, so each is judged by the deeds before
    /// all of them; only how many there are is counted over all.
    pub fn observe_together(&mut self, deeds: &[&Deed]) -> Vec<Judgement> {
        let steps: Vec<Step> = deeds.iter().map(|deed| self.count(deed)).collect();
        let judgements: Vec<Judgement> = deeds.iter().zip(&steps).map(|(deed, step)| self.judge(deed, step)).collect();
        // An hour is learnt from what is noted in it first, so the most ordinary comes first.
        let mut order: Vec<_> = deeds.iter().zip(&steps).zip(&judgements).collect();
        order.sort_by(|(_, a), (_, b)| a.score.total_cmp(&b.score));
        for ((deed, step), judgement) in order {
            self.learn(deed, step, judgement);
        }
        judgements
    }

    /// Counts a deed: how much there is in its time, whatever it was.
    fn count(&mut self, deed: &Deed) -> Step {
        self.deeds += 1;
        let mut step = self.step(deed);
        let mut subject = self.take(deed);
        step.turn = subject.last.map(|last| turn(last, step.meaning));
        self.visit(deed, &step, &mut subject);
        subject.count(&step);
        self.subjects.insert(deed.principal.clone(), subject);
        step
    }

    fn judge(&self, deed: &Deed, step: &Step) -> Judgement {
        let nobody = Subject::default();
        let subject = self.subjects.get(&deed.principal).unwrap_or(&nobody);
        let mut scale = Scale::default();
        prior::weigh(deed, step.meaning, &mut scale);
        let peers = self.groups.get(&deed.peers).filter(|_| !deed.peers.is_empty());
        let principal = fingerprint(&[&deed.principal]);
        let witnesses = Witnesses { own: subject, principal, peers, estate: &self.estate };
        rarity::weigh(step, &witnesses, deed.outcome == Outcome::Denied, &mut scale);
        place::weigh(deed, step, &witnesses, &mut scale);
        weigh::time(step, &witnesses, &mut scale);
        if let Some(pace) = subject.pace(step) {
            weigh::volume(deed, pace.counted(step.at_ms), pace, &mut scale);
        }
        weigh::sequence(deed, step, &witnesses, &self.names, &mut scale);
        if self.answers_suspect(deed, step) {
            scale.add(Reason::Sequence, ANSWERS_SUSPECT, "");
        }
        scale.judgement()
    }

    /// Returns `true` for a deed that shuts out somebody who did something unusual shortly before.
    fn answers_suspect(&self, deed: &Deed, step: &Step) -> bool {
        let identity = matches!(step.meaning.class, Class::Credential | Class::Member | Class::Rights);
        let shuts_out = matches!(step.meaning.verb, Verb::Stop | Verb::Remove) || deed.traits.has(Trait::SwitchesOff);
        let own = own_name(&deed.principal) == deed.resource;
        let suspect =
            || self.suspects.get(&deed.resource).is_some_and(|at| (step.at_ms - at).abs() <= ANSWERED_WITHIN_MS);
        identity && shuts_out && !own && suspect()
    }

    /// Returns the number of observed actions.
    pub fn deeds(&self) -> u64 {
        self.deeds
    }

    /// Returns the profile of a principal: its usual behavior, its peers, and its recent unusual actions.
    pub fn profile(&self, principal: &str) -> Option<Profile> {
        let subject = self.subjects.get(principal)?;
        let peers = self
            .subjects
            .iter()
            .filter(|(name, other)| *name != principal && !subject.peers.is_empty() && other.peers == subject.peers);
        Some(Profile::of(principal, subject, peers, &self.names))
    }

    /// Principals that did something unusual, each with its latest such deeds; the latest first.
    pub fn unusual(&self) -> Vec<(String, Unusual)> {
        let mut all: Vec<(String, Unusual)> = self
            .subjects
            .iter()
            .flat_map(|(name, subject)| subject.unusual.iter().map(|one| (name.clone(), one.clone())))
            .collect();
        all.sort_by(|a, b| {
            b.1.at_ms.cmp(&a.1.at_ms).then_with(|| a.0.cmp(&b.0)).then_with(|| a.1.operation.cmp(&b.1.operation))
        });
        all
    }

    fn step(&mut self, deed: &Deed) -> Step {
        let plain = self.names.number(&format!("{}:{}", deed.service, deed.operation));
        let meaning = match self.meanings.get(&plain) {
            Some(meaning) if plain.0 != 0 => *meaning,
            _ => {
                let meaning = Meaning::of(&deed.service, &deed.operation);
                self.meanings.insert(plain, meaning);
                meaning
            }
        };
        let mut name = |text: &str| (!text.is_empty()).then(|| self.names.number(text));
        Step {
            network: name(&deed.place.network),
            region: name(&deed.place.region),
            country: name(&deed.place.country),
            tool: name(&deed.tool),
            action: name(&flavour(deed)).unwrap_or(plain),
            meaning,
            hour: deed.at_ms.div_euclid(3_600_000),
            at_ms: deed.at_ms,
            turn: None,
            done: deed.outcome == Outcome::Done,
        }
    }

    /// Takes a principal out to look at, a new one where it is not known.
    fn take(&mut self, deed: &Deed) -> Subject {
        let known = self.subjects.remove(&deed.principal);
        if known.is_none() && self.subjects.len() >= self.limits.principals {
            forget(&mut self.subjects, |subject| subject.seen);
        }
        let mut subject =
            known.unwrap_or_else(|| Subject { first_ms: deed.at_ms, last_ms: deed.at_ms, ..Subject::default() });
        subject.kind = deed.kind;
        if subject.peers != deed.peers {
            subject.peers.clone_from(&deed.peers);
        }
        subject.deeds += 1;
        subject.seen = self.deeds;
        subject.first_ms = subject.first_ms.min(deed.at_ms);
        subject.last_ms = subject.last_ms.max(deed.at_ms);
        subject
    }

    /// Puts a deed into the visit it belongs to.
    fn visit(&mut self, deed: &Deed, step: &Step, subject: &mut Subject) {
        let handed = self.handed.remove(&deed.principal);
        let visit = subject.visit.at(step.at_ms);
        if let Some(mut handed) = handed {
            let handed = handed.at(step.at_ms);
            visit.denied += handed.denied;
            if handed.heat > visit.heat {
                (visit.heat, visit.hot, visit.hot_ms) = (handed.heat, handed.hot, handed.hot_ms);
            }
        }
        if deed.outcome == Outcome::Denied {
            visit.denied += 1;
            visit.refused.insert(fingerprint(&[&deed.service, &deed.operation]));
        }
        let failed = u32::from(step.failed_sign_in(deed));
        if let Some(network) = step.network.filter(|_| step.meaning.verb == Verb::SignIn) {
            // Where many people sign in, some always fail.
            let common = self.estate.past.networks.hours(network, step.hour) >= 24.0;
            if let Some(tried) = self.guessing.get_mut(&network).filter(|_| !common) {
                let tried = tried.at(step.at_ms);
                visit.failed_logins = visit.failed_logins.max(tried.failed_logins);
                visit.accounts.extend(&tried.accounts);
            }
        }
        visit.failed_logins += failed;
        if failed > 0 {
            visit.accounts.insert(fingerprint(&[&deed.principal]));
        }
        if let Some(network) = step.network.filter(|_| failed > 0) {
            if self.guessing.len() >= self.limits.groups && !self.guessing.contains_key(&network) {
                self.guessing.pop_first();
            }
            let tried = self.guessing.entry(network).or_default().at(step.at_ms);
            tried.failed_logins += 1;
            tried.accounts.insert(fingerprint(&[&deed.principal]));
        }
        let seldom = subject.past.actions.hours(step.action, step.hour) < SELDOM_H;
        let secret = step.meaning.class == Class::Secret && step.meaning.verb == Verb::Read && !step.meaning.lists;
        if secret && seldom {
            visit.targets.insert(fingerprint(&[&deed.resource]));
            // A call for many names none of them; each such call is another handful, also within one second.
            if deed.traits.has(Trait::Many) || step.meaning.bulk {
                for n in 0..HANDFUL {
                    visit.targets.insert(fingerprint(&[&deed.resource, &subject.deeds.to_string(), &n.to_string()]));
                }
            }
        }
    }

    fn learn(&mut self, deed: &Deed, step: &Step, judgement: &Judgement) {
        let Some(mut subject) = self.subjects.remove(&deed.principal) else { return };
        let principal = fingerprint(&[&deed.principal]);
        let unusual = judgement.score >= UNUSUAL;
        let weight = if unusual { UNUSUAL_TEACHES } else { 1.0 };
        let seldom = subject.past.actions.hours(step.action, step.hour) < SELDOM_H;
        subject.past.note(step, weight);
        subject.last = Some(step.meaning);
        self.estate.note(step, weight, principal);
        if !deed.peers.is_empty() {
            if !self.groups.contains_key(&deed.peers) && self.groups.len() >= self.limits.groups {
                forget(&mut self.groups, |group| group.seen);
            }
            let group = self.groups.entry(deed.peers.clone()).or_default();
            group.seen = self.deeds;
            group.note(step, weight, principal);
        }
        if unusual {
            subject.remember(Unusual::of(deed, judgement));
            self.suspect(deed);
        }
        self.remember_visit(deed, step, judgement, subject.visit.at(step.at_ms), seldom);
        self.subjects.insert(deed.principal.clone(), subject);
    }

    fn suspect(&mut self, deed: &Deed) {
        let name = own_name(&deed.principal);
        if name.is_empty() {
            return;
        }
        if self.suspects.len() >= self.limits.groups && !self.suspects.contains_key(name) {
            self.suspects.pop_first();
        }
        self.suspects.insert(name.to_owned(), deed.at_ms);
    }

    fn remember_visit(&mut self, deed: &Deed, step: &Step, judgement: &Judgement, visit: &mut Visit, seldom: bool) {
        if step.meaning.verb == Verb::Read && seldom {
            visit.looks.insert(fingerprint(&[&deed.service, &deed.operation]));
        }
        visit.stages |= weigh::stage(step);
        // Heat is of the deed itself: what it owes to the heat before it must not feed on itself.
        let own = judgement.score.min(without_sequence(judgement));
        if own >= UNUSUAL && own >= visit.heat_at(step.at_ms) {
            (visit.heat, visit.hot, visit.hot_ms) = (own, Some(step.action), step.at_ms);
        }
        if !deed.becomes.is_empty() && deed.outcome == Outcome::Done && deed.becomes != deed.principal {
            if self.handed.len() >= self.limits.groups {
                self.handed.pop_first();
            }
            self.handed.insert(deed.becomes.clone(), visit.clone());
        }
    }
}

/// The name of a principal without its account.
fn own_name(principal: &str) -> &str {
    principal.rsplit(':').next().unwrap_or(principal)
}

fn without_sequence(judgement: &Judgement) -> f64 {
    let sum: f64 = judgement.evidence.iter().map(|one| one.weight).sum();
    1.0 / (1.0 + (judgement.weight_of(Reason::Sequence) - sum).exp())
}

/// Forgets the eighth of all that was not seen for longest.
fn forget<T>(map: &mut HashMap<String, T>, seen: fn(&T) -> u64) {
    let mut all: Vec<u64> = map.values().map(seen).collect();
    all.sort_unstable();
    let Some(until) = all.get(all.len() / 8).copied() else { return };
    map.retain(|_, one| seen(one) > until);
}

/// An action by its name, its outcome, and what makes it grave: opening a port to the world is another thing to be used to
/// than opening it to an office.
fn flavour(deed: &Deed) -> String {
    const GRAVE: [Trait; 12] = [
        Trait::OpensToAll,
        Trait::GivesAdmin,
        Trait::NamesForeignAccount,
        Trait::Shares,
        Trait::SwitchesOff,
        Trait::RemotePort,
        Trait::NoSecondFactor,
        Trait::LooksAbroad,
        Trait::Costly,
        Trait::ForeignKey,
        Trait::Extortion,
        Trait::NoWayBack,
    ];
    let mut name = match deed.outcome {
        Outcome::Done => String::new(),
        _ => "!".to_owned(),
    };
    name.push_str(&deed.service);
    name.push(':');
    name.push_str(&deed.operation);
    for one in GRAVE.iter().filter(|one| deed.traits.has(**one)) {
        name.push('+');
        name.push_str(&(*one as u32).to_string());
    }
    name
}

/// The step from one kind of deed to another, as a number of its own.
fn turn(from: Meaning, to: Meaning) -> NameId {
    let code = |meaning: Meaning| (meaning.verb as u32) << 8 | meaning.class as u32;
    NameId(code(from) << 16 | code(to))
}

#[cfg(test)]
impl Watch {
    /// Returns the sizes of the memory: subjects, groups, names, handed-over visits, networks with guessed passwords.
    pub(crate) fn sizes(&self) -> [usize; 5] {
        [self.subjects.len(), self.groups.len(), self.names.len(), self.handed.len(), self.guessing.len()]
    }
}
