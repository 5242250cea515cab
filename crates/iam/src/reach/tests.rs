//! Ways in made accounts.

mod complaints;
mod fixture;
mod per_technique;
mod size;
