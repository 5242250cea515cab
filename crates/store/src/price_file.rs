//! Imported price files: the port [`PriceFileStore`]. Their content is stored compressed with zstd,
//! in base64.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reeve_estate::catalogue::price_file::MOST_BYTES;
use reeve_estate::{PriceFileStore, PriceKind, Provider, StoreError, StoredPriceFile};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::price_file::PriceFileRow;
use crate::rows::{decode, encode, unreadable};

/// Level of compression: a table of 5 MB takes 1.3 MB.
const LEVEL: i32 = 3;

type Fallible<T> = std::result::Result<T, Fault>;

#[async_trait]
impl PriceFileStore for Store {
    async fn price_file_put(&self, file: &StoredPriceFile) -> Result<(), StoreError> {
        Ok(put(self, file).await?)
    }
    async fn price_file_delete(
        &self,
        provider: Provider,
        kind: PriceKind,
    ) -> Result<(), StoreError> {
        Ok(delete(self, provider, kind).await?)
    }
    async fn price_file_list(&self) -> Result<Vec<StoredPriceFile>, StoreError> {
        Ok(list(self).await?)
    }
}

async fn put(store: &Store, file: &StoredPriceFile) -> Fallible<()> {
    let packed = zstd::bulk::compress(file.text.as_bytes(), LEVEL)
        .map_err(|error| Fault::Backend(error.to_string()))?;
    sqlx::query(
        "INSERT INTO price_files (provider, kind, document, content) VALUES ($1, $2, $3, $4)
         ON CONFLICT (provider, kind) DO UPDATE SET document = excluded.document, content = excluded.content",
    )
    .bind(file.provider.as_str())
    .bind(file.kind.as_str())
    .bind(encode(&PriceFileRow::from(file))?)
    .bind(STANDARD.encode(packed))
    .execute(store.write())
    .await?;

    Ok(())
}

async fn delete(store: &Store, provider: Provider, kind: PriceKind) -> Fallible<()> {
    let done = sqlx::query("DELETE FROM price_files WHERE provider = $1 AND kind = $2")
        .bind(provider.as_str())
        .bind(kind.as_str())
        .execute(store.write())
        .await?;
    let name = || format!("{}/{}", provider.as_str(), kind.as_str());

    if done.rows_affected() > 0 {
        Ok(())
    } else {
        Err(Fault::not_found("price file", &name()))
    }
}

async fn list(store: &Store) -> Fallible<Vec<StoredPriceFile>> {
    let rows = sqlx::query(
        "SELECT provider, kind, document, content FROM price_files ORDER BY provider, kind",
    )
    .fetch_all(store.read())
    .await?;
    rows.iter().map(file).collect()
}

fn file(row: &AnyRow) -> Fallible<StoredPriceFile> {
    let name = format!(
        "{}/{}",
        row.try_get::<String, _>(0)?,
        row.try_get::<String, _>(1)?
    );
    let broken =
        |cause: String| Fault::Backend(format!("the price file {name} cannot be read: {cause}"));
    let packed = STANDARD
        .decode(row.try_get::<String, _>(3)?)
        .map_err(|error| broken(error.to_string()))?;
    let text =
        zstd::bulk::decompress(&packed, MOST_BYTES).map_err(|error| broken(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| broken(error.to_string()))?;
    let document = decode::<PriceFileRow>(row.try_get(2)?);

    document
        .map(|row| row.into_file(text))
        .map_err(unreadable("price file", &name))
}
