//! The open store: its pools and its transactions.
//!
//! SQLite has one writing connection and several that only read, in WAL mode with every commit
//! synced; PostgreSQL has one pool for both. A commit that was answered is on disk.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::any::{Any, AnyConnectOptions, AnyPoolOptions};
use sqlx::{
    AnyConnection, AnyPool, AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _,
    Transaction,
};

use crate::address::{Address, Backend};
use crate::fault::Fault;
use crate::inventory_totals::InventoryTotals;
use crate::migrate;
use crate::open::{OpenError, connect, create, refusal};
use crate::predictive;
use crate::savings_totals::SavingsTotals;
use crate::vault::Vault;

/// Set-up of every SQLite connection. `busy_timeout` comes first: the others may have to wait for
/// another program.
const SQLITE_SETUP: &str =
    "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;";

/// Further set-up of SQLite connections that only read: there is one writer.
const SQLITE_READER: &str = "PRAGMA query_only = ON;";

/// Longest time that a request waits for a connection: with a database that is away, its caller
/// shall know that soon.
const REQUEST_PATIENCE: Duration = Duration::from_secs(5);

/// Size of the connection pool, and the time to wait for a connection.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseOptions {
    /// Connections at most (SQLite: that read; one more writes).
    pub connections: u32,
    /// Time that start-up waits for the server, and a request for a free connection (five seconds
    /// at most).
    pub patience: Duration,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        DatabaseOptions {
            connections: 8,
            patience: Duration::from_secs(10),
        }
    }
}

/// The open store. A clone is the same store.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

/// Answer to the question whether this server may write.
struct WriteGate(Box<dyn Fn() -> bool + Send + Sync>);

struct Inner {
    backend: Backend,
    read: AnyPool,
    write: AnyPool,
    /// For the lease alone.
    lease: AnyPool,
    /// Closed; statements that write are given it while this server may not write.
    refused: AnyPool,
    gate: OnceLock<WriteGate>,
    vault: Vault,
    inventory_totals: InventoryTotals,
    savings_totals: SavingsTotals,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("backend", &self.inner.backend)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store at `sqlite:///path` or `postgres://user:password@host/database`, creating
    /// and migrating what is missing.
    ///
    /// # Errors
    /// [`OpenError`]; nothing is changed then.
    pub async fn open(url: &str, vault: Vault) -> Result<Self, OpenError> {
        Self::open_with(url, vault, DatabaseOptions::default()).await
    }

    /// [`Store::open`] with other pool sizes.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_with(
        url: &str,
        vault: Vault,
        options: DatabaseOptions,
    ) -> Result<Self, OpenError> {
        sqlx::any::install_default_drivers();
        let mut address = Address::parse(url)?;

        if let Some(file) = address.file.clone() {
            create(&file).map_err(|error| OpenError::File {
                at: address.shown.clone(),
                message: error.to_string(),
            })?;
            address.locate(&file)?;
        }

        let mut first = connect(&address, options.patience).await?;
        let begun = first
            .begin_with(begin(address.backend))
            .await
            .map_err(|error| refusal(&address, error))?;
        migrated(begun, address.backend, &vault).await?;
        first.close().await.map_err(OpenError::statement)?;
        let inner = Inner::pools(&address, options, vault);
        inner.refused.close().await;

        Ok(Store {
            inner: Arc::new(inner),
        })
    }

    /// Waits for running statements and closes every connection. Later calls fail.
    pub async fn close(&self) {
        self.inner.lease.close().await;
        self.inner.read.close().await;
        self.inner.write.close().await;
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    ///
    /// The error of the database, or that it did not answer.
    pub async fn ping(&self) -> Result<(), crate::SettingError> {
        sqlx::query("SELECT 1")
            .execute(self.read())
            .await
            .map_err(Fault::from)?;
        Ok(())
    }

    /// For statements that only read.
    pub(crate) fn read(&self) -> &AnyPool {
        &self.inner.read
    }

    /// Asks a gate before each statement that writes. The first gate stays.
    pub fn write_if(&self, gate: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.inner.gate.set(WriteGate(Box::new(gate)));
    }

    fn may_write(&self) -> bool {
        self.inner.gate.get().is_none_or(|gate| gate.0())
    }

    /// For single statements that write. While the gate is shut the pool is a closed one, so that
    /// they fail.
    pub(crate) fn write(&self) -> &AnyPool {
        if self.may_write() {
            &self.inner.write
        } else {
            &self.inner.refused
        }
    }

    /// For the lease of the active server, which decides whether the gate is open.
    pub(crate) fn lease_pool(&self) -> &AnyPool {
        &self.inner.lease
    }

    /// Begins a transaction of several statements. Dropping it without a commit rolls it back.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>, Fault> {
        Ok(self.write().begin_with(begin(self.inner.backend)).await?)
    }

    /// Lets one transaction at a time write to a table, until it ends. SQLite's transactions hold
    /// the whole database already.
    pub(crate) async fn serialize_writers(
        &self,
        tx: &mut Transaction<'static, Any>,
        table: &'static str,
    ) -> Result<(), Fault> {
        if self.inner.backend == Backend::Postgres {
            let lock = format!("LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE");
            sqlx::raw_sql(AssertSqlSafe(lock))
                .execute(&mut **tx)
                .await?;
        }
        Ok(())
    }

    pub(crate) fn backend(&self) -> Backend {
        self.inner.backend
    }

    /// Sums over the inventory that were read before.
    pub(crate) fn inventory_totals(&self) -> &InventoryTotals {
        &self.inner.inventory_totals
    }

    /// Savings of recommendations that were added up before.
    pub(crate) fn savings_totals(&self) -> &SavingsTotals {
        &self.inner.savings_totals
    }

    /// Returns the installation's secret for identifiers that nobody may foresee.
    #[must_use]
    pub fn identifier_key(&self) -> [u8; 32] {
        self.vault().identifier_key()
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// Opens a sealed text of a record, and names the record where that fails.
    pub(crate) fn open_text(&self, noun: &str, id: &str, sealed: &str) -> Result<String, Fault> {
        let unusable = |error: &dyn std::fmt::Display| {
            Fault::Backend(format!("the secret of {noun} {id} cannot be used: {error}"))
        };
        let plain = self
            .vault()
            .open(id, sealed)
            .map_err(|error| unusable(&error))?;
        let text = std::str::from_utf8(&plain).map_err(|error| unusable(&error))?;
        Ok(text.to_owned())
    }
}

