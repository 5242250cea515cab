import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { count } from '../../../display/amounts';
import { EntryLink } from '../../../display/EntryLink';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { MOMENTS } from './labels';
import { timelineQuery, type Moment } from './queries';

/** Moments that are shown at first. */
const FIRST = 20;

/** What happened, in one order: findings, entries of the log, acts of people and playbooks. */
export function Timeline({ id, linked }: { id: string; linked: boolean }) {
  const { data, error, refetch } = useQuery(timelineQuery(id));
  const [all, setAll] = useState(false);
  const moments = data?.items ?? [];
  const shown = all ? moments : moments.slice(0, FIRST);
  return (
    <Panel title="Timeline" note="Entries of the log are shown as far as you may see them.">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      <Stack
        component="ol"
        gap={10}
        m={0}
        p={0}
        style={{ listStyle: 'none' }}
        aria-label="Timeline of the incident"
      >
        {shown.map((moment, at) => (
          <li key={at}>
            <Text size="xs" className="muted">
              <When at={moment.at} form="full" /> · {MOMENTS[moment.kind]}
              {moment.by && ` · ${moment.by}`}
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {moment.text} <Source of={moment} linked={linked} />
            </Text>
          </li>
        ))}
      </Stack>
      {moments.length > FIRST && !all && (
        <Button variant="default" size="xs" mt="md" onClick={() => setAll(true)}>
          Show all {count(moments.length)}
        </Button>
      )}
    </Panel>
  );
}

function Source({ of: moment, linked }: { of: Moment; linked: boolean }) {
  const { reference } = moment;
  if (moment.kind !== 'entry' || !reference || !linked) return null;
  return <EntryLink id={reference} />;
}
