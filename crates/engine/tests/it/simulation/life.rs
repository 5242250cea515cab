//! One life of the engine: processes that begin over the same stores, live for a while and die or
//! stop, and a last one in which nothing goes wrong, so that everything comes to its end.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_engine::AgentInput;
use reeve_recommend::ports::{AgentStore, Clock};

use super::estate::{ThreeClouds, connections, fill};
use super::evidence::{Evidence, read};
use super::hazard::Hazard;
use super::load::Loads;
use super::people;
use super::shaky::Shaky;
use crate::clock::TestClock;
use crate::cloud::Cloud;
use crate::journal::{Journal, Log, Note, TestBills};
use crate::services::{Ports, Services};
use crate::store::Memory;

/// Days a life lasts.
const DAYS: i64 = 16;

pub(crate) struct Life {
    pub(crate) hazard: Arc<Hazard>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) journal: Journal,
    pub(crate) store: Arc<Shaky>,
    pub(crate) cloud: Arc<Cloud>,
    log: Arc<Log>,
}

/// One process of a life.
pub(crate) struct Session {
    pub(crate) engine: Arc<Services>,
    pub(crate) hazard: Arc<Hazard>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) store: Arc<Shaky>,
    pub(crate) cloud: Arc<Cloud>,
    held: Arc<AtomicUsize>,
}

/// While it lives, no time passes: work continues outside the clock's sight.
pub(crate) struct Hold(Arc<AtomicUsize>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Life {
    /// An estate of so many machines, and nobody who looks after it yet.
    pub(crate) fn new(seed: u64, machines: usize) -> Self {
        let hazard = Arc::new(Hazard::new(seed));
        let clock = Arc::new(TestClock::patient());
        let journal = Journal::default();
        let cloud = Cloud::new(
            Arc::clone(&clock),
            Arc::clone(&journal),
            Some(Arc::clone(&hazard)),
        );

        let log = Log::new(
            Arc::clone(&journal),
            Arc::clone(&clock),
            Some(Arc::clone(&hazard)),
        );

        let store = Arc::new(Shaky {
            memory: Arc::new(Memory::default()),
            loads: Loads::default(),
            connections: Mutex::new(connections()),
            hazard: Arc::clone(&hazard),
            journal: Arc::clone(&journal),
            clock: Arc::clone(&clock),
        });
        fill(&store, &cloud, machines);

        Life {
            hazard,
            clock,
            journal,
            store,
            cloud,
            log,
        }
    }

    fn session(&self, held: &Arc<AtomicUsize>) -> Session {
        let clouds = ThreeClouds {
            store: Arc::clone(&self.store),
            cloud: Arc::clone(&self.cloud),
        };
        let engine = Services::new(Ports {
            agents: Arc::clone(&self.store) as _,
            estate: Arc::clone(&self.store) as _,
            samples: Arc::clone(&self.store) as _,
            clouds: Arc::new(clouds),
            recorder: Arc::clone(&self.log) as _,
            log: Arc::clone(&self.log) as _,
            charges: Arc::new(TestBills::default()),
            flows: crate::flows::none(),
            clock: Arc::clone(&self.clock) as _,
            models: None,
            rollouts: None,
            described: None,
            agent_types: reeve_agents::registry(),
        });

        Session {
            engine,
            hazard: Arc::clone(&self.hazard),
            clock: Arc::clone(&self.clock),
            store: Arc::clone(&self.store),
            cloud: Arc::clone(&self.cloud),
            held: Arc::clone(held),
        }
    }

    /// A process: begins, works, and dies at the given moment with every task it has. Whether it
    /// came to its end.
    pub(crate) fn process<F>(
        &self,
        faulty: bool,
        dies_at: Option<u64>,
        work: impl FnOnce(Session) -> F,
    ) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.hazard.begin(faulty, dies_at);
        self.journal.lock().push(Note::Began);
        let held = Arc::new(AtomicUsize::new(0));
        let work = work(self.session(&held));
        let (clock, hazard) = (Arc::clone(&self.clock), Arc::clone(&self.hazard));
        let idle = move || {
            // Nothing can go on now: the next moment somebody waits for comes.
            if held.load(Ordering::SeqCst) == 0 && !clock.step() {
                hazard.stuck();
            }
        };

        let runtime = tokio::runtime::Builder::new_current_thread()
            .on_thread_park(idle)
            .build()
            .unwrap();
        let ended = runtime.block_on(async {
            let working = tokio::spawn(work);
            tokio::select! {
                biased;
                ended = working => { ended.unwrap(); true }
                () = self.hazard.died() => false,
            }
        });

        drop(runtime);
        self.clock.forget();
        assert!(ended || self.hazard.is_dead(), "nothing can go on");

        ended
    }

    /// Lives its days with everything that goes wrong, then one process in peace.
    pub(crate) fn live(&self) {
        self.process(false, None, async |session: Session| {
            session.founded().await
        });
        let until = self.clock.now() + SignedDuration::from_hours(24 * DAYS);

        while self.clock.now() < until {
            let dies_at = self
                .hazard
                .chance(0.9)
                .then(|| 20 + self.hazard.below(6000) as u64);
            if !self.process(true, dies_at, async move |session: Session| {
                session.lives(until).await
            }) {
                self.hazard.count("process died");
            }
        }

        self.peace();
    }

    /// A last process, without faults and without requests.
    pub(crate) fn peace(&self) {
        assert!(self.process(false, None, async |session: Session| {
            session.comes_to_rest().await
        }));
    }

    /// Returns the evidence of the records and the cloud.
    pub(crate) fn evidence(&self) -> Evidence {
        read(&self.journal.lock())
    }
}

