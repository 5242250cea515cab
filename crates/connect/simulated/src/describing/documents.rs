//! Configuration documents in the form in which each cloud's interface prints them, as the real
//! connectors read them: EC2 and Auto Scaling as their XML, the rest of AWS by its own names, Azure
//! Resource Manager and Google's interfaces as JSON.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Resource, ResourceKind, ResourceState};
use serde_json::{Value, json};

use crate::noise::key;

/// Machine whose host the cloud retires.
const RETIRED: &str = "fraud-scoring";
/// Days from the beginning of the demonstration to the retirement.
const RETIRED_AFTER_DAYS: i64 = 9;

/// Numbers are text in the XML of AWS.
fn text(number: Option<f64>) -> Option<String> {
    number.map(|number| format!("{number:.0}"))
}

/// Returns `true` for about one resource in `of`, always the same ones.
fn one_in(resource: &Resource, of: u64, what: &str) -> bool {
    key(key(0, what), resource.id.as_str()).is_multiple_of(of)
}

fn is_production(resource: &Resource) -> bool {
    matches!(resource.tag("env"), Some("prod" | "production"))
}

/// Tags as EC2's XML lists them.
fn tag_set(resource: &Resource) -> Value {
    let row = |(key, value): (&String, &String)| json!({ "key": key, "value": value });
    resource.tags.iter().map(row).collect()
}

/// Tags as the other interfaces of AWS list them.
fn tags(resource: &Resource) -> Value {
    let row = |(key, value): (&String, &String)| json!({ "Key": key, "Value": value });
    resource.tags.iter().map(row).collect()
}

/// Rule of a security group, for TCP.
pub(super) fn rule(port: u16, from: &str) -> Value {
    json!({
        "ipProtocol": "tcp", "fromPort": port.to_string(), "toPort": port.to_string(), "groups": [],
        "ipRanges": [{ "cidrIp": from }], "ipv6Ranges": [], "prefixListIds": [],
    })
}

/// Rule that lets everything out.
pub(super) fn everything_out() -> Value {
    json!({
        "ipProtocol": "-1", "groups": [], "ipRanges": [{ "cidrIp": "0.0.0.0/0" }], "ipv6Ranges": [],
        "prefixListIds": [],
    })
}

/// Document of a resource of AWS.
pub(super) fn aws(resource: &Resource, network: &str) -> Value {
    let (spec, id) = (&resource.specification, resource.id.as_str());
    match resource.kind {
        ResourceKind::VirtualMachine => machine(resource, network),
        ResourceKind::Volume => json!({
            "volumeId": id, "size": text(spec.storage_gib), "volumeType": spec.storage_type,
            "iops": spec.iops.map(|iops| iops.to_string()), "snapshotId": "", "multiAttachEnabled": false,
            "availabilityZone": spec.zone, "encrypted": resource.tag("team") == Some("payments"),
            "status": if resource.attached_to.is_empty() { "available" } else { "in-use" },
            "createTime": resource.created_at.map(|at| at.to_string()), "tagSet": tag_set(resource),
            "attachmentSet": resource.attached_to.iter()
                .map(|to| json!({ "instanceId": to.as_str(), "status": "attached" })).collect::<Value>(),
        }),
        ResourceKind::Snapshot => json!({
            "snapshotId": id, "status": "completed", "storageTier": "standard", "ownerId": resource.account,
            "volumeSize": text(spec.storage_gib), "startTime": resource.created_at.map(|at| at.to_string()),
            "encrypted": false, "tagSet": tag_set(resource),
        }),
        ResourceKind::Database => database(resource, network),
        ResourceKind::Bucket => bucket(resource),
        ResourceKind::LoadBalancer => balancer(resource, network),
        ResourceKind::IpAddress => json!({
            "allocationId": id, "domain": "vpc", "publicIp": public_ip(id), "tagSet": tag_set(resource),
            "associationId": resource.attached_to.first().map(|_| id.replace("eipalloc", "eipassoc")),
        }),
        ResourceKind::NatGateway => json!({
            "natGatewayId": id, "state": resource.state.as_str(), "vpcId": network, "connectivityType": "public",
            "tagSet": tag_set(resource),
        }),
        _ => json!({
            "AutoScalingGroupARN": id, "AutoScalingGroupName": resource.name,
            "MinSize": spec.capacity.map(|capacity| capacity.min.to_string()),
            "MaxSize": spec.capacity.map(|capacity| capacity.max.to_string()),
            "DesiredCapacity": spec.capacity.map(|capacity| capacity.desired.to_string()),
            "AvailabilityZones": [format!("{}a", resource.region), format!("{}b", resource.region)],
            "HealthCheckType": "ELB", "HealthCheckGracePeriod": "300", "CapacityRebalance": false,
            "LoadBalancerNames": [], "TargetGroupARNs": [], "SuspendedProcesses": [], "Tags": tags(resource),
        }),
    }
}

