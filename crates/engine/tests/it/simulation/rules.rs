//! What must hold when an execution begins and when it ends, stated anew from the specification: the engine's own checks are
//! not asked.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Catalogue, Resource, ResourceKind, ResourceState};
use reeve_recommend::{Agent, Direction, IacRule, Impact, Mode, Scope};

use super::evidence::{Deed, Evidence, Found, Request};
use super::people::PEOPLE;
use crate::journal::Policy;

/// What is wrong where it does not hold, and whether it holds under a policy.
type Rule<'a> = (&'static str, Box<dyn Fn(&Policy) -> bool + 'a>);

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Whatever people set holds within this.
const GRACE: SignedDuration = SignedDuration::from_secs(1);

/// Whether a scope covers a resource.
fn covers(scope: &Scope, of: &Resource) -> bool {
    let name = match of.connection.0.as_str() {
        "c-1" => "prod-aws",
        "c-2" => "dev-aws",
        _ => "watched",
    };
    let account = |given: &String| [of.account.as_str(), name, of.connection.0.as_str()].contains(&given.as_str());
    (scope.accounts.is_empty() || scope.accounts.iter().any(account))
        && (scope.services.is_empty() || scope.services.contains(&of.service))
}

fn hourly(of: &Resource, size: &str) -> Option<f64> {
    let machine = of.kind == ResourceKind::VirtualMachine;
    let platform = of.specification.platform.as_deref();
    machine
        .then(|| Catalogue::builtin().hourly_usd(of.provider, &of.region, size, platform))?
        .map(|price| price.usd_per_hour)
}

/// By how much a change moves the cost of its resource, percent, where there is a price.
fn cost_percent(found: &Found, of: &Resource) -> Option<f64> {
    match (found.kind.as_str(), &found.size, &found.target) {
        ("idle_resource_cleanup", ..) if of.kind == ResourceKind::VirtualMachine => Some(-100.0),
        (_, Some(size), Some(target)) => Some((hourly(of, target)? / hourly(of, size)? - 1.0) * 100.0),
        _ => None,
    }
}

/// The signatures an execution needs at least: by the recorded impact, and never less than cost and kind alone would ask for.
fn needed(found: &Found, impact: &str, of: &Resource, agent: &Agent) -> Vec<&'static str> {
    let monthly = found.size.as_deref().and_then(|size| hourly(of, size)).map_or(0.0, |hourly| hourly * 730.0);
    let by_cost = if monthly > 1000.0 {
        Impact::High
    } else if monthly >= 100.0 {
        Impact::Medium
    } else {
        Impact::Low
    };
    let grave = of.kind == ResourceKind::Database || of.tags.get("env").is_some_and(|env| env == "prod");
    let by_kind = if grave { Impact::Medium } else { Impact::Low };
    let recorded = Impact::parse(impact).unwrap_or(Impact::High);
    match recorded.max(by_cost).max(by_kind) {
        Impact::High => vec!["director", "security"],
        Impact::Medium => vec!["manager"],
        Impact::Low if agent.auto_apply.approval_required == Impact::Low => vec!["manager"],
        Impact::Low => Vec::new(),
    }
}

fn may_sign(who: &str, signature: &str) -> bool {
    let name = who.trim_end_matches("@example.com");
    PEOPLE.iter().any(|(known, _, signatures)| *known == name && signatures.contains(&signature))
}

/// Whether a request carries the signatures: each by somebody else than who asked, each by somebody who may, or to whom
/// somebody who may has left it.
fn carries(request: &Request, needed: &[&str]) -> bool {
    let good = |(signature, who, at): &&(String, String, usize)| {
        let left =
            |(of, from, to): &(String, String, String)| of == signature && to == who && may_sign(from, signature);
        *who != request.by
            && request.closed.is_none_or(|closed| closed < *at)
            && (may_sign(who, signature) || request.delegated.iter().any(left))
    };
    let mut signers: Vec<&str> = Vec::new();
    for wanted in needed {
        let mut fitting = request.signed.iter().filter(good).filter(|(signature, ..)| signature == wanted);
        match fitting.find(|(_, who, _)| !signers.contains(&who.as_str())) {
            Some((_, who, _)) => signers.push(who),
            None => return false,
        }
    }
    true
}

impl Evidence {
    /// Whether something was so under what people had set, at any time within the last second.
    fn lately(&self, now: Timestamp, holds: impl Fn(&Policy) -> bool) -> bool {
        for policy in self.policies.iter().rev() {
            if holds(policy) {
                return true;
            }
            if now.duration_since(policy.at) >= GRACE {
                return false;
            }
        }
        false
    }

