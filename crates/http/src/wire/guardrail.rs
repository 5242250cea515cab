//! Guardrails on the wire: their limits and use, the approval matrix, change control, protections.

pub mod approval_matrix;
pub mod change_control;
pub mod limits;
pub mod protection;
pub mod usage;
