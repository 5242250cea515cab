//! Opening what is kept: the log, its search, and the state store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reeve_audit::query::Query;
use reeve_lake::{EntrySearch, EntrySegments, IcebergTables};
use reeve_ledger::{Fence, Ledger, Unfenced};
use reeve_store::{Store, Vault};
use reeve_trail::Trail;

use crate::active::{self, ActiveLease, ActiveLock};
use crate::adapters::tier_places;
use crate::config::Config;
use crate::private;

/// Folder of the state in a data directory.
const STATE: &str = "state";
/// File of the state in it.
const DATABASE: &str = "reeve.db";

/// The log, its search, and nothing else: what importing and searching a data directory need.
pub(crate) struct OpenedLog {
    pub(crate) ledger: Ledger,
    /// The search over it.
    pub(crate) search: Arc<EntrySearch>,
    pub(crate) segments: Arc<EntrySegments>,
    /// Tables over the segments for other engines.
    pub(crate) tables: Arc<IcebergTables>,
    /// The data directory that it lies in.
    pub(crate) data_dir: PathBuf,
}

impl OpenedLog {
    /// The log as callers append to it and read it, each within their visibility.
    pub(super) fn of_callers(&self) -> reeve_trail::Log {
        reeve_trail::Log::new(self.ledger.clone(), self.search.clone())
    }

    /// The whole log, for work of the service itself.
    pub(super) fn trail(&self) -> Trail {
        Trail::service_wide(self.ledger.clone(), self.search.clone())
    }
}

/// Opens the log of a data directory. Of one that was restored the key is replaced first.
pub(crate) async fn open_log(config: &Config) -> Result<OpenedLog> {
    check_restore(&config.data_dir)?;
    open_restored(config).await
}

/// Opens the log of a data directory that is being restored.
pub(crate) async fn open_restored(config: &Config) -> Result<OpenedLog> {
    open(config, Arc::new(Unfenced)).await
}

/// Opens the state store, takes its lease, opens the log under it, and compares the two.
pub(super) async fn open_held(
    config: &Config,
    lock: &ActiveLock,
) -> Result<(Arc<Store>, OpenedLog, ActiveLease)> {
    active::check_file_system(config)?;
    check_restore(&config.data_dir)?;

    // Before the state store, which makes a key of its own where there is none: of a log without
    // its key nothing is made.
    let signer =
        reeve_ledger::keys::load_or_create(&config.data_dir, config.log_origin.as_deref())?;
    let store = Arc::new(open_store(config).await?);
    let lease = ActiveLease::claim(store.clone(), lock, signer.name(), config).await?;
    let opened = async {
        let log = open(config, lease.deadline().clone())
            .await
            .context("the log could not be opened")?;
        lease.bind(&log.ledger).await?;
        Ok(log)
    };

    match opened.await {
        Ok(log) => Ok((store, log, lease)),
        Err(error) => {
            lease.release().await;
            Err(error)
        }
    }
}

/// Refuses a data directory that a restore left half done.
fn check_restore(data_dir: &Path) -> Result<()> {
    if data_dir.join(crate::backup::UNFINISHED).exists() {
        anyhow::bail!(
            "a restore into {} was interrupted: remove the directory and restore again",
            data_dir.display()
        );
    }
    Ok(())
}

async fn open(config: &Config, fence: Arc<dyn Fence>) -> Result<OpenedLog> {
    private::make(&config.data_dir)?;
    let signer =
        reeve_ledger::keys::load_or_create(&config.data_dir, config.log_origin.as_deref())?;
    let places = tier_places::places(config).await?;
    let segments = EntrySegments::open(&config.data_dir).await?;
    let segments = Arc::new(segments.with_tiers(places, config.tiers.fetched_bytes)?);
    let mut ledger_config = reeve_ledger::Config::new(&config.data_dir, signer.name());
    if let Some(anchor) = &config.anchor {
        ledger_config.anchor_path.clone_from(anchor);
    }

    ledger_config.fence = fence;
    ledger_config.seal_after_entries = config.seal_after_entries;
    ledger_config.seal_after_bytes = config.seal_after_bytes;
    ledger_config.seal_after = Duration::from_secs(config.seal_after_s);
    ledger_config.tail_limit_bytes = config.tail_limit_bytes;
    ledger_config.accept_unsigned = config
        .accept_unsigned
        .then(|| super::unsigned::consent(&config.data_dir));
    let ledger = Ledger::open(ledger_config, signer, segments.clone()).await?;
    crate::backup::create::clear(&config.data_dir)?;
    crate::backup::restored::settle(&config.data_dir, &ledger).await?;
    let search = EntrySearch::new(segments.clone(), Arc::new(ledger.clone()));
    let search = Arc::new(search.with_limit(Duration::from_secs(config.search_limit_s)));

    let tables = IcebergTables::new(&segments, ledger.origin())?;

    Ok(OpenedLog {
        ledger,
        search,
        segments,
        tables: Arc::new(tables),
        data_dir: config.data_dir.clone(),
    })
}

/// Returns the query with the values of the lists that a data directory keeps.
///
/// # Errors
/// The data directory keeps no state, or a list does not exist.
pub(crate) async fn with_lists_of(data_dir: &Path, query: &Query) -> Result<Query> {
    let lists = query.expr.lists();
    let Some(name) = lists.first() else {
        return Ok(query.clone());
    };

    if !data_dir.join(STATE).join(DATABASE).is_file() {
        bail!(
            "there is no list `{name}` in {}: lists are kept with the state of the service; if that is in PostgreSQL, query the service with --url and --token",
            data_dir.display()
        );
    }

    let config = Config {
        data_dir: data_dir.to_owned(),
        ..Config::default()
    };
    let store = open_store(&config).await?;
    Ok(reeve_access::with_lists(&store, query).await?)
}

/// The state store: the configured one, or SQLite in the data directory.
pub(crate) async fn open_store(config: &Config) -> Result<Store> {
    let vault = Vault::load_or_create(&config.data_dir.join("keys").join("secrets.key"))?;
    let url = match &config.state_url {
        Some(url) => url.clone(),
        None => {
            let dir = config.data_dir.join(STATE);
            private::make(&dir)?;
            format!("sqlite://{}", dir.join(DATABASE).display())
        }
    };

    Store::open(&url, vault)
        .await
        .context("the state store could not be opened")
}
