//! Disks of a machine's host: as the cloud reported them, else by the machine's size.

use super::local_disks::{LocalDisks, has_google_ssd};
use super::{PriceCatalogue, azure};
use crate::provider::Provider;
use crate::resource::Resource;

impl PriceCatalogue {
    /// Returns the disks of a machine's host: as the cloud reported them, else by its size. `None`
    /// where neither tells, which is so for sizes that the catalogue lacks and for machines of
    /// Google, whose local SSDs are attached beside the size.
    #[must_use]
    pub fn local_disks(&self, machine: &Resource) -> Option<LocalDisks> {
        let size = machine.specification.instance_type.as_deref();
        let by_size = size.and_then(|size| self.local_disks_of_size(machine.provider, size));

        match (machine.specification.local_disks, by_size) {
            (Some(true), Some(known)) if known.is_some() => Some(known),
            (Some(true), _) => Some(LocalDisks::Data(None)),
            // A report of no disk never outweighs a size that has some: EC2 lists instance stores
            // only for some images.
            (Some(false), Some(known)) if known.is_some() => Some(known),
            (Some(false), _) => Some(LocalDisks::None),
            (None, by_size) => by_size,
        }
    }

    fn local_disks_of_size(&self, provider: Provider, size: &str) -> Option<LocalDisks> {
        match provider {
            Provider::Aws => self.instance(provider, size).map(|spec| spec.local_disks),
            Provider::Azure => azure::local_disks(size),
            Provider::Gcp => has_google_ssd(size).then_some(LocalDisks::Data(None)),
            Provider::Database => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn by_size(provider: Provider, size: &str) -> Option<LocalDisks> {
        PriceCatalogue::builtin().local_disks_of_size(provider, size)
    }

    #[test]
    fn sizes_of_each_cloud_say_whether_their_host_has_disks() {
        use LocalDisks::{Data, None as Without, Temporary};
        for (provider, size, expected) in [
            (Provider::Aws, "m5.large", Some(Without)),
            (Provider::Aws, "m5d.large", Some(Data(Some(75.0)))),
            (Provider::Aws, "i3.xlarge", Some(Data(Some(950.0)))),
            (Provider::Aws, "d2.xlarge", Some(Data(Some(6144.0)))),
            (Provider::Aws, "g4dn.xlarge", Some(Data(Some(125.0)))),
            (Provider::Aws, "x1e.xlarge", Some(Data(Some(120.0)))),
            (Provider::Aws, "t3.micro", Some(Without)),
            (Provider::Aws, "m9q.large", None),
            (Provider::Azure, "Standard_D4s_v5", Some(Without)),
            (Provider::Azure, "Standard_D4ds_v5", Some(Temporary)),
            (Provider::Azure, "Standard_D4s_v4", Some(Without)),
            (Provider::Azure, "Standard_D4as_v4", Some(Temporary)),
            (Provider::Azure, "Standard_D4s_v3", Some(Temporary)),
            (Provider::Azure, "Standard_F8s_v2", Some(Temporary)),
            (Provider::Azure, "Standard_B2ms", Some(Temporary)),
            (Provider::Azure, "Standard_B2s_v2", Some(Without)),
            (Provider::Azure, "Standard_DC4s_v3", Some(Without)),
            (Provider::Azure, "Standard_L8s_v3", Some(Data(None))),
            (Provider::Azure, "Standard_L8as_v4", Some(Data(None))),
            (Provider::Azure, "Standard_NC6s_v3", Some(Temporary)),
            (Provider::Azure, "Standard_HB120rs_v3", Some(Data(None))),
            (Provider::Azure, "Esv5_Type1", None),
            (Provider::Gcp, "c3-standard-8-lssd", Some(Data(None))),
            (Provider::Gcp, "z3-highmem-88", Some(Data(None))),
            (Provider::Gcp, "n2-standard-4", None),
        ] {
            assert_eq!(by_size(provider, size), expected, "{size}");
        }
    }

    #[test]
    fn every_storage_and_d_family_of_aws_has_instance_stores() {
        let specs = PriceCatalogue::builtin()
            .specs
            .values()
            .filter(|spec| spec.provider == Provider::Aws);
        let mut seen = 0;

        for spec in specs {
            let family = spec.family.as_str();
            let generation = family
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(family.len());
            let attributes = family[generation..].trim_start_matches(|c: char| c.is_ascii_digit());
            let storage = matches!(&family[..generation], "i" | "d" | "h" | "im" | "is");
            if storage
                || attributes
                    .split('-')
                    .next()
                    .is_some_and(|letters| letters.contains('d'))
            {
                assert!(spec.local_disks.is_some(), "{}", spec.name);
                seen += 1;
            }
        }

        assert!(seen > 300, "{seen}");
    }

    #[test]
    fn a_size_without_the_disks_of_the_present_one_is_never_offered() {
        let catalogue = PriceCatalogue::builtin();
        let with = catalogue.instance(Provider::Aws, "m5d.4xlarge").unwrap();
        let offered = catalogue.exchangeable(Provider::Aws, "m5d.4xlarge");
        assert!(!offered.is_empty() && offered.iter().all(|spec| spec.local_disks.is_some()));
        assert!(
            catalogue
                .smaller_in_family(Provider::Aws, &with.name)
                .iter()
                .all(|spec| spec.local_disks.is_some())
        );

        assert!(
            catalogue
                .exchangeable(Provider::Aws, "m5.4xlarge")
                .iter()
                .any(|spec| spec.local_disks.is_some())
        );

        let azure = catalogue.exchangeable(Provider::Azure, "Standard_D4s_v5");
        assert!(!azure.is_empty() && azure.iter().all(|spec| !spec.local_disks.is_some()));
    }
}
