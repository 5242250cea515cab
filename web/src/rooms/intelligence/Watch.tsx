import { Group, Text } from '@mantine/core';
import type { Action } from '../../api/bodies';
import { money } from '../../display/amounts';
import { Status } from '../../display/Status';
import { When } from '../../display/When';

/** What the watch over a change found: its verdict with the numbers, and realised beside predicted savings. */
export function Watch({ of: watch }: { of: NonNullable<Action['watch']> }) {
  return (
    <div style={{ marginTop: 14, paddingTop: 12, borderTop: '1px solid var(--line)' }}>
      <Group gap={8}>
        <Text size="sm" fw={600}>Effect</Text>
        <Status of={watch.verdict} />
        {watch.verdict === 'watching' && <Text size="xs" className="muted">until <When at={watch.until} /></Text>}
      </Group>
      {watch.verdict === 'watching' && !watch.detail && <Text size="sm" mt={4}>Compared with the same hours before the change.</Text>}
      {watch.detail && <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>{watch.detail}</Text>}
      <Text size="sm" className="muted numeral" mt={4}>
        Predicted {watch.predicted_savings_monthly == null ? 'saving unknown' : `${money(watch.predicted_savings_monthly)} a month`}, {watch.realised_savings_monthly == null ? 'not measured yet' : `measured ${money(watch.realised_savings_monthly)}`}.
      </Text>
    </div>
  );
}
