//! Sends messages to people over the channel types of `reeve_notify`'s table: e-mail over SMTP, and
//! services that take a message as one request.
//!
//! Whatever address a person configured is resolved and judged before it is asked, mail servers
//! too. Mail is sent over TLS alone. A message is cut to what each service takes; what was cut is
//! in Reeve.

mod check;
mod dispatch;
mod email;
mod html;
mod outcome;
mod service;

pub use dispatch::People;
