//! Dependency map of an estate: the resources around one, each with the resources that it needs.
//!
//! An edge leads from a dependent to its dependency and names its sources: a relation that the
//! configuration declares, flows between network interfaces, or metrics that change together.
//! Declared edges stand beside observed ones ([`Standing`]). A map is read around one resource within
//! [`DependencyBounds`], never of a whole estate, and is not stored.
//!
//! Pure but for the ports that it reads: [`MapReader`] needs the stores of descriptions, flows and
//! samples.

mod addresses;
mod collapse;
mod comovement;
mod declared;
mod edge;
mod map;
mod observed;
mod reader;
#[cfg(test)]
mod tests;
mod walk;

pub use edge::{DependencyEdge, EdgeEvidence, EdgeSource, EdgeStrength, Standing};
pub use map::{DependencyBounds, DependencyMap, DependencyNode, NodeKind};
pub use reader::{MapPorts, MapReader};
