-- Playbooks of people, and runs of all playbooks.

CREATE TABLE playbooks (
    name     TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL
);

CREATE TABLE playbook_runs (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    incident_id   TEXT COLLATE "binary" NOT NULL,
    active        BIGINT NOT NULL,
    started_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE INDEX playbook_runs_by_incident ON playbook_runs (incident_id, started_at_ms);
CREATE INDEX playbook_runs_by_state ON playbook_runs (active, started_at_ms);
