//! The watch over an estate: takes events in the order they arrive, judges each by those before it,
//! and learns from it.

use std::collections::{BTreeMap, HashMap};

use super::event::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind, Trait};
use super::evidence::{BehaviorJudgement, BehaviorReason, EvidenceList};
use super::habit::Habits;
use super::names::{BehaviorNames, NameId, fingerprint};
use super::prior::{self, Meaning};
use super::profile::{Profile, Unusual};
use super::rarity::{self, Baselines};
use super::subject::{ActivitySession, BehaviorSubject, Population, Step};
use super::words::{Verb, WordClass};
use super::{activity, place};

/// From this score on an event is remembered as unusual, makes what follows it suspect, and teaches
/// little.
const UNUSUAL: f64 = 0.5;
/// Weight with which an unusual action is learnt, where an ordinary one has 1.
const UNUSUAL_WEIGHT: f64 = 0.25;

/// Secrets that a call for many counts for beside one: as many as leave a single such call
/// unremarkable.
const BULK_COUNT: u32 = 2;
/// Weight of shutting out a principal that did something unusual within [`CONTAINMENT_WINDOW_MS`]:
/// it is what a defender does.
const CONTAINMENT_WEIGHT: f64 = -3.5;
/// Networks of people that are remembered.
const MOST_PEOPLES_NETWORKS: usize = 1_024;
/// Time between an unusual event and an action that shuts its principal out.
const CONTAINMENT_WINDOW_MS: i64 = 24 * 3_600_000;
/// Hours below which an action is not a habit.
const RARE_BELOW_H: f64 = 3.0;

/// Limits of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchLimits {
    /// Principals; beyond it those not seen for longest are forgotten.
    pub principals: usize,
    /// Groups of peers; beyond it the least recently seen is forgotten.
    pub groups: usize,
    /// Distinct names of actions, networks, regions and programs.
    pub names: usize,
}

impl Default for WatchLimits {
    /// Enough for an estate of ten thousand principals in about 300 MB at the very worst, and a few
    /// in practice.
    fn default() -> Self {
        Self {
            principals: 10_000,
            groups: 2_000,
            names: 100_000,
        }
    }
}

/// A watch over an estate.
#[derive(Debug, Clone)]
pub struct Watch {
    limits: WatchLimits,
    names: BehaviorNames,
    meanings: HashMap<NameId, Meaning>,
    subjects: HashMap<String, BehaviorSubject>,
    groups: HashMap<String, Population>,
    estate: Population,
    /// Networks from which people work.
    people: Habits,
    /// Actions by which anybody set something up.
    setups: u32,
    /// State that passes on to a principal that is about to be assumed by another.
    assumed_sessions: BTreeMap<String, ActivitySession>,
    /// Failed sign-ins by network: guessing goes from user to user.
    guessing: BTreeMap<NameId, ActivitySession>,
    /// Names of principals that did something unusual, and when: whoever shuts one of them out
    /// answers it.
    suspects: BTreeMap<String, i64>,
    events: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self::new(WatchLimits::default())
    }
}

impl Watch {
    /// Creates a watch without history.
    pub fn new(limits: WatchLimits) -> Self {
        Self {
            limits,
            names: BehaviorNames::new(limits.names),
            meanings: HashMap::new(),
            subjects: HashMap::new(),
            groups: HashMap::new(),
            estate: Population::default(),
            people: Habits::default(),
            setups: 0,
            assumed_sessions: BTreeMap::new(),
            guessing: BTreeMap::new(),
            suspects: BTreeMap::new(),
            events: 0,
        }
    }

    /// Judges an event by the events before it, and learns it.
    pub fn observe(&mut self, event: &ActivityEvent) -> BehaviorJudgement {
        let step = self.count(event);
        let judgement = self.judge(event, &step);
        self.learn(event, &step, &judgement);
        judgement
    }

    /// Judges events of one and the same time, and learns them. None of them came before another,
    /// so each is judged by the events before all of them; only how many there are is counted over
    /// all.
    pub fn observe_together(&mut self, events: &[&ActivityEvent]) -> Vec<BehaviorJudgement> {
        let steps: Vec<Step> = events.iter().map(|event| self.count(event)).collect();
        let judgements: Vec<BehaviorJudgement> = events
            .iter()
            .zip(&steps)
            .map(|(event, step)| self.judge(event, step))
            .collect();

        // An hour is learnt from what is noted in it first, so the most ordinary comes first.
        let mut order: Vec<_> = events.iter().zip(&steps).zip(&judgements).collect();
        order.sort_by(|(_, a), (_, b)| a.score.total_cmp(&b.score));
        for ((event, step), judgement) in order {
            self.learn(event, step, judgement);
        }

        judgements
    }

