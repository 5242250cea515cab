//! Providers of resources: clouds, and database servers that are reached by their own protocol.

use crate::named;

named!(
    /// A provider that connections can reach.
    Provider {
        Aws => "aws",
        Azure => "azure",
        Gcp => "gcp",
        /// A database server; the scheme of the connection's endpoint names the engine.
        Database => "database",
    }
);
