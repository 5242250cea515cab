import { Alert, Group, Stack, Text } from '@mantine/core';
import type { Prediction } from '../../../api/bodies';
import { plural } from '../../../display/amounts';
import { sentence } from '../../../display/wording';
import { Likely, Outcome } from './Decisions';
import { newest } from './labels';

/** How many lines a preview shows. */
const SHOWN = 6;

/** What the rule would decide now. */
export function Preview({ of: found }: { of: Prediction[] }) {
  const count = (outcome: string) => found.filter((one) => one.outcome === outcome).length;
  const first = newest(found).slice(0, SHOWN);
  return (
    <Alert
      color={count('foreseen') ? 'orange' : 'petrol'}
      variant="light"
      role="status"
      title={
        found.length === 0
          ? 'No resource in scope has this metric'
          : `${plural(count('foreseen'), 'resource')} of ${found.length} would trigger now`
      }
    >
      <Stack gap={8}>
        <Text size="sm">
          {found.length === 0
            ? 'Widen the scope, or check that the metric is collected.'
            : `${count('not_foreseen')} would not trigger, ${count('abstained')} have too little data. Nothing was saved.`}
        </Text>
        {first.map((one) => (
          <Group key={one.id} gap="sm" wrap="nowrap" align="flex-start" justify="space-between">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
                {one.resource_name}
              </Text>
              {one.outcome === 'abstained' && (
                <Text size="xs" className="muted">
                  {sentence(one.reasons.join('; '))}
                </Text>
              )}
            </div>
            <Group gap={8} wrap="nowrap">
              {one.outcome !== 'abstained' && <Likely of={one} />}
              <Outcome of={one.outcome} />
            </Group>
          </Group>
        ))}
        {found.length > first.length && first.length > 0 && (
          <Text size="xs" className="muted">
            and {found.length - first.length} more
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
