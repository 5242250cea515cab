-- Workloads of resources as runs found them, and the classes that people gave instead.

CREATE TABLE workloads (
    connection_id TEXT COLLATE "binary" NOT NULL,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (resource_id, connection_id)
);

CREATE TABLE workload_corrections (
    connection_id TEXT COLLATE "binary" NOT NULL,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    at_ms         BIGINT NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (resource_id, connection_id)
);
CREATE INDEX workload_corrections_at ON workload_corrections (at_ms);
