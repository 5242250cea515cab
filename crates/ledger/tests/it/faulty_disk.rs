//! A disk in memory that crashes at a chosen step, tears writes, fills up, and fails to sync.
//!
//! What was synced survives a power cut. Of what was not, an arbitrary beginning of the changes to
//! each file and of the changes to each directory's names survives, the last write torn; the rest
//! is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_ledger::disk::{Disk, DiskFile, DiskLock};

/// A change to a file that is not durable.
#[derive(Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Truncate(u64),
}

#[derive(Default)]
struct Content {
    live: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Change>,
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(offset, written) => {
            let end = *offset as usize + written.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[*offset as usize..end].copy_from_slice(written);
        }
        Change::Truncate(len) => bytes.resize(*len as usize, 0),
    }
}

type Node = Arc<Mutex<Content>>;
type Names = BTreeMap<PathBuf, Node>;

/// Faults that the disk is going to have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    /// The disk stops for good before this step.
    pub(crate) crash_at: Option<u64>,
    /// Bytes that still fit, over all files.
    pub(crate) room: Option<u64>,
    /// Syncing a file fails.
    pub(crate) sync: bool,
    pub(crate) truncate: bool,
    /// Syncing a file waits for this.
    pub(crate) stall: Option<Arc<Mutex<()>>>,
    /// Writes to files with this in their path fail.
    pub(crate) write_to: Option<&'static str>,
}

#[derive(Default)]
struct State {
    names: Names,
    durable_names: Names,
    /// By directory: the names after each change since the directory was synced.
    renamed: BTreeMap<PathBuf, Vec<Names>>,
    faults: Faults,
    steps: u64,
    crashed: bool,
    locked: BTreeSet<PathBuf>,
}

#[derive(Clone, Default)]
pub(crate) struct FaultyDisk(Arc<Mutex<State>>);

struct FaultyFile {
    disk: FaultyDisk,
    path: PathBuf,
    node: Node,
}

struct FaultyLock(FaultyDisk, PathBuf);

impl DiskLock for FaultyLock {}

