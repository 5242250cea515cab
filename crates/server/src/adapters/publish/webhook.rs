//! A webhook: the note is sent as it is, with POST; any 2xx says that it arrived.

use anyhow::{Result, bail};
use async_trait::async_trait;

use reeve_connect_outbound::{Method, Outbound, OutboundRequest, Url};

use super::{PublishDestination, Published};

/// An address that checkpoints are sent to.
pub(crate) struct WebhookDestination {
    client: Outbound,
    url: Url,
    token: Option<String>,
}

impl WebhookDestination {
    /// At an address, with a bearer token if there is one.
    pub(crate) fn new(client: Outbound, url: Url, token: Option<String>) -> WebhookDestination {
        WebhookDestination { client, url, token }
    }
}

#[async_trait]
impl PublishDestination for WebhookDestination {
    fn name(&self) -> &str {
        "webhook"
    }

    async fn deliver(&self, published: &Published) -> Result<()> {
        let mut headers = vec![(
            "content-type".to_owned(),
            "text/plain; charset=utf-8".to_owned(),
        )];
        headers.extend(
            self.token
                .iter()
                .map(|token| ("authorization".to_owned(), format!("Bearer {token}"))),
        );
        let body = published.note.clone().into_bytes();
        let request = OutboundRequest {
            method: Method::POST,
            url: self.url.clone(),
            headers,
            body,
        };
        let answer = self.client.send(request).await?;

        if !answer.status.is_success() {
            bail!("the webhook answers {}", answer.status);
        }

        Ok(())
    }
}
