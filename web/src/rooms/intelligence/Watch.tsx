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
        <Text size="sm" fw={600}>
          Effect
        </Text>
        <Status of={watch.verdict} />
        {watch.verdict === 'watching' && (
          <Text size="xs" className="muted">
            until <When at={watch.until} />
          </Text>
        )}
      </Group>
      {watch.verdict === 'watching' && !watch.detail && (
        <Text size="sm" mt={4}>
          Compared with the same hours before the change.
        </Text>
      )}
      {watch.detail && (
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {watch.detail}
        </Text>
      )}
      <Text size="sm" className="muted numeral" mt={4}>
        Predicted{' '}
        {watch.predicted_savings_monthly == null
          ? 'saving unknown'
          : `${money(watch.predicted_savings_monthly)} a month`}
        ,{' '}
        {watch.realised_savings_monthly == null
          ? 'not measured yet'
          : `measured ${money(watch.realised_savings_monthly)} ${basis(watch)}`}
        .
      </Text>
      {watch.saving_ended_at && (
        <Text size="sm" mt={4}>
          The saving ended <When at={watch.saving_ended_at} />: {watch.saving_ended_reason}.
        </Text>
      )}
    </div>
  );
}

/** Basis of a measured saving: the bill by days, the prices that the bill showed when the change was proposed, or the list. */
function basis(watch: NonNullable<Action['watch']>): string {
  if (watch.billed_until) return 'by the bill';
  return watch.savings_basis === 'bill' ? 'at the discount of the bill' : 'at list price';
}
