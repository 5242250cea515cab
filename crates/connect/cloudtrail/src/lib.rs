//! reeve-connect-cloudtrail
