-- Which log this database belongs to, and which server acts on it: one row, named "active". It replaces leases that nothing took.
DROP TABLE leases;
CREATE TABLE active_server (
    name       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    log_origin TEXT NOT NULL,
    log_size   BIGINT NOT NULL,
    epoch      BIGINT NOT NULL,
    instance   TEXT NOT NULL,
    beat       BIGINT NOT NULL
);
