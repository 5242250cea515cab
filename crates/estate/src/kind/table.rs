//! The table of kinds: class, wording, icon and the providers' own types, one row a kind.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::ResourceKind;
use crate::named;
use crate::provider::Provider;

named!(
    /// Class of kinds, by which they are grouped for people.
    KindClass {
        /// Machines, functions and their templates.
        Compute => "compute",
        /// Disks, buckets, snapshots and images.
        Storage => "storage",
        /// Databases, clusters of them, and tables.
        Database => "database",
        /// Networks and the paths through them.
        Network => "network",
        Container => "container",
        /// Users, roles, policies and keys of people and programs.
        Identity => "identity",
        /// Encryption keys, secrets, firewalls.
        Security => "security",
        Messaging => "messaging",
        Monitoring => "monitoring",
        /// Everything else, kinds that the table does not have among it.
        Other => "other",
    }
);

/// Row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindInfo {
    pub kind: ResourceKind,
    pub class: KindClass,
    /// Wording for one resource (`Security group`).
    pub title: String,
    /// Wording for several (`Security groups`).
    pub plural: String,
    /// Name of an icon of the dashboard (`shield`).
    pub icon: String,
    /// The providers' own types (`AWS::EC2::SecurityGroup`).
    pub types: Vec<(Provider, String)>,
}

impl KindInfo {
    /// Returns the wording for a number of resources inside a sentence: `virtual machine`, `IAM
    /// users`.
    #[must_use]
    pub fn noun(&self, count: usize) -> String {
        let words = if count == 1 {
            &self.title
        } else {
            &self.plural
        };
        let mut letters = words.chars();

        match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if !second.is_uppercase() => {
                first.to_lowercase().collect::<String>() + &words[first.len_utf8()..]
            }
            _ => words.clone(),
        }
    }
}

/// The kinds that this program words. Kinds outside it are kept and shown by their names.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    rows: BTreeMap<String, KindInfo>,
}

impl Kinds {
    /// Returns the table that comes with Reeve.
    #[must_use]
    pub fn builtin() -> &'static Kinds {
        static BUILTIN: LazyLock<Kinds> = LazyLock::new(|| Kinds {
            rows: ROWS.iter().map(row).collect(),
        });
        &BUILTIN
    }

    /// Returns the table with one more row; a row of the same name is replaced.
    #[must_use]
    pub fn with(mut self, info: KindInfo) -> Kinds {
        self.rows.insert(info.kind.as_str().to_owned(), info);
        self
    }

    /// Returns all rows, by name.
    pub fn iter(&self) -> impl Iterator<Item = &KindInfo> {
        self.rows.values()
    }

    /// Returns the row of a kind. A kind that is not in the table is worded by its name.
    #[must_use]
    pub fn get(&self, kind: ResourceKind) -> KindInfo {
        self.get_name(kind.as_str())
            .cloned()
            .unwrap_or_else(|| foreign(kind))
    }

    pub(super) fn get_name(&self, name: &str) -> Option<&KindInfo> {
        self.rows.get(name)
    }
}

/// Words a kind that the table does not have: `tape_library` is a "Tape library".
fn foreign(kind: ResourceKind) -> KindInfo {
    let words = kind.as_str().replace('_', " ");
    let mut letters = words.chars();
    let title: String = letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
        .collect();

    KindInfo {
        kind,
        class: KindClass::Other,
        plural: format!("{title} resources"),
        title,
        icon: "box".to_owned(),
        types: Vec::new(),
    }
}

