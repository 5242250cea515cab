//! Snapshots: read one by one and deleted. Amazon EC2 API reference, `DescribeSnapshots`,
//! `DescribeImages`, `DeleteSnapshot`.

use reeve_estate::{Resource, ResourceKind, ResourceState};

use crate::convert;
use crate::cursor::Cursor;
use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;
use crate::xml::Element;

/// The state of a snapshot: `Available` once it is complete. One that failed has no data to restore
/// a volume from, and must never be taken for one of those that stay.
fn state(snapshot: &Element) -> ResourceState {
    match snapshot.text_of("status") {
        Some("completed") => ResourceState::Available,
        _ => ResourceState::Changing,
    }
}

impl Ec2 {
    /// One snapshot.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn snapshot_resource(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSnapshots");
        let page = self
            .read(call, Form::new().with_list("SnapshotId", [id]))
            .await?;
        let found = page
            .list("snapshotSet")
            .find(|snapshot| snapshot.text_of("snapshotId") == Some(id));
        let found = found
            .ok_or_else(|| call.fault(FaultKind::NotFound, None, &format!("no snapshot {id}")))?;
        let mut snapshot =
            self.place
                .resource(ResourceKind::Snapshot, "ec2", id, convert::tags(found));
        snapshot.state = state(found);
        snapshot.created_at = found
            .time_of("startTime")
            .map_err(|malformed| malformed.at(call))?;

        Ok(snapshot)
    }

    /// Deletes a snapshot that no image uses, as long as the newer ones in `kept` are complete.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] while an image uses it, or once one of `kept` is gone; the call's
    /// failure otherwise.
    pub async fn delete_snapshot(&self, id: &str, kept: &[String]) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:DeleteSnapshot");
        for newer in kept {
            let stays = match self.snapshot_resource(newer).await {
                Ok(snapshot) => snapshot.state == ResourceState::Available,
                Err(fault) if fault.kind == FaultKind::NotFound => false,
                Err(fault) => return Err(fault),
            };
            if !stays {
                let message =
                    format!("the newer snapshot {newer} is gone, so {id} may be the last one");
                return Err(call.fault(FaultKind::WrongState, None, &message));
            }
        }

        if let Some(image) = self.image_of(id).await? {
            let message = format!("image {image} uses {id}");
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }

        self.change(call, Form::new().with("SnapshotId", id))
            .await
            .map(|_| ())
    }

    /// An image of the account with a disk of a snapshot. EC2 refuses to delete the snapshot then;
    /// emulators do not know of every such image, nor of the filter by snapshot.
    async fn image_of(&self, snapshot: &str) -> Result<Option<String>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeImages");
        let mut cursor = Cursor::new();

        loop {
            let form = Form::new()
                .with("Owner.1", "self")
                .with_some("NextToken", cursor.token());
            let page = self.read(call, form).await?;
            let uses = |image: &&Element| {
                let disks = image
                    .list("blockDeviceMapping")
                    .filter_map(|disk| disk.child("ebs"));
                disks
                    .into_iter()
                    .any(|disk| disk.text_of("snapshotId") == Some(snapshot))
            };
            if let Some(image) = page.list("imagesSet").find(uses) {
                return Ok(Some(
                    image.text_of("imageId").unwrap_or_default().to_owned(),
                ));
            }
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_snapshot_that_failed_is_not_available() {
        let snapshot =
            |status: &str| state(&Element::read(&format!("<item>{status}</item>")).unwrap());
        for (status, expected) in [
            ("<status>completed</status>", ResourceState::Available),
            ("<status>pending</status>", ResourceState::Changing),
            ("<status>error</status>", ResourceState::Changing),
            ("<status>recoverable</status>", ResourceState::Changing),
            ("", ResourceState::Changing),
        ] {
            assert_eq!(snapshot(status), expected, "{status}");
        }
    }
}
