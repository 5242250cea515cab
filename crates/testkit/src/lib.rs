//! Real peers and data for tests, started by the test that needs them and gone with it. A
//! dev-dependency only.

pub mod contract;
pub mod http;
pub mod kafka;
pub mod line;
pub mod live;
pub mod mariadb;
pub mod moto;
pub mod postgres;
pub mod prometheus;
pub mod rsyslog;
pub mod service;
pub mod spot_cloud;
pub mod sshd;
pub mod storage;
pub mod witness;
