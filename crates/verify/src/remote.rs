//! A running service: its signed checkpoint, and the whole tree under it, from C2SP tlog-tiles over
//! HTTP. Payloads are not served there, so what is verified is that the service holds one log,
//! signed, and (with an anchor) the one it held before.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use reeve_tlog::{
    Checkpoint, Epoch, Epochs, Hash, NoteVerifier, TILE_WIDTH, TileId, Tree, chain_hash,
    decode_bundle, encode_tile, leaf_hash,
};
use reqwest::{Client, StatusCode};

use crate::anchor::Anchor;
use crate::cpu;
use crate::error::CannotVerify;
use crate::error::with_causes;
use crate::finding::{Finding, Findings};
use crate::kept::{self, KeptCheckpoint, Witnesses};
use crate::key::{self, Key, KeySource};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::report::{Freshness, Report, VerifiedCounts};
use crate::walk::Milestone;

/// The newest checkpoint that witnesses have cosigned.
const COSIGNED: &str = "checkpoint.cosigned";
/// The log's keys and the records of their epochs.
const KEYS: &str = "keys";
/// Path of the log's API below a service's address.
const PREFIX: &str = "/api/v1/audit-logs";
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Requests under way at a time.
const PARALLEL: usize = 8;
/// A full bundle has 8,704 bytes, a tile 8,192, a checkpoint less; beyond this nothing is read.
const MAX_BODY: usize = 1 << 20;

/// Part that a verification of a service does not look at.
const NOT_SERVED: &str = "payloads, salts and columns: a service serves commitments and hashes only; verify its data directory";

/// A service to verify.
#[derive(Debug, Clone)]
pub struct Remote {
    /// `https://host`, or that with `/api/v1/audit-logs`.
    pub url: String,
    /// Sent as a bearer token.
    pub token: Option<String>,
    pub key: NoteVerifier,
    /// An anchor kept from before, which the log must still contain.
    pub anchor: Option<PathBuf>,
    /// Signed checkpoints of before that the log must extend.
    pub checkpoints: Vec<KeptCheckpoint>,
    /// Witnesses that must have cosigned.
    pub witnesses: Witnesses,
}

/// The tree as it is fetched and grown.
struct Fetched {
    tree: Tree,
    chain_hash: Hash,
    /// Full hash tiles that must be there, with their bytes.
    tiles: Vec<(TileId, Vec<u8>)>,
    /// Checkpoints of before, the largest first.
    kept: Vec<Milestone>,
    findings: Findings,
    counts: VerifiedCounts,
}

/// Verifies the log that a service serves.
pub async fn verify_remote(remote: &Remote, progress: &Progress) -> Result<Report, CannotVerify> {
    let (started, cpu) = (Instant::now(), cpu::used());
    let service = Service::new(remote)?;
    let anchor = match &remote.anchor {
        Some(path) => Anchor::read(path, path.display().to_string())?,
        None => Anchor::default(),
    };
    if let Some(path) = remote.anchor.as_ref().filter(|_| !anchor.present) {
        return Err(CannotVerify::NoSuchPath(path.clone()));
    }

    let mut fetched = Fetched {
        tree: Tree::new(),
        chain_hash: Hash::ZERO,
        tiles: Vec::new(),
        kept: Vec::new(),
        findings: Findings::default(),
        counts: VerifiedCounts::default(),
    };

    anchor
        .findings
        .iter()
        .cloned()
        .for_each(|finding| fetched.findings.add(finding));

    let note = service
        .get("checkpoint")
        .await?
        .ok_or_else(|| service.fails("checkpoint", "the service has none"))?;
    let keys = key::following(&remote.key, service.epochs(&mut fetched.findings).await?);
    let kept = kept::milestones(&remote.checkpoints, &keys, &mut fetched.findings);
    fetched.keep(kept);
    let mut notes = Vec::new();
    service
        .cosigned(remote, &keys, &mut fetched, &mut notes)
        .await?;
    let checkpoint = match keys.open(&note) {
        Ok(checkpoint) => Some(checkpoint),
        Err(error) => {
            let message = format!("the checkpoint is refused: {}", with_causes(&error));
            fetched.findings.add(Finding::new("checkpoint", message));
            None
        }
    };

    if let Some(checkpoint) = &checkpoint {
        fetched.counts.checkpoints = 1;
        progress.expect(checkpoint.size);
        service
            .walk(checkpoint, &anchor, &mut fetched, progress)
            .await?;
    }

    progress.finish();
    let freshness = Freshness::new(
        remote.anchor.as_deref(),
        &remote.checkpoints,
        &remote.witnesses,
    );
    let size = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.size);
    let whole = checkpoint.is_some() && fetched.tree.size() == size;

    Ok(Report {
        target: service.base,
        origin: remote.key.name().to_owned(),
        key: Key {
            verifier: remote.key.clone(),
            source: KeySource::Pinned,
            epochs: keys,
        },
        size,
        root: whole.then(|| fetched.tree.root()),
        chain_hash: whole.then_some(fetched.chain_hash),
        findings_total: fetched.findings.total,
        findings: fetched.findings.list,
        missing: Missing::default(),
        expired: Vec::new(),
        erased: Vec::new(),
        notes,
        not_checked: freshness
            .not_checked()
            .into_iter()
            .chain([NOT_SERVED.to_owned()])
            .collect(),
        freshness,
        counts: fetched.counts,
        elapsed: started.elapsed(),
        cpu: cpu::since(cpu),
    })
}

