import { Badge, Text } from '@mantine/core';
import type { Prediction } from '../../../api/bodies';
import { measured, percent } from '../../../display/amounts';
import { When } from '../../../display/When';
import { isSo, OUTCOMES, signalUnit } from './labels';

export function Outcome({ of }: { of: string }) {
  return <Badge color={OUTCOMES[of]?.colour ?? 'gray'}>{OUTCOMES[of]?.label ?? of}</Badge>;
}

export const unitOf = signalUnit;

/** The newest value beside what it was held against. */
export function Against({ of: one }: { of: Prediction }) {
  if (one.value == null)
    return (
      <Text span size="sm" className="muted">
        not measured
      </Text>
    );
  return (
    <Text span size="sm" className="numeral">
      {measured(one.value, unitOf(one))}
      {one.limit != null && (
        <Text span inherit className="muted">
          {' '}
          against {measured(one.limit, unitOf(one))}
        </Text>
      )}
    </Text>
  );
}

/** How likely within the horizon, and when. */
export function Likely({ of: one }: { of: Prediction }) {
  if (one.probability == null)
    return (
      <Text span size="sm" className="muted">
        not known
      </Text>
    );
  return (
    <div>
      <Text size="sm" className="numeral">
        {percent(one.probability)}
      </Text>
      {one.expected_at && (
        <Text size="xs" className="muted">
          {isSo(one) ? (
            'already reached'
          ) : (
            <>
              expected <When at={one.expected_at} form="minute" />
            </>
          )}
        </Text>
      )}
    </div>
  );
}
