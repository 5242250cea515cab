//! The one guarded way out: HTTP requests to addresses that an operator or a user has configured
//! (webhooks, witnesses, notifications, destinations), made so that nobody can point them at the
//! inside of the network.
//!
//! Names are resolved here, every address of the answer is judged by [`OutboundPolicy`], and the connection
//! goes to the address that was judged, so an answer that changes later changes nothing. Redirects
//! are judged anew, hop by hop, or refused. Bodies and time are bounded. Refused unless allowed:
//! everything that is not a public unicast address (private, loopback, link-local, metadata,
//! shared, multicast, documentation, reserved; also inside IPv4-mapped, NAT64 and 6to4 addresses),
//! other schemes than `https` (and `http` where allowed), and user names in addresses.

mod address;
mod client;
mod connection;
mod lookup;
mod policy;
mod session;
mod tls;

pub use address::is_public;
pub use client::{Outbound, OutboundAnswer, OutboundError, OutboundLimits, OutboundRequest};
pub use connection::Connection;
pub use lookup::{Lookup, SystemLookup};
pub use policy::{OutboundPolicy, OutboundRefusal};
pub use reqwest::{Method, StatusCode, Url};
pub use session::OutboundSession;
