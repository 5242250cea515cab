import { Anchor, Button, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import {
  IconActivity,
  IconAlertTriangle,
  IconBell,
  IconCircleCheck,
  IconPlugConnectedX,
  IconSignature,
  IconToolsOff,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, plural } from '../../../display/amounts';
import { EmptyState } from '../../../display/EmptyState';
import { Panel } from '../../../display/Panel';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { isAlarm, nothingInWords, type Kind, type Need } from './attention';
import { useNeeds } from './useNeeds';

/** Rows that are shown at first, of the alarms and of all others: neither hides the other. */
const SHOWN = 5;

const LOOKS: Record<Kind, { label: string; colour: string; icon: typeof IconSignature }> = {
  incident: { label: 'Incident', colour: 'red', icon: IconAlertTriangle },
  alert: { label: 'Alert', colour: 'red', icon: IconBell },
  anomaly: { label: 'Anomaly', colour: 'orange', icon: IconActivity },
  approval: { label: 'Approval', colour: 'yellow', icon: IconSignature },
  change: { label: 'Change', colour: 'orange', icon: IconToolsOff },
  connection: { label: 'Connection', colour: 'orange', icon: IconPlugConnectedX },
};

/** Everything that waits for the person who is signed in. A part that cannot be read says so and leaves the rest in place. */
export function NeedsYou() {
  const { needs, shows, loading, failed } = useNeeds();
  return (
    <Panel
      title="What needs you now"
      note={loading ? 'Reading …' : needs.length > 0 ? plural(needs.length, 'item') : undefined}
      flush
    >
      <Stack gap={0}>
        {failed.map(({ name, retry }) => (
          <Group
            key={name}
            role="alert"
            justify="space-between"
            px={18}
            py={10}
            style={{ borderTop: '1px solid var(--line)' }}
          >
            <Text size="sm">Could not read {name}. The rest of this list is complete.</Text>
            <Button size="compact-sm" variant="default" onClick={retry}>
              Try again
            </Button>
          </Group>
        ))}
        {loading &&
          needs.length === 0 &&
          [0, 1, 2].map((row) => <Skeleton key={row} h={38} mx={18} my={8} />)}
        {!loading && needs.length === 0 && failed.length === 0 && (
          <EmptyState title="Nothing needs you" icon={<IconCircleCheck size={22} />}>
            {nothingInWords(shows)}
          </EmptyState>
        )}
        <Rows label="Incidents, alerts and anomalies" of={needs.filter(isAlarm)} />
        <Rows label="Waiting for you" of={needs.filter((need) => !isAlarm(need))} />
      </Stack>
    </Panel>
  );
}

function Rows({ label, of: needs }: { label: string; of: Need[] }) {
  const [all, setAll] = useState(false);
  if (needs.length === 0) return null;
  return (
    <>
      <Stack component="ul" gap={0} m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
        {(all ? needs : needs.slice(0, SHOWN)).map((need) => (
          <Row key={need.key} of={need} />
        ))}
      </Stack>
      {needs.length > SHOWN && (
        <Button
          variant="subtle"
          radius={0}
          aria-label={all ? `Show less of: ${label}` : `Show all ${count(needs.length)}: ${label}`}
          onClick={() => setAll(!all)}
        >
          {all ? 'Show less' : `Show all ${count(needs.length)}`}
        </Button>
      )}
    </>
  );
}

function Row({ of: need }: { of: Need }) {
  const { label, colour, icon: Icon } = LOOKS[need.kind];
  return (
    <Group
      component="li"
      gap="sm"
      wrap="nowrap"
      align="flex-start"
      px={18}
      py={10}
      style={{ borderTop: '1px solid var(--line)' }}
    >
      <ThemeIcon variant="light" color={colour} size={28} radius="xl" role="img" aria-label={label}>
        <Icon size={16} />
      </ThemeIcon>
      <Group gap="4px 12px" align="flex-start" flex={1} miw={0}>
        <div style={{ minWidth: 0, flex: '1 1 240px' }}>
          <Anchor
            size="sm"
            fw={550}
            c="inherit"
            style={{ overflowWrap: 'anywhere' }}
            renderRoot={(props) => <Link to={need.to} {...props} />}
          >
            {need.title}
          </Anchor>
          <Text size="xs" className="muted" lineClamp={2}>
            {need.detail}
          </Text>
        </div>
        <Group gap="sm" wrap="nowrap">
          {need.severity && <Status of={need.severity} />}
          <When at={need.at} form="ago" fz="xs" className="muted" />
        </Group>
      </Group>
    </Group>
  );
}
