//! Places to open a store at.

use std::sync::Arc;

use anyhow::Result;
use reeve_store::{Store, Vault};
use reeve_testkit::postgres::Postgres;
use tempfile::TempDir;

/// An empty database, with what keeps it there.
pub(crate) struct Place {
    pub(crate) url: String,
    _directory: Option<TempDir>,
    _server: Option<Arc<Postgres>>,
}

impl Place {
    pub(crate) fn sqlite() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let url = format!("sqlite://{}/state/reeve.db", directory.path().display());
        Ok(Place {
            url,
            _directory: Some(directory),
            _server: None,
        })
    }

    /// `None`, with the reason printed, where there is no PostgreSQL.
    pub(crate) async fn postgres() -> Result<Option<Self>> {
        let Some(server) = Postgres::shared()? else {
            return Ok(None);
        };

        let url = server.database().await?;
        Ok(Some(Place {
            url,
            _directory: None,
            _server: Some(server),
        }))
    }

    /// A database that somebody else keeps there.
    pub(crate) fn at(url: &str) -> Self {
        Place {
            url: url.to_owned(),
            _directory: None,
            _server: None,
        }
    }

    pub(crate) async fn open(&self) -> Result<Store> {
        Ok(Store::open(&self.url, vault(1)).await?)
    }
}

/// A vault with a key of its own.
pub(crate) fn vault(key: u8) -> Vault {
    Vault::from_bytes(&[key; 32]).unwrap()
}

/// Runs a test on both databases.
macro_rules! on_both {
    ($($name:ident => $test:path),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() -> anyhow::Result<()> {
                $test(&crate::place::Place::sqlite()?).await
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() -> anyhow::Result<()> {
                match crate::place::Place::postgres().await? {
                    Some(place) => $test(&place).await,
                    None => Ok(()),
                }
            })+
        }
    };
}
pub(crate) use on_both;
