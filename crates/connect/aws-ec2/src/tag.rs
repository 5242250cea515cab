//! Tags of EC2's resources. API reference: `CreateTags`, which replaces the value of a key that is there, and `DeleteTags`, which
//! succeeds where there is no such key.

use aws_sdk_ec2::types::Tag;

use crate::change::refused_only;
use crate::describe::Ec2;
use crate::fault::{At, Fault};

impl Ec2 {
    /// Gives a tag of a resource a value.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn set_tag(&self, id: &str, key: &str, value: &str) -> Result<(), Fault> {
        let call = self.place.call("ec2:CreateTags");
        let request = self.changes.create_tags().resources(id).tags(Tag::builder().key(key).value(value).build());
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }

    /// Removes a tag of a resource.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn remove_tag(&self, id: &str, key: &str) -> Result<(), Fault> {
        let call = self.place.call("ec2:DeleteTags");
        let request = self.changes.delete_tags().resources(id).tags(Tag::builder().key(key).build());
        refused_only(self.pace, || async { request.clone().send().await.at(call) }).await?;
        Ok(())
    }
}