fn machine(resource: &Resource, network: &str) -> Value {
    let (spec, id) = (&resource.specification, resource.id.as_str());
    let (code, name) = match resource.state {
        ResourceState::Running => ("16", "running"),
        ResourceState::Stopped => ("80", "stopped"),
        ResourceState::Deleted => ("48", "terminated"),
        _ => ("0", "pending"),
    };
    let tokens = if one_in(resource, 5, "tokens") {
        "optional"
    } else {
        "required"
    };
    let mut document = json!({
        "instanceId": id, "imageId": "ami-0f3a9c1d2b7e45680", "instanceType": spec.instance_type,
        "architecture": spec.architecture, "platformDetails": spec.platform, "hypervisor": "xen",
        "virtualizationType": "hvm", "ebsOptimized": true, "instanceState": { "code": code, "name": name },
        "vpcId": network, "subnetId": subnet_id(network, has_address(resource)), "monitoring": { "state": if is_production(resource) { "enabled" } else { "disabled" } },
        "groupSet": spec.security_groups.iter().map(|group| json!({ "groupId": group })).collect::<Value>(),
        "metadataOptions": {
            "state": "applied", "httpTokens": tokens, "httpPutResponseHopLimit": "1", "httpEndpoint": "enabled",
            "httpProtocolIpv6": "disabled", "instanceMetadataTags": "disabled",
        },
        "maintenanceOptions": { "autoRecovery": "default", "rebootMigration": "default" },
        "launchTime": resource.created_at.map(|at| at.to_string()),
        "userData": "IyEvYmluL3No", "tagSet": tag_set(resource),
    });

    if let Some(purchase) = resource
        .purchase
        .filter(|purchase| purchase.as_str() == "spot")
    {
        document["instanceLifecycle"] = json!(purchase.as_str());
    }
    if !one_in(resource, 6, "profile") {
        let team = resource.tag("team").unwrap_or("shared");
        document["iamInstanceProfile"] =
            json!({ "arn": format!("arn:aws:iam::{}:instance-profile/{team}", resource.account) });
    }
    if has_address(resource) {
        document["ipAddress"] = json!(public_ip(id));
    }
    document
}

/// Status of a machine as `DescribeInstanceStatus` answers it: only what runs has one. The host of one
/// machine is to be retired nine days after the demonstration begins.
pub(super) fn status(resource: &Resource, anchor: Timestamp, now: Timestamp) -> Value {
    if resource.state != ResourceState::Running {
        return json!([]);
    }

    let mut status = json!({
        "instanceId": resource.id.as_str(),
        "instanceState": { "code": "16", "name": "running" },
        "systemStatus": { "status": "ok", "details": [{ "name": "reachability", "status": "passed" }] },
        "instanceStatus": { "status": "ok", "details": [{ "name": "reachability", "status": "passed" }] },
    });
    if resource.name == RETIRED {
        let at = anchor + SignedDuration::from_hours(24 * RETIRED_AFTER_DAYS);
        let over = if now < at { "" } else { "[Completed] " };
        status["eventsSet"] = json!([{
            "instanceEventId": "instance-event-0d59937288b749b32", "code": "instance-retirement",
            "description": format!("{over}The instance is running on degraded hardware"),
            "notBefore": at.to_string(),
        }]);
    }

    json!([status])
}

/// Bastions have a public address, and machines that someone gave one.
pub(super) fn has_address(resource: &Resource) -> bool {
    resource.name.contains("bastion") || one_in(resource, 12, "address")
}

/// Identifier of the public or the private subnet of a network.
pub(crate) fn subnet_id(network: &str, is_public: bool) -> String {
    let end = if is_public { "a" } else { "b" };
    network.replacen("vpc-", &format!("subnet-{end}"), 1)
}

