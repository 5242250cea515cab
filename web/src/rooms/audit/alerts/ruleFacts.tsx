// What the list of rules and the page of one say alike.
import { Anchor, Badge } from '@mantine/core';
import { Fragment } from 'react';
import { spanInWords } from '../../../display/durations';
import type { AlertRule } from './queries';

/** Threshold in words: entries, or values of a field. */
export function thresholdInWords({
  threshold: { count, window, distinct },
}: Pick<AlertRule, 'threshold'>): string {
  if (count === 1) return 'Every match';
  return `${count} ${distinct ? `values of ${distinct} ` : ''}in ${spanInWords(window)}`;
}

/** Mark of a rule that met a bound of its memory. */
export const Degraded = () => (
  <Badge
    size="sm"
    color="orange"
    variant="light"
    title="The rule counts further groups or entries only in part. Its diagnosis says why."
  >
    Degraded
  </Badge>
);

const addressOf = (id: string) =>
  `https://attack.mitre.org/${id.startsWith('TA') ? 'tactics' : 'techniques'}/${id.replace('.', '/')}/`;

/** Tactics and techniques, each with a link to its page. */
export function AttackLinks({ ids }: { ids: string[] }) {
  return ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <Anchor size="xs" href={addressOf(id)} target="_blank" rel="noreferrer">
        {id}
      </Anchor>
    </Fragment>
  ));
}