/// The log's keys, as far as they are of interest here.
#[derive(serde::Deserialize)]
struct KeysBody {
    records: Vec<String>,
}

/// A service that is asked for files of its log.
struct Service {
    client: Client,
    base: String,
    token: Option<String>,
}

impl Service {
    fn new(remote: &Remote) -> Result<Service, CannotVerify> {
        let url = remote.url.trim_end_matches('/');
        let base = if url.ends_with(PREFIX) {
            url.to_owned()
        } else {
            format!("{url}{PREFIX}")
        };

        let client = Client::builder().timeout(TIME_LIMIT).build();
        let client = client.map_err(|error| CannotVerify::Remote {
            url: base.clone(),
            cause: with_causes(&error),
        })?;
        Ok(Service {
            client,
            base,
            token: remote.token.clone(),
        })
    }

    fn fails(&self, path: &str, cause: impl Into<String>) -> CannotVerify {
        CannotVerify::Remote {
            url: format!("{}/{path}", self.base),
            cause: cause.into(),
        }
    }

    /// The keys that the service's records of key epochs lead through; each record vouches for
    /// itself.
    async fn epochs(&self, findings: &mut Findings) -> Result<Option<Epochs>, CannotVerify> {
        let Some(bytes) = self.get(KEYS).await? else {
            return Ok(None);
        };

        let records = serde_json::from_slice::<KeysBody>(&bytes);
        let records = records
            .map_err(|error| self.fails(KEYS, error.to_string()))?
            .records;
        let opened = records
            .iter()
            .map(|record| Epoch::open(record.as_bytes()))
            .collect::<Result<Vec<_>, _>>();

        match opened.and_then(Epochs::from_records) {
            Ok(epochs) => Ok(epochs),
            Err(error) => {
                let message = format!(
                    "the records of key epochs are refused: {}",
                    with_causes(&error)
                );
                findings.add(Finding::new(KEYS, message));
                Ok(None)
            }
        }
    }

    /// Holds the newest cosigned checkpoint to its witnesses, where there are any to hold it to.
    async fn cosigned(
        &self,
        remote: &Remote,
        keys: &Epochs,
        fetched: &mut Fetched,
        notes: &mut Vec<String>,
    ) -> Result<(), CannotVerify> {
        if remote.witnesses.keys.is_empty() {
            return Ok(());
        }

        let bytes = self.get(COSIGNED).await?;
        let findings = &mut fetched.findings;
        let checkpoint = kept::cosigned(
            COSIGNED,
            bytes.as_deref(),
            &remote.witnesses,
            keys,
            findings,
            notes,
        );

        fetched.keep(
            checkpoint
                .iter()
                .map(|checkpoint| Milestone::cosigned(checkpoint, COSIGNED))
                .collect(),
        );

        Ok(())
    }

