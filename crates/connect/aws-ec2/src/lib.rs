//! reeve-connect-aws-ec2
