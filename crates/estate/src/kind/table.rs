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
    ("function", Compute, "Function", "Functions", "function", ["AWS::Lambda::Function", "", ""]),
    ("volume", Storage, "Volume", "Volumes", "disk",
        ["AWS::EC2::Volume", "Microsoft.Compute/disks", "compute.googleapis.com/Disk"]),
    ("snapshot", Storage, "Snapshot", "Snapshots", "camera", ["AWS::EC2::Snapshot", "", ""]),
    ("image", Storage, "Machine image", "Machine images", "camera", ["AWS::EC2::Image", "", ""]),
    ("bucket", Storage, "Bucket", "Buckets", "bucket",
        ["AWS::S3::Bucket", "Microsoft.Storage/storageAccounts", "storage.googleapis.com/Bucket"]),
    ("database", Database, "Database", "Databases", "database",
        ["AWS::RDS::DBInstance", "Microsoft.DBforPostgreSQL/flexibleServers", "sqladmin.googleapis.com/Instance"]),
    ("database_cluster", Database, "Database cluster", "Database clusters", "database", ["AWS::RDS::DBCluster", "", ""]),
    ("database_snapshot", Database, "Database snapshot", "Database snapshots", "camera", ["AWS::RDS::DBSnapshot", "", ""]),
    ("table", Database, "Table", "Tables", "database", ["AWS::DynamoDB::Table", "", ""]),
    ("load_balancer", Network, "Load balancer", "Load balancers", "balance",
        ["AWS::ElasticLoadBalancingV2::LoadBalancer", "Microsoft.Network/loadBalancers", "compute.googleapis.com/ForwardingRule"]),
    ("network", Network, "Network", "Networks", "network", ["AWS::EC2::VPC", "", ""]),
    ("subnet", Network, "Subnet", "Subnets", "network", ["AWS::EC2::Subnet", "", ""]),
    ("route_table", Network, "Route table", "Route tables", "route", ["AWS::EC2::RouteTable", "", ""]),
    ("network_interface", Network, "Network interface", "Network interfaces", "plug", ["AWS::EC2::NetworkInterface", "", ""]),
    ("ip_address", Network, "Static IP address", "Static IP addresses", "pin", ["AWS::EC2::EIP", "", ""]),
    ("nat_gateway", Network, "NAT gateway", "NAT gateways", "route", ["AWS::EC2::NatGateway", "", ""]),
    ("security_group", Security, "Security group", "Security groups", "shield",
        ["AWS::EC2::SecurityGroup", "Microsoft.Network/networkSecurityGroups", "compute.googleapis.com/Firewall"]),
    ("encryption_key", Security, "Encryption key", "Encryption keys", "key", ["AWS::KMS::Key", "", ""]),
    ("secret", Security, "Secret", "Secrets", "lock", ["AWS::SecretsManager::Secret", "", ""]),
    ("iam_user", Identity, "IAM user", "IAM users", "person", ["AWS::IAM::User", "", ""]),
    ("iam_group", Identity, "IAM group", "IAM groups", "people", ["AWS::IAM::Group", "", ""]),
    ("iam_role", Identity, "IAM role", "IAM roles", "person", ["AWS::IAM::Role", "", ""]),
    ("iam_policy", Identity, "IAM policy", "IAM policies", "document", ["AWS::IAM::ManagedPolicy", "", ""]),
    ("access_key", Identity, "Access key", "Access keys", "key", ["AWS::IAM::AccessKey", "", ""]),
    ("credential_report", Identity, "Credential report", "Credential reports", "document", ["", "", ""]),
    ("topic", Messaging, "Topic", "Topics", "bell", ["AWS::SNS::Topic", "", ""]),
    ("queue", Messaging, "Queue", "Queues", "queue", ["AWS::SQS::Queue", "", ""]),
    ("trail", Monitoring, "Audit trail", "Audit trails", "footprints", ["AWS::CloudTrail::Trail", "", ""]),
    ("alarm", Monitoring, "Alarm", "Alarms", "bell", ["AWS::CloudWatch::Alarm", "", ""]),
    ("kubernetes_cluster", Container, "Kubernetes cluster", "Kubernetes clusters", "cluster", ["AWS::EKS::Cluster", "", ""]),
    ("account", KindClass::Other, "Account", "Accounts", "box", ["", "", ""]),
    ("container_cluster", Container, "Container cluster", "Container clusters", "cluster", ["AWS::ECS::Cluster", "", ""]),
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