    /// Counts an event: how much there is in its time, whatever it was.
    fn count(&mut self, event: &ActivityEvent) -> Step {
        self.events += 1;
        let mut step = self.step(event);
        let mut subject = self.take(event);
        step.transition = subject.last.map(|last| transition(last, step.meaning));
        self.session(event, &step, &mut subject);
        subject.count(&step);
        self.subjects.insert(event.principal.clone(), subject);
        step
    }

    fn judge(&self, event: &ActivityEvent, step: &Step) -> BehaviorJudgement {
        let nobody = BehaviorSubject::default();
        let subject = self.subjects.get(&event.principal).unwrap_or(&nobody);
        let mut evidence = EvidenceList::default();
        prior::add_evidence(event, step.meaning, &mut evidence);
        let peers = self
            .groups
            .get(&event.peers)
            .filter(|_| !event.peers.is_empty());
        let principal = fingerprint(&[&event.principal]);
        let (people, setups) = (&self.people, self.setups);
        let baselines = Baselines {
            own: subject,
            principal,
            peers,
            estate: &self.estate,
            people,
            setups,
        };

        if prior::sets_up(event, step.meaning) {
            rarity::setting_up(&baselines, &mut evidence);
        }

        let elsewhere = place::is_elsewhere(place::machine_elsewhere(event, step, &baselines));
        rarity::add_evidence(
            step,
            &baselines,
            (event.outcome == BehaviorOutcome::Denied, elsewhere),
            &mut evidence,
        );

        place::add_evidence(event, step, &baselines, &mut evidence);
        activity::time(step, &baselines, &mut evidence);
        if let Some(pace) = subject.pace(step) {
            let known = rarity::known(self.estate.past.hours.total() / 4.0);
            activity::volume(event, pace.counted(step.at_ms), pace, known, &mut evidence);
        }

        activity::sequence(event, step, &baselines, &self.names, &mut evidence);
        if self.is_containment(event, step) {
            evidence.add(BehaviorReason::Sequence, CONTAINMENT_WEIGHT, "");
        }

        evidence.judgement()
    }

    /// Returns `true` for an event that shuts out somebody who did something unusual shortly
    /// before.
    fn is_containment(&self, event: &ActivityEvent, step: &Step) -> bool {
        let identity = matches!(
            step.meaning.class,
            WordClass::Credential | WordClass::Member | WordClass::Rights
        );
        let shuts_out = matches!(step.meaning.verb, Verb::Stop | Verb::Remove)
            || event.traits.has(Trait::SwitchesOff);
        let own = own_name(&event.principal) == event.resource;
        let suspect = || {
            self.suspects
                .get(&event.resource)
                .is_some_and(|at| (step.at_ms - at).abs() <= CONTAINMENT_WINDOW_MS)
        };

        identity && shuts_out && !own && suspect()
    }

    /// Returns the number of observed actions.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the profile of a principal: its usual behavior, its peers, and its recent unusual
    /// actions.
    pub fn profile(&self, principal: &str) -> Option<Profile> {
        let subject = self.subjects.get(principal)?;
        let peers = self.subjects.iter().filter(|(name, other)| {
            *name != principal && !subject.peers.is_empty() && other.peers == subject.peers
        });
        Some(Profile::new(principal, subject, peers, &self.names))
    }

    /// Principals that did something unusual, each with its latest such events; the latest first.
    pub fn unusual(&self) -> Vec<(String, Unusual)> {
        let mut all: Vec<(String, Unusual)> = self
            .subjects
            .iter()
            .flat_map(|(name, subject)| {
                subject
                    .unusual
                    .iter()
                    .map(|one| (name.clone(), one.clone()))
            })
            .collect();

        all.sort_by(|a, b| {
            b.1.at_ms
                .cmp(&a.1.at_ms)
                .then_with(|| a.0.cmp(&b.0))
                .then_with(|| a.1.operation.cmp(&b.1.operation))
        });

        all
    }

    fn step(&mut self, event: &ActivityEvent) -> Step {
        let plain = self
            .names
            .number(&format!("{}:{}", event.service, event.operation));
        let meaning = match self.meanings.get(&plain) {
            Some(meaning) if plain.0 != 0 => *meaning,
            _ => {
                let meaning = Meaning::from_operation(&event.service, &event.operation);
                self.meanings.insert(plain, meaning);
                meaning
            }
        };

        let mut name = |text: &str| (!text.is_empty()).then(|| self.names.number(text));
        Step {
            network: name(&event.place.network),
            region: name(&event.place.region),
            country: name(&event.place.country),
            tool: name(&event.tool),
            action: name(&action_name(event)).unwrap_or(plain),
            meaning,
            hour: event.at_ms.div_euclid(3_600_000),
            at_ms: event.at_ms,
            transition: None,
            done: event.outcome == BehaviorOutcome::Done,
        }
    }