impl Session {
    pub(crate) fn hold(&self) -> Hold {
        self.held.fetch_add(1, Ordering::SeqCst);
        Hold(Arc::clone(&self.held))
    }

    /// Agents of every mode; two of them look at the same.
    async fn founded(self) {
        let text = |text: &str| Some(text.to_owned());
        let list = |one: &str| {
            Some(if one.is_empty() {
                Vec::new()
            } else {
                vec![one.to_owned()]
            })
        };

        for (mode, account, service, auto) in [
            ("active", "", "", true),
            ("safe_mode", "dev-aws", "", true),
            ("safe_mode", "prod-aws", "rds", false),
            ("learning", "", "", true),
        ] {
            let input = AgentInput {
                agent_type: text("cost_optimizer"),
                name: text(mode),
                mode: text(mode),
                accounts: list(account),
                services: list(service),
                auto_apply_enabled: Some(auto),
                auto_apply_max_impact: text("medium"),
                confidence_threshold: text("60"),
                learning_period: text("7d"),
                reason: text("a life begins"),
                ..AgentInput::default()
            };
            self.engine
                .agents
                .agent_create(input, &people::caller("ada"))
                .await
                .unwrap();
        }
    }

    async fn lives(self, until: Timestamp) {
        // A process that cannot take up what was interrupted serves all the same; `due` tries
        // again.
        let _ = self.engine.execution.resume().await;
        while self.clock.now() < until {
            let at_once = 1 + self.hazard.below(4);
            join_all((0..at_once).map(|_| self.act())).await;
            let seconds = match self.hazard.below(10) {
                0..4 => 1 + self.hazard.below(20),
                4..7 => 60 + self.hazard.below(600),
                _ => 1800 + self.hazard.below(7 * 3600),
            };
            self.clock.sleep(Duration::from_secs(seconds as u64)).await;
            let _ = self.engine.scheduler.due().await;
            self.recover().await;
        }

        self.engine.execution.settle().await;
    }

    async fn comes_to_rest(self) {
        let active = async || {
            let all = self.store.memory.action_list(None, None).await.unwrap();
            all.iter().any(|action| action.status.is_active())
        };
        for _ in 0..100 {
            self.engine.scheduler.due().await.unwrap();
            self.engine.execution.settle().await;
            if !active().await {
                return self.engine.scheduler.due().await.map(drop).unwrap();
            }
            self.clock.sleep(Duration::from_secs(60)).await;
        }
    }
}
