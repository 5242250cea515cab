//! Turning a name into addresses: the system's way, or another in tests.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Port that resolves host names.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a host name; an error when it has none.
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// [`Lookup`] by the resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
