//! Simulated life of a log: sessions of a process, and the checks after each.

use std::path::Path;

use rand::RngExt;
use reeve_ledger::{AppendError, Ledger};

use super::damage::disposable;
use super::disk::{Side, Trouble};
use super::life::{Life, id_of};
use super::perhaps;

/// Actions of a session.
const ACTIONS: usize = 12;

impl Life {
    /// Sessions one after the other, with faults.
    pub(crate) async fn live(&mut self) {
        for _ in 0..self.random.random_range(1..5) {
            self.plan_faults();
            self.session(true).await;
            if !self.end_and_look().await {
                return;
            }
        }
    }

    /// A session without faults; how many steps the disk took.
    pub(crate) async fn undisturbed(&mut self) -> u64 {
        self.session(false).await;
        self.disk.steps()
    }

    /// A session that ends at a step, and several ways to find the disk after it.
    pub(crate) async fn crash_at(&mut self, step: u64) {
        self.disk.plan(step, 1, Trouble::Crash);
        self.session(false).await;
        self.ledger = None;
        let (model, crashed) = (self.model.clone(), self.disk.clone());
        let (keys, aside) = (self.home().join("keys"), self.home().join("keys-aside"));
        copy_folder(&keys, &aside);

        let base = self.seed * 1000 + step * 10;
        let seed = |variant| base + variant;
        let mut left: Vec<_> = (0..3)
            .map(|variant| crashed.after_power_cut(seed(variant)))
            .collect();

        // The power goes right after the start that follows a kill. That start may rest on what
        // only the system's cache had.
        let killed = crashed.after_kill(seed(3));
        self.open_on(killed.clone()).await.unwrap().close().await;
        left.push(killed.after_power_cut(seed(4)));
        self.tally.crashes += 4;

        // A kill shares what it leaves with the disk that crashed, so it comes last.
        left.push(killed);
        self.tally.kills += 1;

        for disk in left {
            self.model = model.clone();
            copy_folder(&aside, &keys);
            self.disk = disk;
            assert!(self.look(0).await);
        }
    }

    /// A small log of two seals and a tail, closed.
    pub(crate) async fn small(&mut self) {
        let disk = self.disk.clone();
        let ledger = self.open_on(disk).await.unwrap();

        for (count, sealed) in [(5, false), (6, true), (4, true), (3, false), (1, false)] {
            let texts: Vec<_> = (0..count).map(|_| self.fresh()).collect();
            let answer = ledger.append(self.drafts(&texts)).await;
            self.answered(texts, answer);
            if sealed {
                ledger.seal().await.unwrap();
            }
        }

        ledger.close().await;
    }

    fn plan_faults(&mut self) {
        let plans = [
            (0.5, 1..2, Trouble::Crash),
            (0.3, 1..4, Trouble::Error),
            (0.2, 1..40, Trouble::Full),
            (0.08, 20..400, Trouble::ReadOnly),
        ];
        for (chance, steps, what) in plans {
            if let Some(after) = perhaps(&mut self.random, chance, 0..140) {
                let steps = self.random.random_range(steps);
                self.disk.plan(after, steps, what);
            }
        }
    }

    /// Returns `true` if an error is explained by the faults injected into the disk.
    fn excused(&self) -> bool {
        self.disk.crashed() || self.disk.failed() > 0 || self.model.altered
    }

    /// Opens the log; false when that failed for a reason.
    async fn open(&mut self) -> bool {
        let disk = self.disk.clone();
        match self.open_on(disk).await {
            Ok(ledger) => self.ledger = Some(ledger),
            Err(error) => assert!(self.excused(), "{error}"),
        }
        self.ledger.is_some()
    }

