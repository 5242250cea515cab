//! Replacements of volumes by encrypted ones. Every stage begins with a look at where the volumes
//! and the machine are, and makes the next call alone: a lost answer, a retry and a restart of the
//! service continue the same walk. Tags of the old volume keep its place.

use aws_config::SdkConfig;
use reeve_connect_aws_ec2::{AwsEc2Fault, EC2, Ec2, Element, Form, Place, query};
use reeve_estate::{ActError, Applied, MADE_BY, Operation, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::{COPY_TAG, ENCRYPTING_TAG, EncryptOperation, REPLACED_TAG};

use super::{Answer, other};
use crate::session::AwsConnection;

/// Tag of an encrypted copy that was given up: a later replacement does not use it.
pub(super) const ABANDONED_TAG: &str = "reeve:abandoned-copy-of";

/// Takes the stages of a replacement.
pub(super) fn offer<'a>(
    cloud: &'a AwsConnection,
    resource: &'a Resource,
    operation: &'a dyn Operation,
) -> Option<Answer<'a>> {
    let operation = *operation.downcast_ref::<EncryptOperation>()?;
    Some(Box::pin(apply(cloud, resource, operation)))
}

async fn apply(
    cloud: &AwsConnection,
    volume: &Resource,
    operation: EncryptOperation,
) -> Result<Applied, ActError> {
    if volume.kind != ResourceKind::Volume {
        return Err(other(format!(
            "{} is a {}: only volumes are replaced by encrypted ones",
            volume.id, volume.kind
        )));
    }

    let place = cloud.place(&volume.account, &volume.region);
    let replacement = Replacement {
        cloud,
        config: cloud.changing(&place.region),
        place,
        id: volume.id.as_str(),
    };
    let is_done = match operation {
        EncryptOperation::Begin => replacement.begin().await?,
        EncryptOperation::Copy => replacement.copy().await?,
        EncryptOperation::Swap => replacement.swap().await?,
        EncryptOperation::GiveBack => replacement.give_back().await?,
    };
    Ok(match is_done {
        true => Applied::Accepted,
        false => Applied::Pending,
    })
}

/// Place of a volume: machine and device; neither for an unattached one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot(Option<(String, String)>);

impl Slot {
    /// The form of the tags.
    fn text(&self) -> String {
        match &self.0 {
            Some((machine, device)) => format!("{machine} {device}"),
            None => "unattached".to_owned(),
        }
    }

    fn read(text: &str) -> Slot {
        let parts = text.split_once(' ');
        Slot(parts.map(|(machine, device)| (machine.to_owned(), device.to_owned())))
    }
}

struct Replacement<'a> {
    cloud: &'a AwsConnection,
    config: SdkConfig,
    place: Place,
    id: &'a str,
}

/// A volume as EC2 describes it.
struct Volume {
    id: String,
    status: String,
    slot: Slot,
    element: Element,
}

impl Volume {
    fn read(element: &Element) -> Option<Volume> {
        let text = |name: &str| Some(element.text_of(name)?.to_owned());
        let attached = element.list("attachmentSet").find_map(|attachment| {
            let machine = attachment.text_of("instanceId")?;
            Some((machine.to_owned(), attachment.text_of("device")?.to_owned()))
        });
        Some(Volume {
            id: text("volumeId")?,
            status: text("status")?,
            slot: Slot(attached),
            element: element.clone(),
        })
    }

    fn tag(&self, key: &str) -> Option<&str> {
        let mut tags = self.element.list("tagSet");
        let found = tags.find(|tag| tag.text_of("key") == Some(key))?;
        Some(found.text_of("value").unwrap_or_default())
    }
}

