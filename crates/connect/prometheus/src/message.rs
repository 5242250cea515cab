//! Messages of remote write 1.0, as <https://prometheus.io/docs/specs/prw/remote_write_spec/>
//! defines them. Metadata is not read.

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    pub(crate) labels: Vec<Label>,
    /// Its samples, oldest first.
    #[prost(message, repeated, tag = "2")]
    pub(crate) samples: Vec<PrometheusSample>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Label {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct PrometheusSample {
    #[prost(double, tag = "1")]
    pub(crate) value: f64,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "2")]
    pub(crate) timestamp: i64,
}
