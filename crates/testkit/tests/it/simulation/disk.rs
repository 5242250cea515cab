//! A disk in memory that does what POSIX allows and nothing better.
//!
//! Only what was synced survives a power cut. Of what was not: each 512-byte sector of a file is
//! found as any of the writes to it left it, or as before; the last write may be torn inside a
//! sector; the length is any the file had; of the changes to names in a directory any subset is
//! found, a rename whole or not at all. After a failed sync nobody knows what reached the disk, and
//! a later sync that succeeds does not say (the kernel has marked the pages clean). Steps that
//! change something are counted, so that faults can be put at each of them.

mod access;
mod contents;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::Notify;

use contents::Contents;

type Node = Arc<Mutex<Contents>>;
type Names = BTreeMap<PathBuf, Node>;

/// Number of last steps printed when a run fails.
const TOLD: usize = 160;

/// Fault of the simulated disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The power goes, or the process is killed: nothing works from here on.
    Crash,
    /// Input or output errors.
    Error,
    /// No space is left.
    Full,
    /// The file system went read-only.
    ReadOnly,
}

/// A trouble and the steps during which it lasts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) from: u64,
    pub(crate) steps: u64,
    pub(crate) what: Trouble,
}

/// Component whose steps wait: the sequencer (log, anchor, checkpoint), or a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Sequencer,
    Seal,
}

impl Side {
    fn load(path: &Path) -> Side {
        let text = path.to_string_lossy();
        let sequencer = [
            "/ledger/wal",
            "/anchor",
            "/ledger/checkpoint",
            "/ledger/epochs",
        ];

        if sequencer.iter().any(|part| text.contains(part)) {
            Side::Sequencer
        } else {
            Side::Seal
        }
    }
}

/// Effect of one operation on names: the node that each refers to since, or `None`.
type Renamed = Vec<(PathBuf, Option<Node>)>;

struct State {
    names: Names,
    durable_names: Names,
    /// By directory: what each change since it was synced made of which names.
    renamed: BTreeMap<PathBuf, Vec<Renamed>>,
    folders: BTreeSet<PathBuf>,
    plan: Vec<Planned>,
    steps: u64,
    crashed: bool,
    /// Component that waits, after this many more steps.
    held: Option<(Side, u64)>,
    waiting: usize,
    locked: BTreeSet<PathBuf>,
    random: StdRng,
    story: Vec<String>,
    failed: u64,
}

struct Shared {
    state: Mutex<State>,
    released: Condvar,
    waiting: Notify,
}

#[derive(Clone)]
pub(crate) struct SimulatedDisk(Arc<Shared>);

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn error_of(what: Trouble) -> io::Error {
    match what {
        Trouble::Crash => io::Error::other("the power is off"),
        Trouble::Error => io::Error::other("input/output error"),
        Trouble::Full => io::ErrorKind::StorageFull.into(),
        Trouble::ReadOnly => io::ErrorKind::ReadOnlyFilesystem.into(),
    }
}

impl State {
    fn alive(&self) -> io::Result<()> {
        if self.crashed {
            Err(error_of(Trouble::Crash))
        } else {
            Ok(())
        }
    }

    fn trouble(&self, step: u64) -> Option<Trouble> {
        let now = self
            .plan
            .iter()
            .filter(|planned| (planned.from..planned.from + planned.steps).contains(&step));
        now.map(|planned| planned.what).next()
    }

    fn changed(&mut self, dir: &Path, change: Vec<(PathBuf, Option<Node>)>) {
        for (path, node) in &change {
            match node {
                Some(node) => self.names.insert(path.clone(), node.clone()),
                None => self.names.remove(path),
            };
        }
        self.renamed.entry(dir.to_owned()).or_default().push(change);
    }

