//! Bytes of a simulated file: those that a reader sees, those on the disk, and the changes between
//! them.

use rand::RngExt;
use rand::rngs::StdRng;

/// Size of an atomic write.
const SECTOR: usize = 512;

/// A change that is not durable.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Write(u64, Vec<u8>),
    Truncate(u64),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Contents {
    live: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Change>,
    /// `true` after a failed sync: the visible bytes may change once the page is read from the disk
    /// again.
    doubtful: bool,
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

impl Contents {
    pub(super) fn durable(bytes: Vec<u8>) -> Contents {
        Contents {
            live: bytes.clone(),
            durable: bytes,
            ..Contents::default()
        }
    }

    pub(super) fn live(&self) -> &[u8] {
        &self.live
    }

    pub(super) fn change(&mut self, change: Change) {
        apply(&mut self.live, &change);
        self.pending.push(change);
    }

    /// Makes the changes since the last sync durable. Changes that a failed sync lost stay lost.
    pub(super) fn sync(&mut self) {
        for change in std::mem::take(&mut self.pending) {
            apply(&mut self.durable, &change);
        }
    }

    pub(super) fn sync_failed(&mut self, random: &mut StdRng) {
        self.durable = self.mixed(random);
        self.pending.clear();
        self.doubtful = true;
    }

    /// The pages that a failed sync left in doubt are read from the disk again, some of them.
    pub(super) fn evict(&mut self, random: &mut StdRng) {
        if !std::mem::take(&mut self.doubtful) {
            return;
        }

        let mut on_disk = self.durable.clone();
        self.pending
            .iter()
            .for_each(|change| apply(&mut on_disk, change));
        self.live = match random.random_range(0..3) {
            0 => on_disk,
            1 => std::mem::take(&mut self.live),
            _ => {
                let states = [on_disk, std::mem::take(&mut self.live)];
                sectors_of(&states, random)
            }
        };
    }

    pub(super) fn after_power_cut(&self, random: &mut StdRng) -> Contents {
        Contents::durable(self.mixed(random))
    }

    /// Returns the content after a crash at this point: any mixture of pending changes that a disk
    /// may leave.
    fn mixed(&self, random: &mut StdRng) -> Vec<u8> {
        if self.pending.is_empty() {
            return self.durable.clone();
        }

        let mut states = vec![self.durable.clone()];
        for change in &self.pending {
            let mut next = states.last().cloned().unwrap_or_default();
            apply(&mut next, change);
            states.push(next);
        }

        match random.random_range(0..4) {
            // In order: nothing, all, or a beginning whose last write is torn.
            0 => states.swap_remove(0),
            1 => states.pop().unwrap_or_default(),
            2 => self.torn(&states, random),
            _ => sectors_of(&states, random),
        }
    }

    fn torn(&self, states: &[Vec<u8>], random: &mut StdRng) -> Vec<u8> {
        let kept = random.random_range(0..self.pending.len());
        let mut bytes = states[kept].clone();

        if let Change::Write(offset, written) = &self.pending[kept] {
            let part = random.random_range(0..=written.len());
            apply(
                &mut bytes,
                &Change::Write(*offset, written[..part].to_vec()),
            );
            // The length may be there before the bytes are.
            if random.random_bool(0.3) {
                bytes.resize(bytes.len().max(*offset as usize + written.len()), 0);
            }
        }

        bytes
    }
}

/// A length that one of the states has, and each sector of any of them.
fn sectors_of(states: &[Vec<u8>], random: &mut StdRng) -> Vec<u8> {
    let mut bytes = vec![0; states[random.random_range(0..states.len())].len()];
    for (at, sector) in bytes.chunks_mut(SECTOR).enumerate() {
        let from = &states[random.random_range(0..states.len())];
        let from = from.get(at * SECTOR..).unwrap_or_default();
        let held = from.len().min(sector.len());
        sector[..held].copy_from_slice(&from[..held]);
    }
    bytes
}
