//! Bodies that nobody read: a refusal is often answered before the body has arrived.
//!
//! A connection on which the rest of a request still arrives cannot take the next one, and closing
//! it at once can lose the answer on its way. So what is left of a body is read and thrown away,
//! for a moment; if it has not ended by then, the answer says `Connection: close` before the
//! connection goes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;

/// Time in which the rest of a body must arrive.
const PATIENCE: Duration = Duration::from_secs(1);

/// The rest of a body, once its reader has let go of it.
type Rest = Arc<Mutex<Option<Body>>>;

/// A body that leaves what was not read of it to somebody else.
struct Kept {
    body: Body,
    ended: bool,
    rest: Rest,
}

impl HttpBody for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        // An error ends a body as much as its last byte.
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.ended = true;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            *self.rest.lock() = Some(std::mem::take(&mut self.body));
        }
    }
}

/// Answers, and sees to what is left of the request.
pub(crate) async fn middleware(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }

    // Reading would ask a client that waits for `100 Continue` to send what nobody wants.
    let waits = request.headers().contains_key(header::EXPECT);
    let rest = Rest::default();
    let request = request.map(|body| {
        Body::new(Kept {
            body,
            ended: false,
            rest: Arc::clone(&rest),
        })
    });
    let mut response = next.run(request).await;

    let left = rest.lock().take();
    if let Some(body) = left
        && (waits || !drained(body, PATIENCE).await)
    {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }

    response
}

/// Reads a body to its end; `false` when it does not end in time.
async fn drained(mut body: Body, patience: Duration) -> bool {
    let read = async { while let Some(Ok(_)) = body.frame().await {} };
    tokio::time::timeout(patience, read).await.is_ok()
}
