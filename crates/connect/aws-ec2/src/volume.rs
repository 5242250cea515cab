//! Changing volumes: size, type and performance. EBS never shrinks one, and takes no change until the last one is completed; some emulators do either, so
//! both are refused first. EBS user guide, "Modify a volume using Elastic Volumes operations".

use aws_sdk_ec2::types::{VolumeModificationState as Stage, VolumeType};
use reeve_estate::{Resource, ResourceState};

use crate::change::refused_only;
use crate::describe::Ec2;
use crate::fault::{At, Fault, FaultKind};

impl Ec2 {
    /// One volume, `Changing` while EBS is giving it another size: only after that does it have it.
    ///
    /// # Errors
    /// The call's failure. What the account may not ask of changes under way is taken as none.
    pub async fn settled_volume(&self, id: &str) -> Result<Resource, Fault> {
        let mut volume = self.volume(id).await?;
        if self.modification(id).await? == Some(Stage::Modifying) {
            volume.state = ResourceState::Changing;
        }
        Ok(volume)
    }

    /// Returns the stage of a volume's last modification; `None` if there was none, or the account may not ask.
    async fn modification(&self, id: &str) -> Result<Option<Stage>, Fault> {
        let call = self.place.call("ec2:DescribeVolumesModifications");
        let page = match self.client().describe_volumes_modifications().volume_ids(id).send().await.at(call) {
            Ok(page) => page,
            Err(fault) if matches!(fault.kind, FaultKind::Denied | FaultKind::NotFound | FaultKind::Other) => {
                return Ok(None);
            }
            Err(fault) => return Err(fault),
        };
        let newest = page
            .volumes_modifications()
            .iter()
            .max_by_key(|modification| modification.start_time().map_or(0, |at| at.secs()));
        Ok(newest.and_then(|modification| modification.modification_state().cloned()))
    }

    /// Gives a volume more storage.
    ///
    /// # Errors
    /// [`FaultKind::InvalidType`] for a size that is not larger, [`FaultKind::Other`] while an earlier change is not completed;
    /// the call's failure otherwise.
    pub async fn grow(&self, id: &str, storage_gib: u32) -> Result<(), Fault> {
        let call = self.place.call("ec2:ModifyVolume");
        let now = self.volume(id).await?.specification.storage_gib.unwrap_or(0.0);
        if f64::from(storage_gib) <= now {
            let message = format!("{id} has {now:.0} GiB, and EBS makes no volume smaller or the same");
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }
        self.require_completed(id).await?;
        let size = i32::try_from(storage_gib)
            .map_err(|_| call.fault(FaultKind::InvalidType, None, &format!("no volume has {storage_gib} GiB")))?;
        let request = self.changes.modify_volume().volume_id(id).size(size);
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// Gives a volume another type, IOPS and throughput, in MiB/s. What is `None` is left to the type.
    ///
    /// # Errors
    /// [`FaultKind::Other`] while an earlier change is not completed; the call's failure otherwise.
    pub async fn modify_volume(
        &self,
        id: &str,
        volume_type: &str,
        iops: Option<u32>,
        throughput_mibps: Option<u32>,
    ) -> Result<(), Fault> {
        let call = self.place.call("ec2:ModifyVolume");
        self.require_completed(id).await?;
        let number = |name: &str, value: Option<u32>| {
            let wrong = |_| call.fault(FaultKind::InvalidType, None, &format!("no volume has that much {name}"));
            value.map(i32::try_from).transpose().map_err(wrong)
        };
        let request = self
            .changes
            .modify_volume()
            .volume_id(id)
            .volume_type(VolumeType::from(volume_type))
            .set_iops(number("IOPS", iops)?)
            .set_throughput(number("throughput", throughput_mibps)?);
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// Refuses a change of a volume whose last change is not completed.
    async fn require_completed(&self, id: &str) -> Result<(), Fault> {
        let Some(stage @ (Stage::Modifying | Stage::Optimizing)) = self.modification(id).await? else { return Ok(()) };
        let message = format!("the last change of {id} is still {}; EBS takes the next one after it", stage.as_str());
        let call = self.place.call("ec2:ModifyVolume");
        Err(call.fault(FaultKind::Other, Some("IncorrectModificationState"), &message))
    }
}
