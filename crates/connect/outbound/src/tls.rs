//! TLS settings of outbound connections: which certificate authorities are trusted.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls_platform_verifier::Verifier;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, Error};

use crate::client::Outbound;

/// Time after which the authorities of the system are read again. Reading them takes some 10 ms.
const READ_EVERY: Duration = Duration::from_secs(600);

/// Settings that all copies of a client share, and when they were made.
#[derive(Clone, Default)]
pub(crate) struct SharedTls(Arc<Mutex<Option<(Instant, ClientConfig)>>>);

impl Outbound {
    /// Returns the settings that trust the system's authorities and those of the policy.
    pub(crate) fn tls_config(&self) -> Result<ClientConfig, Error> {
        let mut shared = self.tls.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_at, config)) = &*shared
            && made_at.elapsed() < READ_EVERY
        {
            return Ok(config.clone());
        }

        let config = trusting(&self.policy().authorities)?;
        *shared = Some((Instant::now(), config.clone()));
        Ok(config)
    }
}

/// Settings that trust the system's authorities and those of a PEM file.
fn trusting(authorities: &[u8]) -> Result<ClientConfig, Error> {
    let more: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(authorities)
        .collect::<Result<_, _>>()
        .map_err(|error| Error::General(error.to_string()))?;

    let provider = Arc::new(default_provider());
    let verifier = Verifier::new_with_extra_roots(more, Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}
