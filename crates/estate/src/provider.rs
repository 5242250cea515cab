//! Cloud providers.

use crate::named;

named!(
    /// A cloud provider that connections can reach.
    Provider {
        Aws => "aws",
        Azure => "azure",
        Gcp => "gcp",
    }
);