    fn tell(&mut self, step: u64, what: &str, path: &Path, outcome: &str) {
        if self.story.len() >= TOLD {
            self.story.remove(0);
        }

        let name: Vec<_> = path
            .components()
            .rev()
            .take(3)
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        let name = name.into_iter().rev().collect::<Vec<_>>().join("/");

        self.story.push(format!("{step}: {what} {name}{outcome}"));
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

impl SimulatedDisk {
    pub(crate) fn new(seed: u64) -> SimulatedDisk {
        SimulatedDisk::with(Names::new(), BTreeSet::new(), seed)
    }

    fn with(names: Names, folders: BTreeSet<PathBuf>, seed: u64) -> SimulatedDisk {
        let state = State {
            durable_names: names.clone(),
            names,
            renamed: BTreeMap::new(),
            folders,
            plan: Vec::new(),
            steps: 0,
            crashed: false,
            held: None,
            waiting: 0,
            locked: BTreeSet::new(),
            random: StdRng::seed_from_u64(seed),
            story: Vec::new(),
            failed: 0,
        };
        SimulatedDisk(Arc::new(Shared {
            state: Mutex::new(state),
            released: Condvar::new(),
            waiting: Notify::new(),
        }))
    }

    /// Adds a trouble to come, counted from now.
    pub(crate) fn plan(&self, after: u64, steps: u64, what: Trouble) {
        let mut state = self.0.state.lock();
        let from = state.steps + after;
        state.plan.push(Planned { from, steps, what });
    }

    pub(crate) fn steps(&self) -> u64 {
        self.0.state.lock().steps
    }

    /// Returns the number of steps that were made to fail, crashes aside.
    pub(crate) fn failed(&self) -> u64 {
        self.0.state.lock().failed
    }

    pub(crate) fn crashed(&self) -> bool {
        self.0.state.lock().crashed
    }

    /// The last steps, for who must understand a failure.
    pub(crate) fn story(&self) -> String {
        let state = self.0.state.lock();
        state
            .story
            .iter()
            .map(|line| format!("  {line}\n"))
            .collect()
    }

    /// Makes one side wait before its next step but `after`.
    pub(crate) fn hold(&self, side: Side, after: u64) {
        self.0.state.lock().held = Some((side, after));
    }

    pub(crate) fn release(&self) {
        self.0.state.lock().held = None;
        self.0.released.notify_all();
    }

    /// Waits until the side that is held wants to go on.
    pub(crate) async fn someone_waits(&self) {
        while self.0.state.lock().waiting == 0 {
            self.0.waiting.notified().await;
        }
    }

    /// Begins a step: waits where it is held, counts it, and says what goes wrong with it.
    fn step(
        &self,
        what: &str,
        path: &Path,
    ) -> Result<MutexGuard<'_, State>, (io::Error, Trouble, MutexGuard<'_, State>)> {
        let mut state = self.0.state.lock();
        while let Some((side, after)) = state.held
            && side == Side::load(path)
        {
            if after > 0 {
                state.held = Some((side, after - 1));
                break;
            }
            state.waiting += 1;
            self.0.waiting.notify_one();
            self.0.released.wait(&mut state);
            state.waiting -= 1;
        }

        if state.crashed {
            return Err((error_of(Trouble::Crash), Trouble::Crash, state));
        }

        let step = state.steps;
        state.steps += 1;
        let trouble = state.trouble(step);
        state.tell(step, what, path, trouble.map_or("", |_| " FAILS"));

        match trouble {
            None => Ok(state),
            Some(trouble) => {
                state.crashed |= trouble == Trouble::Crash;
                state.failed += u64::from(trouble != Trouble::Crash);
                Err((error_of(trouble), trouble, state))
            }
        }
    }

    /// A step that is not a file's, such as writing a segment.
    pub(crate) fn other_step(&self, what: &str, path: &Path) -> io::Result<()> {
        self.step(what, path)
            .map(drop)
            .map_err(|(error, _, _)| error)
    }

    /// The disk as it is found after the power went.
    pub(crate) fn after_power_cut(&self, seed: u64) -> SimulatedDisk {
        let mut random = StdRng::seed_from_u64(seed);
        let state = self.0.state.lock();
        let mut names = state.durable_names.clone();

        for changes in state.renamed.values() {
            // As a journal leaves it (a beginning), or in any order.
            let beginning = random.random_range(0..=changes.len());
            let in_order = random.random_bool(0.5);
            for (at, change) in changes.iter().enumerate() {
                let survives = if in_order {
                    at < beginning
                } else {
                    random.random_bool(0.5)
                };
                if survives {
                    for (path, node) in change {
                        match node {
                            Some(node) => names.insert(path.clone(), node.clone()),
                            None => names.remove(path),
                        };
                    }
                }
            }
        }

        let found = |node: &Node, random: &mut StdRng| {
            Arc::new(Mutex::new(node.lock().after_power_cut(random)))
        };

        let names = names
            .iter()
            .map(|(path, node)| (path.clone(), found(node, &mut random)))
            .collect();
        SimulatedDisk::with(names, state.folders.clone(), seed).after(&state, "THE POWER WENT")
    }

    /// The disk as a process finds it after the one before was killed: nothing is lost but what a
    /// failed sync left in doubt.
    pub(crate) fn after_kill(&self, seed: u64) -> SimulatedDisk {
        let mut random = StdRng::seed_from_u64(seed);
        let state = self.0.state.lock();

        // Names keep what is not durable about them, and so do contents: the next power cut may
        // still take it.
        for node in state.names.values() {
            node.lock().evict(&mut random);
        }

        let next = SimulatedDisk::with(state.names.clone(), state.folders.clone(), seed);
        {
            let mut next = next.0.state.lock();
            next.durable_names = state.durable_names.clone();
            next.renamed = state.renamed.clone();
        }

        next.after(&state, "KILLED")
    }

    /// Goes on with the story of the disk before.
    fn after(self, before: &State, how: &str) -> SimulatedDisk {
        let mut story = before.story.clone();
        story.push(how.to_owned());
        self.0.state.lock().story = story;
        self
    }

    /// Writes a file underneath, durably.
    pub(crate) fn put(&self, path: &Path, bytes: Vec<u8>) {
        let mut state = self.0.state.lock();
        let node = Arc::new(Mutex::new(Contents::durable(bytes)));
        state.names.insert(path.to_owned(), node.clone());
        state.durable_names.insert(path.to_owned(), node);
    }

    /// Removes a file underneath, as an operator's slip would; its content. Durable at once.
    pub(crate) fn remove_underneath(&self, path: &Path) -> Option<Vec<u8>> {
        let mut state = self.0.state.lock();
        let node = state.names.remove(path)?;
        state.durable_names.remove(path);

        for changes in state.renamed.values_mut() {
            changes
                .iter_mut()
                .for_each(|change| change.retain(|(changed, _)| changed != path));
        }

        let steps = state.steps;
        state.tell(steps, "REMOVED underneath:", path, "");
        let bytes = node.lock().live().to_vec();

        Some(bytes)
    }

    /// All files and what a reader finds in them.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let state = self.0.state.lock();
        state
            .names
            .iter()
            .map(|(path, node)| (path.clone(), node.lock().live().to_vec()))
            .collect()
    }

    /// Returns a copy of the disk in which one file has other bytes.
    pub(crate) fn altered(&self, altered: &Path, bytes: &[u8]) -> SimulatedDisk {
        let names = self.files().into_iter().map(|(path, content)| {
            let content = if path == altered {
                bytes.to_vec()
            } else {
                content
            };
            (path, Arc::new(Mutex::new(Contents::durable(content))))
        });
        SimulatedDisk::with(names.collect(), self.0.state.lock().folders.clone(), 0)
    }
}
