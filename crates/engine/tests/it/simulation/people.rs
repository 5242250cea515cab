//! Random concurrent actions of users: run agents, execute, sign, refuse, delegate, undo, use the
//! kill switch, change limits, agents and connections; and changes that others make to the estate
//! meanwhile.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use reeve_access::Role;
use reeve_engine::{AgentInput, ExclusionInput, FeedbackInput};
use reeve_recommend::agent::AgentScope;
use reeve_recommend::approval::{Approval, ApprovalStatus};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::guardrail::change_control::{Direction, Freeze, IacRule, MaintenanceWindow};
use reeve_recommend::ports::{AgentStore, Clock, RecommendationFilter};
use reeve_recommend::recommendation::Recommendation;

use super::estate::outsider;
use super::life::Session;
use crate::world::person;

/// Everybody, with their roles and the signatures these let them give.
pub(crate) const PEOPLE: [(&str, &[Role], &[&str]); 7] = [
    ("olga", &[Role::Operator], &[]),
    ("otto", &[Role::Operator, Role::Manager], &["manager"]),
    ("max", &[Role::Manager], &["manager"]),
    ("dora", &[Role::Director], &["manager", "director"]),
    ("sam", &[Role::SecurityAnalyst], &["security"]),
    (
        "ada",
        &[Role::Administrator],
        &["manager", "director", "security"],
    ),
    ("rita", &[Role::RegularUser], &[]),
];

/// A person by name.
pub(crate) fn caller(name: &str) -> Caller {
    let (name, roles, _) = PEOPLE.iter().find(|(known, ..)| *known == name).unwrap();
    person(name, roles)
}

type Outcome = Result<(), EngineError>;

impl Session {
    fn anybody(&self) -> Caller {
        caller(PEOPLE[self.hazard.below(PEOPLE.len())].0)
    }

    fn ahead(&self, hours: usize) -> Timestamp {
        self.clock.now() + SignedDuration::from_mins(1 + self.hazard.below(hours * 60) as i64)
    }

    fn pick<T: Clone>(&self, recommendation: &[T]) -> Option<T> {
        (!recommendation.is_empty())
            .then(|| recommendation[self.hazard.below(recommendation.len())].clone())
    }

    /// A recommendation, most often one that is not over.
    async fn some(&self) -> Option<Recommendation> {
        let (all, _) = self
            .store
            .memory
            .recommendation_list(&RecommendationFilter::default())
            .await
            .unwrap();

        let waits: Vec<_> = all
            .iter()
            .filter(|recommendation| !recommendation.status.is_end())
            .cloned()
            .collect();

        self.pick(if self.hazard.chance(0.1) {
            &all
        } else {
            &waits
        })
    }

    async fn some_approval(&self) -> Option<Approval> {
        let all = self.store.memory.approval_list(None).await.unwrap();
        let waits: Vec<_> = all
            .iter()
            .filter(|a| a.status == ApprovalStatus::Pending)
            .cloned()
            .collect();

        self.pick(if self.hazard.chance(0.05) {
            &all
        } else {
            &waits
        })
    }

    /// Somebody does something. What is refused is refused; what cannot be kept or recorded is not
    /// done.
    pub(crate) async fn act(&self) {
        let done = match self.hazard.below(100) {
            0..9 => self.run_an_agent().await,
            9..16 => self.engine.scheduler.due().await.map(drop),
            16..44 => self.execute().await,
            44..64 => self.sign().await,
            64..78 => self.answer().await,
            78..82 => self.undo().await,
            82..85 => self.switch().await,
            85..89 => self.limits().await,
            89..92 => self.configure().await,
            92..94 => self.exclude().await,
            94..98 => {
                outsider(&self.store, &self.cloud, self.clock.now());
                Ok(())
            }
            98 => self.connect().await,
            _ => self
                .engine
                .guardrails
                .breaker_reset("looked into", &caller("ada"))
                .await
                .map(drop),
        };
        match done {
            Ok(()) => self.hazard.count("act: done"),
            Err(EngineError::Record(_) | EngineError::Store(_)) => {
                self.hazard.count("act: log or store failed")
            }
            Err(_) => self.hazard.count("act: refused"),
        }
    }

