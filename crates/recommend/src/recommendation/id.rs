//! Identifiers of recommendations.

use serde::{Deserialize, Serialize};

/// A recommendation's identifier, made by Reeve. Every audit entry of its story carries it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecommendationId(pub String);
