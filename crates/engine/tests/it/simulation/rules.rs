//! Invariants at the beginning and the end of an execution, stated independently from the
//! specification: the engine's own checks are not used.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{PriceCatalogue, Resource, ResourceKind, ResourceState};
use reeve_recommend::agent::{Agent, AgentScope, Impact, Mode};
use reeve_recommend::guardrail::change_control::{Direction, IacRule};

use super::evidence::{Evidence, Execution, Found, Request};
use super::people::PEOPLE;
use crate::journal::Policy;

/// Description of a violation, and the condition that a policy must satisfy.
type Rule<'a> = (&'static str, Box<dyn Fn(&Policy) -> bool + 'a>);

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Whatever people set holds within this.
const GRACE: SignedDuration = SignedDuration::from_secs(1);

/// Returns `true` if a scope includes a resource.
fn covers(scope: &AgentScope, resource: &Resource) -> bool {
    let name = match resource.connection.0.as_str() {
        "c-1" => "prod-aws",
        "c-2" => "dev-aws",
        _ => "watched",
    };

    let account = |given: &String| {
        [
            resource.account.as_str(),
            name,
            resource.connection.0.as_str(),
        ]
        .contains(&given.as_str())
    };

    (scope.accounts.is_empty() || scope.accounts.iter().any(account))
        && (scope.services.is_empty() || scope.services.contains(&resource.service))
}

fn hourly(resource: &Resource, size: &str) -> Option<f64> {
    let machine = resource.kind == ResourceKind::VirtualMachine;
    let platform = resource.specification.platform.as_deref();
    machine
        .then(|| {
            PriceCatalogue::builtin().hourly_usd(
                resource.provider,
                &resource.region,
                size,
                platform,
            )
        })?
        .map(|price| price.usd_per_hour)
}

/// By how much a change moves the cost of its resource, percent, where there is a price.
fn cost_percent(found: &Found, resource: &Resource) -> Option<f64> {
    match (found.kind.as_str(), &found.size, &found.target) {
        ("idle_resource_cleanup", ..) if resource.kind == ResourceKind::VirtualMachine => {
            Some(-100.0)
        }
        (_, Some(size), Some(target)) => {
            Some((hourly(resource, target)? / hourly(resource, size)? - 1.0) * 100.0)
        }
        _ => None,
    }
}

/// The signatures an execution needs at least: by the recorded impact, and never less than cost and
/// kind alone would require.
fn needed(found: &Found, impact: &str, resource: &Resource, agent: &Agent) -> Vec<&'static str> {
    let monthly = found
        .size
        .as_deref()
        .and_then(|size| hourly(resource, size))
        .map_or(0.0, |hourly| hourly * 730.0);

    let by_cost = if monthly > 1000.0 {
        Impact::High
    } else if monthly >= 100.0 {
        Impact::Medium
    } else {
        Impact::Low
    };

    let grave = resource.kind == ResourceKind::Database
        || resource.tags.get("env").is_some_and(|env| env == "prod");
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
    PEOPLE
        .iter()
        .any(|(known, _, signatures)| *known == name && signatures.contains(&signature))
}

/// Returns `true` if a request has its signatures: each by another user than the requester, and by
/// one who may sign or has been delegated to by such a user.
fn is_signed(request: &Request, needed: &[&str]) -> bool {
    let good = |(signature, who, at): &&(String, String, usize)| {
        let left = |(resource, from, to): &(String, String, String)| {
            resource == signature && to == who && may_sign(from, signature)
        };
        *who != request.by
            && request.closed.is_none_or(|closed| closed < *at)
            && (may_sign(who, signature) || request.delegated.iter().any(left))
    };

    let mut signers: Vec<&str> = Vec::new();
    for wanted in needed {
        let mut fitting = request
            .signed
            .iter()
            .filter(good)
            .filter(|(signature, ..)| signature == wanted);
        match fitting.find(|(_, who, _)| !signers.contains(&who.as_str())) {
            Some((_, who, _)) => signers.push(who),
            None => return false,
        }
    }

    true
}