fn database(resource: &Resource, network: &str) -> Value {
    let spec = &resource.specification;
    let engine = spec.platform.as_deref().unwrap_or("postgres");
    let is_public = one_in(resource, 7, "public");
    let port = if engine.contains("postgres") {
        "5432"
    } else {
        "3306"
    };
    let version = if engine.contains("postgres") {
        "16.8"
    } else {
        "8.0.42"
    };
    json!({
        "DBInstanceIdentifier": resource.name, "DBInstanceArn": resource.id.as_str(), "DBInstanceStatus": resource.state.as_str(),
        "DBInstanceClass": spec.instance_type, "Engine": spec.platform, "EngineVersion": version,
        "AllocatedStorage": text(spec.storage_gib), "StorageType": "gp3", "MultiAZ": spec.multi_az, "StorageEncrypted": resource.name != "reviews",
        "PubliclyAccessible": is_public, "AvailabilityZone": spec.zone,
        "Endpoint": { "Address": format!("{}.{}.rds.amazonaws.com", resource.name, resource.region), "Port": port },
        "DBSubnetGroup": { "VpcId": network, "Subnets": [{ "SubnetIdentifier": subnet_id(network, is_public) }] },
        "BackupRetentionPeriod": if is_production(resource) { "14" } else { "1" },
        "DeletionProtection": is_production(resource), "AutoMinorVersionUpgrade": !one_in(resource, 3, "upgrades"),
        "CopyTagsToSnapshot": is_production(resource), "IAMDatabaseAuthenticationEnabled": false,
        "MonitoringInterval": if is_production(resource) { "60" } else { "0" }, "MasterUsername": "reeve_admin",
        "PerformanceInsightsEnabled": is_production(resource), "EnabledCloudwatchLogsExports": [],
        "CACertificateIdentifier": "rds-ca-rsa2048-g1",
        "CertificateDetails": { "CAIdentifier": "rds-ca-rsa2048-g1", "ValidTill": "2061-05-25T23:59:59Z" },
        "VpcSecurityGroups": spec.security_groups.iter()
            .map(|group| json!({ "VpcSecurityGroupId": group, "Status": "active" })).collect::<Value>(),
        "ReadReplicaDBInstanceIdentifiers": [], "TagList": tags(resource),
    })
}

fn bucket(resource: &Resource) -> Value {
    let id = resource.id.as_str();
    let (owner, is_open) = ("a1".repeat(32), one_in(resource, 4, "open"));
    let mut document = json!({
        "Name": id, "LocationConstraint": resource.region, "Logging": {},
        "Versioning": { "Status": if is_production(resource) { "Enabled" } else { "Suspended" } },
        "Acl": {
            "Owner": { "ID": owner },
            "AccessControlList": [{ "Grantee": { "ID": owner }, "Permission": "FULL_CONTROL" }],
        },
        "OwnershipControls": { "Rule": { "ObjectOwnership": "BucketOwnerEnforced" } },
        "Encryption": { "Rule": {
            "ApplyServerSideEncryptionByDefault": { "SSEAlgorithm": "AES256" }, "BucketKeyEnabled": true } },
        "PublicAccessBlock": {
            "BlockPublicAcls": true, "IgnorePublicAcls": true, "BlockPublicPolicy": !is_open,
            "RestrictPublicBuckets": !is_open,
        },
        "TagSet": tags(resource),
    });
    if !one_in(resource, 3, "policy") {
        document["Policy"] = json!({ "Version": "2012-10-17", "Statement": [{
            "Sid": "OverTls", "Effect": "Deny", "Principal": "*", "Action": "s3:*",
            "Resource": [format!("arn:aws:s3:::{id}"), format!("arn:aws:s3:::{id}/*")],
            "Condition": { "Bool": { "aws:SecureTransport": "false" } } }] });
    }
    document
}

