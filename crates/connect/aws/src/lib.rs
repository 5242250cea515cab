//! reeve-connect-aws
