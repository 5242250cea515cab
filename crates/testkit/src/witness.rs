//! A strict witness (C2SP tlog-witness) as a peer for tests: it refuses what the specification says
//! must be refused, keeps its state in memory, and remembers what it was sent. One log, one key;
//! HTTP/1.1 by hand, a connection a request.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use reeve_tlog::{
    Checkpoint, Cosigner, Hash, NoteVerifier, SignedNote, WitnessKey, verify_consistency,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Longest request that is read.
const MAX_REQUEST: usize = 1 << 20;

/// A running witness with the checkpoints that it has seen.
#[derive(Debug, Clone)]
pub struct Witness {
    url: String,
    state: Arc<Mutex<State>>,
    cosigner: Cosigner,
}

#[derive(Debug)]
struct State {
    log: NoteVerifier,
    size: u64,
    root: Hash,
    /// Status of every answer, in order.
    answered: Vec<u16>,
    /// Answers with this status instead of looking, while set.
    broken: Option<u16>,
    /// Signs another text than it was sent, while set.
    lies: bool,
}

/// Scripted answer to a request.
struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

fn answer(status: u16, body: impl Into<String>) -> Answer {
    Answer {
        status,
        kind: "text/plain; charset=utf-8",
        body: body.into(),
    }
}

impl Witness {
    /// Starts a witness that knows one log.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(name: &str, log: NoteVerifier) -> anyhow::Result<Witness> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let cosigner = Cosigner::from_seed(name, &[name.len() as u8; 32])?;
        let state = State {
            log,
            size: 0,
            root: reeve_tlog::empty_root(),
            answered: Vec::new(),
            broken: None,
            lies: false,
        };

        let witness = Witness {
            url,
            state: Arc::new(Mutex::new(state)),
            cosigner,
        };
        let serving = witness.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let witness = serving.clone();
                tokio::spawn(async move { witness.serve(stream).await });
            }
        });

        Ok(witness)
    }

    /// Returns the address of the witness.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the verifier key.
    #[must_use]
    pub fn key(&self) -> WitnessKey {
        self.cosigner.key()
    }

    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Size of the newest checkpoint it cosigned.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.state(|state| state.size)
    }

    /// The status of every answer so far.
    #[must_use]
    pub fn answered(&self) -> Vec<u16> {
        self.state(|state| state.answered.clone())
    }

    /// From now on answers with a status and nothing else; `None` ends that.
    pub fn break_with(&self, status: Option<u16>) {
        self.state(|state| state.broken = status);
    }

    /// From now on signs something else than it was sent.
    pub fn lie(&self, lies: bool) {
        self.state(|state| state.lies = lies);
    }

    /// Claims to have seen a larger log.
    pub fn remember(&self, size: u64) {
        self.state(|state| state.size = size);
    }

    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let Answer { status, kind, body } = match read(&mut stream).await? {
            Some((head, body)) if head.starts_with("POST /add-checkpoint HTTP/1.1\r\n") => {
                self.add_checkpoint(&body)
            }
            _ => answer(404, "no such path"),
        };

        self.state(|state| state.answered.push(status));
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;

        stream.shutdown().await
    }

    /// The call, in the order of the specification's checks; state is looked at and changed under
    /// one lock.
    fn add_checkpoint(&self, body: &[u8]) -> Answer {
        let Some(Submitted { old, proof, note }) = parse(body) else {
            return answer(400, "not a request of add-checkpoint");
        };
        let Ok(claimed) = Checkpoint::parse(note.text()) else {
            return answer(400, "not a checkpoint");
        };

        self.state(|state| {
            if let Some(status) = state.broken {
                return answer(status, "out of order");
            }
            if claimed.origin != state.log.name() {
                return answer(404, "unknown origin");
            }
            let Ok(checkpoint) = Checkpoint::from_note(&note, std::slice::from_ref(&state.log))
            else {
                return answer(403, "no signature by a trusted key");
            };
            if old > checkpoint.size {
                return answer(400, "old size beyond the checkpoint");
            }
            let conflict = |state: &State| Answer {
                status: 409,
                kind: "text/x.tlog.size",
                body: format!("{}\n", state.size),
            };
            if old != state.size
                || (old == checkpoint.size && old > 0 && checkpoint.root != state.root)
            {
                return conflict(state);
            }
            let consistent = match old {
                0 => proof.is_empty(),
                _ => {
                    verify_consistency(old, &state.root, checkpoint.size, &checkpoint.root, &proof)
                        .is_ok()
                }
            };
            if !consistent {
                return answer(422, "the consistency proof does not hold");
            }
            (state.size, state.root) = (checkpoint.size, checkpoint.root);
            let now = u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
            let text = if state.lies {
                "another\n0\n\n"
            } else {
                note.text()
            };
            let stranger = Cosigner::from_seed("stranger.example", &[99; 32]);
            let more = stranger
                .map(|stranger| stranger.cosign(note.text(), now).to_string())
                .unwrap_or_default();
            answer(200, format!("{more}{}", self.cosigner.cosign(text, now)))
        })
    }
}

struct Submitted {
    old: u64,
    proof: Vec<Hash>,
    note: SignedNote,
}

fn parse(body: &[u8]) -> Option<Submitted> {
    let text = std::str::from_utf8(body).ok()?;
    let (head, note) = text.split_once("\n\n")?;
    let mut lines = head.split('\n');
    let old = lines.next()?.strip_prefix("old ")?;
    let number: u64 = old.parse().ok()?;
    let proof: Vec<Hash> = lines
        .map(|line| Hash::from_base64(line).ok())
        .collect::<Option<_>>()?;
    let plain = number.to_string() == old && proof.len() <= 63;

    plain.then_some(Submitted {
        old: number,
        proof,
        note: SignedNote::parse(note.as_bytes()).ok()?,
    })
}

/// Reads head and body of a request with a length.
async fn read(stream: &mut TcpStream) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];

    loop {
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = head {
            let head = String::from_utf8_lossy(&bytes[..end + 2]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            let body = &bytes[end + 4..];
            if body.len() >= length.unwrap_or(0) {
                return Ok(Some((head, body.to_vec())));
            }
        }
        let count = stream.read(&mut chunk).await?;
        if count == 0 || bytes.len() > MAX_REQUEST {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
}
