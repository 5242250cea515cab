//! Calls to AWS without generated clients, and EC2 on top of them: machines, volumes, snapshots,
//! addresses, gateways and launch templates, read and changed.
//!
//! [`signed`] sends a request with the SDK's signing, credentials, retries and time limits;
//! [`query`] is its protocol of forms and XML ([`form`], [`xml`]). Beside them stand what every AWS
//! call needs: [`fault`] (what went wrong, for a person and for a program), [`cursor`] (pages that
//! cannot loop) and [`place`] (where a resource is). Nothing here reads the environment.

pub mod change;
pub mod convert;
pub mod cursor;
pub mod describe;
mod endpoint;
pub mod fault;
pub mod form;
mod isolate;
mod market;
mod network;
pub mod place;
pub mod query;
mod replacement;
pub mod signed;
mod snapshot;
mod successor;
mod tag;
mod template;
mod volume;
pub mod xml;

pub use change::{ChangePace, refused_only};
pub use cursor::Cursor;
pub use describe::{EC2, Ec2};
pub use fault::{At, AwsEc2Fault, Call, FaultKind};
pub use form::Form;
pub use market::{PlacementScores, PriceChange};
pub use place::{Listing, Place, retries};
pub use signed::SignedRequest;
pub use successor::FoundSuccessor;
pub use xml::Element;
