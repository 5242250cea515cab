import { Progress, Text } from '@mantine/core';
import { Hint } from '../../display/Hint';
import { percent } from '../../display/amounts';
import type { Budget } from './queries';

/** The share that is spent, and the share that is expected besides. */
export function BudgetBar({ budget: { name, standing } }: { budget: Budget }) {
  if (!standing) return null;
  const spent = Math.max(0, standing.spent_percent);
  const expected = Math.max(0, (standing.forecast_percent ?? spent) - spent);
  // A bar that is fuller than full still shows both parts.
  const scale = Math.max(100, spent + expected) / 100;
  const colour = spent >= 100 ? 'red' : spent + expected >= 100 ? 'yellow' : 'petrol';
  const words = `${percent(spent)} spent${standing.forecast_percent == null ? '' : `, ${percent(standing.forecast_percent)} expected`}`;
  return (
    <Hint label={words}>
      <div style={{ minWidth: 120 }}>
        <Progress.Root size="lg" aria-label={`${name}: ${words}`}>
          <Progress.Section value={spent / scale} color={colour} aria-label="Spent" />
          <Progress.Section
            value={expected / scale}
            color={colour}
            style={{ opacity: 0.4 }}
            aria-label="Expected besides"
          />
        </Progress.Root>
        <Text size="xs" className="muted numeral" mt={2}>
          {percent(spent)}
        </Text>
      </div>
    </Hint>
  );
}
