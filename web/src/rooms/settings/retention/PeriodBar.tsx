import { Group, Text } from '@mantine/core';
import { days, length, type Tier } from './periods';
import classes from './PeriodBar.module.css';
import type { Policy } from './queries';

const TIERS: [Tier, string][] = [
  ['hot', 'Hot'],
  ['warm', 'Warm'],
  ['cold', 'Cold'],
];

/** The tiers of a policy in proportion, with their lengths in words below. */
export function PeriodBar({ policy }: { policy: Policy }) {
  const shares = days(policy);
  return (
    <div>
      <div className={classes.bar} aria-hidden>
        {TIERS.map(([tier]) => (
          <div key={tier} className={classes[tier]} style={{ flexGrow: shares[tier] }} />
        ))}
      </div>
      <Group gap="md" mt={6}>
        {TIERS.map(([tier, label]) => (
          <Text key={tier} size="xs" className="muted">
            {label}: {length(policy, tier)}
          </Text>
        ))}
      </Group>
    </div>
  );
}
