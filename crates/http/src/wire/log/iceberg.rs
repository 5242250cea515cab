//! Answers of the catalogue, as the REST catalogue of Iceberg has them
//! (<https://iceberg.apache.org/rest-catalog-spec/>): its names, not those of the other routes.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Settings that engines take from the catalogue.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IcebergConfigBody {
    pub defaults: BTreeMap<String, String>,
    pub overrides: BTreeMap<String, String>,
    /// Routes of the catalogue; there are no others.
    pub endpoints: Vec<String>,
}

/// Namespaces, each a list of its levels.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IcebergNamespacesBody {
    pub namespaces: Vec<Vec<String>>,
}

/// A namespace.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IcebergNamespaceBody {
    pub namespace: Vec<String>,
    pub properties: BTreeMap<String, String>,
}

/// Name of a table.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IcebergTableName {
    pub namespace: Vec<String>,
    pub name: String,
}

/// Names of the tables of a namespace.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IcebergTablesBody {
    pub identifiers: Vec<IcebergTableName>,
}

/// A table.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct IcebergTableBody {
    /// Address of the metadata.
    pub metadata_location: String,
    /// Metadata of version 2 with one snapshot.
    #[schema(value_type = Object)]
    pub metadata: Value,
    /// Settings for reading the table; empty: engines use credentials of their own.
    pub config: BTreeMap<String, String>,
}
