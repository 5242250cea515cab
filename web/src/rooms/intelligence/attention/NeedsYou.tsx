import { Anchor, Button, Group, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import {
  IconAlertTriangle,
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
import { When } from '../../../display/When';
import type { Kind, Need } from './attention';
import { useNeeds } from './useNeeds';

const SHOWN = 6;

const LOOKS: Record<Kind, { label: string; colour: string; icon: typeof IconSignature }> = {
  incident: { label: 'Critical incident', colour: 'red', icon: IconAlertTriangle },
  approval: { label: 'Approval', colour: 'yellow', icon: IconSignature },
  change: { label: 'Change', colour: 'orange', icon: IconToolsOff },
  connection: { label: 'Connection', colour: 'orange', icon: IconPlugConnectedX },
};

/** Everything that waits for the person who is signed in. A part that cannot be read says so and leaves the rest in place. */
export function NeedsYou() {
  const { needs, loading, failed } = useNeeds();
  const [all, setAll] = useState(false);
  const shown = all ? needs : needs.slice(0, SHOWN);
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
            No critical incident, no approval for you, no failed or blocked change, and every
            connection works.
          </EmptyState>
        )}
        {shown.length > 0 && (
          <Stack
            component="ul"
            gap={0}
            m={0}
            p={0}
            aria-label="What needs you now"
            style={{ listStyle: 'none' }}
          >
            {shown.map((need) => (
              <Row key={need.key} of={need} />
            ))}
          </Stack>
        )}
        {needs.length > SHOWN && (
          <Button variant="subtle" radius={0} onClick={() => setAll(!all)}>
            {all ? 'Show less' : `Show all ${count(needs.length)}`}
          </Button>
        )}
      </Stack>
    </Panel>
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
      <div style={{ minWidth: 0, flex: 1 }}>
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
      <When at={need.at} form="ago" fz="xs" className="muted" />
    </Group>
  );
}
