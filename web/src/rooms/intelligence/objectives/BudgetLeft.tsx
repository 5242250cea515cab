import { Progress, Text } from '@mantine/core';
import { percent } from '../../../display/amounts';
import type { Objective } from './queries';

/** The share of an error budget that is left, as a bar. */
export function BudgetLeft({ of: { name, standing } }: { of: Objective }) {
  const budget = standing?.budget;
  if (!budget) {
    return (
      <Text size="sm" className="muted">
        {standing?.resources === 0 ? 'No resource has this metric' : 'Less than a day measured'}
      </Text>
    );
  }
  const left = budget.left_percent;
  const colour = budget.is_broken || left <= 0 ? 'red' : left < 25 ? 'yellow' : 'petrol';
  const words = left < 0 ? `${percent(-left)} over` : `${percent(left)} left`;
  return (
    <div style={{ minWidth: 120 }}>
      <Progress
        size="lg"
        value={Math.max(0, Math.min(100, left))}
        color={colour}
        aria-label={`Error budget of ${name}: ${words}`}
      />
      <Text size="xs" className="muted numeral" mt={2}>
        {words}
      </Text>
    </div>
  );
}