    /// A process: opens, does this and that, and ends somehow. `faults`: errors and slips may
    /// happen.
    async fn session(&mut self, faults: bool) {
        if !self.open().await {
            return;
        }

        for _ in 0..ACTIONS {
            let Some(ledger) = self.ledger.clone() else {
                return;
            };
            match self.random.random_range(0..20) {
                0 => {
                    drop(ledger);
                    if let Some(ledger) = self.ledger.take() {
                        ledger.close().await;
                    }
                    if self.disk.crashed() || !self.open().await {
                        return;
                    }
                }
                1..4 => self.seal(&ledger).await,
                4..7 => self.together(&ledger).await,
                7..9 => self.seal_beside_appends(&ledger).await,
                9 => self.conflict(&ledger).await,
                10 => self.clock.advance(900),
                12 if self.random.random_bool(0.3) => self.rotate_key(&ledger).await,
                11 if faults && self.random.random_bool(0.2) => self.slip(),
                _ => {
                    let texts = self.submission();
                    self.append(&ledger, texts).await;
                }
            }
            let ms = self.random.random_range(0..400);
            self.clock.advance(ms);
            if self.disk.crashed() {
                break;
            }
        }

        if let Some(ledger) = self.ledger.take()
            && self.random.random_bool(0.3)
        {
            ledger.close().await;
        }
    }

    async fn append(&mut self, ledger: &Ledger, texts: Vec<String>) {
        let size = ledger.size();
        let answer = ledger.append(self.drafts(&texts)).await;
        if let Err(AppendError::Storage { message, .. }) = &answer
            && message.contains("nothing was recorded")
        {
            assert_eq!(ledger.size(), size, "{message}");
        }
        self.answered(texts, answer);
    }

    async fn seal(&mut self, ledger: &Ledger) {
        match ledger.seal().await {
            Ok(_) => self.tally.seals += 1,
            Err(error) => assert!(self.excused(), "{error}"),
        }
    }

    /// Several submissions that wait behind one another, so that they share a commit.
    async fn together(&mut self, ledger: &Ledger) {
        let after = self.random.random_range(0..3);
        self.disk.hold(Side::Sequencer, after);
        let first = vec![self.fresh()];
        let mut sent = vec![(first.clone(), self.send(ledger, &first))];
        tokio::select! {
            () = self.disk.someone_waits() => {}
            () = finished(&sent[0].1) => {}
        }
        let same = self.fresh();

        for _ in 0..self.random.random_range(1..5) {
            let mut texts: Vec<_> = self.submission();
            texts.truncate(20);
            if self.random.random_bool(0.3) {
                texts.push(same.clone());
            }
            let task = self.send(ledger, &texts);
            sent.push((texts, task));
        }

        tokio::task::yield_now().await;
        self.disk.release();

        // Of two that send the same, the one that was first has the first receipt.
        let mut answers = Vec::new();
        for (texts, task) in sent {
            answers.push((texts, task.await.unwrap()));
        }

        for (texts, answer) in answers.iter().filter(|(_, answer)| answer.is_err()) {
            self.answered(texts.clone(), answer.clone());
        }

        answers.retain(|(_, answer)| answer.is_ok());
        let again = |answer: &Result<Vec<_>, _>| {
            answer
                .iter()
                .flatten()
                .filter(|r: &&reeve_ledger::Receipt| r.duplicate)
                .count()
        };
        answers.sort_by_key(|(_, answer)| again(answer));

        // Whoever got the first receipt of `same` is answered before those that got it again.
        answers.sort_by_key(|(texts, answer)| {
            let at = texts.iter().position(|text| *text == same);
            at.and_then(|at| answer.as_ref().ok().map(|receipts| receipts[at].duplicate))
                .unwrap_or(false)
        });

        for (texts, answer) in answers {
            self.answered(texts, answer);
        }
    }

    fn send(&self, ledger: &Ledger, texts: &[String]) -> tokio::task::JoinHandle<Answer> {
        let (ledger, drafts) = (ledger.clone(), self.drafts(texts));
        tokio::spawn(async move { ledger.append(drafts).await })
    }

    /// A seal that is held up at some step while entries come in.
    async fn seal_beside_appends(&mut self, ledger: &Ledger) {
        let after = self.random.random_range(0..20);
        self.disk.hold(Side::Seal, after);
        let sealer = ledger.clone();
        let seal = tokio::spawn(async move { sealer.seal().await });
        tokio::select! {
            () = self.disk.someone_waits() => {}
            () = finished(&seal) => {}
        }
        for _ in 0..self.random.random_range(1..4) {
            let texts = self.submission();
            self.append(ledger, texts).await;
        }

        self.disk.release();
        match seal.await.unwrap() {
            Ok(_) => self.tally.seals += 1,
            Err(error) => assert!(self.excused(), "{error}"),
        }
    }