    /// An execution begins.
    pub(super) fn may_begin(&mut self, at: usize, deed: &Deed) {
        let (Some(found), Some(machine)) = (self.found.get(&deed.recommendation), self.machines.get(&deed.resource))
        else {
            return self.fault(format!("{} is of nothing that was found", deed.id));
        };
        let (found, of) = (found.clone(), machine.after.clone());
        let mut wrong = self.outside_policy(&found, &of, deed);
        wrong.extend(self.beyond_limits(deed));
        if !deed.test {
            // What was recorded may not have been kept: each version that was recorded counts.
            let same: Vec<&String> =
                found.versions.iter().filter(|(hash, _)| *hash == deed.plan_hash).map(|(_, impact)| impact).collect();
            if found.resource != deed.resource || same.is_empty() {
                wrong.push("the plan is not the one that was recorded");
            }
            let signed = self.requests.values().filter(|r| self.good_for(r, deed)).collect::<Vec<_>>();
            let enough = |policy: &Policy| {
                policy.agents.get(&deed.agent).is_some_and(|agent| {
                    same.iter().any(|impact| {
                        let needed = needed(&found, impact, &of, agent);
                        needed.is_empty() || signed.iter().any(|request| carries(request, &needed))
                    })
                })
            };
            if !self.lately(deed.at, enough) {
                wrong.push("signatures are missing");
            }
        }
        for what in wrong {
            self.fault(format!(
                "{} at {at} on {} ({}, by {}): {what}",
                deed.id, deed.resource, found.kind, deed.asked_by
            ));
        }
    }

    /// Whether what code owns was to be left to it when a deed began.
    pub(super) fn is_left_to_code(&self, deed: &Deed) -> bool {
        !deed.test && !self.lately(deed.at, |p| p.guardrails.change_control.infrastructure_as_code == IacRule::Allow)
    }

    fn good_for(&self, request: &Request, deed: &Deed) -> bool {
        let last = (request.asked + DAY * 7).max(
            self.scheduled.get(&deed.recommendation).map_or(request.asked, |at| *at + SignedDuration::from_hours(1)),
        );
        request.recommendation == deed.recommendation && request.plan_hash == deed.plan_hash && deed.at <= last
    }

