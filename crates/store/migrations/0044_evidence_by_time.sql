-- The trend of scores asks for what came into force and what ended since a time.

CREATE INDEX check_history_by_time ON check_history (at_ms);
CREATE INDEX check_history_by_end ON check_history (until_ms);
