//! Storage that exports are carried to, by the one guarded way out: [`azure`] and [`gcs`] over
//! REST, [`sftp`] by the machine's OpenSSH. Memory does not grow with a file, and a file appears
//! only once it is whole. Errors never hold a secret.

pub mod azure;
pub mod gcs;
pub mod sftp;
mod upload;

pub use upload::{StorageError, client};
