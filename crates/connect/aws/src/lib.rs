//! AWS: inventory, metric samples and changes of one account, through the official SDKs.
//!
//! [`AwsConnection`] implements both ports of the estate, [`Observe`](reeve_estate::Observe) and [`Act`](reeve_estate::Act).
//! What the key may not do is listed and the rest goes on; what the cloud throttles is tried again a bounded number of
//! times; a change whose outcome is open is never repeated. EC2 itself is in `connect-aws-ec2`, because its SDK is large.

mod act;
mod bucket;
mod cloudwatch;
mod describe;
mod guarded;
mod inventory;
mod metric;
mod operation;
mod policy;
mod rds;
mod sample;
mod session;
mod signed;

pub use bucket::{Bucket, BucketError, BucketPlace};
pub use policy::reads;
pub use session::{AwsConnection, Tuning};
