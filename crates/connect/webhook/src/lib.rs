//! Sends webhooks as Standard Webhooks says (<https://www.standardwebhooks.com>), through the
//! guarded client alone.
//!
//! Three headers carry the message's identifier, the attempt's time in seconds, and one `v1`
//! signature for each secret that signs. Any 2xx says that it arrived, 410 that nothing is wanted
//! any more; redirects are not followed, so that a signed body goes nowhere but where it was
//! addressed. Of an answer the status, the time it took and its beginning are kept.

mod sender;
mod signature;

pub use sender::Sender;
pub use signature::sign;
