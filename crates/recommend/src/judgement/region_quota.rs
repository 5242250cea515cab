//! Quotas of an AWS account in a region that the connector reads and an agent judges.

/// Name of the kind of resources that stand for a region of an account.
pub const REGION: &str = "region";

/// A quota of a region. Its value is a member of the region's document.
#[derive(Debug)]
pub struct RegionQuota {
    /// Member of the region's document with the quota that applies to the account.
    pub member: &'static str,
    /// Service code of Service Quotas, such as `ec2`.
    pub service: &'static str,
    /// Quota code, such as `L-0263D0A3`.
    pub code: &'static str,
}

pub const NETWORKS: RegionQuota = quota("QuotaNetworks", "vpc", "L-F678F1CE");
pub const INTERNET_GATEWAYS: RegionQuota = quota("QuotaInternetGateways", "vpc", "L-A4707A72");
pub const NETWORK_INTERFACES: RegionQuota = quota("QuotaNetworkInterfaces", "vpc", "L-DF5E4CA3");
pub const SECURITY_GROUPS: RegionQuota = quota("QuotaSecurityGroups", "vpc", "L-E79EC296");
pub const ELASTIC_ADDRESSES: RegionQuota = quota("QuotaElasticAddresses", "ec2", "L-0263D0A3");
pub const DATABASES: RegionQuota = quota("QuotaDatabases", "rds", "L-7B6409FD");

const fn quota(member: &'static str, service: &'static str, code: &'static str) -> RegionQuota {
    RegionQuota {
        member,
        service,
        code,
    }
}