    /// A submission with an entry whose identifier has been used for another one.
    async fn conflict(&mut self, ledger: &Ledger) {
        if self.model.order.is_empty() {
            return;
        }

        let id = self.model.order[self.random.random_range(0..self.model.order.len())].clone();
        let fresh = self.fresh();
        let other = format!(r#"{{"event_id":"{id}","event_type":"another.deed"}}"#);
        let answer = ledger.append(self.drafts(&[fresh.clone(), other])).await;

        match answer {
            Err(AppendError::Conflict { index: 1, event_id }) if event_id == id => {}
            Err(error) => assert!(self.excused(), "{error}"),
            Ok(receipts) => panic!("{id} was taken twice: {receipts:?}"),
        }

        self.model.refused.push(id_of(&fresh));
    }

    /// Another key takes over.
    async fn rotate_key(&mut self, ledger: &Ledger) {
        let text = self.fresh();
        let draft = self.drafts(std::slice::from_ref(&text)).remove(0);

        // The caller is not told the entry's receipt, so it is as one without an answer.
        self.model.doubtful.push(vec![text]);
        match ledger.rotate_key(|_| Ok(draft)).await {
            Ok(_) => {
                self.take_over_public_key(&self.disk);
                self.tally.rotations += 1;
            }
            Err(error) => assert!(self.excused(), "{error}"),
        }
    }

    /// Removes a file of the running log.
    fn slip(&mut self) {
        let home = self.home();
        let files: Vec<_> = self
            .disk
            .files()
            .into_iter()
            .map(|(path, _)| path)
            .collect();

        if files.is_empty() {
            return;
        }

        let path = files[self.random.random_range(0..files.len())].clone();
        let name = path
            .strip_prefix(&home)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        self.disk.remove_underneath(&path);
        self.tally.removed += 1;
        self.model.altered |= !disposable(&name);
    }

    /// Ends the session where it is, and looks at what is found; false when the log refused to
    /// open, for a reason.
    async fn end_and_look(&mut self) -> bool {
        self.ledger = None;
        self.tally.failed_steps += self.disk.failed();
        let seed = self.random.random();
        let power_cut = self.random.random_bool(0.6);
        let anchored;

        if power_cut {
            self.disk = self.disk.after_power_cut(seed);
            self.tally.crashes += 1;
            anchored = self.anchored(&self.disk);
        } else {
            self.disk = self.disk.after_kill(seed);
            self.tally.kills += 1;
            anchored = 0;
        }

        self.look(anchored).await
    }

    /// Opens what is found, checks it, and goes on with it for a while; closed when this returns.
    async fn look(&mut self, anchored: u64) -> bool {
        let disk = self.disk.clone();
        let ledger = match self.open_on(disk).await {
            Ok(ledger) => ledger,
            Err(error) => {
                assert!(self.model.altered, "{error}");
                assert!(
                    error.contains(&*self.home().to_string_lossy()),
                    "no file is named: {error}"
                );
                self.tally.refusals += 1;
                return false;
            }
        };

        if self.model.altered && ledger.size() < self.model.order.len() as u64 {
            // The file that was written to was removed and the power went within the second before
            // that is noticed.
            assert!(
                ledger.size() >= anchored,
                "{} entries of {anchored} that the anchor holds",
                ledger.size()
            );
            ledger.close().await;
            return false;
        }

        self.check(&ledger).await;
        self.send_again(&ledger).await;
        if self.random.random_bool(0.5) {
            self.seal(&ledger).await;
        }

        self.check(&ledger).await;
        ledger.close().await;
        if !self.model.altered {
            self.verify();
        }

        true
    }
}

type Answer = Result<Vec<reeve_ledger::Receipt>, AppendError>;

/// Waits until a task has ended, without taking what it gives.
async fn finished<T>(task: &tokio::task::JoinHandle<T>) {
    while !task.is_finished() {
        tokio::task::yield_now().await;
    }
}

/// Makes one folder what another is, permissions included.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::remove_dir_all(to).ok();
    std::fs::create_dir_all(to).unwrap();
    for item in std::fs::read_dir(from).unwrap() {
        let path = item.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}
