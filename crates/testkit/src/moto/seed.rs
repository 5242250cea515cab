//! Test data for moto: machines, volumes, databases, buckets, load balancers, scaling groups,
//! metrics, users.

use anyhow::{Context, bail};
use jiff::Timestamp;

use serde_json::json;

use super::{AUTOSCALING, EC2, ELB, IAM, Moto, RDS, texts};

/// Tags of a resource.
pub type Tags<'a> = &'a [(&'a str, &'a str)];

/// Points of one metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric<'a> {
    /// Namespace of CloudWatch, such as `AWS/EC2`.
    pub namespace: &'a str,
    /// Name of the metric, such as `CPUUtilization`.
    pub name: &'a str,
    /// Unit by CloudWatch's name (`Percent`, `Bytes`).
    pub unit: &'a str,
    /// Dimensions, such as `InstanceId`.
    pub dimensions: Tags<'a>,
}

/// Points in one PutMetricData call, as many as CloudWatch takes.
const POINTS_A_CALL: usize = 1000;

pub(super) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect()
}

fn tag_parameters(prefix: &str, tags: Tags<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (n, (key, value)) in tags.iter().enumerate() {
        out.push((format!("{prefix}.{}.Key", n + 1), (*key).to_owned()));
        out.push((format!("{prefix}.{}.Value", n + 1), (*value).to_owned()));
    }
    out
}

pub(super) fn first(xml: &str, tag: &str) -> anyhow::Result<String> {
    texts(xml, tag)
        .first()
        .map(|t| (*t).to_owned())
        .with_context(|| format!("no <{tag}> in {xml}"))
}

