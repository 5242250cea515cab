//! Lock on the data directory, and the sign of life of its holder.
//!
//! `active.lock` is locked (`flock`) by the active server and holds its record; `active.beat` holds
//! a number that it counts up twice a second. A thread counts, so that long computations do not
//! look like a hang, and stops counting when the runtime has not run a task for
//! [`RUNTIME_PATIENCE`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::holder::ActiveHolder;

const LOCK: &str = "active.lock";
const BEAT: &str = "active.beat";

/// Time between two signs of life.
pub(super) const BEAT_EVERY: Duration = Duration::from_millis(500);

/// Longest time that the runtime may run no task before the server counts as hanging.
const RUNTIME_PATIENCE: Duration = Duration::from_secs(15);

/// Answer to the attempt to become active.
pub(crate) enum Turn {
    /// This server is active.
    Active(ActiveLock),
    /// Another one is; its record cannot be read while it is written.
    Held(Option<ActiveHolder>),
}

/// The lock of the active server. Dropping it lets another server act.
#[derive(Debug)]
pub(crate) struct ActiveLock {
    file: File,
    holder: ActiveHolder,
    previous: Option<ActiveHolder>,
    beating: Arc<AtomicBool>,
    thread: Thread,
}

impl ActiveLock {
    /// Takes the lock of a data directory if nobody has it.
    ///
    /// # Errors
    /// The file cannot be opened, locked or written.
    pub(crate) fn take(data_dir: &Path) -> Result<Turn> {
        let path = data_dir.join(LOCK);
        let failed = || format!("{} cannot be used", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .with_context(failed)?;

        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Turn::Held(read(&mut file))),
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
        }

        let metadata = file.metadata().with_context(failed)?;
        let place = (metadata.dev(), metadata.ino());
        let previous = read(&mut file).filter(|previous| previous.file == place);
        let beating = Arc::new(AtomicBool::new(true));
        let thread = beat(data_dir, beating.clone()).with_context(failed)?;
        let lock = ActiveLock {
            file,
            holder: ActiveHolder::new(place),
            previous,
            beating,
            thread,
        };
        lock.write().with_context(failed)?;

        Ok(Turn::Active(lock))
    }

    /// Instance of this server.
    pub(crate) fn instance(&self) -> &str {
        &self.holder.instance
    }

    /// Secret that standbys forward with.
    pub(crate) fn forward_key(&self) -> &str {
        &self.holder.forward_key
    }

    /// Instance that held this lock last; it is gone, or this server could not have the lock.
    pub(crate) fn previous_instance(&self) -> Option<&str> {
        self.previous
            .as_ref()
            .map(|previous| previous.instance.as_str())
    }

    /// Tells standbys the address of this server.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn publish(&mut self, url: String) -> Result<()> {
        self.holder.url = Some(url);
        self.write()
            .context("the address could not be written for standby servers")
    }

    /// Replaces the record. A reader that meets half of it reads again.
    fn write(&self) -> Result<()> {
        let text = serde_json::to_vec_pretty(&self.holder)?;
        self.file.set_len(0)?;
        self.file.write_all_at(&text, 0)?;
        Ok(())
    }
}

impl Drop for ActiveLock {
    fn drop(&mut self) {
        self.beating.store(false, Ordering::SeqCst);
        self.thread.unpark();
    }
}

fn read(file: &mut File) -> Option<ActiveHolder> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Returns the number of signs of life; `None` before the first, or while it is written.
pub(super) fn beats(data_dir: &Path) -> Option<u64> {
    let bytes = std::fs::read(data_dir.join(BEAT)).ok()?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Counts as long as the flag is set and the runtime runs tasks.
fn beat(data_dir: &Path, beating: Arc<AtomicBool>) -> Result<Thread> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(data_dir.join(BEAT))?;

    let mut count = beats(data_dir).unwrap_or(0);
    file.write_all(&count.to_le_bytes())?;
    let ticks = Arc::new(AtomicU64::new(0));
    let (ticking, ticked) = (beating.clone(), ticks.clone());
    tokio::spawn(async move {
        while ticking.load(Ordering::SeqCst) {
            ticked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(BEAT_EVERY).await;
        }
    });

    let thread = move || {
        let (mut last, mut silent) = (0, Duration::ZERO);
        while beating.load(Ordering::SeqCst) {
            let seen = ticks.load(Ordering::SeqCst);
            silent = if seen == last {
                silent + BEAT_EVERY
            } else {
                Duration::ZERO
            };
            last = seen;
            if silent < RUNTIME_PATIENCE {
                count = count.wrapping_add(1);
                if let Err(error) = file.write_all_at(&count.to_le_bytes(), 0) {
                    tracing::error!(%error, "the sign of life could not be written; a standby may take over");
                }
            }
            std::thread::park_timeout(BEAT_EVERY);
        }
    };

    Ok(std::thread::Builder::new()
        .name("beat".to_owned())
        .spawn(thread)?
        .thread()
        .clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Takes the lock of a directory that nobody has. A process that another test starts at this
    /// moment has the file too, until it runs its own program.
    async fn taken(data_dir: &Path) -> ActiveLock {
        for _ in 0..200 {
            if let Turn::Active(lock) = ActiveLock::take(data_dir).unwrap() {
                return lock;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} is still held", data_dir.display())
    }

    #[tokio::test]
    async fn one_has_the_lock_and_the_next_one_knows_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut lock = taken(dir.path()).await;
        assert_eq!(lock.previous_instance(), None);
        lock.publish("http://127.0.0.1:1".to_owned()).unwrap();
        let Turn::Held(Some(holder)) = ActiveLock::take(dir.path()).unwrap() else {
            panic!("it is free")
        };

        assert_eq!(
            (holder.instance.as_str(), holder.url.as_deref()),
            (lock.instance(), Some("http://127.0.0.1:1"))
        );

        let first = lock.instance().to_owned();

        let copy = tempfile::tempdir().unwrap();
        std::fs::copy(dir.path().join(LOCK), copy.path().join(LOCK)).unwrap();
        assert_eq!(
            taken(copy.path()).await.previous_instance(),
            None,
            "the copy of a directory had no holder"
        );
        drop(lock);
        assert_eq!(
            taken(dir.path()).await.previous_instance(),
            Some(first.as_str())
        );
    }

    #[tokio::test]
    async fn the_holder_gives_signs_of_life_until_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let lock = taken(dir.path()).await;
        let begin = beats(dir.path()).unwrap();
        let advanced = async {
            while beats(dir.path()).is_none_or(|count| count < begin + 2) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };

        tokio::time::timeout(Duration::from_secs(20), advanced)
            .await
            .unwrap();
        drop(lock);
    }
}
