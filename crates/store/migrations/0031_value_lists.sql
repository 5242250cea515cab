-- Lists of values that queries compare with, by name.

CREATE TABLE value_lists (
    name     TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL
);
