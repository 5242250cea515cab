-- Streams out: what is sent, to which receiver, and how far. A dead letter names an entry of the log.

CREATE TABLE streams (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name     TEXT COLLATE "binary" NOT NULL UNIQUE,
    version  BIGINT NOT NULL,
    secret   TEXT NOT NULL,
    document TEXT NOT NULL,
    position BIGINT NOT NULL,
    state    TEXT NOT NULL
);

CREATE TABLE stream_dead_letters (
    stream_id TEXT COLLATE "binary" NOT NULL,
    sequence  BIGINT NOT NULL,
    document  TEXT NOT NULL,
    PRIMARY KEY (stream_id, sequence)
);
