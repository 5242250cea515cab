//! Addresses of AWS's services, by the SDK's own rules: an override, a partition's domain, FIPS and
//! dual-stack variants. Source: the endpoint rule sets and `partitions.json` of the SDK.

use aws_types::SdkConfig;
use aws_types::service_config::ServiceConfigKey;

/// Services whose variants are asked for: host and service identifier. Other services have names of
/// their own under FIPS and are asked at their usual address.
const VARIANTS: [(&str, &str); 4] = [
    ("ec2", "EC2"),
    ("autoscaling", "Auto Scaling"),
    ("elasticloadbalancing", "Elastic Load Balancing v2"),
    ("rds", "RDS"),
];

/// Prefix of a region's name, domain and dual-stack domain. The last row is that of all other
/// regions.
const PARTITIONS: [(&str, &str, &str); 8] = [
    ("cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
    ("us-gov-", "amazonaws.com", "api.aws"),
    ("us-iso-", "c2s.ic.gov", "api.aws.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov", "api.aws.scloud"),
    ("us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
    ("eusc-", "amazonaws.eu", "api.amazonwebservices.eu"),
    ("", "amazonaws.com", "api.aws"),
];

/// Returns the address of a service in the configuration's region.
///
/// # Errors
/// The reason for which there is none: a variant together with an override, or a region that is no
/// name of a host.
pub(crate) fn address(
    config: &SdkConfig,
    host: &str,
    is_global: bool,
) -> Result<String, &'static str> {
    let (fips, dual_stack) = (
        config.use_fips() == Some(true),
        config.use_dual_stack() == Some(true),
    );
    if let Some(url) = overridden(config, host) {
        return match (fips, dual_stack) {
            (true, _) => Err("Invalid Configuration: FIPS and custom endpoint are not supported"),
            (_, true) => {
                Err("Invalid Configuration: Dualstack and custom endpoint are not supported")
            }
            _ => Ok(url),
        };
    }

    let region = config
        .region()
        .map_or("us-east-1", |region| region.as_ref());
    if region.is_empty()
        || !region
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return Err("Invalid Configuration: the region is not the name of one");
    }

    Ok(own(host, region, is_global, fips, dual_stack))
}

/// Returns AWS's own address of a service.
fn own(host: &str, region: &str, is_global: bool, fips: bool, dual_stack: bool) -> String {
    let found = PARTITIONS
        .iter()
        .find(|(prefix, ..)| region.starts_with(prefix));
    let (prefix, domain, dual_domain) = found.copied().unwrap_or(("", "amazonaws.com", "api.aws"));
    let has_variants = VARIANTS.iter().any(|(named, _)| *named == host);
    let (fips, dual_stack) = (fips && has_variants, dual_stack && has_variants);

    // GovCloud's usual addresses are validated ones.
    let variant = if fips && (dual_stack || prefix != "us-gov-") {
        "-fips"
    } else {
        ""
    };
    let domain = if dual_stack { dual_domain } else { domain };

    // Buckets answer at the address of their region alone.
    if !is_global || !prefix.is_empty() || host == "s3" {
        format!("https://{host}{variant}.{region}.{domain}")
    } else {
        format!("https://{host}.{domain}")
    }
}

/// Returns the address that the connection, the environment or a profile puts in the place of AWS's
/// own.
fn overridden(config: &SdkConfig, host: &str) -> Option<String> {
    let for_all = config.endpoint_url().map(str::to_owned);
    if config.get_origin("endpoint_url").is_client_config() {
        return for_all;
    }

    let named = VARIANTS.iter().find(|(named, _)| *named == host);
    let own = named.and_then(|(_, service_id)| {
        let key = ServiceConfigKey::builder()
            .service_id(service_id)
            .env("AWS_ENDPOINT_URL")
            .profile("endpoint_url");
        config.service_config()?.load_config(key.build().ok()?)
    });

    own.or(for_all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use aws_types::region::Region;

    use super::*;

    #[test]
    fn addresses_are_those_of_the_generated_client() {
        for (region, fips, dual_stack, expect) in [
            (
                "us-east-1",
                false,
                false,
                "https://ec2.us-east-1.amazonaws.com",
            ),
            (
                "us-east-1",
                true,
                false,
                "https://ec2-fips.us-east-1.amazonaws.com",
            ),
            (
                "us-east-1",
                true,
                true,
                "https://ec2-fips.us-east-1.api.aws",
            ),
            ("ap-south-1", false, true, "https://ec2.ap-south-1.api.aws"),
            (
                "cn-north-1",
                false,
                false,
                "https://ec2.cn-north-1.amazonaws.com.cn",
            ),
            (
                "cn-north-1",
                true,
                false,
                "https://ec2-fips.cn-north-1.amazonaws.com.cn",
            ),
            (
                "cn-north-1",
                true,
                true,
                "https://ec2-fips.cn-north-1.api.amazonwebservices.com.cn",
            ),
            (
                "us-gov-east-1",
                false,
                false,
                "https://ec2.us-gov-east-1.amazonaws.com",
            ),
            (
                "us-gov-east-1",
                true,
                false,
                "https://ec2.us-gov-east-1.amazonaws.com",
            ),
            (
                "us-gov-east-1",
                true,
                true,
                "https://ec2-fips.us-gov-east-1.api.aws",
            ),
            (
                "us-iso-east-1",
                true,
                false,
                "https://ec2-fips.us-iso-east-1.c2s.ic.gov",
            ),
            (
                "us-isob-east-1",
                true,
                false,
                "https://ec2-fips.us-isob-east-1.sc2s.sgov.gov",
            ),
            (
                "eusc-de-east-1",
                false,
                false,
                "https://ec2.eusc-de-east-1.amazonaws.eu",
            ),
        ] {
            let config = SdkConfig::builder()
                .region(Region::new(region))
                .use_fips(fips)
                .use_dual_stack(dual_stack);
            assert_eq!(
                address(&config.build(), "ec2", false).as_deref(),
                Ok(expect),
                "{region} {fips} {dual_stack}"
            );
        }

        let config = SdkConfig::builder()
            .region(Region::new("cn-north-1"))
            .build();
        assert_eq!(
            address(&config, "iam", true).as_deref(),
            Ok("https://iam.cn-north-1.amazonaws.com.cn")
        );
        assert_eq!(
            own("autoscaling", "us-east-1", false, true, false),
            "https://autoscaling-fips.us-east-1.amazonaws.com"
        );
        assert_eq!(
            own("iam", "us-east-1", true, true, false),
            "https://iam.amazonaws.com"
        );
        assert_eq!(
            own("s3", "eu-west-1", true, false, false),
            "https://s3.eu-west-1.amazonaws.com"
        );
    }

    #[test]
    fn an_override_is_taken_alone_and_a_region_cannot_name_another_host() {
        let config = || {
            SdkConfig::builder()
                .region(Region::new("us-east-1"))
                .endpoint_url("http://127.0.0.1:1")
        };

        assert_eq!(
            address(&config().build(), "ec2", false).as_deref(),
            Ok("http://127.0.0.1:1")
        );
        assert!(
            address(&config().use_fips(true).build(), "ec2", false)
                .unwrap_err()
                .contains("FIPS")
        );

        assert!(
            address(&config().use_dual_stack(true).build(), "iam", true)
                .unwrap_err()
                .contains("Dualstack")
        );

        for region in ["x.attacker.example/", "a@b", "", "a:1"] {
            let config = SdkConfig::builder().region(Region::new(region)).build();
            assert!(address(&config, "ec2", false).is_err(), "{region}");
        }
    }
}