    /// The bytes of a file; `None` when there is none.
    async fn get(&self, path: &str) -> Result<Option<Vec<u8>>, CannotVerify> {
        let fails = |error: reqwest::Error| self.fails(path, with_causes(&error.without_url()));
        let mut request = self.client.get(format!("{}/{path}", self.base));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }

        let mut response = request.send().await.map_err(fails)?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Ok(None),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let cause = format!(
                    "the service answers {}; give a token in REEVE_TOKEN",
                    response.status()
                );
                return Err(self.fails(path, cause));
            }
            other => return Err(self.fails(path, format!("the service answers {other}"))),
        }

        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(fails)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY {
                return Err(self.fails(path, format!("the answer is longer than {MAX_BODY} bytes")));
            }
        }

        Ok(Some(bytes))
    }

    /// A tile or bundle of the tree's size, also where the service has only the full one left.
    async fn part(
        &self,
        path: String,
        full: String,
        record: usize,
        width: u16,
    ) -> Result<Option<Vec<u8>>, CannotVerify> {
        if let Some(bytes) = self.get(&path).await? {
            return Ok(Some(bytes));
        }

        let wider = if path == full {
            None
        } else {
            self.get(&full).await?
        };

        Ok(wider.map(|mut bytes| {
            bytes.truncate(record * usize::from(width));
            bytes
        }))
    }

    /// Fetches all entry bundles, grows the tree, and holds checkpoint, anchor and hash tiles
    /// against it.
    async fn walk(
        &self,
        checkpoint: &Checkpoint,
        anchor: &Anchor,
        fetched: &mut Fetched,
        progress: &Progress,
    ) -> Result<(), CannotVerify> {
        let bundles = (0..).map_while(|index| TileId::at(0, index, checkpoint.size));
        let mut bundles =
            stream::iter(bundles.map(|tile| async move { Ok((tile, self.bundle(tile).await?)) }))
                .buffered(PARALLEL);
        fetched.anchors(anchor);

        while let Some((tile, bytes)) = bundles.try_next().await? {
            let before = fetched.tree.size();
            if !fetched.bundle(tile, bytes.as_deref(), anchor) {
                return Ok(());
            }
            progress.advance(fetched.tree.size() - before);
            let full = std::mem::take(&mut fetched.tiles);
            self.tiles(full, fetched).await?;
        }

        let partial: Vec<_> = fetched
            .tree
            .partials()
            .map(|(tile, hashes)| (tile, encode_tile(hashes)))
            .collect();
        self.tiles(partial, fetched).await?;
        fetched.conclude(checkpoint, anchor);

        Ok(())
    }

    async fn bundle(&self, tile: TileId) -> Result<Option<Vec<u8>>, CannotVerify> {
        self.part(bundle_path(tile), bundle_path(full(tile)), 34, tile.width())
            .await
    }

    async fn tiles(
        &self,
        tiles: Vec<(TileId, Vec<u8>)>,
        fetched: &mut Fetched,
    ) -> Result<(), CannotVerify> {
        for (tile, expected) in tiles {
            let (first, end) = tile.leaves();
            let finding =
                |message: &str| Finding::new(tile.path(), message).entries(first, end - 1);
            match self
                .part(tile.path(), full(tile).path(), 32, tile.width())
                .await?
            {
                Some(bytes) if bytes == expected => fetched.counts.tiles += 1,
                Some(_) => fetched.findings.add(finding(
                    "the hashes of the tile differ from those of the entry bundles",
                )),
                None => fetched.findings.add(finding("the tile is missing")),
            }
        }
        Ok(())
    }
}

