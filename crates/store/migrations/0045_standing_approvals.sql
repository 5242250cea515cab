-- Approvals that people give beforehand for what agents do about emergencies, ended ones included.

CREATE TABLE standing_approvals (
    id          TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    agent_id    TEXT COLLATE "binary" NOT NULL,
    given_at_ms BIGINT NOT NULL,
    version     BIGINT NOT NULL,
    document    TEXT NOT NULL
);
CREATE INDEX standing_approvals_by_agent ON standing_approvals (agent_id, given_at_ms);
