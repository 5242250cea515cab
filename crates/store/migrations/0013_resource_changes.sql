-- What inventories showed to have changed of resources, in between two looks.

CREATE TABLE resource_changes (
    connection_id   TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id     TEXT COLLATE "binary" NOT NULL,
    attribute       TEXT NOT NULL,
    last_seen_at_ms BIGINT NOT NULL,
    seen_at_ms      BIGINT NOT NULL,
    value_before    TEXT NOT NULL,
    value_after     TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, seen_at_ms, attribute)
);
CREATE INDEX resource_changes_by_resource ON resource_changes (resource_id, seen_at_ms);
CREATE INDEX resource_changes_by_time ON resource_changes (seen_at_ms);
