//! A company's estate that does not exist: three accounts in three clouds, their load, their bill,
//! and the people who work there. It is what `reeve demo` shows, and the strict fake that tests act
//! on.
//!
//! It implements the ports [`Observe`](reeve_estate::Observe) and [`Act`](reeve_estate::Act) and
//! refuses what the clouds refuse: resizing what runs, stopping what is stopped, sizes that do not
//! exist, do not fit or are not sold in the region. Changes take time, calls are throttled now and
//! then, and an answer can be lost ([`Faults`]).
//!
//! Everything but those changes is a pure function of a seed and time: any window of any series,
//! and any window of what the people did ([`SimulatedEstate::activity`]), can be asked for and is
//! not stored. What was changed is small and kept by the caller ([`SimulatedEstate::snapshot`],
//! [`SimulatedEstate::restore`]).
//!
//! It refuses to be more than a demonstration: names, addresses (RFC 5737) and accounts are made
//! up; sizes and machine prices are the catalogue's, and the rest of the bill comes from the
//! account's own price list (`bill`).

mod access;
mod account;
mod acting;
mod activity;
mod alterations;
mod assets;
mod bill;
mod company;
mod condition;
mod configuring;
mod database_load;
mod database_reading;
mod describing;
mod estate;
mod faults;
mod flows;
mod groups;
mod lifecycle;
mod load;
mod noise;
mod observing;
mod operation;
mod refusal;
mod regrouping;
mod replacing;
mod saved;
mod settings;
mod signal;
mod spending;
mod spot;
mod transitions;
mod world;

pub use account::SimulatedAccount;
pub use company::people::{PEOPLE, Person, TEAMS};
pub use estate::SimulatedEstate;
pub use faults::Faults;
pub use load::Load;
pub use saved::RestoreError;
pub use settings::{Now, SimulatedSettings};
pub use spending::DailyCharge;