fn balancer(resource: &Resource, network: &str) -> Value {
    let spec = &resource.specification;
    let attribute = |key: &str, value: Value| json!({ "Key": key, "Value": value });
    json!({
        "LoadBalancerArn": resource.id.as_str(), "LoadBalancerName": resource.name, "Type": spec.instance_type,
        "VpcId": network, "Scheme": "internet-facing", "State": { "Code": "active" }, "IpAddressType": "ipv4",
        "AvailabilityZones": [
            { "ZoneName": format!("{}a", resource.region), "SubnetId": subnet_id(network, true) },
            { "ZoneName": format!("{}b", resource.region), "SubnetId": subnet_id(network, true) },
        ],
        "SecurityGroups": spec.security_groups, "Tags": tags(resource),
        "Listeners": [{
            "Port": "443", "Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            "DefaultActions": [{ "Type": "forward" }],
        }],
        "Attributes": [
            attribute("access_logs.s3.enabled", json!(is_production(resource))),
            attribute("deletion_protection.enabled", json!(is_production(resource))),
            attribute("routing.http.drop_invalid_header_fields.enabled", json!(!one_in(resource, 2, "headers"))),
            attribute("routing.http.desync_mitigation_mode", json!("defensive")),
            attribute("load_balancing.cross_zone.enabled", json!(true)),
            attribute("waf.fail_open.enabled", json!(false)),
            attribute("connection_logs.s3.enabled", json!(false)),
        ],
    })
}

/// An address of the block for documentation (RFC 5737).
fn public_ip(id: &str) -> String {
    format!("203.0.113.{}", 1 + key(0, id) % 254)
}

/// Document of a resource of Azure, as Azure Resource Manager prints it.
pub(super) fn azure(resource: &Resource) -> Value {
    let spec = &resource.specification;
    let (own_type, properties) = match resource.kind {
        ResourceKind::VirtualMachine => (
            "Microsoft.Compute/virtualMachines",
            json!({
                "hardwareProfile": { "vmSize": spec.instance_type }, "provisioningState": "Succeeded",
                "storageProfile": { "osDisk": { "osType": spec.platform, "managedDisk": { "storageAccountType": "Premium_LRS" } },
                    "dataDisks": [] },
                "osProfile": { "linuxConfiguration": { "disablePasswordAuthentication": !one_in(resource, 4, "passwords") } },
                "securityProfile": { "encryptionAtHost": is_production(resource),
                    "uefiSettings": { "secureBootEnabled": true, "vTpmEnabled": true }, "securityType": "TrustedLaunch" },
                "diagnosticsProfile": { "bootDiagnostics": { "enabled": true } },
            }),
        ),
        ResourceKind::Volume => (
            "Microsoft.Compute/disks",
            json!({
                "provisioningState": "Succeeded", "diskSizeGB": spec.storage_gib, "diskState": if resource.attached_to.is_empty() { "Unattached" } else { "Attached" },
                "encryption": { "type": "EncryptionAtRestWithPlatformKey" },
                "networkAccessPolicy": if is_production(resource) { "DenyAll" } else { "AllowAll" },
                "publicNetworkAccess": if is_production(resource) { "Disabled" } else { "Enabled" },
            }),
        ),
        ResourceKind::Bucket => (
            "Microsoft.Storage/storageAccounts",
            json!({
                "provisioningState": "Succeeded", "supportsHttpsTrafficOnly": true, "minimumTlsVersion": "TLS1_2",
                "allowBlobPublicAccess": one_in(resource, 3, "blobs"), "allowSharedKeyAccess": true,
                "allowCrossTenantReplication": false, "publicNetworkAccess": "Enabled",
                "networkAcls": { "defaultAction": "Allow", "bypass": "AzureServices", "ipRules": [], "virtualNetworkRules": [] },
                "encryption": { "keySource": "Microsoft.Storage", "requireInfrastructureEncryption": false },
            }),
        ),
        ResourceKind::Database => (
            "Microsoft.DBforPostgreSQL/flexibleServers",
            json!({
                "version": "16", "state": "Ready", "storage": { "storageSizeGB": spec.storage_gib, "autoGrow": "Enabled" },
                "backup": { "backupRetentionDays": 14, "geoRedundantBackup": "Disabled" },
                "network": { "publicNetworkAccess": if one_in(resource, 2, "public") { "Enabled" } else { "Disabled" } },
                "highAvailability": { "mode": if spec.multi_az == Some(true) { "ZoneRedundant" } else { "Disabled" } },
                "authConfig": { "activeDirectoryAuth": "Disabled", "passwordAuth": "Enabled" },
                "dataEncryption": { "type": "SystemManaged" },
            }),
        ),
        ResourceKind::LoadBalancer => (
            "Microsoft.Network/loadBalancers",
            json!({ "provisioningState": "Succeeded", "frontendIPConfigurations": [], "probes": [] }),
        ),
        ResourceKind::ScalingGroup => (
            "Microsoft.Compute/virtualMachineScaleSets",
            json!({ "provisioningState": "Succeeded", "upgradePolicy": { "mode": "Rolling" },
                "orchestrationMode": "Uniform" }),
        ),
        _ => ("", json!({ "provisioningState": "Succeeded" })),
    };

    json!({
        "id": resource.id.as_str(), "name": resource.name, "type": own_type, "location": resource.region,
        "tags": resource.tags, "sku": { "name": spec.storage_type.as_deref().or(spec.instance_type.as_deref()) },
        "properties": properties,
    })
}

