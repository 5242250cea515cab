//! Search over the principals that one controls, breadth first.
//!
//! In each round the calls of newly controlled principals are added to those known so far; a
//! technique whose calls are all there gives a further principal, or an administrator.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::technique::{Technique, TechniqueEffect, techniques};

use super::facts::ReachGraph;
use super::grant::{Grant, Strength};

/// Principal that makes a call, with its permissions.
type Caller = (usize, Rc<Grant>);

/// Step that gave a principal.
#[derive(Debug, Clone)]
pub(super) struct Gain {
    pub(super) technique: usize,
    pub(super) target: usize,
    /// Principals that make the calls, with their permissions.
    pub(super) calls: Vec<Caller>,
    /// Principal that had to be controlled before, whose policies are changed.
    pub(super) own: Option<usize>,
    /// Further conditions: those of the target's own permissions.
    pub(super) outcome: Rc<Grant>,
}

/// Search from one principal, with ways of a strength at least.
pub(super) struct Search<'g, 'a> {
    graph: &'g mut ReachGraph<'a>,
    least: Strength,
    /// Controlled principals in the order in which they were gained.
    pub(super) controlled: Vec<usize>,
    is_controlled: HashSet<usize>,
    pub(super) gains: HashMap<usize, Gain>,
    /// Callers of each call, by technique and target.
    calls: HashMap<(usize, usize), Vec<Option<Caller>>>,
    by_target: HashMap<usize, BTreeSet<usize>>,
}

/// Outcome of a technique.
enum Outcome {
    Administrator(Rc<Grant>),
    Principal(usize),
}

impl<'g, 'a> Search<'g, 'a> {
    pub(super) fn new(graph: &'g mut ReachGraph<'a>, from: usize, least: Strength) -> Self {
        Search {
            graph,
            least,
            controlled: vec![from],
            is_controlled: HashSet::from([from]),
            gains: HashMap::new(),
            calls: HashMap::new(),
            by_target: HashMap::new(),
        }
    }

    /// Runs until an administrator is gained, and returns the step that gave it.
    pub(super) fn administrator(&mut self) -> Option<Gain> {
        let mut frontier = self.controlled.clone();
        while !frontier.is_empty() {
            let mut touched: BTreeSet<(usize, usize)> = BTreeSet::new();
            for node in std::mem::take(&mut frontier) {
                self.add_calls(node, &mut touched);
            }

            let mut complete: Vec<(usize, usize)> = touched
                .into_iter()
                .filter(|key| self.is_complete(*key))
                .collect();
            complete.sort_by_cached_key(|(technique, target)| {
                let strength = self.strength((*technique, *target));
                let about = &techniques()[*technique];
                (
                    std::cmp::Reverse(strength),
                    about.assumes.is_some(),
                    *technique,
                    *target,
                )
            });

            let mut gained = Vec::new();
            for key in complete {
                for (outcome, own) in self.outcomes(key) {
                    match outcome {
                        Outcome::Administrator(grant) if grant.strength >= self.least => {
                            return Some(self.gain(key, own, grant));
                        }
                        Outcome::Principal(node) => gained.push((node, key, own)),
                        Outcome::Administrator(_) => {}
                    }
                }
            }
            for (node, key, own) in gained {
                if self.is_controlled.insert(node) {
                    let gain = self.gain(key, own, Rc::new(Grant::certain()));
                    self.gains.insert(node, gain);
                    self.controlled.push(node);
                    frontier.push(node);
                }
            }
        }
        None
    }

    fn add_calls(&mut self, node: usize, touched: &mut BTreeSet<(usize, usize)>) {
        let facts = self.graph.facts(node);
        for fact in facts
            .iter()
            .filter(|fact| fact.grant.strength >= self.least)
        {
            let key = (fact.technique, fact.target);
            let count = techniques()[fact.technique].calls.len();
            let callers = self.calls.entry(key).or_insert_with(|| vec![None; count]);
            let caller = &mut callers[fact.call];
            if caller.is_none() {
                *caller = Some((node, fact.grant.clone()));
                touched.insert(key);
            }
            self.by_target
                .entry(fact.target)
                .or_default()
                .insert(fact.technique);
        }

        // Techniques on a principal that is controlled from now on.
        let techniques = self.by_target.get(&node).into_iter().flatten();
        touched.extend(techniques.map(|technique| (*technique, node)));
        // A user may join the groups that others can add users to.
        if node < self.graph.account.principals.len() {
            let joins = self
                .calls
                .keys()
                .filter(|(technique, _)| techniques_of(*technique).effect == TechniqueEffect::Join);
            touched.extend(joins.copied());
        }
    }

    fn is_complete(&self, key: (usize, usize)) -> bool {
        let technique = techniques_of(key.0);
        let has_calls = self
            .calls
            .get(&key)
            .is_some_and(|callers| callers.iter().all(Option::is_some));
        has_calls && (!technique.target.is_own() || self.is_controlled.contains(&key.1))
    }

    fn strength(&self, key: (usize, usize)) -> Strength {
        let callers = self.calls.get(&key).into_iter().flatten().flatten();
        let strengths = callers.map(|(_, grant)| grant.strength);
        strengths.min().unwrap_or(Strength::Blocked)
    }

    /// Returns what a complete technique gives, each with the principal that had to be controlled.
    fn outcomes(&mut self, (technique, target): (usize, usize)) -> Vec<(Outcome, Option<usize>)> {
        let effect = techniques_of(technique).effect;
        match effect {
            TechniqueEffect::Become => {
                let administrator = self.graph.administrator(target);
                let mut found = Vec::new();
                found.extend(
                    administrator
                        .filter(|grant| grant.strength > Strength::Blocked)
                        .map(|grant| (Outcome::Administrator(grant), None)),
                );
                found.push((Outcome::Principal(target), None));
                found
            }
            TechniqueEffect::Empower => {
                let grant = self.graph.empowered(target);
                vec![(Outcome::Administrator(grant), Some(target))]
            }
            TechniqueEffect::BecomeEmpowered => {
                let grant = self.graph.empowered(target);
                vec![(Outcome::Administrator(grant), None)]
            }
            TechniqueEffect::Join => {
                let users = self.controlled.clone();
                let mut found = Vec::new();
                for user in users {
                    let Some(member) = self.graph.joined(user, target) else {
                        continue;
                    };
                    let administrator = self.graph.administrator(member);
                    found.extend(
                        administrator.map(|grant| (Outcome::Administrator(grant), Some(user))),
                    );
                    found.push((Outcome::Principal(member), Some(user)));
                }
                found
            }
        }
    }

    fn gain(&self, key: (usize, usize), own: Option<usize>, outcome: Rc<Grant>) -> Gain {
        let callers = self.calls.get(&key).into_iter().flatten().flatten();
        Gain {
            technique: key.0,
            target: key.1,
            calls: callers.cloned().collect(),
            own,
            outcome,
        }
    }
}

fn techniques_of(at: usize) -> &'static Technique {
    &techniques()[at]
}