/// Name, class, wording for one and for several, icon, and the types of AWS, Azure and Google Cloud
/// (empty where there is none).
type Row = (
    &'static str,
    KindClass,
    &'static str,
    &'static str,
    &'static str,
    [&'static str; 3],
);

fn row(row: &Row) -> (String, KindInfo) {
    let (name, class, title, plural, icon, types) = row;
    let types = Provider::ALL
        .iter()
        .zip(types)
        .filter(|(_, kind)| !kind.is_empty());
    let info = KindInfo {
        kind: ResourceKind(name),
        class: *class,
        title: (*title).to_owned(),
        plural: (*plural).to_owned(),
        icon: (*icon).to_owned(),
        types: types
            .map(|(provider, kind)| (*provider, (*kind).to_owned()))
            .collect(),
    };

    ((*name).to_owned(), info)
}

use KindClass::{
    Compute, Container, Database, Identity, Messaging, Monitoring, Network, Security, Storage,
};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("virtual_machine", Compute, "Virtual machine", "Virtual machines", "server",
        ["AWS::EC2::Instance", "Microsoft.Compute/virtualMachines", "compute.googleapis.com/Instance"]),
    ("scaling_group", Compute, "Scaling group", "Scaling groups", "stack",
        ["AWS::AutoScaling::AutoScalingGroup", "Microsoft.Compute/virtualMachineScaleSets", "compute.googleapis.com/InstanceGroupManager"]),
    ("launch_template", Compute, "Launch template", "Launch templates", "template", ["AWS::EC2::LaunchTemplate", "", ""]),
    ("function", Compute, "Function", "Functions", "function", ["AWS::Lambda::Function", "", "cloudfunctions.googleapis.com/Function"]),
    ("volume", Storage, "Volume", "Volumes", "disk",
        ["AWS::EC2::Volume", "Microsoft.Compute/disks", "compute.googleapis.com/Disk"]),
    ("snapshot", Storage, "Snapshot", "Snapshots", "camera", ["AWS::EC2::Snapshot", "Microsoft.Compute/snapshots", "compute.googleapis.com/Snapshot"]),
    ("image", Storage, "Machine image", "Machine images", "camera", ["AWS::EC2::Image", "Microsoft.Compute/images", "compute.googleapis.com/Image"]),
    ("bucket", Storage, "Bucket", "Buckets", "bucket",
        ["AWS::S3::Bucket", "Microsoft.Storage/storageAccounts", "storage.googleapis.com/Bucket"]),
    ("database", Database, "Database", "Databases", "database",
        ["AWS::RDS::DBInstance", "Microsoft.DBforPostgreSQL/flexibleServers", "sqladmin.googleapis.com/Instance"]),
    ("database_cluster", Database, "Database cluster", "Database clusters", "database", ["AWS::RDS::DBCluster", "", ""]),
    ("database_snapshot", Database, "Database snapshot", "Database snapshots", "camera", ["AWS::RDS::DBSnapshot", "", ""]),
    ("table", Database, "Table", "Tables", "database", ["AWS::DynamoDB::Table", "", ""]),
    ("load_balancer", Network, "Load balancer", "Load balancers", "balance",
        ["AWS::ElasticLoadBalancingV2::LoadBalancer", "Microsoft.Network/loadBalancers", "compute.googleapis.com/ForwardingRule"]),
    ("network", Network, "Network", "Networks", "network", ["AWS::EC2::VPC", "Microsoft.Network/virtualNetworks", "compute.googleapis.com/Network"]),
    ("subnet", Network, "Subnet", "Subnets", "network", ["AWS::EC2::Subnet", "Microsoft.Network/virtualNetworks/subnets", "compute.googleapis.com/Subnetwork"]),
    ("route_table", Network, "Route table", "Route tables", "route", ["AWS::EC2::RouteTable", "", ""]),
    ("network_interface", Network, "Network interface", "Network interfaces", "plug", ["AWS::EC2::NetworkInterface", "Microsoft.Network/networkInterfaces", ""]),
    ("ip_address", Network, "Static IP address", "Static IP addresses", "pin", ["AWS::EC2::EIP", "Microsoft.Network/publicIPAddresses", "compute.googleapis.com/Address"]),
    ("nat_gateway", Network, "NAT gateway", "NAT gateways", "route", ["AWS::EC2::NatGateway", "", ""]),
    ("security_group", Security, "Security group", "Security groups", "shield",
        ["AWS::EC2::SecurityGroup", "Microsoft.Network/networkSecurityGroups", "compute.googleapis.com/Firewall"]),
    ("encryption_key", Security, "Encryption key", "Encryption keys", "key", ["AWS::KMS::Key", "Microsoft.KeyVault/vaults/keys", "cloudkms.googleapis.com/CryptoKey"]),
    ("secret", Security, "Secret", "Secrets", "lock", ["AWS::SecretsManager::Secret", "Microsoft.KeyVault/vaults/secrets", "secretmanager.googleapis.com/Secret"]),
    ("iam_user", Identity, "IAM user", "IAM users", "person", ["AWS::IAM::User", "", ""]),
    ("iam_group", Identity, "IAM group", "IAM groups", "people", ["AWS::IAM::Group", "", ""]),
    ("iam_role", Identity, "IAM role", "IAM roles", "person", ["AWS::IAM::Role", "Microsoft.Authorization/roleDefinitions", "iam.googleapis.com/Role"]),
    ("iam_policy", Identity, "IAM policy", "IAM policies", "document", ["AWS::IAM::ManagedPolicy", "", ""]),
    ("access_key", Identity, "Access key", "Access keys", "key", ["AWS::IAM::AccessKey", "", ""]),
    ("credential_report", Identity, "Credential report", "Credential reports", "document", ["", "", ""]),
    ("managed_instance", Compute, "Managed instance", "Managed instances", "server", ["AWS::SSM::ManagedInstance", "", ""]),
    ("last_access_report", Identity, "Last access report", "Last access reports", "document", ["", "", ""]),
    ("topic", Messaging, "Topic", "Topics", "bell", ["AWS::SNS::Topic", "", "pubsub.googleapis.com/Topic"]),
    ("queue", Messaging, "Queue", "Queues", "queue", ["AWS::SQS::Queue", "", ""]),
    ("trail", Monitoring, "Audit trail", "Audit trails", "footprints", ["AWS::CloudTrail::Trail", "", ""]),
    ("alarm", Monitoring, "Alarm", "Alarms", "bell", ["AWS::CloudWatch::Alarm", "", ""]),
    ("kubernetes_cluster", Container, "Kubernetes cluster", "Kubernetes clusters", "cluster", ["AWS::EKS::Cluster", "Microsoft.ContainerService/managedClusters", "container.googleapis.com/Cluster"]),
    ("account", KindClass::Other, "Account", "Accounts", "box", ["", "", ""]),
    ("container_cluster", Container, "Container cluster", "Container clusters", "cluster", ["AWS::ECS::Cluster", "", ""]),
    ("container_registry", Container, "Container registry", "Container registries", "cluster",
        ["AWS::ECR::Repository", "Microsoft.ContainerRegistry/registries", "artifactregistry.googleapis.com/Repository"]),
    ("task_definition", Container, "Task definition", "Task definitions", "template", ["AWS::ECS::TaskDefinition", "", ""]),
    ("web_app", Compute, "Web application", "Web applications", "function",
        ["", "Microsoft.Web/sites", "run.googleapis.com/Service"]),
    ("container_service", Container, "Container service", "Container services", "stack", ["AWS::ECS::Service", "", ""]),
    ("build_project", Compute, "Build project", "Build projects", "template", ["AWS::CodeBuild::Project", "", ""]),
    ("notebook", Compute, "Notebook", "Notebooks", "server", ["AWS::SageMaker::NotebookInstance", "", ""]),
    ("file_system", Storage, "File system", "File systems", "disk", ["AWS::EFS::FileSystem", "", ""]),
    ("backup_vault", Storage, "Backup vault", "Backup vaults", "camera",
        ["AWS::Backup::BackupVault", "Microsoft.RecoveryServices/vaults", ""]),
    ("volume_defaults", Storage, "Default of new volumes", "Defaults of new volumes", "disk", ["", "", ""]),
    ("database_server", Database, "Database server", "Database servers", "database", ["", "Microsoft.Sql/servers", ""]),
    ("document_database", Database, "Document database", "Document databases", "database",
        ["", "Microsoft.DocumentDB/databaseAccounts", ""]),
    ("cache_cluster", Database, "Cache cluster", "Cache clusters", "database",
        ["AWS::ElastiCache::ReplicationGroup", "Microsoft.Cache/redis", "redis.googleapis.com/Instance"]),
    ("cache_node", Database, "Cache node", "Cache nodes", "database", ["AWS::ElastiCache::CacheCluster", "", ""]),
    ("warehouse", Database, "Data warehouse", "Data warehouses", "database",
        ["AWS::Redshift::Cluster", "", "bigquery.googleapis.com/Dataset"]),
    ("search_domain", Database, "Search domain", "Search domains", "database", ["AWS::OpenSearchService::Domain", "", ""]),
    ("network_acl", Network, "Network access list", "Network access lists", "shield", ["AWS::EC2::NetworkAcl", "", ""]),
    ("internet_gateway", Network, "Internet gateway", "Internet gateways", "route", ["AWS::EC2::InternetGateway", "", ""]),
    ("egress_gateway", Network, "Egress-only gateway", "Egress-only gateways", "route", ["AWS::EC2::EgressOnlyInternetGateway", "", ""]),
    ("transit_gateway", Network, "Transit gateway", "Transit gateways", "route", ["AWS::EC2::TransitGateway", "", ""]),
    ("transit_attachment", Network, "Transit gateway attachment", "Transit gateway attachments", "plug",
        ["AWS::EC2::TransitGatewayAttachment", "", ""]),
    ("network_peering", Network, "Network peering", "Network peerings", "route", ["AWS::EC2::VPCPeeringConnection", "", ""]),
    ("network_endpoint", Network, "Network endpoint", "Network endpoints", "plug", ["AWS::EC2::VPCEndpoint", "", ""]),
    ("target_group", Network, "Target group", "Target groups", "balance", ["AWS::ElasticLoadBalancingV2::TargetGroup", "", ""]),
    ("access_point", Storage, "Bucket access point", "Bucket access points", "bucket", ["AWS::S3::AccessPoint", "", ""]),
    ("distribution", Network, "Content distribution", "Content distributions", "network", ["AWS::CloudFront::Distribution", "", ""]),
    ("api", Network, "API stage", "API stages", "route", ["AWS::ApiGateway::Stage", "", ""]),
    ("classic_load_balancer", Network, "Classic load balancer", "Classic load balancers", "balance",
        ["AWS::ElasticLoadBalancing::LoadBalancer", "Microsoft.Network/applicationGateways", ""]),
    ("dns_zone", Network, "DNS zone", "DNS zones", "network", ["AWS::Route53::HostedZone", "", "dns.googleapis.com/ManagedZone"]),
    ("web_firewall", Security, "Web firewall", "Web firewalls", "shield", ["AWS::WAFv2::WebACL", "", ""]),
    ("certificate", Security, "Certificate", "Certificates", "lock", ["AWS::CertificateManager::Certificate", "", ""]),
    ("key_vault", Security, "Key vault", "Key vaults", "lock", ["", "Microsoft.KeyVault/vaults", ""]),
    ("region", Security, "Region", "Regions", "pin", ["", "", ""]),
    ("threat_detector", Security, "Threat detector", "Threat detectors", "shield", ["AWS::GuardDuty::Detector", "", ""]),
    ("access_analyzer", Security, "Access analyzer", "Access analyzers", "shield", ["AWS::AccessAnalyzer::Analyzer", "", ""]),
    ("password_policy", Identity, "Password policy", "Password policies", "document", ["", "", ""]),
    ("account_summary", Identity, "Account summary", "Account summaries", "document", ["", "", ""]),
    ("service_account", Identity, "Service account", "Service accounts", "person", ["", "", "iam.googleapis.com/ServiceAccount"]),
    ("stream", Messaging, "Stream", "Streams", "queue", ["AWS::Kinesis::Stream", "Microsoft.EventHub/namespaces", ""]),
    ("message_broker", Messaging, "Message broker", "Message brokers", "queue",
        ["AWS::AmazonMQ::Broker", "Microsoft.ServiceBus/namespaces", ""]),
    ("flow_log", Monitoring, "Flow log", "Flow logs", "footprints", ["AWS::EC2::FlowLog", "Microsoft.Network/networkWatchers/flowLogs", ""]),
    ("log_group", Monitoring, "Log group", "Log groups", "footprints", ["AWS::Logs::LogGroup", "Microsoft.OperationalInsights/workspaces", "logging.googleapis.com/LogBucket"]),
    ("configuration_recorder", Monitoring, "Configuration recorder", "Configuration recorders", "footprints",
        ["AWS::Config::ConfigurationRecorder", "", ""]),
    ("state_machine", Compute, "State machine", "State machines", "template", ["AWS::StepFunctions::StateMachine", "", ""]),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_row_says_everything_that_is_shown_of_a_kind() {
        let kinds = Kinds::builtin();
        let group = kinds.get(ResourceKind::SecurityGroup);
        assert_eq!(
            (group.class, group.title.as_str(), group.icon.as_str()),
            (Security, "Security group", "shield")
        );
        assert_eq!(
            (group.noun(1), group.noun(2)),
            ("security group".to_owned(), "security groups".to_owned())
        );

        let user = ResourceKind::named("iam_user").unwrap();
        assert_eq!(kinds.get(user).noun(2), "IAM users");
        assert_eq!(
            group.types[0],
            (Provider::Aws, "AWS::EC2::SecurityGroup".to_owned())
        );
        assert_eq!(kinds.iter().count(), ROWS.len(), "no name stands twice");
        assert!(
            ResourceKind::SPECIFIED
                .iter()
                .all(|kind| kinds.get_name(kind.as_str()).is_some())
        );
    }

    #[test]
    fn a_kind_outside_the_table_is_worded_by_its_name_until_a_row_is_added() {
        let kind = ResourceKind::named("tape_library").unwrap();
        let found = Kinds::builtin().get(kind);
        assert_eq!(
            (found.title.as_str(), found.class),
            ("Tape library", KindClass::Other)
        );

        let kinds = Kinds::builtin().clone().with(KindInfo {
            class: KindClass::Storage,
            ..found
        });
        assert_eq!(kinds.get(kind).class, KindClass::Storage);
    }
}
