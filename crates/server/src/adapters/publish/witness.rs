//! A witness, asked by C2SP tlog-witness (<https://c2sp.org/tlog-witness>) to cosign checkpoints.
//! It says which size it knows; we prove that the log extends that. A witness that knows more than
//! the log has is the alarm that the log was cut.
//!
//! Refuses answers that are not cosignatures by the configured key over the very text that was
//! sent, or from the future.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;

use reeve_connect_outbound::{Method, Outbound, OutboundAnswer, OutboundRequest, StatusCode, Url};
use reeve_ledger::Ledger;
use reeve_tlog::{Checkpoint, Hash, NoteSignature, SignedNote, WitnessKey};

/// A witness's clock may be ahead of ours by this many seconds.
const AHEAD_S: i64 = 300;

pub(crate) struct Witness {
    client: Outbound,
    url: Url,
    key: WitnessKey,
    /// The size it cosigned last, as far as we know.
    known: AtomicU64,
}

impl Witness {
    /// At a submission prefix.
    pub(crate) fn new(client: Outbound, mut prefix: Url, key: WitnessKey) -> Result<Witness> {
        let mut path = prefix
            .path_segments_mut()
            .map_err(|()| anyhow::anyhow!("the witness's address has no path"))?;
        path.pop_if_empty().push("add-checkpoint");
        drop(path);

        Ok(Witness {
            client,
            url: prefix,
            key,
            known: AtomicU64::new(0),
        })
    }

    pub(crate) fn name(&self) -> &str {
        self.key.name()
    }

    /// Its cosignature over a checkpoint of the log.
    pub(crate) async fn cosign(
        &self,
        ledger: &Ledger,
        note: &SignedNote,
        head: &Checkpoint,
    ) -> Result<NoteSignature> {
        // What we remember may be outdated; what it says itself counts, once.
        let mut asked_again = false;
        loop {
            let old = self.known.load(Ordering::Relaxed).min(head.size);
            let proof = if old == 0 {
                Vec::new()
            } else {
                ledger.consistency(old, head.size).await?
            };
            let answer = self.submit(old, &proof, note).await?;
            match answer.status {
                StatusCode::OK => {
                    let signature = self.read(note, &answer)?;
                    self.known.store(head.size, Ordering::Relaxed);
                    return Ok(signature);
                }
                StatusCode::CONFLICT if !asked_again => {
                    asked_again = true;
                    self.learn(&answer, head.size)?;
                }
                StatusCode::CONFLICT => bail!("its log of {old} entries differs from this one"),
                StatusCode::UNPROCESSABLE_ENTITY => {
                    bail!(
                        "it refuses the proof that the log extends the {old} entries it has seen: it saw another log"
                    )
                }
                StatusCode::FORBIDDEN => {
                    bail!("it does not trust the key in charge; give it the log's new verifier key")
                }
                StatusCode::NOT_FOUND => bail!("it has no log named {}", head.origin),
                status => bail!("it answers {status}"),
            }
        }
    }

    pub(in crate::adapters) async fn submit(
        &self,
        old: u64,
        proof: &[Hash],
        note: &SignedNote,
    ) -> Result<OutboundAnswer> {
        let mut body = format!("old {old}\n");
        for hash in proof {
            body.push_str(&hash.to_base64());
            body.push('\n');
        }

        body.push('\n');
        body.push_str(&note.to_string());
        let headers = vec![(
            "content-type".to_owned(),
            "text/plain; charset=utf-8".to_owned(),
        )];
        let request = OutboundRequest {
            method: Method::POST,
            url: self.url.clone(),
            headers,
            body: body.into_bytes(),
        };

        Ok(self.client.send(request).await?)
    }

    /// Takes up the size that the witness says it knows.
    fn learn(&self, answer: &OutboundAnswer, size: u64) -> Result<()> {
        let text = std::str::from_utf8(&answer.body).unwrap_or_default();
        let known = text
            .strip_suffix('\n')
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let known: u64 = known
            .and_then(|digits| digits.parse().ok())
            .context("it answers 409 without its tree size")?;

        if known > size {
            bail!(
                "it cosigned a log of {known} entries, and the log has {size}: the end of the log was cut off"
            );
        }

        self.known.store(known, Ordering::Relaxed);
        Ok(())
    }

    /// The cosignature in an answer; lines of other keys are passed over.
    fn read(&self, note: &SignedNote, answer: &OutboundAnswer) -> Result<NoteSignature> {
        let text = std::str::from_utf8(&answer.body).context("its answer is not text")?;
        let latest = Timestamp::now().as_second() + AHEAD_S;
        let line = text
            .lines()
            .filter_map(NoteSignature::parse)
            .find(|line| self.key.claims(line));
        let line =
            line.with_context(|| format!("its answer has no cosignature by {}", self.key))?;
        let cosigned = self
            .key
            .verify(note.text(), &line)
            .context("its cosignature does not hold")?;
        if i64::try_from(cosigned.timestamp).is_ok_and(|at| at <= latest) {
            return Ok(line);
        }

        bail!(
            "its cosignature is of the future: {} s since 1970",
            cosigned.timestamp
        )
    }
}