/// Document of a resource of Google Cloud, as the interface of its service prints it.
pub(super) fn gcp(resource: &Resource) -> Value {
    let spec = &resource.specification;
    let link = format!(
        "https://www.googleapis.com/compute/v1/{}",
        resource.id.as_str()
    );
    match resource.kind {
        ResourceKind::VirtualMachine => json!({
            "kind": "compute#instance", "id": resource.id.as_str(), "name": resource.name, "selfLink": link,
            "zone": resource.region, "machineType": spec.instance_type, "labels": resource.tags,
            "status": resource.state.as_str().to_uppercase(), "canIpForward": false, "deletionProtection": is_production(resource),
            "shieldedInstanceConfig": { "enableSecureBoot": !one_in(resource, 3, "boot"), "enableVtpm": true,
                "enableIntegrityMonitoring": true },
            "networkInterfaces": [{ "name": "nic0", "accessConfigs": [] }],
            "metadata": { "items": [{ "key": "enable-oslogin", "value": "TRUE" },
                { "key": "block-project-ssh-keys", "value": if is_production(resource) { "true" } else { "false" } },
                { "key": "serial-port-enable", "value": "false" }] },
            "serviceAccounts": [{ "email": format!("{}@{}.iam.gserviceaccount.com", resource.tag("team").unwrap_or("shared"), resource.account),
                "scopes": ["https://www.googleapis.com/auth/devstorage.read_only", "https://www.googleapis.com/auth/logging.write"] }],
            "scheduling": { "onHostMaintenance": "MIGRATE", "automaticRestart": true, "preemptible": false },
            "disks": [],
        }),
        ResourceKind::Volume => json!({
            "kind": "compute#disk", "id": resource.id.as_str(), "name": resource.name, "selfLink": link, "zone": resource.region,
            "sizeGb": text(spec.storage_gib), "type": spec.storage_type, "status": "READY", "labels": resource.tags,
            "users": resource.attached_to.iter().map(|to| to.as_str()).collect::<Vec<_>>(),
        }),
        ResourceKind::Bucket => json!({
            "kind": "storage#bucket", "id": resource.id.as_str(), "name": resource.name, "location": resource.region.to_uppercase(),
            "locationType": "region", "labels": resource.tags, "storageClass": "STANDARD",
            "iamConfiguration": { "publicAccessPrevention": if one_in(resource, 3, "open") { "inherited" } else { "enforced" },
                "uniformBucketLevelAccess": { "enabled": true } },
            "versioning": { "enabled": is_production(resource) }, "softDeletePolicy": { "retentionDurationSeconds": "604800" },
        }),
        ResourceKind::Database => json!({
            "kind": "sql#instance", "name": resource.name, "selfLink": link, "region": resource.region, "state": "RUNNABLE",
            "databaseVersion": "POSTGRES_16", "instanceType": "CLOUD_SQL_INSTANCE",
            "settings": { "tier": spec.instance_type, "availabilityType": if spec.multi_az == Some(true) { "REGIONAL" } else { "ZONAL" },
                "dataDiskSizeGb": text(spec.storage_gib), "storageAutoResize": true, "userLabels": resource.tags,
                "deletionProtectionEnabled": is_production(resource), "databaseFlags": [],
                "backupConfiguration": { "enabled": true, "pointInTimeRecoveryEnabled": is_production(resource),
                    "backupRetentionSettings": { "retainedBackups": 14 } },
                "ipConfiguration": { "ipv4Enabled": one_in(resource, 2, "public"), "sslMode": "ENCRYPTED_ONLY", "requireSsl": true,
                    "authorizedNetworks": [] } },
        }),
        _ => json!({
            "id": resource.id.as_str(), "name": resource.name, "selfLink": link, "region": resource.region,
            "labels": resource.tags, "status": resource.state.as_str().to_uppercase(),
        }),
    }
}
