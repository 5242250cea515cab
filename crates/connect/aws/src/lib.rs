//! AWS: inventory, metric samples and changes of one account, through the official SDKs.
//!
//! [`AwsConnection`] implements both ports of the estate, [`Observe`](reeve_estate::Observe) and
//! [`Act`](reeve_estate::Act). What the key may not do is listed and the rest goes on; what the
//! cloud throttles is tried again a bounded number of times; a change whose outcome is open is
//! never repeated. Signed requests without a generated client, and EC2, are in `connect-aws-ec2`.

mod access;
mod act;
mod bucket;
mod cloudwatch;
mod describe;
mod guarded;
mod inventory;
mod lifecycle;
mod log_events;
mod metric;
mod operation;
mod policy;
mod queue;
mod rds;
mod sample;
mod session;
mod source_bucket;
mod spot_event;
mod spot_market;
mod target_groups;
mod trail_digest;

pub use bucket::{AwsBucket, BucketError, BucketPlace};
pub use log_events::LogPage;
pub use policy::reads;
pub use queue::{QueueMessage, region_of_queue};
pub use reeve_connect_aws_ec2::PlacementScores;
pub use session::{AwsConnection, Tuning};
pub use source_bucket::{FetchedObject, ListedObject, SourceBucket, SourceBucketError};
pub use spot_event::{NoNotice, read_spot_event};
pub use target_groups::TargetGroups;
pub use trail_digest::{DigestError, DigestFile, TrailDigest};