impl Drop for FaultyLock {
    fn drop(&mut self) {
        self.0.0.lock().locked.remove(&self.1);
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl State {
    /// Counts a step that changes something; fails from the crash on.
    fn step(&mut self) -> io::Result<()> {
        self.alive()?;
        self.crashed = self.faults.crash_at == Some(self.steps);
        self.steps += 1;
        self.alive()
    }

    fn alive(&self) -> io::Result<()> {
        if self.crashed {
            Err(io::Error::other("the power is off"))
        } else {
            Ok(())
        }
    }

    fn renamed(&mut self, path: &Path) {
        let dir = path.parent().unwrap().to_owned();
        let names = self
            .names
            .iter()
            .filter(|(path, _)| path.parent() == Some(&dir));
        let names = names
            .map(|(path, node)| (path.clone(), node.clone()))
            .collect();
        self.renamed.entry(dir).or_default().push(names);
    }

    fn set_durable(durable: &mut Names, dir: &Path, names: Names) {
        durable.retain(|path, _| path.parent() != Some(dir));
        durable.extend(names);
    }
}

impl FaultyDisk {
    pub(crate) fn set(&self, faults: Faults) {
        self.0.lock().faults = faults;
    }

    pub(crate) fn steps(&self) -> u64 {
        self.0.lock().steps
    }

    pub(crate) fn crashed(&self) -> bool {
        self.0.lock().crashed
    }

    /// A step taken elsewhere, such as writing a segment.
    pub(crate) fn step(&self) -> io::Result<()> {
        self.0.lock().step()
    }

    /// The disk as it is found after a power cut.
    pub(crate) fn after_power_cut(&self, seed: u64) -> FaultyDisk {
        let mut random = StdRng::seed_from_u64(seed);
        let state = self.0.lock();
        let mut names = state.durable_names.clone();

        for (dir, changes) in &state.renamed {
            let kept = random.random_range(0..=changes.len());
            if let Some(kept) = kept.checked_sub(1) {
                State::set_durable(&mut names, dir, changes[kept].clone());
            }
        }

        let survive = |node: &Node, random: &mut StdRng| {
            let content = node.lock();
            let mut bytes = content.durable.clone();
            let kept = random.random_range(0..=content.pending.len());
            content.pending[..kept]
                .iter()
                .for_each(|change| apply(&mut bytes, change));
            if let Some(Change::Write(offset, written)) = content.pending.get(kept) {
                let torn = random.random_range(0..=written.len());
                apply(
                    &mut bytes,
                    &Change::Write(*offset, written[..torn].to_vec()),
                );
                // The length may be there before the bytes are.
                if random.random_bool(0.3) {
                    let end = *offset as usize + written.len();
                    bytes.resize(bytes.len().max(end), 0);
                }
            }
            Content {
                live: bytes.clone(),
                durable: bytes,
                pending: Vec::new(),
            }
        };

        let names: Names = names
            .iter()
            .map(|(path, node)| {
                (
                    path.clone(),
                    Arc::new(Mutex::new(survive(node, &mut random))),
                )
            })
            .collect();

        FaultyDisk(Arc::new(Mutex::new(State {
            durable_names: names.clone(),
            names,
            ..State::default()
        })))
    }

    /// The disk as a process finds it that died and was started again: nothing is lost.
    pub(crate) fn after_restart(&self) -> FaultyDisk {
        let mut state = self.0.lock();
        state.faults = Faults::default();
        state.crashed = false;
        drop(state);
        self.clone()
    }

    pub(crate) fn flip(&self, path: &Path, offset: usize) {
        let node = self.0.lock().names[path].clone();
        node.lock().live[offset] ^= 1;
    }
}

impl Disk for FaultyDisk {
    fn create_dirs(&self, _dir: &Path) -> io::Result<()> {
        self.0.lock().alive()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let state = self.0.lock();
        state.alive()?;
        let node = state.names.get(path).ok_or_else(missing)?.clone();
        Ok(Box::new(FaultyFile {
            disk: self.clone(),
            path: path.to_owned(),
            node,
        }))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.0.lock();
        state.step()?;
        let node = Node::default();
        state.names.insert(path.to_owned(), node.clone());
        state.renamed(path);

        Ok(Box::new(FaultyFile {
            disk: self.clone(),
            path: path.to_owned(),
            node,
        }))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.0.lock();
        state.alive()?;
        let node = state.names.get(path).ok_or_else(missing)?;
        let bytes = node.lock().live.clone();
        Ok(bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.lock();
        state.step()?;
        let node = state.names.remove(from).ok_or_else(missing)?;
        state.names.insert(to.to_owned(), node);
        state.renamed(to);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock();
        state.step()?;
        state.names.remove(path).ok_or_else(missing)?;
        state.renamed(path);
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.0.lock();
        state.alive()?;
        let names = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(names
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.0.lock();
        state.step()?;
        if let Some(names) = state
            .renamed
            .remove(dir)
            .and_then(|mut changes| changes.pop())
        {
            State::set_durable(&mut state.durable_names, dir, names);
        }

        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let mut state = self.0.lock();
        if !state.locked.insert(path.to_owned()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(FaultyLock(self.clone(), path.to_owned())))
    }
}

impl FaultyFile {
    fn change(&self, change: Change) {
        let mut content = self.node.lock();
        apply(&mut content.live, &change);
        content.pending.push(change);
    }
}

impl DiskFile for FaultyFile {
    fn len(&self) -> io::Result<u64> {
        self.disk.0.lock().alive()?;
        Ok(self.node.lock().live.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.disk.0.lock().alive()?;
        let content = self.node.lock();
        let bytes = content
            .live
            .get(offset as usize..)
            .and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.0.lock();
        if let Err(error) = state.step() {
            // The power went in the middle of this write.
            if state.faults.crash_at == Some(state.steps - 1) {
                self.change(Change::Write(offset, bytes.to_vec()));
            }
            return Err(error);
        }

        if state
            .faults
            .write_to
            .is_some_and(|part| self.path.to_string_lossy().contains(part))
        {
            return Err(io::Error::other("the disk is broken"));
        }

        let grown =
            (offset + bytes.len() as u64).saturating_sub(self.node.lock().live.len() as u64);
        if let Some(room) = state.faults.room {
            if grown > room {
                let fits = bytes.len() - (grown - room) as usize;
                state.faults.room = Some(0);
                self.change(Change::Write(offset, bytes[..fits].to_vec()));
                return Err(io::ErrorKind::StorageFull.into());
            }
            state.faults.room = Some(room - grown);
        }

        self.change(Change::Write(offset, bytes.to_vec()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let stall = self.disk.0.lock().faults.stall.clone();
        let _go = stall.as_ref().map(|stall| stall.lock());
        let mut state = self.disk.0.lock();
        state.step()?;
        if state.faults.sync {
            return Err(io::Error::other("the disk does not answer"));
        }

        let mut content = self.node.lock();
        content.durable = content.live.clone();
        content.pending.clear();

        Ok(())
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        let mut state = self.disk.0.lock();
        state.step()?;
        if state.faults.truncate {
            return Err(io::Error::other("the disk is broken"));
        }
        self.change(Change::Truncate(len));
        Ok(())
    }

    fn is_linked(&self) -> io::Result<bool> {
        let state = self.disk.0.lock();
        state.alive()?;
        Ok(state
            .names
            .get(&self.path)
            .is_some_and(|node| Arc::ptr_eq(node, &self.node)))
    }
}
