//! Messages of remote write 1.0, as <https://prometheus.io/docs/specs/prw/remote_write_spec/>
//! defines them. Metadata is not read.

/// A series.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TimeSeries {
    /// Its labels.
    #[prost(message, repeated, tag = "1")]
    pub(crate) labels: Vec<Label>,
    /// Its samples, oldest first.
    #[prost(message, repeated, tag = "2")]
    pub(crate) samples: Vec<Sample>,
}

/// A label.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Label {
    /// Its name.
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    /// Its value.
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

/// A sample.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct Sample {
    /// The value.
    #[prost(double, tag = "1")]
    pub(crate) value: f64,
    /// Milliseconds since the epoch.
    #[prost(int64, tag = "2")]
    pub(crate) timestamp: i64,
}
