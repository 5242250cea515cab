//! The SDK's requests by the one guarded way out, where a person has configured the endpoint. Names
//! are resolved, judged and pinned there, and redirects refused, so an endpoint can be pointed at
//! nothing inside the network. Without an endpoint the SDK asks AWS's own addresses with a client
//! of its own, as it does for the machine's credentials.

use std::io;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use reeve_connect_outbound::{Method, Outbound, OutboundAnswer, OutboundError, OutboundRequest};

/// The SDK's client over the guarded one.
#[derive(Debug, Clone)]
pub(crate) struct Guarded(pub(crate) Outbound);

impl HttpClient for Guarded {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Guarded {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let outbound = self.0.clone();
        HttpConnectorFuture::new(async move {
            let request = outgoing(request).await?;
            answered(outbound.send(request).await.map_err(failed)?)
        })
    }
}

async fn outgoing(request: HttpRequest) -> Result<OutboundRequest, ConnectorError> {
    let method = Method::from_bytes(request.method().as_bytes()).map_err(unfit)?;
    let url = request.uri().parse().map_err(unfit)?;
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();

    let body = ByteStream::new(request.into_body())
        .collect()
        .await
        .map_err(unfit)?
        .to_vec();

    Ok(OutboundRequest {
        method,
        url,
        headers,
        body,
    })
}

fn answered(answer: OutboundAnswer) -> Result<HttpResponse, ConnectorError> {
    let status = StatusCode::try_from(answer.status.as_u16()).map_err(unfit)?;
    let mut response = HttpResponse::new(status, SdkBody::from(answer.body));

    for (name, value) in &answer.headers {
        // What is no text says nothing to the SDK.
        if let Ok(value) = value.to_str() {
            response
                .headers_mut()
                .try_append(name.as_str().to_owned(), value.to_owned())
                .map_err(unfit)?;
        }
    }

    Ok(response)
}

fn unfit(error: impl std::error::Error + Send + Sync + 'static) -> ConnectorError {
    ConnectorError::user(Box::new(error))
}

/// Turns a failure into the SDK's error: temporary ones are retried, refusals are not. The target
/// of a redirect comes from the endpoint and is not repeated in the message.
fn failed(error: OutboundError) -> ConnectorError {
    if matches!(error, OutboundError::Redirect(_)) {
        return ConnectorError::user(Box::new(io::Error::other(
            "answered with a redirect, which is not followed",
        )));
    }

    let passes = matches!(
        error,
        OutboundError::Failed(_) | OutboundError::Unresolved { .. }
    );
    let late = matches!(error, OutboundError::Late(_));
    let error = Box::new(io::Error::other(error));

    match (late, passes) {
        (true, _) => ConnectorError::timeout(error),
        (_, true) => ConnectorError::io(error),
        _ => ConnectorError::user(error),
    }
}
