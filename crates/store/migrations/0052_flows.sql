-- Network flows, summed by day; the hours of a day that records were delivered of; and the flow logs that they come from.

-- Days are counted from 1970 (UTC), times are Unix seconds. `peer` is a network in CIDR notation.
CREATE TABLE flows (
    connection_id   TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    interface_id    TEXT COLLATE "binary" NOT NULL,
    day             BIGINT NOT NULL,
    direction       TEXT COLLATE "binary" NOT NULL,
    peer            TEXT COLLATE "binary" NOT NULL,
    protocol        BIGINT NOT NULL,
    port            BIGINT NOT NULL,
    action          TEXT COLLATE "binary" NOT NULL,
    first_s         BIGINT NOT NULL,
    last_s          BIGINT NOT NULL,
    flows           BIGINT NOT NULL,
    answers         BIGINT NOT NULL,
    packets         BIGINT NOT NULL,
    bytes           BIGINT NOT NULL,
    largest_packets BIGINT NOT NULL,
    PRIMARY KEY (connection_id, interface_id, day, direction, peer, protocol, port, action)
);
CREATE INDEX flows_by_day ON flows (day);

-- `hours` has one bit an hour.
CREATE TABLE flow_coverage (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    interface_id  TEXT COLLATE "binary" NOT NULL,
    day           BIGINT NOT NULL,
    hours         BIGINT NOT NULL,
    records       BIGINT NOT NULL,
    skipped       BIGINT NOT NULL,
    PRIMARY KEY (connection_id, interface_id, day)
);
CREATE INDEX flow_coverage_by_day ON flow_coverage (day);

CREATE TABLE flow_sources (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    flow_log_id   TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, flow_log_id)
);
