//! Content of documents: canonical JSON, compressed with zstd, in base64, under its hash.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reeve_estate::Document;
use sqlx::{Any, Row as _, Transaction};

use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

const INSERT: &str = "INSERT INTO resource_documents (hash, bytes, content)";

/// Level of compression; higher ones gain little on texts of a few kilobytes.
const LEVEL: i32 = 3;
/// Longest document that is decompressed, bytes: as long as one that is taken, with room for what
/// later versions add.
const LONGEST: usize = 4 << 20;

/// Documents as they are stored, packed before a transaction begins.
pub(super) struct Packed(BTreeMap<String, (i64, String)>);

/// Packs documents. Their order is that of their hashes, so that two transactions never wait for
/// each other in a circle.
pub(super) fn pack<'d>(documents: impl Iterator<Item = &'d Document>) -> Result<Packed, Fault> {
    let mut packed = BTreeMap::new();
    for document in documents {
        let text = document.text();
        let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL)
            .map_err(|error| Fault::Backend(error.to_string()))?;
        packed.insert(
            document.hash(),
            (
                i64::try_from(text.len()).unwrap_or(i64::MAX),
                STANDARD.encode(bytes),
            ),
        );
    }

    Ok(Packed(packed))
}

/// Writes the documents that are not there.
pub(super) async fn insert(tx: &mut Transaction<'_, Any>, packed: &Packed) -> Result<(), Fault> {
    let mut insert = Insert::new(INSERT, "ON CONFLICT (hash) DO NOTHING");
    for (hash, (bytes, content)) in &packed.0 {
        insert.row([
            hash.as_str().into(),
            Cell::Integer(*bytes),
            content.as_str().into(),
        ]);
    }
    Ok(insert.run(tx).await?)
}

/// Removes documents that no version, baseline or drift has, at most so many; returns their number.
pub(super) async fn remove_unused(store: &Store, most: i64) -> Result<u64, Fault> {
    let mut tx = store.begin().await?;
    // PostgreSQL would let another transaction find a document here and give it a version while it
    // is being removed.
    store
        .serialize_writers(&mut tx, "resource_documents")
        .await?;
    let removed = sqlx::query(
        "DELETE FROM resource_documents WHERE hash IN (
             SELECT hash FROM resource_documents d
             WHERE NOT EXISTS (SELECT 1 FROM resource_versions v WHERE v.hash = d.hash)
                 AND NOT EXISTS (SELECT 1 FROM pinned_documents p WHERE p.hash = d.hash)
                 AND NOT EXISTS (SELECT 1 FROM drift_documents s WHERE s.hash = d.hash) LIMIT $1)",
    )
    .bind(most)
    .execute(&mut *tx)
    .await?;

    tx.commit().await?;
    Ok(removed.rows_affected())
}

/// Returns the documents of hashes that are stored.
pub(super) async fn list(store: &Store, hashes: &[String]) -> Result<Vec<Document>, Fault> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }

    let mut filter = Filter::default();
    filter.one_of("hash", hashes.iter().map(String::as_str));
    let rows = filter.query(filter.sql("SELECT hash, content FROM resource_documents", ""));
    let rows = rows.fetch_all(store.read()).await?;

    rows.iter()
        .map(|row| read(row.try_get(0)?, row.try_get(1)?))
        .collect()
}

/// Reads a document, and compares it with the hash that it is kept under.
pub(super) fn read(hash: &str, content: &str) -> Result<Document, Fault> {
    let broken = |cause: String| {
        Fault::Backend(format!(
            "the configuration document {hash} cannot be read: {cause}"
        ))
    };

    let packed = STANDARD
        .decode(content)
        .map_err(|error| broken(error.to_string()))?;
    let text =
        zstd::bulk::decompress(&packed, LONGEST).map_err(|error| broken(error.to_string()))?;
    let document =
        Document::kept(serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?);

    if document.hash() == hash {
        Ok(document)
    } else {
        Err(broken("its content has another hash".to_owned()))
    }
}
