//! Invariants of a log after it was opened, computed from its entries and the receipts of its
//! writers alone.

use std::collections::{HashMap, HashSet};

use reeve_ledger::{Ledger, SegmentStore as _, StoredEntry};
use reeve_tlog::{Checkpoint, Hash, Tree, chain_hash, commitment};

use super::disk::SimulatedDisk;
use super::life::{Life, id_of};

impl Life {
    /// Every entry of the log, in order, out of segments and tail.
    async fn read_all(&self, ledger: &Ledger) -> Vec<StoredEntry> {
        let view = ledger.view();
        let mut rows = Vec::new();
        for segment in view.segments.iter() {
            rows.extend(self.segments.as_ref().unwrap().read(segment).await.unwrap());
        }

        rows.sort_by_key(|row| row.sequence);
        let mut entries = ledger.restore(rows).await.unwrap();
        entries.extend(view.tail.iter().map(|entry| StoredEntry::clone(entry)));
        entries
    }

    /// Recomputes everything and holds it against what was said.
    pub(crate) async fn check(&self, ledger: &Ledger) -> Vec<StoredEntry> {
        let entries = self.read_all(ledger).await;
        assert_eq!(entries.len() as u64, ledger.size());

        let (mut previous, mut tree) = (Hash::ZERO, Tree::new());
        for (sequence, entry) in (0..).zip(&entries) {
            assert_eq!(entry.sequence, sequence);
            assert_eq!(entry.commitment, commitment(&entry.salt, &entry.canonical));
            assert_eq!(
                (entry.leaf_hash, entry.previous_hash),
                (entry.commitment.leaf_hash(), previous)
            );
            previous = chain_hash(&previous, &entry.leaf_hash);
            assert_eq!(entry.hash, previous);
            tree.append(entry.leaf_hash, |_, _| {});
        }

        let key = ledger.verifier_key().parse().unwrap();
        let checkpoint = Checkpoint::open(ledger.checkpoint().as_bytes(), &[key]).unwrap();
        assert_eq!(
            (checkpoint.size, checkpoint.root),
            (tree.size(), tree.root())
        );
        self.check_model(&entries);

        entries
    }

    fn check_model(&self, entries: &[StoredEntry]) {
        let held: HashMap<&str, &StoredEntry> = entries
            .iter()
            .map(|entry| (entry.entry.event_id.as_str(), entry))
            .collect();
        assert_eq!(held.len(), entries.len(), "an entry is there twice");

        for (id, (_, receipt)) in &self.model.acknowledged {
            let entry = held
                .get(id.as_str())
                .unwrap_or_else(|| panic!("acknowledged and lost: {receipt:?}"));
            let found = (
                entry.sequence,
                entry.recorded_at,
                entry.leaf_hash,
                entry.previous_hash,
                entry.hash,
            );
            let expected = (
                receipt.sequence,
                receipt.recorded_at,
                receipt.leaf_hash,
                receipt.previous_hash,
                receipt.hash,
            );
            assert_eq!(found, expected, "{id} is not what its receipt says");
        }

        let sent: Vec<String> = self
            .model
            .doubtful
            .iter()
            .flatten()
            .map(|text| id_of(text))
            .collect();

        for texts in &self.model.doubtful {
            let mut ids: Vec<_> = texts.iter().map(|text| id_of(text)).collect();
            // What another submission brought as well says nothing about this one.
            let once = |id: &String| sent.iter().filter(|other| *other == id).count() == 1;
            ids.retain(|id| !self.model.acknowledged.contains_key(id) && once(id));
            let present = ids
                .iter()
                .filter(|id| held.contains_key(id.as_str()))
                .count();
            assert!(
                present == 0 || present == ids.len(),
                "{present} of {} entries of a submission are there",
                ids.len()
            );
        }

        for id in &self.model.refused {
            assert!(
                !held.contains_key(id.as_str()),
                "{id} was refused and is there"
            );
        }

        let sent: HashSet<String> = sent.into_iter().collect();
        let known = |id: &str| self.model.acknowledged.contains_key(id) || sent.contains(id);
        assert!(held.keys().all(|id| known(id)), "an entry that nobody sent");
    }

    /// The number of entries that the anchor on a disk holds.
    pub(crate) fn anchored(&self, disk: &SimulatedDisk) -> u64 {
        let path = self.home().join("anchor/head");
        let bytes = disk
            .files()
            .into_iter()
            .find(|(file, _)| *file == path)
            .map(|(_, bytes)| bytes);

        bytes
            .and_then(|bytes| reeve_ledger::anchor::decode(&bytes))
            .map_or(0, |(head, _)| head.size)
    }

    /// Sends again what had no answer, and some of what had.
    pub(crate) async fn send_again(&mut self, ledger: &Ledger) {
        for texts in std::mem::take(&mut self.model.doubtful) {
            // It may have been recorded, so its entries count as sent until there is an answer.
            self.model.doubtful.push(texts.clone());
            let answer = ledger.append(self.drafts(&texts)).await;
            assert!(answer.is_ok(), "{answer:?}");
            self.answered(texts, answer);
            self.model.doubtful.pop();
        }
        for id in self.model.order.iter().step_by(17) {
            let (text, receipt) = &self.model.acknowledged[id];
            let again = ledger
                .append(self.drafts(std::slice::from_ref(text)))
                .await
                .unwrap()
                .remove(0);
            assert!(
                again.duplicate && (again.sequence, again.hash) == (receipt.sequence, receipt.hash),
                "{again:?}"
            );
        }
    }
}
