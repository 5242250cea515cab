//! Cloud providers.

use crate::named;

named!(
    /// A cloud provider.
    Provider {
        /// Amazon Web Services.
        Aws => "aws",
        /// Microsoft Azure.
        Azure => "azure",
        /// Google Cloud.
        Gcp => "gcp",
    }
);
