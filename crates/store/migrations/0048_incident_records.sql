-- Security incidents. The rank is that of lists: active ones first, then by severity.

CREATE TABLE incidents (
    id         TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    status     TEXT NOT NULL,
    severity   TEXT NOT NULL,
    rank       BIGINT NOT NULL,
    owner      TEXT COLLATE "binary",
    last_at_ms BIGINT NOT NULL,
    merged     BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    document   TEXT NOT NULL
);
CREATE INDEX incidents_by_rank ON incidents (merged, rank, last_at_ms);
CREATE INDEX incidents_by_status ON incidents (status, merged);

-- Each finding is a member of one incident at most.
CREATE TABLE incident_members (
    kind        TEXT NOT NULL,
    member_id   TEXT COLLATE "binary" NOT NULL,
    incident_id TEXT COLLATE "binary" NOT NULL,
    PRIMARY KEY (kind, member_id)
);
CREATE INDEX incident_members_by_incident ON incident_members (incident_id);