    /// Takes a principal out to look at, a new one where it is not known.
    fn take(&mut self, event: &ActivityEvent) -> BehaviorSubject {
        let known = self.subjects.remove(&event.principal);
        if known.is_none() && self.subjects.len() >= self.limits.principals {
            forget(&mut self.subjects, |subject| subject.seen);
        }

        let mut subject = known.unwrap_or_else(|| BehaviorSubject {
            first_ms: event.at_ms,
            last_ms: event.at_ms,
            ..BehaviorSubject::default()
        });
        subject.kind = event.kind;
        if subject.peers != event.peers {
            subject.peers.clone_from(&event.peers);
        }

        subject.events += 1;
        subject.seen = self.events;
        subject.first_ms = subject.first_ms.min(event.at_ms);
        subject.last_ms = subject.last_ms.max(event.at_ms);

        subject
    }

    /// Puts an event into the visit it belongs to.
    fn session(&mut self, event: &ActivityEvent, step: &Step, subject: &mut BehaviorSubject) {
        let assumed_sessions = self.assumed_sessions.remove(&event.principal);
        let session = subject.session.at(step.at_ms);

        if let Some(mut assumed_sessions) = assumed_sessions {
            let assumed_sessions = assumed_sessions.at(step.at_ms);
            session.denied += assumed_sessions.denied;
            if assumed_sessions.severity > session.severity {
                (session.severity, session.severest, session.severest_ms) = (
                    assumed_sessions.severity,
                    assumed_sessions.severest,
                    assumed_sessions.severest_ms,
                );
            }
        }

        if event.outcome == BehaviorOutcome::Denied {
            session.denied += 1;
            session
                .refused
                .insert(fingerprint(&[&event.service, &event.operation]));
        }

        let failed = u32::from(step.failed_sign_in(event));
        if let Some(network) = step.network.filter(|_| step.meaning.verb == Verb::SignIn) {
            // Where many people sign in, some always fail.
            let common = self.estate.past.networks.hours(network, step.hour) >= 24.0;
            if let Some(tried) = self.guessing.get_mut(&network).filter(|_| !common) {
                let tried = tried.at(step.at_ms);
                session.failed_logins = session.failed_logins.max(tried.failed_logins);
                session.accounts.extend(&tried.accounts);
            }
        }

        session.failed_logins += failed;
        if failed > 0 {
            session.accounts.insert(fingerprint(&[&event.principal]));
        }

        if let Some(network) = step.network.filter(|_| failed > 0) {
            if self.guessing.len() >= self.limits.groups && !self.guessing.contains_key(&network) {
                self.guessing.pop_first();
            }
            let tried = self.guessing.entry(network).or_default().at(step.at_ms);
            tried.failed_logins += 1;
            tried.accounts.insert(fingerprint(&[&event.principal]));
        }

        let is_rare = subject.past.actions.hours(step.action, step.hour) < RARE_BELOW_H;
        let secret = step.meaning.class == WordClass::Secret
            && step.meaning.verb == Verb::Read
            && !step.meaning.lists;

        if secret && is_rare {
            session.targets.insert(fingerprint(&[&event.resource]));
            // A call for many names none of them; each such call is another handful, also within
            // one second.
            if event.traits.has(Trait::Many) || step.meaning.bulk {
                for n in 0..BULK_COUNT {
                    session.targets.insert(fingerprint(&[
                        &event.resource,
                        &subject.events.to_string(),
                        &n.to_string(),
                    ]));
                }
            }
        }
    }