    async fn run_an_agent(&self) -> Outcome {
        let all = self.store.memory.agent_list(None).await.unwrap();
        let Some(agent) = self.pick(&all) else {
            return Ok(());
        };

        // A judgement runs on a thread of its own, which the clock does not see.
        let _hold = self.hold();
        self.engine
            .runs
            .agent_run(&agent.id, &caller("olga"))
            .await
            .map(drop)
    }

    async fn execute(&self) -> Outcome {
        let Some(recommendation) = self.some().await else {
            return Ok(());
        };

        let seen = recommendation
            .plan
            .as_ref()
            .filter(|_| self.hazard.chance(0.5))
            .map(|plan| plan.hash.clone());

        self.engine
            .execution
            .execute(&recommendation.id, seen.as_deref(), None, &self.anybody())
            .await
            .map(drop)
    }

    async fn sign(&self) -> Outcome {
        let Some(approval) = self.some_approval().await else {
            return Ok(());
        };

        let who = self.anybody();
        match self.hazard.below(10) {
            0 => self
                .engine
                .recommendations
                .reject(&approval.id, "not now", &who)
                .await
                .map(drop),
            1 => {
                let to = format!("{}@example.com", PEOPLE[self.hazard.below(PEOPLE.len())].0);
                self.engine
                    .recommendations
                    .delegate(&approval.id, &to, None, &who)
                    .await
                    .map(drop)
            }
            _ => self
                .engine
                .recommendations
                .approve(&approval.id, None, &who)
                .await
                .map(drop),
        }
    }

    async fn answer(&self) -> Outcome {
        let Some(recommendation) = self.some().await else {
            return Ok(());
        };

        let who = self.anybody();
        match self.hazard.below(12) {
            0..4 => self
                .engine
                .recommendations
                .schedule(&recommendation.id, self.ahead(72), None, &who)
                .await
                .map(drop),
            4..7 => self
                .engine
                .execution
                .test(&recommendation.id, &who)
                .await
                .map(drop),
            7 => self
                .engine
                .recommendations
                .dismiss(&recommendation.id, "not needed", &who)
                .await
                .map(drop),
            8 => self
                .engine
                .recommendations
                .snooze(&recommendation.id, self.ahead(72), None, &who)
                .await
                .map(drop),
            9 => {
                let later = FeedbackInput {
                    outcome: "not_now",
                    rating: Some(3),
                    comments: Some("later"),
                    until: None,
                };
                self.engine
                    .recommendations
                    .feedback(&recommendation.id, later, &who)
                    .await
                    .map(drop)
            }
            _ => self
                .engine
                .recommendations
                .reopen(&recommendation.id, &who)
                .await
                .map(drop),
        }
    }

    async fn undo(&self) -> Outcome {
        let all = self.store.memory.action_list(None, None).await.unwrap();
        match self.pick(&all) {
            Some(action) => self
                .engine
                .execution
                .rollback(&action.id, &self.anybody())
                .await
                .map(drop),
            None => Ok(()),
        }
    }

    async fn switch(&self) -> Outcome {
        self.engine
            .guardrails
            .kill_switch(true, "an incident", &caller("ada"))
            .await
            .map(drop)
    }

    /// An incident ends sooner or later, and what was closed is opened again.
    pub(crate) async fn recover(&self) {
        if self.hazard.chance(0.3)
            && self
                .store
                .memory
                .guardrails_get()
                .await
                .unwrap()
                .kill_switch
        {
            let _ = self
                .engine
                .guardrails
                .kill_switch(false, "it is over", &caller("ada"))
                .await;
        }

        if self.hazard.chance(0.1) {
            self.store
                .connections
                .lock()
                .iter_mut()
                .take(2)
                .for_each(|connection| connection.allow_actions = true);
            self.store.note_policy().await;
        }
    }

    async fn limits(&self) -> Outcome {
        let mut wanted = self.engine.guardrails.guardrails_get().await?;
        self.draw_limits(&mut wanted);
        self.engine
            .guardrails
            .guardrails_put(wanted, &caller("ada"))
            .await
            .map(drop)
    }

