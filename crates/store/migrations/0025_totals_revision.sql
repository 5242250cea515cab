-- Counts the writes of recommendations: sums over what is open are held in memory until it moves (src/agents/recommendation/savings.rs).
ALTER TABLE recommendation_totals ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
