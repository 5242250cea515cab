//! Identifiers of recommendations.

/// A recommendation's identifier, made by Reeve. Every audit entry of its story carries it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecommendationId(pub String);
