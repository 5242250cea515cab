-- Loads of databases by interval of five minutes, their statements, and the last reading of each. Times are Unix seconds.

CREATE TABLE database_loads (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    start_s       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, start_s)
);
CREATE INDEX database_loads_by_start ON database_loads (start_s);

CREATE TABLE database_statements (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    statement_id  TEXT COLLATE "binary" NOT NULL,
    seen_s        BIGINT NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, statement_id)
);
CREATE INDEX database_statements_by_time ON database_statements (seen_s);

CREATE TABLE database_readings (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id)
);