impl Replacement<'_> {
    /// Notes where the volume is and stops its machine.
    async fn begin(&self) -> Result<bool, ActError> {
        let volume = self.volume().await?;
        let slot = match volume.tag(ENCRYPTING_TAG) {
            Some(text) => Slot::read(text),
            None => {
                self.tag(self.id, ENCRYPTING_TAG, &volume.slot.text())
                    .await?;
                volume.slot
            }
        };
        let Some((machine, _)) = &slot.0 else {
            return Ok(true);
        };
        let seen = self.machine(machine).await?;
        if let Some(group) = &seen.group {
            return Err(other(format!(
                "{machine} belongs to the group {group}, which would replace it while it is stopped"
            )));
        }
        self.stopped(&seen).await
    }

    /// Makes the encrypted volume of the newest snapshot.
    async fn copy(&self) -> Result<bool, ActError> {
        if let Some(copy) = self.encrypted().await? {
            return Ok(copy.status != "creating");
        }
        let volume = self.volume().await?;
        let text = |name: &str| volume.element.text_of(name);
        let snapshot = self.newest_snapshot().await?;
        let is_provisioned =
            |types: &[&str]| text("volumeType").is_some_and(|t| types.contains(&t));
        let iops = text("iops").filter(|_| is_provisioned(&["gp3", "io1", "io2"]));
        let throughput = text("throughput").filter(|_| is_provisioned(&["gp3"]));

        let mut tags: Vec<(&str, &str)> = volume
            .element
            .list("tagSet")
            .filter_map(|tag| {
                Some((
                    tag.text_of("key")?,
                    tag.text_of("value").unwrap_or_default(),
                ))
            })
            .filter(|(key, _)| !key.starts_with("aws:") && !key.starts_with("reeve:"))
            .collect();
        tags.push((COPY_TAG, self.id));
        tags.push(MADE_BY);
        let form = Form::new()
            .with("SnapshotId", snapshot)
            .with(
                "AvailabilityZone",
                text("availabilityZone").unwrap_or_default(),
            )
            .with("Encrypted", "true")
            .with_some("VolumeType", text("volumeType"))
            .with_some("Iops", iops)
            .with_some("Throughput", throughput)
            .with_tags_of_new("volume", &tags);
        self.call("ec2:CreateVolume", form).await?;
        Ok(false)
    }

    /// Puts the encrypted volume in the place of the old one and starts the machine.
    async fn swap(&self) -> Result<bool, ActError> {
        let volume = self.volume().await?;
        let Some(mark) = volume.tag(ENCRYPTING_TAG) else {
            // It was done, and the answer was lost.
            return match volume.tag(REPLACED_TAG) {
                Some(_) => Ok(true),
                None => Err(other(format!(
                    "the replacement of {} was not begun",
                    self.id
                ))),
            };
        };
        let copy = self.encrypted().await?;
        let copy = copy.ok_or_else(|| other(format!("no encrypted volume of {}", self.id)))?;
        if let Some((machine, device)) = &Slot::read(mark).0
            && !self.moved(&volume, &copy, (machine, device)).await?
        {
            return Ok(false);
        }
        self.tag(self.id, REPLACED_TAG, mark).await?;
        self.untag(self.id, ENCRYPTING_TAG).await?;
        Ok(true)
    }

    /// Gives the old volume its place back, however far the replacement is.
    async fn give_back(&self) -> Result<bool, ActError> {
        let volume = self.volume().await?;
        let marks = [ENCRYPTING_TAG, REPLACED_TAG];
        let Some(mark) = marks.iter().find_map(|tag| volume.tag(tag)) else {
            return Ok(true);
        };
        let copy = self.encrypted().await?;
        if let Some((machine, device)) = &Slot::read(mark).0 {
            let is_moved = match &copy {
                Some(copy) => self.moved(copy, &volume, (machine, device)).await?,
                None => self.running(&self.machine(machine).await?).await?,
            };
            if !is_moved {
                return Ok(false);
            }
        }
        if let Some(copy) = copy {
            self.tag(&copy.id, ABANDONED_TAG, self.id).await?;
            self.untag(&copy.id, COPY_TAG).await?;
        }
        for tag in marks {
            if volume.tag(tag).is_some() {
                self.untag(self.id, tag).await?;
            }
        }
        Ok(true)
    }

    /// Takes one volume from a place and puts another there, a call at a time; `true` once the
    /// machine runs with it.
    async fn moved(
        &self,
        from: &Volume,
        to: &Volume,
        (machine, device): (&str, &str),
    ) -> Result<bool, ActError> {
        let seen = self.machine(machine).await?;
        let is_in_place = |volume: &Volume| {
            let slot = volume.slot.0.as_ref();
            slot.is_some_and(|(own, at)| own == machine && at == device)
        };
        if is_in_place(to) {
            return self.running(&seen).await;
        }
        if !self.stopped(&seen).await? {
            return Ok(false);
        }
        if is_in_place(from) {
            let form = Form::new()
                .with("VolumeId", &from.id)
                .with("InstanceId", machine);
            self.call("ec2:DetachVolume", form).await?;
            return Ok(false);
        }
        if to.status == "available" {
            let form = Form::new()
                .with("VolumeId", &to.id)
                .with("InstanceId", machine)
                .with("Device", device);
            self.call("ec2:AttachVolume", form).await?;
        }
        Ok(false)
    }

    async fn stopped(&self, machine: &Resource) -> Result<bool, ActError> {
        if machine.state == ResourceState::Running {
            self.ec2().stop(machine.id.as_str()).await?;
        }
        Ok(machine.state == ResourceState::Stopped)
    }

    async fn running(&self, machine: &Resource) -> Result<bool, ActError> {
        if machine.state == ResourceState::Stopped {
            self.ec2().start(machine.id.as_str()).await?;
        }
        Ok(machine.state == ResourceState::Running)
    }

    async fn machine(&self, id: &str) -> Result<Resource, ActError> {
        Ok(self.ec2().settled_machine(id).await?)
    }

    fn ec2(&self) -> Ec2 {
        self.cloud.ec2(self.place.clone())
    }

    async fn volume(&self) -> Result<Volume, ActError> {
        let form = Form::new().with_list("VolumeId", [self.id]);
        let page = self.call("ec2:DescribeVolumes", form).await?;
        let found = page.list("volumeSet").find_map(Volume::read);
        found.ok_or_else(|| other(format!("no volume {}", self.id)))
    }

    /// The encrypted volume that was made of this one.
    async fn encrypted(&self) -> Result<Option<Volume>, ActError> {
        let filter = format!("tag:{COPY_TAG}");
        let form = Form::new().with_filter(&filter, [self.id]);
        let page = self.call("ec2:DescribeVolumes", form).await?;
        let mut found = page.list("volumeSet").filter_map(Volume::read);
        Ok(
            found
                .find(|volume| !matches!(volume.status.as_str(), "deleting" | "deleted" | "error")),
        )
    }

    /// Identifier of the newest complete snapshot that Reeve made of the volume.
    async fn newest_snapshot(&self) -> Result<String, ActError> {
        let form = Form::new().with_filter("tag:reeve:volume", [self.id]);
        let page = self.call("ec2:DescribeSnapshots", form).await?;
        let complete = page
            .list("snapshotSet")
            .filter(|snapshot| snapshot.text_of("status") == Some("completed"));
        let newest = complete.max_by_key(|snapshot| snapshot.text_of("startTime"));
        let id = newest.and_then(|snapshot| snapshot.text_of("snapshotId"));
        id.map(str::to_owned)
            .ok_or_else(|| other(format!("no complete snapshot of {}", self.id)))
    }

    async fn tag(&self, id: &str, key: &str, value: &str) -> Result<(), ActError> {
        Ok(self.ec2().set_tag(id, key, value).await?)
    }

    async fn untag(&self, id: &str, key: &str) -> Result<(), ActError> {
        Ok(self.ec2().remove_tag(id, key).await?)
    }

    async fn call(&self, permission: &'static str, form: Form) -> Result<Element, AwsEc2Fault> {
        let call = self.place.call(permission);
        query::ask(&self.config, call, EC2, form).await
    }
}

#[cfg(test)]
mod tests {
    use super::Slot;

    #[test]
    fn a_place_is_kept_in_a_tag_and_read_back() {
        for slot in [
            Slot(None),
            Slot(Some(("i-1".to_owned(), "/dev/xvdb".to_owned()))),
        ] {
            assert_eq!(Slot::read(&slot.text()), slot);
        }
    }
}
