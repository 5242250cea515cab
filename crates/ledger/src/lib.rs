//! reeve-ledger
