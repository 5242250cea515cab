//! Content of documents: canonical JSON, compressed with zstd, in base64, under its hash.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reeve_estate::Document;
use sqlx::{Any, Transaction};

use crate::fault::Fault;

/// Level of compression; higher ones gain little on texts of a few kilobytes.
const LEVEL: i32 = 3;
/// Longest document that is decompressed, bytes: as long as one that is taken, with room for what later versions add.
const LONGEST: usize = 4 << 20;

/// Writes a document unless it is there.
pub(super) async fn insert(tx: &mut Transaction<'_, Any>, document: &Document) -> Result<(), Fault> {
    let text = document.text();
    let packed = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(|error| Fault::Backend(error.to_string()))?;
    sqlx::query(
        "INSERT INTO resource_documents (hash, bytes, content) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING",
    )
    .bind(document.hash())
    .bind(i64::try_from(text.len()).unwrap_or(i64::MAX))
    .bind(STANDARD.encode(packed))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Reads a document, and compares it with the hash that it is kept under.
pub(super) fn read(hash: &str, content: &str) -> Result<Document, Fault> {
    let broken = |cause: String| Fault::Backend(format!("the configuration document {hash} cannot be read: {cause}"));
    let packed = STANDARD.decode(content).map_err(|error| broken(error.to_string()))?;
    let text = zstd::bulk::decompress(&packed, LONGEST).map_err(|error| broken(error.to_string()))?;
    let document = Document::kept(serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?);
    if document.hash() == hash { Ok(document) } else { Err(broken("its content has another hash".to_owned())) }
}
