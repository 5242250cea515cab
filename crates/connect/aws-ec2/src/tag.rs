//! Tags of EC2's resources. API reference: `CreateTags`, which replaces the value of a key that is
//! there, and `DeleteTags`, which succeeds where there is no such key.

use crate::describe::Ec2;
use crate::fault::AwsEc2Fault;
use crate::form::Form;

impl Ec2 {
    /// Gives a tag of a resource a value.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn set_tag(&self, id: &str, key: &str, value: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:CreateTags");
        let parameters = Form::new()
            .with_list("ResourceId", [id])
            .with_tags("Tag", &[(key, value)]);
        self.change(call, parameters).await.map(|_| ())
    }

    /// Removes a tag of a resource.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn remove_tag(&self, id: &str, key: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:DeleteTags");
        // A value would restrict the call to a tag that has it.
        self.change(
            call,
            Form::new()
                .with_list("ResourceId", [id])
                .with("Tag.1.Key", key),
        )
        .await
        .map(|_| ())
    }
}