impl Fetched {
    /// Takes the next bundle; whether the tree could be grown by it.
    fn bundle(&mut self, tile: TileId, bytes: Option<&[u8]>, anchor: &Anchor) -> bool {
        let (first, end) = tile.leaves();
        let finding =
            |message: String| Finding::new(bundle_path(tile), message).entries(first, end - 1);
        let Some(bytes) = bytes else {
            self.findings.add(finding(
                "the entry bundle is missing, so the tree cannot be known from here on".into(),
            ));
            return false;
        };

        let records = match decode_bundle(bytes, tile.width()) {
            Ok(records) => records,
            Err(error) => {
                self.findings
                    .add(finding(format!("it is not an entry bundle: {error}")));
                return false;
            }
        };

        for record in records {
            let leaf = leaf_hash(record);
            let tiles = &mut self.tiles;
            self.tree
                .append(leaf, |tile, hashes| tiles.push((tile, encode_tile(hashes))));
            self.chain_hash = chain_hash(&self.chain_hash, &leaf);
            self.anchors(anchor);
        }

        self.counts.bundles += 1;
        self.counts.commitments_only = self.tree.size();
        true
    }

    /// Adds checkpoints of before.
    fn keep(&mut self, kept: Vec<Milestone>) {
        self.kept.extend(kept);
        self.kept.sort_by_key(|kept| std::cmp::Reverse(kept.size));
    }

    /// Holds the anchor's slots and checkpoints of before against the tree when it has reached
    /// their size.
    fn anchors(&mut self, anchor: &Anchor) {
        let size = self.tree.size();
        while let Some(kept) = self.kept.pop_if(|kept| kept.size == size) {
            let root = self.tree.root();
            if let Some(held) = kept.root.filter(|held| *held != root) {
                let message = format!(
                    "{} holds another root at {size} entries: the log was rewritten",
                    kept.source_name
                );
                self.findings
                    .add(Finding::new(&kept.file, message).differs(held, root));
            }
        }

        for slot in anchor.slots.iter().filter(|slot| slot.size == size) {
            let finding = |message: &str| Finding::new(&anchor.file, message).at(slot.offset);
            if slot.root != self.tree.root() {
                let wrong = finding("the anchor holds another root at its size than the log gives");
                self.findings
                    .add(wrong.differs(slot.root, self.tree.root()));
            }
            if slot.chain_hash != self.chain_hash {
                let wrong =
                    finding("the anchor holds another chain hash at its size than the log gives");
                self.findings
                    .add(wrong.differs(slot.chain_hash, self.chain_hash));
            }
        }
    }

    fn conclude(&mut self, checkpoint: &Checkpoint, anchor: &Anchor) {
        for kept in std::mem::take(&mut self.kept) {
            let message = format!(
                "{} has more entries than the log: the log was truncated",
                kept.source_name
            );
            self.findings
                .add(Finding::new(&kept.file, message).differs(kept.size, checkpoint.size));
        }

        if self.tree.root() != checkpoint.root {
            let wrong = Finding::new(
                "checkpoint",
                "the entry bundles do not give the signed root",
            );
            self.findings
                .add(wrong.differs(checkpoint.root, self.tree.root()));
        }

        if anchor.size() > checkpoint.size {
            let wrong = Finding::new(
                &anchor.file,
                "the anchor has more entries than the log: the log was truncated",
            );
            self.findings.add(
                wrong
                    .entries(checkpoint.size, anchor.size() - 1)
                    .differs(anchor.size(), checkpoint.size),
            );
        }
    }
}

fn bundle_path(tile: TileId) -> String {
    tile.entries_path().unwrap_or_default()
}

/// The full tile in the place of a partial one.
fn full(tile: TileId) -> TileId {
    TileId::new(tile.level(), tile.index(), TILE_WIDTH).unwrap_or(tile)
}

/// A signed checkpoint from an address.
pub(crate) async fn fetch(url: &str) -> Result<Vec<u8>, CannotVerify> {
    let fails = |cause: String| CannotVerify::Remote {
        url: url.to_owned(),
        cause,
    };

    let client = Client::builder()
        .timeout(TIME_LIMIT)
        .build()
        .map_err(|error| fails(with_causes(&error)))?;
    let mut response = client
        .get(url)
        .send()
        .await
        .map_err(|error| fails(with_causes(&error.without_url())))?;

    if response.status() != StatusCode::OK {
        return Err(fails(format!("it answers {}", response.status())));
    }

    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| fails(with_causes(&error.without_url())))?
    {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BODY {
            return Err(fails(format!("the answer is longer than {MAX_BODY} bytes")));
        }
    }

    Ok(bytes)
}