    /// What people have set and this execution is outside of.
    fn outside_policy(&self, found: &Found, of: &Resource, deed: &Deed) -> Vec<&'static str> {
        let agent = |policy: &Policy| policy.agents.get(&found.agent).cloned();
        let automatic = deed.run.is_some();
        let restarts = found.target.is_some() && found.size.is_some();
        let percent = cost_percent(found, of);
        let minute = (deed.at.as_second().rem_euclid(86_400) / 60) as u32;
        let holds: [Rule<'_>; 10] = [
            ("the kill switch is on", Box::new(|p| !p.guardrails.kill_switch)),
            ("the agent learns", Box::new(|p| agent(p).is_some_and(|a| a.mode != Mode::Learning))),
            ("outside of the agent's scope", Box::new(|p| agent(p).is_some_and(|a| covers(&a.scope, of)))),
            (
                "the agent may not by itself",
                Box::new(|p| {
                    !automatic
                        || agent(p).is_some_and(|a| {
                            let low_enough = |impact: &String| {
                                Impact::parse(impact).is_some_and(|impact| impact <= a.auto_apply.max_impact)
                            };
                            a.auto_apply.enabled && found.versions.iter().any(|(_, impact)| low_enough(impact))
                        })
                }),
            ),
            ("the connection is looked at alone", Box::new(|p| !p.observe_only.contains(&of.connection.0))),
            (
                "excluded",
                Box::new(|p| {
                    !p.exclusions.iter().any(|e| {
                        e.resource.as_deref() == Some(found.resource.as_str())
                            && e.kind.is_none_or(|kind| kind.as_str() == found.kind)
                            && e.until.is_none_or(|until| deed.at < until)
                    })
                }),
            ),
            (
                "a freeze holds",
                Box::new(|p| {
                    !p.guardrails
                        .change_control
                        .freezes
                        .iter()
                        .any(|freeze| covers(&freeze.scope, of) && freeze.from <= deed.at && deed.at < freeze.until)
                }),
            ),
            (
                "outside of maintenance",
                Box::new(|p| {
                    !restarts || {
                        let windows = p.guardrails.change_control.windows.iter().filter(|w| covers(&w.scope, of));
                        let open = |w: &reeve_recommend::MaintenanceWindow| {
                            let start = u32::from(w.start.hour().unsigned_abs()) * 60;
                            (minute + 1440 - start) % 1440 < w.duration_minutes
                        };
                        let windows: Vec<_> = windows.collect();
                        windows.is_empty() || windows.into_iter().any(open)
                    }
                }),
            ),
            (
                "the other direction",
                Box::new(|p| match p.guardrails.change_control.direction {
                    Direction::Both => true,
                    Direction::UpOnly => percent.is_none_or(|percent| percent >= 0.0),
                    Direction::DownOnly => percent.is_none_or(|percent| percent <= 0.0),
                }),
            ),
            (
                "the cost moves too far",
                Box::new(|p| {
                    percent.is_none_or(|percent| {
                        let idle = found.kind == "idle_resource_cleanup" && !automatic;
                        percent <= p.guardrails.max_cost_increase_percent + 0.1
                            && (idle || -percent <= p.guardrails.max_cost_decrease_percent + 0.1)
                    })
                }),
            ),
        ];
        holds.iter().filter(|(_, holds)| !self.lately(deed.at, holds)).map(|(what, _)| *what).collect()
    }

    /// What was done lately and leaves no room for this execution.
    fn beyond_limits(&self, deed: &Deed) -> Vec<&'static str> {
        let now = deed.at;
        let counts = |d: &&Deed| d.began.is_some() && d.ended.as_ref().is_none_or(|(how, _)| how != "action.abort");
        let in_day: Vec<&Deed> =
            self.deeds.values().filter(counts).filter(|d| now.duration_since(d.at) < DAY).collect();
        let in_run = in_day.iter().filter(|d| d.run.is_some() && d.run == deed.run).count();
        let own = in_day.iter().filter(|d| d.run.is_some() && d.agent == deed.agent).count();
        let touched = self.deeds.values().filter(counts).filter(|d| d.resource == deed.resource);
        let last = touched.filter_map(|d| d.last_change).max();
        let machines = self.machines.values().filter(|m| m.after.state != ResourceState::Deleted).count();
        let share = |percent: f64| ((machines as f64 * percent / 100.0).floor() as usize).max(1);
        let down = self.down_s(&deed.resource, now);
        // The error budget bounds what restarts a resource; stopping what is idle takes nothing that is used.
        let restarts = self.found.get(&deed.recommendation).is_some_and(|found| found.target.is_some());
        let holds: [Rule<'_>; 6] = [
            ("too many a day", Box::new(|p| in_day.len() < p.guardrails.max_actions_per_day as usize)),
            ("too many a run", Box::new(|p| deed.run.is_none() || in_run < p.guardrails.max_actions_per_run as usize)),
            (
                "too large a share",
                Box::new(|p| deed.run.is_none() || own < share(p.guardrails.max_share_per_day_percent)),
            ),
            (
                "changed a moment ago",
                Box::new(|p| {
                    last.is_none_or(|last| now.duration_since(last).as_secs() >= p.guardrails.cool_down_s as i64)
                }),
            ),
            ("too many failures", Box::new(|p| self.failures(p) < p.guardrails.breaker_failures as usize)),
            (
                "down for too long",
                Box::new(|p| {
                    let uptime = 100.0 * (1.0 - down / (30.0 * 86_400.0));
                    !restarts || down == 0.0 || uptime >= p.guardrails.min_uptime_percent
                }),
            ),
        ];
        holds.iter().filter(|(_, holds)| !self.lately(now, holds)).map(|(what, _)| *what).collect()
    }

    /// Seconds a resource was down for deeds that started it again.
    fn down_s(&self, resource: &str, now: Timestamp) -> f64 {
        let spans = self.down.get(resource).map_or(&[][..], Vec::as_slice);
        let recent = spans.iter().filter(|(from, _)| now.duration_since(*from) < DAY * 30);
        recent.filter_map(|(from, to)| Some(to.as_ref()?.duration_since(*from).as_secs_f64())).sum()
    }

    /// Failures in a row, newest first, since the breaker was reset.
    fn failures(&self, policy: &Policy) -> usize {
        let since = policy.guardrails.breaker_reset_at;
        let mut applied: Vec<&Deed> =
            self.deeds.values().filter(|d| !d.test && since.is_none_or(|at| d.at > at)).collect();
        applied.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.id.cmp(&a.id)));
        let mut failures = 0;
        for deed in applied {
            match deed.ended.as_ref().map(|(how, _)| how.as_str()) {
                Some("action.succeed") => break,
                Some("action.rolled_back") if deed.held => break,
                Some("action.fail" | "action.rolled_back") => failures += 1,
                _ => {}
            }
        }
        failures
    }

    /// An execution ended: the cloud is as the record says.
    pub(super) fn ended_as_told(&mut self, deed: &Deed, operation: &str, now: Timestamp) {
        let (Some(found), Some(before)) = (self.found.get(&deed.recommendation), &deed.before) else { return };
        let Some((state, size)) = self.state(&deed.resource, now) else { return };
        let (was, was_size) = before.clone();
        if deed.disturbed || operation == "action.fail" {
            return;
        }
        let as_before = was == ResourceState::Changing || (state, &size) == (was, &was_size);
        let reached = match (&found.target, found.kind.as_str()) {
            (Some(target), _) => size.as_ref() == Some(target) && state == ResourceState::Running,
            (None, "idle_resource_cleanup") if was != ResourceState::Unattached => state == ResourceState::Stopped,
            _ => as_before,
        };
        let right = if operation == "action.succeed" { reached } else { as_before };
        if !right {
            let what = format!(
                "{} ends with {operation}: {} is {state}, {size:?}; it was {was}, {was_size:?}",
                deed.id, deed.resource
            );
            self.fault(what);
        }
    }
}