    fn learn(&mut self, event: &ActivityEvent, step: &Step, judgement: &BehaviorJudgement) {
        let Some(mut subject) = self.subjects.remove(&event.principal) else {
            return;
        };

        let principal = fingerprint(&[&event.principal]);
        let unusual = judgement.score >= UNUSUAL;
        let weight = if unusual { UNUSUAL_WEIGHT } else { 1.0 };
        let is_rare = subject.past.actions.hours(step.action, step.hour) < RARE_BELOW_H;
        subject.past.note(step, weight);
        subject.last = Some(step.meaning);
        if prior::sets_up(event, step.meaning) {
            subject.setups = subject.setups.saturating_add(1);
            self.setups = self.setups.saturating_add(1);
        }

        let person = matches!(
            event.kind,
            BehaviorPrincipalKind::Person | BehaviorPrincipalKind::Root
        );
        if let Some(network) = step
            .network
            .filter(|_| person && step.done && event.place.public)
        {
            self.people
                .note(network, step.at_ms, weight, MOST_PEOPLES_NETWORKS);
        }

        self.estate.note(step, weight, principal);
        if !event.peers.is_empty() {
            if !self.groups.contains_key(&event.peers) && self.groups.len() >= self.limits.groups {
                forget(&mut self.groups, |group| group.seen);
            }
            let group = self.groups.entry(event.peers.clone()).or_default();
            group.seen = self.events;
            group.note(step, weight, principal);
        }

        if unusual {
            subject.remember(Unusual::new(event, judgement));
            self.suspect(event);
        }

        self.update_session(
            event,
            step,
            judgement,
            subject.session.at(step.at_ms),
            is_rare,
        );

        self.subjects.insert(event.principal.clone(), subject);
    }

    fn suspect(&mut self, event: &ActivityEvent) {
        let name = own_name(&event.principal);
        if name.is_empty() {
            return;
        }
        if self.suspects.len() >= self.limits.groups && !self.suspects.contains_key(name) {
            self.suspects.pop_first();
        }
        self.suspects.insert(name.to_owned(), event.at_ms);
    }

    fn update_session(
        &mut self,
        event: &ActivityEvent,
        step: &Step,
        judgement: &BehaviorJudgement,
        session: &mut ActivitySession,
        is_rare: bool,
    ) {
        if step.meaning.verb == Verb::Read && is_rare {
            session
                .looks
                .insert(fingerprint(&[&event.service, &event.operation]));
        }

        session.stages |= activity::stage(step);
        // Heat is of the event itself: what it owes to the heat before it must not feed on itself.
        let own = judgement.score.min(without_sequence(judgement));
        if own >= UNUSUAL && own >= session.severity_at(step.at_ms) {
            (session.severity, session.severest, session.severest_ms) =
                (own, Some(step.action), step.at_ms);
        }
        if !event.becomes.is_empty()
            && event.outcome == BehaviorOutcome::Done
            && event.becomes != event.principal
        {
            if self.assumed_sessions.len() >= self.limits.groups {
                self.assumed_sessions.pop_first();
            }
            self.assumed_sessions
                .insert(event.becomes.clone(), session.clone());
        }
    }
}

/// The name of a principal without its account.
fn own_name(principal: &str) -> &str {
    principal.rsplit(':').next().unwrap_or(principal)
}

fn without_sequence(judgement: &BehaviorJudgement) -> f64 {
    let sum: f64 = judgement.evidence.iter().map(|one| one.weight).sum();
    1.0 / (1.0 + (judgement.weight_of(BehaviorReason::Sequence) - sum).exp())
}

/// Forgets the eighth of all that was not seen for longest.
fn forget<T>(map: &mut HashMap<String, T>, seen: fn(&T) -> u64) {
    let mut all: Vec<u64> = map.values().map(seen).collect();
    all.sort_unstable();
    let Some(until) = all.get(all.len() / 8).copied() else {
        return;
    };
    map.retain(|_, one| seen(one) > until);
}

/// An action by its name, its outcome, and what makes it severe: opening a port to the world is
/// another thing to be used to than opening it to an office.
fn action_name(event: &ActivityEvent) -> String {
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

    let mut name = match event.outcome {
        BehaviorOutcome::Done => String::new(),
        _ => "!".to_owned(),
    };
    name.push_str(&event.service);
    name.push(':');
    name.push_str(&event.operation);
    for one in GRAVE.iter().filter(|one| event.traits.has(**one)) {
        name.push('+');
        name.push_str(&(*one as u32).to_string());
    }

    name
}

/// The step from one kind of event to another, as a number of its own.
fn transition(from: Meaning, to: Meaning) -> NameId {
    let code = |meaning: Meaning| (meaning.verb as u32) << 8 | meaning.class as u32;
    NameId(code(from) << 16 | code(to))
}

#[cfg(test)]
impl Watch {
    /// Returns the sizes of the memory: subjects, groups, names, handed-over visits, networks with
    /// guessed passwords.
    pub(crate) fn sizes(&self) -> [usize; 5] {
        [
            self.subjects.len(),
            self.groups.len(),
            self.names.len(),
            self.assumed_sessions.len(),
            self.guessing.len(),
        ]
    }
}