impl Evidence {
    /// Returns `true` if a condition was satisfied by the users' settings at any time within the
    /// last second.
    fn held_recently(&self, now: Timestamp, holds: impl Fn(&Policy) -> bool) -> bool {
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

    pub(super) fn may_begin(&mut self, at: usize, execution: &Execution) {
        let (Some(found), Some(machine)) = (
            self.found.get(&execution.recommendation),
            self.machines.get(&execution.resource),
        ) else {
            return self.fault(format!("{} is of nothing that was found", execution.id));
        };

        let (found, resource) = (found.clone(), machine.after.clone());
        let mut wrong = self.outside_policy(&found, &resource, execution);
        wrong.extend(self.beyond_limits(execution));

        if !execution.test {
            // What was recorded may not have been kept: each version that was recorded counts.
            let same: Vec<&String> = found
                .versions
                .iter()
                .filter(|(hash, _)| *hash == execution.plan_hash)
                .map(|(_, impact)| impact)
                .collect();
            if found.resource != execution.resource || same.is_empty() {
                wrong.push("the plan is not the one that was recorded");
            }
            let signed = self
                .requests
                .values()
                .filter(|r| self.good_for(r, execution))
                .collect::<Vec<_>>();
            let enough = |policy: &Policy| {
                policy.agents.get(&execution.agent).is_some_and(|agent| {
                    same.iter().any(|impact| {
                        let needed = needed(&found, impact, &resource, agent);
                        needed.is_empty()
                            || signed.iter().any(|request| is_signed(request, &needed))
                    })
                })
            };
            if !self.held_recently(execution.at, enough) {
                wrong.push("signatures are missing");
            }
        }

        for what in wrong {
            self.fault(format!(
                "{} at {at} on {} ({}, by {}): {what}",
                execution.id, execution.resource, found.kind, execution.asked_by
            ));
        }
    }

    /// Returns `true` if changes of resources owned by code were forbidden when an execution began.
    pub(super) fn is_left_to_code(&self, execution: &Execution) -> bool {
        !execution.test
            && !self.held_recently(execution.at, |p| {
                p.guardrails.change_control.infrastructure_as_code == IacRule::Allow
            })
    }

    fn good_for(&self, request: &Request, execution: &Execution) -> bool {
        let last = (request.asked + DAY * 7).max(
            self.scheduled
                .get(&execution.recommendation)
                .map_or(request.asked, |at| *at + SignedDuration::from_hours(1)),
        );
        request.recommendation == execution.recommendation
            && request.plan_hash == execution.plan_hash
            && execution.at <= last
    }

    /// Cost increase, percent, that somebody signed for exactly this plan.
    fn excepted(&self, execution: &Execution) -> f64 {
        let signed = |approval: &String| {
            self.requests.get(approval).is_some_and(|request| {
                request.plan_hash == execution.plan_hash
                    && request.recommendation == execution.recommendation
                    && !request.signed.is_empty()
            })
        };
        match &execution.exception {
            Some((guardrail, value, approval))
                if guardrail == "cost_impact.max_increase" && signed(approval) =>
            {
                *value
            }
            _ => 0.0,
        }
    }

    /// Returns the settings that this execution violates.
    fn outside_policy(
        &self,
        found: &Found,
        resource: &Resource,
        execution: &Execution,
    ) -> Vec<&'static str> {
        let agent = |policy: &Policy| policy.agents.get(&found.agent).cloned();
        let automatic = execution.run.is_some();
        let restarts = found.target.is_some() && found.size.is_some();
        let percent = cost_percent(found, resource);
        let minute = (execution.at.as_second().rem_euclid(86_400) / 60) as u32;
        let holds: [Rule<'_>; 10] = [
            (
                "the kill switch is on",
                Box::new(|p| !p.guardrails.kill_switch),
            ),
            (
                "the agent learns",
                Box::new(|p| agent(p).is_some_and(|a| a.mode != Mode::Learning)),
            ),
            (
                "outside of the agent's scope",
                Box::new(|p| agent(p).is_some_and(|a| covers(&a.scope, resource))),
            ),
            (
                "the agent may not by itself",
                Box::new(|p| {
                    !automatic
                        || agent(p).is_some_and(|a| {
                            let low_enough = |impact: &String| {
                                Impact::parse(impact)
                                    .is_some_and(|impact| impact <= a.auto_apply.max_impact)
                            };
                            a.auto_apply.enabled
                                && found.versions.iter().any(|(_, impact)| low_enough(impact))
                        })
                }),
            ),
            (
                "the connection is looked at alone",
                Box::new(|p| !p.observe_only.contains(&resource.connection.0)),
            ),
            (
                "excluded",
                Box::new(|p| {
                    !p.exclusions.iter().any(|e| {
                        e.resource.as_deref() == Some(found.resource.as_str())
                            && e.kind.is_none_or(|kind| kind.as_str() == found.kind)
                            && e.until.is_none_or(|until| execution.at < until)
                    })
                }),
            ),
            (
                "a freeze holds",
                Box::new(|p| {
                    !p.guardrails.change_control.freezes.iter().any(|freeze| {
                        covers(&freeze.scope, resource)
                            && freeze.from <= execution.at
                            && execution.at < freeze.until
                    })
                }),
            ),
            (
                "outside of maintenance",
                Box::new(|p| {
                    !restarts || {
                        let windows = p
                            .guardrails
                            .change_control
                            .windows
                            .iter()
                            .filter(|w| covers(&w.scope, resource));
                        let open =
                            |w: &reeve_recommend::guardrail::change_control::MaintenanceWindow| {
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
                        let idle = found.kind == "idle_resource_cleanup";
                        let most = p
                            .guardrails
                            .max_cost_increase_percent
                            .max(self.excepted(execution));
                        percent <= most + 0.1
                            && (idle || -percent <= p.guardrails.max_cost_decrease_percent + 0.1)
                    })
                }),
            ),
        ];

        holds
            .iter()
            .filter(|(_, holds)| !self.held_recently(execution.at, holds))
            .map(|(what, _)| *what)
            .collect()
    }

