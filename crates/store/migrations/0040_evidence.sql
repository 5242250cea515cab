-- Results of checks: the last one of each resource and check, and every result that there was. `answer` and `account` are columns
-- because lists and counts ask for them; the rest is in the document.

CREATE TABLE check_results (
    connection_id TEXT COLLATE "binary" NOT NULL,
    resource_id TEXT COLLATE "binary" NOT NULL,
    check_id TEXT COLLATE "binary" NOT NULL,
    answer TEXT NOT NULL,
    account TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, check_id)
);
CREATE INDEX check_results_by_check ON check_results (check_id, answer);
CREATE INDEX check_results_by_agent ON check_results (agent_id);

CREATE TABLE check_history (
    connection_id TEXT COLLATE "binary" NOT NULL,
    resource_id TEXT COLLATE "binary" NOT NULL,
    check_id TEXT COLLATE "binary" NOT NULL,
    at_ms BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, check_id, at_ms)
);