impl Moto {
    /// Starts machines in one reservation; their identifiers.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn machines(
        &self,
        region: &str,
        instance_type: &str,
        count: usize,
        tags: Tags<'_>,
    ) -> anyhow::Result<Vec<String>> {
        self.machines_of(region, "ami-1e749f67", instance_type, count, tags)
            .await
    }

    /// Starts machines of an image (`ami-1e749f67` is moto's Linux, `ami-03cf127a` its Windows).
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn machines_of(
        &self,
        region: &str,
        image: &str,
        instance_type: &str,
        count: usize,
        tags: Tags<'_>,
    ) -> anyhow::Result<Vec<String>> {
        let count = count.to_string();
        let mut parameters = pairs(&[
            ("ImageId", image),
            ("InstanceType", instance_type),
            ("MinCount", &count),
            ("MaxCount", &count),
        ]);

        if !tags.is_empty() {
            parameters.extend(pairs(&[("TagSpecification.1.ResourceType", "instance")]));
            parameters.extend(tag_parameters("TagSpecification.1.Tag", tags));
        }

        let xml = self
            .query(&EC2, region, "RunInstances", &parameters)
            .await?;
        Ok(texts(&xml, "instanceId")
            .into_iter()
            .map(str::to_owned)
            .collect())
    }

    /// Creates a volume, attached to a machine or to none; its identifier.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn volume(
        &self,
        region: &str,
        volume_type: &str,
        gib: u32,
        attached_to: Option<&str>,
        tags: Tags<'_>,
    ) -> anyhow::Result<String> {
        let (zone, gib) = (format!("{region}a"), gib.to_string());
        let mut parameters = pairs(&[
            ("AvailabilityZone", &zone),
            ("Size", &gib),
            ("VolumeType", volume_type),
        ]);

        if !tags.is_empty() {
            parameters.extend(pairs(&[("TagSpecification.1.ResourceType", "volume")]));
            parameters.extend(tag_parameters("TagSpecification.1.Tag", tags));
        }

        let id = first(
            &self
                .query(&EC2, region, "CreateVolume", &parameters)
                .await?,
            "volumeId",
        )?;

        if let Some(machine) = attached_to {
            self.attach(region, &id, machine).await?;
        }

        Ok(id)
    }

    /// Attaches a volume to a machine.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn attach(&self, region: &str, volume: &str, machine: &str) -> anyhow::Result<()> {
        let parameters = pairs(&[
            ("VolumeId", volume),
            ("InstanceId", machine),
            ("Device", "/dev/sdh"),
        ]);
        self.query(&EC2, region, "AttachVolume", &parameters)
            .await?;
        Ok(())
    }

    /// Creates a snapshot of a volume; its identifier.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn snapshot(
        &self,
        region: &str,
        volume: &str,
        tags: Tags<'_>,
    ) -> anyhow::Result<String> {
        let mut parameters = pairs(&[("VolumeId", volume)]);
        if !tags.is_empty() {
            parameters.extend(pairs(&[("TagSpecification.1.ResourceType", "snapshot")]));
            parameters.extend(tag_parameters("TagSpecification.1.Tag", tags));
        }

        first(
            &self
                .query(&EC2, region, "CreateSnapshot", &parameters)
                .await?,
            "snapshotId",
        )
    }

    /// Deletes a volume.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn delete_volume(&self, region: &str, volume: &str) -> anyhow::Result<()> {
        self.query(
            &EC2,
            region,
            "DeleteVolume",
            &pairs(&[("VolumeId", volume)]),
        )
        .await?;
        Ok(())
    }

    /// Gives a bucket lifecycle rules, in place of those that it has.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn lifecycle(
        &self,
        region: &str,
        bucket: &str,
        rules: &'static str,
    ) -> anyhow::Result<()> {
        self.put(region, &format!("{bucket}?lifecycle"), rules)
            .await
            .map(|_| ())
    }

    /// Sets what a bucket blocks of public access.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn public_access_block(
        &self,
        region: &str,
        bucket: &str,
        settings: &'static str,
    ) -> anyhow::Result<()> {
        self.put(region, &format!("{bucket}?publicAccessBlock"), settings)
            .await
            .map(|_| ())
    }

    /// Lets a bucket keep versions.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn versioned(&self, region: &str, bucket: &str) -> anyhow::Result<()> {
        let status = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
        self.put(region, &format!("{bucket}?versioning"), status)
            .await
            .map(|_| ())
    }

    /// Has the requests for a bucket logged to another one. moto writes no logs: tests write them.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn logged(
        &self,
        region: &str,
        bucket: &str,
        target: &str,
        prefix: &str,
    ) -> anyhow::Result<()> {
        let policy = json!({ "Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Principal": { "Service": "logging.s3.amazonaws.com" },
            "Action": "s3:PutObject", "Resource": format!("arn:aws:s3:::{target}/*"),
        }] });
        self.put(region, &format!("{target}?policy"), policy.to_string())
            .await?;
        let logging = format!(
            "<BucketLoggingStatus><LoggingEnabled><TargetBucket>{target}</TargetBucket>\
             <TargetPrefix>{prefix}</TargetPrefix></LoggingEnabled></BucketLoggingStatus>"
        );

        self.put(region, &format!("{bucket}?logging"), logging)
            .await
            .map(|_| ())
    }

    /// Deletes a snapshot.
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn delete_snapshot(&self, region: &str, snapshot: &str) -> anyhow::Result<()> {
        self.query(
            &EC2,
            region,
            "DeleteSnapshot",
            &pairs(&[("SnapshotId", snapshot)]),
        )
        .await?;
        Ok(())
    }

    /// Creates a database instance.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn database(
        &self,
        region: &str,
        id: &str,
        class: &str,
        engine: &str,
        tags: Tags<'_>,
    ) -> anyhow::Result<()> {
        let mut parameters = pairs(&[
            ("DBInstanceIdentifier", id),
            ("DBInstanceClass", class),
            ("Engine", engine),
            ("AllocatedStorage", "100"),
            ("StorageType", "gp2"),
            ("MasterUsername", "admin"),
            ("MasterUserPassword", "not-a-secret"),
            ("MultiAZ", "true"),
        ]);
        parameters.extend(tag_parameters("Tags.Tag", tags));

        self.query(&RDS, region, "CreateDBInstance", &parameters)
            .await?;
        Ok(())
    }

    /// Takes the standby away from a database instance, which every one is created with.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn single_zone(&self, region: &str, id: &str) -> anyhow::Result<()> {
        let parameters = pairs(&[
            ("DBInstanceIdentifier", id),
            ("MultiAZ", "false"),
            ("ApplyImmediately", "true"),
        ]);
        self.query(&RDS, region, "ModifyDBInstance", &parameters)
            .await?;
        Ok(())
    }

    /// Creates a bucket.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn bucket(&self, region: &str, name: &str, tags: Tags<'_>) -> anyhow::Result<()> {
        let place = if region == "us-east-1" {
            String::new()
        } else {
            format!(
                "<CreateBucketConfiguration><LocationConstraint>{region}</LocationConstraint></CreateBucketConfiguration>"
            )
        };
        self.put(region, name, place).await?;

        if !tags.is_empty() {
            let set: String = tags
                .iter()
                .map(|(k, v)| format!("<Tag><Key>{k}</Key><Value>{v}</Value></Tag>"))
                .collect();
            self.put(
                region,
                &format!("{name}?tagging"),
                format!("<Tagging><TagSet>{set}</TagSet></Tagging>"),
            )
            .await?;
        }

        Ok(())
    }

    /// Writes an object (`bucket/name`).
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn object(&self, region: &str, path: &str, content: Vec<u8>) -> anyhow::Result<()> {
        self.put(region, path, content).await?;
        Ok(())
    }

    /// Removes an object (`bucket/name`) or an empty bucket (`bucket`).
    ///
    /// # Errors
    /// moto refused the call.
    pub async fn remove_object(&self, region: &str, path: &str) -> anyhow::Result<()> {
        self.remove(region, path).await
    }

    /// The default network's identifier and its subnets.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn network(&self, region: &str) -> anyhow::Result<(String, Vec<String>)> {
        let xml = self.query(&EC2, region, "DescribeSubnets", &[]).await?;
        let subnets = texts(&xml, "subnetId")
            .into_iter()
            .map(str::to_owned)
            .collect();
        Ok((first(&xml, "vpcId")?, subnets))
    }

    /// Creates an application load balancer with one target group of machines; the balancer's ARN.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn load_balancer(
        &self,
        region: &str,
        name: &str,
        targets: &[String],
        tags: Tags<'_>,
    ) -> anyhow::Result<String> {
        let (vpc, subnets) = self.network(region).await?;
        let [one, two, ..] = subnets.as_slice() else {
            bail!("{region} has fewer than two subnets")
        };

        let mut parameters = pairs(&[
            ("Name", name),
            ("Subnets.member.1", one),
            ("Subnets.member.2", two),
        ]);
        parameters.extend(tag_parameters("Tags.member", tags));
        let balancer = first(
            &self
                .query(&ELB, region, "CreateLoadBalancer", &parameters)
                .await?,
            "LoadBalancerArn",
        )?;

        let parameters = pairs(&[
            ("Name", name),
            ("Protocol", "HTTP"),
            ("Port", "80"),
            ("VpcId", &vpc),
        ]);

        let group = first(
            &self
                .query(&ELB, region, "CreateTargetGroup", &parameters)
                .await?,
            "TargetGroupArn",
        )?;
        let mut parameters = pairs(&[("TargetGroupArn", &group)]);

        for (n, target) in targets.iter().enumerate() {
            parameters.push((format!("Targets.member.{}.Id", n + 1), target.clone()));
        }

        self.query(&ELB, region, "RegisterTargets", &parameters)
            .await?;
        let parameters = pairs(&[
            ("LoadBalancerArn", &balancer),
            ("Protocol", "HTTP"),
            ("Port", "80"),
            ("DefaultActions.member.1.Type", "forward"),
            ("DefaultActions.member.1.TargetGroupArn", &group),
        ]);
        self.query(&ELB, region, "CreateListener", &parameters)
            .await?;

        Ok(balancer)
    }

    /// Creates a scaling group of `size` machines from a launch template.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn scaling_group(
        &self,
        region: &str,
        name: &str,
        instance_type: &str,
        size: usize,
    ) -> anyhow::Result<()> {
        let template = pairs(&[
            ("LaunchTemplateName", name),
            ("LaunchTemplateData.ImageId", "ami-1e749f67"),
            ("LaunchTemplateData.InstanceType", instance_type),
        ]);

        let xml = self
            .query(&EC2, region, "CreateLaunchTemplate", &template)
            .await?;
        let (template, size, zone) = (
            first(&xml, "launchTemplateId")?,
            size.to_string(),
            format!("{region}a"),
        );

        let parameters = pairs(&[
            ("AutoScalingGroupName", name),
            ("LaunchTemplate.LaunchTemplateId", &template),
            ("LaunchTemplate.Version", "$Latest"),
            ("MinSize", &size),
            ("MaxSize", &size),
            ("DesiredCapacity", &size),
            ("AvailabilityZones.member.1", &zone),
            ("Tags.member.1.Key", "team"),
            ("Tags.member.1.Value", "web"),
            ("Tags.member.1.PropagateAtLaunch", "false"),
        ]);
        self.query(&AUTOSCALING, region, "CreateAutoScalingGroup", &parameters)
            .await?;

        Ok(())
    }

    /// Sets a scaling group to a version of its launch template.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn group_version(
        &self,
        region: &str,
        name: &str,
        version: &str,
    ) -> anyhow::Result<()> {
        let parameters = pairs(&[
            ("AutoScalingGroupName", name),
            ("LaunchTemplate.LaunchTemplateName", name),
            ("LaunchTemplate.Version", version),
        ]);
        self.query(&AUTOSCALING, region, "UpdateAutoScalingGroup", &parameters)
            .await?;
        Ok(())
    }

    /// Sets a scaling group's least and most members.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn group_bounds(
        &self,
        region: &str,
        name: &str,
        min: u32,
        max: u32,
    ) -> anyhow::Result<()> {
        let (min, max) = (min.to_string(), max.to_string());
        let parameters = pairs(&[
            ("AutoScalingGroupName", name),
            ("MinSize", &min),
            ("MaxSize", &max),
        ]);
        self.query(&AUTOSCALING, region, "UpdateAutoScalingGroup", &parameters)
            .await?;
        Ok(())
    }

    /// Puts points of a metric, however old, at whole seconds.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn metric(
        &self,
        region: &str,
        metric: Metric<'_>,
        points: &[(Timestamp, f64)],
    ) -> anyhow::Result<()> {
        let dimensions: Vec<_> = metric
            .dimensions
            .iter()
            .map(|(k, v)| json!({ "Name": k, "Value": v }))
            .collect();

        for batch in points.chunks(POINTS_A_CALL) {
            let point = |(time, value): &(Timestamp, f64)| {
                json!({
                    "MetricName": metric.name,
                    "Unit": metric.unit,
                    "Timestamp": time.as_second(),
                    "Value": value,
                    "Dimensions": dimensions,
                })
            };
            let data: Vec<_> = batch.iter().map(point).collect();
            self.json(
                region,
                "PutMetricData",
                &json!({ "Namespace": metric.namespace, "MetricData": data }),
            )
            .await?;
        }

        Ok(())
    }

    /// A user with one policy; access key id and secret. Keys count only once they are enforced.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn user(&self, name: &str, policy: &str) -> anyhow::Result<(String, String)> {
        let user = pairs(&[("UserName", name)]);
        self.query(&IAM, "us-east-1", "CreateUser", &user).await?;
        let parameters = pairs(&[
            ("UserName", name),
            ("PolicyName", "test"),
            ("PolicyDocument", policy),
        ]);
        self.query(&IAM, "us-east-1", "PutUserPolicy", &parameters)
            .await?;
        let xml = self
            .query(&IAM, "us-east-1", "CreateAccessKey", &user)
            .await?;

        Ok((first(&xml, "AccessKeyId")?, first(&xml, "SecretAccessKey")?))
    }

    /// A role with one policy that anyone in the account may assume; its ARN.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn role(&self, name: &str, policy: &str) -> anyhow::Result<String> {
        let trust = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sts:AssumeRole"}]}"#;
        let parameters = pairs(&[("RoleName", name), ("AssumeRolePolicyDocument", trust)]);
        let arn = first(
            &self
                .query(&IAM, "us-east-1", "CreateRole", &parameters)
                .await?,
            "Arn",
        )?;

        let parameters = pairs(&[
            ("RoleName", name),
            ("PolicyName", "test"),
            ("PolicyDocument", policy),
        ]);
        self.query(&IAM, "us-east-1", "PutRolePolicy", &parameters)
            .await?;
        Ok(arn)
    }
}