    /// Returns the limits that recent executions leave no room under.
    fn beyond_limits(&self, execution: &Execution) -> Vec<&'static str> {
        let now = execution.at;
        let counts = |d: &&Execution| {
            d.began.is_some()
                && d.ended
                    .as_ref()
                    .is_none_or(|(how, _)| how != "action.abort")
        };

        let in_day: Vec<&Execution> = self
            .executions
            .values()
            .filter(counts)
            .filter(|d| now.duration_since(d.at) < DAY)
            .collect();

        let in_run = in_day
            .iter()
            .filter(|d| d.run.is_some() && d.run == execution.run)
            .count();
        let own = in_day
            .iter()
            .filter(|d| d.run.is_some() && d.agent == execution.agent)
            .count();
        let touched = self
            .executions
            .values()
            .filter(counts)
            .filter(|d| d.resource == execution.resource);
        let last = touched.filter_map(|d| d.last_change).max();
        let machines = self
            .machines
            .values()
            .filter(|m| m.after.state != ResourceState::Deleted)
            .count();
        let share = |percent: f64| ((machines as f64 * percent / 100.0).floor() as usize).max(1);
        let down = self.down_s(&execution.resource, now);

        // The error budget bounds what restarts a resource; stopping what is idle takes nothing
        // that is used.
        let restarts = self
            .found
            .get(&execution.recommendation)
            .is_some_and(|found| found.target.is_some());
        let holds: [Rule<'_>; 6] = [
            (
                "too many a day",
                Box::new(|p| in_day.len() < p.guardrails.max_actions_per_day as usize),
            ),
            (
                "too many a run",
                Box::new(|p| {
                    execution.run.is_none() || in_run < p.guardrails.max_actions_per_run as usize
                }),
            ),
            (
                "too large a share",
                Box::new(|p| {
                    execution.run.is_none() || own < share(p.guardrails.max_share_per_day_percent)
                }),
            ),
            (
                "changed a moment ago",
                Box::new(|p| {
                    last.is_none_or(|last| {
                        now.duration_since(last).as_secs() >= p.guardrails.cool_down_s as i64
                    })
                }),
            ),
            (
                "too many failures",
                Box::new(|p| self.failures(p) < p.guardrails.breaker_failures as usize),
            ),
            (
                "down for too long",
                Box::new(|p| {
                    let uptime = 100.0 * (1.0 - down / (30.0 * 86_400.0));
                    !restarts || down == 0.0 || uptime >= p.guardrails.min_uptime_percent
                }),
            ),
        ];

        holds
            .iter()
            .filter(|(_, holds)| !self.held_recently(now, holds))
            .map(|(what, _)| *what)
            .collect()
    }

    /// Seconds a resource was down for executions that started it again.
    fn down_s(&self, resource: &str, now: Timestamp) -> f64 {
        let spans = self.down.get(resource).map_or(&[][..], Vec::as_slice);
        let recent = spans
            .iter()
            .filter(|(from, _)| now.duration_since(*from) < DAY * 30);
        recent
            .filter_map(|(from, to)| Some(to.as_ref()?.duration_since(*from).as_secs_f64()))
            .sum()
    }

    /// Failures in a row, newest first, since the breaker was reset.
    fn failures(&self, policy: &Policy) -> usize {
        let since = policy.guardrails.breaker_reset_at;
        let mut applied: Vec<&Execution> = self
            .executions
            .values()
            .filter(|d| !d.test && since.is_none_or(|at| d.at > at))
            .collect();
        applied.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.id.cmp(&a.id)));
        let mut failures = 0;

        for execution in applied {
            match execution.ended.as_ref().map(|(how, _)| how.as_str()) {
                Some("action.succeed") => break,
                Some("action.rolled_back") if execution.held => break,
                Some("action.fail" | "action.rolled_back") => failures += 1,
                _ => {}
            }
        }

        failures
    }

    /// An execution ended: the cloud is as the record says.
    pub(super) fn ended_as_recorded(
        &mut self,
        execution: &Execution,
        operation: &str,
        now: Timestamp,
    ) {
        let (Some(found), Some(before)) =
            (self.found.get(&execution.recommendation), &execution.before)
        else {
            return;
        };

        let Some((state, size)) = self.state(&execution.resource, now) else {
            return;
        };

        let (was, was_size) = before.clone();
        if execution.disturbed || operation == "action.fail" {
            return;
        }

        let as_before = was == ResourceState::Changing || (state, &size) == (was, &was_size);
        let reached = match (&found.target, found.kind.as_str()) {
            (Some(target), _) => size.as_ref() == Some(target) && state == ResourceState::Running,
            (None, "idle_resource_cleanup") if was != ResourceState::Unattached => {
                state == ResourceState::Stopped
            }
            _ => as_before,
        };

        let right = if operation == "action.succeed" {
            reached
        } else {
            as_before
        };

        if !right {
            let what = format!(
                "{} ends with {operation}: {} is {state}, {size:?}; it was {was}, {was_size:?}",
                execution.id, execution.resource
            );
            self.fault(what);
        }
    }
}
