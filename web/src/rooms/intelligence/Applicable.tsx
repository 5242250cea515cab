import { Text } from '@mantine/core';
import { Hint } from '../../display/Hint';
import type { Applicability } from '../../api/bodies';
import { Status } from '../../display/Status';
import { sentence, words } from '../../display/wording';
import { guardrailPlace } from './change/policy';

/** States of applicability, in the order in which they are sorted. */
export const APPLICABILITY = ['ready', 'blocked', 'advice_only'];

/** Signatures that an execution waits for, as the end of a sentence. */
export function signers(signatures: string[]): string {
  return signatures.map((name) => words(name).toLowerCase()).join(' and ');
}

/** The reason in one sentence: the guardrail with its limit and value, the signatures that are missing, or why it is advice. */
export function applicabilityInWords({
  state,
  blocked_by,
  reason,
  signatures,
}: Applicability): string {
  if (state === 'ready')
    return signatures.length
      ? `Ready. Runs after approval by ${signers(signatures)}`
      : 'Ready. No approval needed';
  if (blocked_by && reason) return `${guardrailPlace(blocked_by).name}: ${reason}`;
  return sentence(reason ?? words(state));
}

/** A recommendation's applicability as a badge with the guardrail that blocks it; the whole reason on hover. */
export function Applicable({ of: one }: { of: Applicability }) {
  const said = applicabilityInWords(one);
  return (
    <Hint label={said}>
      <div tabIndex={0} style={{ maxWidth: 150 }}>
        <Status of={one.state} />
        {one.state === 'blocked' && (
          <Text size="xs" className="muted">
            {guardrailPlace(one.blocked_by ?? '').name}
          </Text>
        )}
      </div>
    </Hint>
  );
}
