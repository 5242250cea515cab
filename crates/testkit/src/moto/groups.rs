//! Networks and security groups in moto.

use super::seed::{first, pairs};
use super::{EC2, Moto};

impl Moto {
    /// Makes a security group in a network; its identifier. As EC2's, it lets everything out.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn security_group(
        &self,
        region: &str,
        network: &str,
        name: &str,
    ) -> anyhow::Result<String> {
        let parameters = pairs(&[
            ("GroupName", name),
            ("GroupDescription", name),
            ("VpcId", network),
        ]);
        first(
            &self
                .query(&EC2, region, "CreateSecurityGroup", &parameters)
                .await?,
            "groupId",
        )
    }

    /// Lets HTTPS into a security group.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn open_group(&self, region: &str, group: &str) -> anyhow::Result<()> {
        let parameters = pairs(&[
            ("GroupId", group),
            ("IpPermissions.1.IpProtocol", "tcp"),
            ("IpPermissions.1.FromPort", "443"),
            ("IpPermissions.1.ToPort", "443"),
            ("IpPermissions.1.IpRanges.1.CidrIp", "0.0.0.0/0"),
        ]);
        self.query(&EC2, region, "AuthorizeSecurityGroupIngress", &parameters)
            .await?;

        Ok(())
    }

    /// Puts a tag on a resource of EC2.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn tag(&self, region: &str, id: &str, key: &str, value: &str) -> anyhow::Result<()> {
        let parameters = pairs(&[
            ("ResourceId.1", id),
            ("Tag.1.Key", key),
            ("Tag.1.Value", value),
        ]);
        self.query(&EC2, region, "CreateTags", &parameters).await?;
        Ok(())
    }

    /// Makes another network; its identifier.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn further_network(&self, region: &str) -> anyhow::Result<String> {
        first(
            &self
                .query(
                    &EC2,
                    region,
                    "CreateVpc",
                    &pairs(&[("CidrBlock", "10.9.0.0/16")]),
                )
                .await?,
            "vpcId",
        )
    }
}