impl Inner {
    fn pools(address: &Address, options: DatabaseOptions, vault: Vault) -> Self {
        let pool = |connections, reads_only: bool| {
            let backend = address.backend;
            AnyPoolOptions::new()
                .max_connections(connections)
                .acquire_timeout(options.patience.min(REQUEST_PATIENCE))
                .after_connect(move |connection, _| {
                    Box::pin(set_up(connection, backend, reads_only))
                })
                .connect_lazy_with(quiet(&address.options))
        };

        let (read, write) = match address.backend {
            Backend::Sqlite => (pool(options.connections.max(1), true), pool(1, false)),
            Backend::Postgres => {
                let both = pool(options.connections.max(2), false);
                (both.clone(), both)
            }
        };

        // SQLite has one writer: a second connection would wait for its file lock, behind
        // transactions.
        let lease = if address.backend == Backend::Sqlite {
            write.clone()
        } else {
            pool(1, false)
        };

        let refused = pool(1, true);
        Inner {
            backend: address.backend,
            read,
            write,
            lease,
            refused,
            gate: OnceLock::new(),
            vault,
            inventory_totals: InventoryTotals::default(),
            savings_totals: SavingsTotals::default(),
        }
    }
}

/// Returns the statement that begins a transaction. SQLite's takes the write lock at once, so that
/// it never fails halfway for lack of it.
pub(crate) const fn begin(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "BEGIN IMMEDIATE",
        Backend::Postgres => "BEGIN",
    }
}

/// Statements are not logged: their parameters are nobody's business.
pub(crate) fn quiet(options: &AnyConnectOptions) -> AnyConnectOptions {
    options.clone().disable_statement_logging()
}

pub(crate) async fn set_up(
    connection: &mut AnyConnection,
    backend: Backend,
    reads_only: bool,
) -> Result<(), sqlx::Error> {
    if backend == Backend::Sqlite {
        connection.execute(sqlx::raw_sql(SQLITE_SETUP)).await?;
        if reads_only {
            connection.execute(sqlx::raw_sql(SQLITE_READER)).await?;
        }
    }
    Ok(())
}

async fn migrated(
    mut tx: Transaction<'_, Any>,
    backend: Backend,
    vault: &Vault,
) -> Result<(), OpenError> {
    migrate::run(&mut tx, backend).await?;
    predictive::seal_addresses(&mut tx, vault)
        .await
        .map_err(|fault| OpenError::statement(sqlx::Error::Protocol(fault.to_string())))?;
    tx.commit().await.map_err(OpenError::statement)
}
