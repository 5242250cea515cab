//! Object storage over REST, by the one guarded way out: [`azure`] and [`gcs`]. Files go up in parts of 8 MiB, so memory does not grow
//! with them, and an object appears only once it is whole. Errors never hold a secret.

pub mod azure;
pub mod gcs;
mod upload;

pub use upload::{StorageError, client};
