//! The probe: once a second it takes an entry that was just acknowledged and looks when it is in a
//! signed checkpoint, proven, and found.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use reeve_tlog::{Checkpoint, NoteVerifier, ProofFile};

use crate::latency::Latencies;
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection, number_after, text_after};

/// Between two looks at the same thing.
const LOOK: Duration = Duration::from_millis(5);
/// Between two entries that are followed.
const EVERY: Duration = Duration::from_secs(1);
/// An entry that is not there after this long ends the run.
const PATIENCE: Duration = Duration::from_secs(60);
const HOW: &str =
    "from its acknowledgement; one entry a second while the load runs, the log's root key checked";

/// An entry that was acknowledged.
struct Mark {
    event_id: String,
    sequence: u64,
    acknowledged: Instant,
}

/// Exchange of entries: the connections leave one here when the probe asks for it.
#[derive(Default)]
pub(crate) struct Marks {
    wanted: AtomicBool,
    left: Mutex<Option<Mark>>,
}

impl Marks {
    /// Leaves the last entry of a batch's receipts, if one is wanted.
    pub(crate) fn offer(&self, receipts: &[u8], acknowledged: Instant) {
        if !self.wanted.swap(false, Ordering::Relaxed) {
            return;
        }

        let last = memchr::memmem::rfind(receipts, b"\"event_id\":\"")
            .map_or(receipts, |at| &receipts[at..]);
        if let (Some(id), Some(sequence)) = (
            text_after(last, "\"event_id\":\""),
            number_after(last, "\"sequence\":"),
        ) {
            let mark = Mark {
                event_id: id.to_owned(),
                sequence,
                acknowledged,
            };
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(mark);
        }
    }

    fn take(&self) -> Option<Mark> {
        self.left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// Latencies of probed entries, by what they waited for.
#[derive(Default)]
pub(crate) struct Probe {
    signed: Latencies,
    found: Latencies,
    proven: Latencies,
    all: Latencies,
}

impl Probe {
    /// Follows entries until `stop`.
    pub(crate) fn run(
        service: &Service,
        data: &Path,
        marks: &Marks,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let key = std::fs::read_to_string(data.join("ledger").join("log.vkey"))
            .context("the log's key")?;
        let keys = [key
            .trim()
            .parse::<NoteVerifier>()
            .context("the log's key")?];
        let (mut connection, mut probe) = (Connection::open(service.address)?, Self::default());

        while !stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            marks.wanted.store(true, Ordering::Relaxed);
            let mark = loop {
                match marks.take() {
                    Some(mark) => break mark,
                    None if stop.load(Ordering::Relaxed) => return Ok(probe),
                    None => crate::process::pause(Duration::from_millis(1)),
                }
            };
            probe.follow(&mut connection, &mark, &keys)?;
            crate::process::pause(EVERY.saturating_sub(begun.elapsed()));
        }

        Ok(probe)
    }

    fn follow(
        &mut self,
        connection: &mut Connection,
        mark: &Mark,
        keys: &[NoteVerifier],
    ) -> Result<()> {
        until(mark, "in a signed checkpoint", || {
            let note = ask(connection, "GET", "/api/v1/audit-logs/checkpoint", b"")?;
            Ok(Checkpoint::open(&note, keys)?.size > mark.sequence)
        })?;
        self.signed.push(mark.acknowledged.elapsed());
        let query = format!(
            "{{\"query\":\"event_id:\\\"{}\\\"\",\"limit\":1}}",
            mark.event_id
        );
        until(mark, "found", || {
            let answer = ask(
                connection,
                "POST",
                "/api/v1/audit-logs/search",
                query.as_bytes(),
            )?;
            Ok(number_after(&answer, "\"sequence\":") == Some(mark.sequence))
        })?;

        self.found.push(mark.acknowledged.elapsed());
        let proof = ask(
            connection,
            "GET",
            &format!("/api/v1/audit-logs/{}/proof", mark.event_id),
            b"",
        )?;
        let proof = ProofFile::parse(&proof)?;

        proof
            .verify_disclosed(keys)
            .context("a proof does not hold")?;
        if proof.index != mark.sequence {
            bail!(
                "the proof is of entry {} and not of {}",
                proof.index,
                mark.sequence
            );
        }

        self.proven.push(mark.acknowledged.elapsed());
        self.all.push(mark.acknowledged.elapsed());
        Ok(())
    }

    /// Puts the figures into the results.
    pub(crate) fn report(&self, results: &mut Results) {
        let mut add = |key: &str, what: &str, value: f64| {
            results.add(System::Reeve, key, what, value, "ms", HOW)
        };

        let count = self.all.count();
        add(
            "append.visible.p99",
            &format!("until signed, found and proven, p99 of {count}"),
            self.all.quantile(0.99),
        );
        add("append.visible.max", "the longest", self.all.max());
        add(
            "append.signed.max",
            "until in a signed checkpoint, the longest",
            self.signed.max(),
        );

        add(
            "append.found.max",
            "until found by a search (after that), the longest",
            self.found.max(),
        );
    }
}

fn until(mark: &Mark, name: &str, mut is_done: impl FnMut() -> Result<bool>) -> Result<()> {
    while !is_done()? {
        if mark.acknowledged.elapsed() > PATIENCE {
            bail!(
                "entry {} was acknowledged and not {name} within {PATIENCE:?}",
                mark.sequence
            );
        }
        crate::process::pause(LOOK);
    }
    Ok(())
}

fn ask(connection: &mut Connection, method: &str, path: &str, body: &[u8]) -> Result<Vec<u8>> {
    let request = wire::request(method, path, TOKEN, "application/json", body);
    loop {
        let (head, body) = connection.send(&request)?;
        match head.status {
            200 => return Ok(body.to_vec()),
            // Reading is recorded, and the record waits behind the load like every entry.
            429 | 503 => {}
            status => bail!("{path}: {status} {}", String::from_utf8_lossy(body)),
        }
        crate::process::pause(LOOK);
    }
}
