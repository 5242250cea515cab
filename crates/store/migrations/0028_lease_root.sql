-- The root of the log at its known size: a fork of the log may have as many entries, but not the same root. Empty before a server has
-- written it.
ALTER TABLE active_server ADD COLUMN log_root TEXT NOT NULL DEFAULT '';
