//! The stages of a run: each measures one thing of the service and says how.

pub(crate) mod account;
pub(crate) mod alerts;
pub(crate) mod append;
pub(crate) mod ask;
pub(crate) mod disk;
pub(crate) mod estate;
pub(crate) mod exports;
pub(crate) mod probe;
pub(crate) mod reports;
pub(crate) mod restart;
pub(crate) mod single;
pub(crate) mod verify;