    fn draw_limits(&self, wanted: &mut Guardrails) {
        let one = |recommendation: &[f64]| recommendation[self.hazard.below(recommendation.len())];
        match self.hazard.below(9) {
            0 => wanted.max_cost_decrease_percent = one(&[20.0, 50.0, 80.0, 100.0]),
            1 => wanted.max_cost_increase_percent = one(&[5.0, 120.0]),
            2 => wanted.max_actions_per_day = one(&[2.0, 5.0, 20.0, 20.0]) as u32,
            3 => wanted.max_share_per_day_percent = one(&[5.0, 10.0, 50.0, 100.0]),
            4 => wanted.cool_down_s = one(&[0.0, 3600.0, 86_400.0]) as u64,
            5 => {
                wanted.rollback_automatic = self.hazard.chance(0.8);
                wanted.rollback_timeout_s = one(&[60.0, 300.0, 900.0]) as u64;
            }
            6 => {
                wanted.min_uptime_percent = one(&[99.0, 99.9, 99.9, 99.99]);
                wanted.breaker_failures = one(&[1.0, 3.0, 5.0]) as u32;
                wanted.max_actions_per_run = one(&[1.0, 5.0]) as u32;
            }
            7 => wanted.verification_window_s = one(&[0.0, 6.0, 24.0]) as u64 * 3600,
            _ => self.draw_control(wanted),
        }
    }

    fn draw_control(&self, wanted: &mut Guardrails) {
        let control = &mut wanted.change_control;
        let account = self.pick(&["prod-aws", "444455556666"]).map(str::to_owned);
        let scope = AgentScope {
            accounts: account.into_iter().collect(),
            services: Vec::new(),
        };
        control.direction = self
            .pick(&[
                Direction::Both,
                Direction::Both,
                Direction::UpOnly,
                Direction::DownOnly,
            ])
            .unwrap();

        control.infrastructure_as_code = self.pick(&[IacRule::Patch, IacRule::Allow]).unwrap();
        control.freezes.clear();
        control.windows.clear();

        if self.hazard.chance(0.3) {
            let (from, until) = (self.clock.now(), self.ahead(48));
            control.freezes.push(Freeze {
                name: "freeze".to_owned(),
                scope: scope.clone(),
                from,
                until,
            });
        }

        if self.hazard.chance(0.3) {
            control.windows.push(MaintenanceWindow {
                name: "nights".to_owned(),
                scope,
                days: Vec::new(),
                start: Time::constant(22, 0, 0, 0),
                duration_minutes: 480,
                time_zone: TimeZone::UTC,
            });
        }
    }

    async fn configure(&self) -> Outcome {
        let all = self.store.memory.agent_list(None).await.unwrap();
        let Some(agent) = self.pick(&all) else {
            return Ok(());
        };

        let text = |recommendation: &[&str]| self.pick(recommendation).map(str::to_owned);
        let mut input = AgentInput {
            reason: text(&["because"]),
            ..AgentInput::default()
        };

        match self.hazard.below(4) {
            0 => input.mode = text(&["active", "active", "safe_mode", "learning"]),
            1 => {
                input.accounts = Some(
                    text(&["dev-aws", "111122223333", ""])
                        .into_iter()
                        .filter(|a| !a.is_empty())
                        .collect(),
                )
            }
            2 => input.auto_apply_approval_required = text(&["low", "medium", "high"]),
            _ => {
                input.auto_apply_enabled = Some(self.hazard.chance(0.7));
                input.auto_apply_max_impact = text(&["low", "medium", "high"]);
            }
        }

        self.engine
            .agents
            .agent_configure(&agent.id, input, &caller("ada"))
            .await
            .map(drop)
    }

    async fn exclude(&self) -> Outcome {
        let all = self.store.memory.exclusion_list().await.unwrap();
        if let Some(one) = self.pick(&all).filter(|_| self.hazard.chance(0.5)) {
            return self
                .engine
                .recommendations
                .include(&one.id, &caller("ada"))
                .await;
        }

        let Some(recommendation) = self.some().await else {
            return Ok(());
        };

        let input = ExclusionInput {
            aspect: None,
            resource: Some(recommendation.subject.id.0.clone()),
            kind: self
                .hazard
                .chance(0.5)
                .then(|| recommendation.kind.as_str().to_owned()),
            reason: "a team asked for it".to_owned(),
            until: self.hazard.chance(0.5).then(|| self.ahead(48)),
            ..ExclusionInput::default()
        };

        self.engine
            .recommendations
            .exclude(input, &caller("ada"))
            .await
            .map(drop)
    }

    /// Lets Reeve act on a connection, or no longer.
    async fn connect(&self) -> Outcome {
        {
            let mut all = self.store.connections.lock();
            let at = self.hazard.below(2);
            all[at].allow_actions = !all[at].allow_actions;
        }
        self.store.note_policy().await;
        Ok(())
    }
}
