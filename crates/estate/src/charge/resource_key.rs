//! Key by which a bill's charges and the inventory's resources are joined.
//!
//! Bills name a resource by another form than the cloud's own interface does: AWS bills machines
//! and volumes by their short identifier and NAT gateways, snapshots, addresses and interfaces by
//! ARN, Google Cloud puts the name of the service before the path, and Azure writes the path in
//! another case. Only identifiers that the provider makes, which are unique everywhere, are
//! shortened: two databases of one name in two regions have one tail and are told apart by their
//! whole ARN.

/// Identifiers that Amazon EC2 makes begin with one of these.
const MADE_BY_EC2: &[&str] = &[
    "i-",
    "vol-",
    "snap-",
    "nat-",
    "eipalloc-",
    "eni-",
    "ami-",
    "vpce-",
    "tgw-",
    "tgw-attach-",
    "vpn-",
];

/// Returns the key of a resource's identifier, from a bill or from the inventory.
#[must_use]
pub fn resource_key(id: &str) -> String {
    let id = id.trim().to_ascii_lowercase();
    if let Some(path) = id.strip_prefix("//").and_then(|rest| rest.split_once('/')) {
        return path.1.to_owned();
    }

    let mut parts = id.splitn(6, ':');
    if parts.next() != Some("arn") {
        return id;
    }

    let (service, resource) = (
        parts.nth(1).unwrap_or_default(),
        parts.nth(2).unwrap_or_default(),
    );
    match service {
        "ec2" => {
            let tail = resource.rsplit('/').next().unwrap_or_default();
            let is_made = MADE_BY_EC2
                .iter()
                .any(|prefix| tail.starts_with(prefix) && tail.len() > prefix.len());
            if is_made { tail.to_owned() } else { id }
        }
        // Names of buckets are unique among all accounts; what follows the name is an object.
        "s3" => resource
            .split('/')
            .next()
            .filter(|name| !name.is_empty())
            .map_or_else(|| id.clone(), str::to_owned),
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_and_the_inventory_name_one_resource_alike() {
        let check = |billed: &str, known: &str| {
            assert_eq!(resource_key(billed), resource_key(known), "{billed}")
        };

        check(
            "arn:aws:ec2:us-west-2:111122223333:natgateway/nat-0aa07ff56223a89b1",
            "nat-0aa07ff56223a89b1",
        );
        check(
            "arn:aws:ec2:us-west-2:111122223333:elastic-ip/eipalloc-b19b29ba",
            "eipalloc-b19b29ba",
        );
        check(
            "arn:aws-us-gov:ec2:us-gov-west-1:111122223333:snapshot/snap-0123",
            "snap-0123",
        );
        check(
            "arn:aws:ec2:us-east-1:111122223333:instance/i-09249278fa2047920",
            "i-09249278fa2047920",
        );
        check("vol-09a113e4e879a4636", "vol-09a113e4e879a4636");
        check("arn:aws:s3:::acme-logs", "acme-logs");
        check("/SUBSCRIPTIONS/A/disks/D", "/subscriptions/a/disks/d");
        check(
            "//compute.googleapis.com/projects/acme/zones/europe-west1-b/disks/data",
            "projects/acme/zones/europe-west1-b/disks/data",
        );
    }

    #[test]
    fn names_that_people_give_are_told_apart_by_region_and_account() {
        let database =
            |region: &str| resource_key(&format!("arn:aws:rds:{region}:111122223333:db:orders"));
        assert_ne!(database("us-east-1"), database("us-west-2"));
        assert_ne!(database("us-east-1"), resource_key("orders"));

        let balancer = "arn:aws:elasticloadbalancing:us-west-2:111122223333:loadbalancer/app/web/a365455f461a4e4a";
        assert_eq!(resource_key(balancer), balancer);
        assert_eq!(
            resource_key("arn:aws:ec2:us-east-1:1:key-pair/i"),
            "arn:aws:ec2:us-east-1:1:key-pair/i"
        );
        assert_eq!(resource_key("arn:aws"), "arn:aws");
    }
}
