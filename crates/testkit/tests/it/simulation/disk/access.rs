//! The simulated disk as the ledger uses it: each call a step that may be held up, fail or be the
//! last.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rand::RngExt;
use reeve_ledger::disk::{Disk, DiskFile, DiskLock};

use super::contents::{Change, Contents};
use super::{Node, SimulatedDisk, Trouble, folder, missing};

struct SimulatedFile {
    disk: SimulatedDisk,
    path: PathBuf,
    node: Node,
}

struct SimulatedLock(SimulatedDisk, PathBuf);

impl DiskLock for SimulatedLock {}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        self.0.0.state.lock().locked.remove(&self.1);
    }
}

impl Disk for SimulatedDisk {
    fn create_dirs(&self, dir: &Path) -> io::Result<()> {
        if self.0.state.lock().folders.contains(dir) {
            return self.0.state.lock().alive();
        }

        let mut state = self
            .step("make folder", dir)
            .map_err(|(error, _, _)| error)?;
        state.folders.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let state = self.0.state.lock();
        state.alive()?;
        let node = state.names.get(path).ok_or_else(missing)?.clone();
        Ok(Box::new(SimulatedFile {
            disk: self.clone(),
            path: path.to_owned(),
            node,
        }))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.step("create", path).map_err(|(error, _, _)| error)?;
        if !state.folders.contains(folder(path)) {
            return Err(missing());
        }

        let node = match state.names.get(path) {
            // Emptying keeps the file, and with it what a power cut may bring back.
            Some(node) => {
                node.lock().change(Change::Truncate(0));
                node.clone()
            }
            None => {
                let node = Arc::new(Mutex::new(Contents::default()));
                state.changed(folder(path), vec![(path.to_owned(), Some(node.clone()))]);
                node
            }
        };

        drop(state);
        Ok(Box::new(SimulatedFile {
            disk: self.clone(),
            path: path.to_owned(),
            node,
        }))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.0.state.lock();
        state.alive()?;
        let node = state.names.get(path).ok_or_else(missing)?;
        let bytes = node.lock().live().to_vec();
        Ok(bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.step("rename to", to).map_err(|(error, _, _)| error)?;
        let node = state.names.get(from).cloned().ok_or_else(missing)?;
        state.changed(
            folder(to),
            vec![(from.to_owned(), None), (to.to_owned(), Some(node))],
        );
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.step("remove", path).map_err(|(error, _, _)| error)?;
        if !state.names.contains_key(path) {
            return Err(missing());
        }
        state.changed(folder(path), vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.0.state.lock();
        state.alive()?;
        if !state.folders.contains(dir) {
            return Err(missing());
        }

        let names = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(names
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self
            .step("sync folder", dir)
            .map_err(|(error, _, _)| error)?;
        for (path, node) in state
            .renamed
            .remove(dir)
            .unwrap_or_default()
            .into_iter()
            .flatten()
        {
            match node {
                Some(node) => state.durable_names.insert(path, node),
                None => state.durable_names.remove(&path),
            };
        }

        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn DiskLock>> {
        let mut state = self.0.state.lock();
        if !state.locked.insert(path.to_owned()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        drop(state);
        Ok(Box::new(SimulatedLock(self.clone(), path.to_owned())))
    }
}

impl DiskFile for SimulatedFile {
    fn len(&self) -> io::Result<u64> {
        self.disk.0.state.lock().alive()?;
        Ok(self.node.lock().live().len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.disk.0.state.lock().alive()?;
        let content = self.node.lock();
        let bytes = content
            .live()
            .get(offset as usize..)
            .and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let outcome = self.disk.step("write", &self.path);
        let mut content = self.node.lock();

        match outcome {
            Ok(_) => {
                content.change(Change::Write(offset, bytes.to_vec()));
                Ok(())
            }
            // In place, no space is needed.
            Err((_, Trouble::Full, _)) if offset as usize + bytes.len() <= content.live().len() => {
                content.change(Change::Write(offset, bytes.to_vec()));
                Ok(())
            }
            Err((error, trouble, mut state)) => {
                let written = match trouble {
                    Trouble::ReadOnly => 0,
                    _ => state.random.random_range(0..=bytes.len()),
                };
                if written > 0 {
                    content.change(Change::Write(offset, bytes[..written].to_vec()));
                }
                Err(error)
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.disk.step("sync", &self.path) {
            Ok(_) | Err((_, Trouble::Full, _)) => {
                self.node.lock().sync();
                Ok(())
            }
            Err((error, trouble, mut state)) => {
                if trouble != Trouble::Crash {
                    self.node.lock().sync_failed(&mut state.random);
                }
                Err(error)
            }
        }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        match self.disk.step("truncate", &self.path) {
            Ok(_) | Err((_, Trouble::Full, _)) => {
                self.node.lock().change(Change::Truncate(len));
                Ok(())
            }
            Err((error, _, _)) => Err(error),
        }
    }

    fn is_linked(&self) -> io::Result<bool> {
        let state = self.disk.0.state.lock();
        state.alive()?;
        Ok(state
            .names
            .get(&self.path)
            .is_some_and(|node| Arc::ptr_eq(node, &self.node)))
    }
}
