import { Alert, Anchor, Button, Text } from '@mantine/core';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Channel } from '../../api/bodies';
import { labelOf, useChannelTypes, type ChannelType } from '../../api/channel-types';
import { useMay } from '../../api/session';
import { useWorkspace } from '../../api/workspace';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { TOPICS } from './fields';
import { channelsQuery } from './queries';

const ChannelForm = lazyComponent(() => import('./ChannelForm'), 'ChannelForm');

export function topicsInWords(topics: string[]): string {
  return topics.length === 0
    ? 'Everything'
    : TOPICS.filter(({ value }) => topics.includes(value))
        .map(({ label }) => label)
        .join(', ');
}

const columnsOf = (types: ChannelType[]): Column<Channel>[] => [
  {
    id: 'name',
    header: 'Channel',
    sortBy: (row) => row.name,
    cell: (row) => (
      <div style={{ minWidth: 180, maxWidth: 360 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/settings/notifications/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.name}
        </Anchor>
        {row.settings.to && (
          <Text size="xs" className="muted" truncate>
            {row.settings.to.join(', ')}
          </Text>
        )}
      </div>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    sortBy: (row) => row.type,
    cell: (row) => labelOf(types, row.type),
  },
  {
    id: 'topics',
    header: 'Events',
    cell: (row) => (
      <div style={{ maxWidth: 320 }}>
        <Text size="sm">{topicsInWords(row.topics)}</Text>
      </div>
    ),
  },
  {
    id: 'enabled',
    header: 'Status',
    sortBy: (row) => Number(row.enabled),
    cell: (row) => (
      <Status of={row.enabled ? 'active' : 'disabled'} label={row.enabled ? 'On' : 'Off'} />
    ),
  },
  {
    id: 'updated',
    header: 'Last changed',
    sortBy: (row) => row.updated_at,
    cell: (row) => <When at={row.updated_at} form="ago" />,
  },
];

/** Says that messages carry no links until the public address is set, and where to set it. */
function NoLinks() {
  const may = useMay();
  const workspace = useWorkspace();
  if (!workspace || workspace.public_url) return null;
  return (
    <Alert color="yellow" title="Notifications have no links">
      {may('administer') ? (
        <>
          They name the page to open instead. Set the{' '}
          <Anchor inherit renderRoot={(props) => <Link to="/settings/workspace" {...props} />}>
            public address
          </Anchor>{' '}
          of this installation to add links.
        </>
      ) : (
        'They name the page to open instead. An administrator can set the public address of this installation under Settings, Workspace.'
      )}
    </Alert>
  );
}

/** Where people are told; when stands in each agent's configuration. */
export function Channels() {
  const may = useMay();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(channelsQuery);
  const types = useChannelTypes();
  const columns = useMemo(() => columnsOf(types), [types]);
  const [adding, setAdding] = useState(false);
  const open = (id: string) => void navigate({ to: '/settings/notifications/$id', params: { id } });
  const add = may('intelligence.configure') ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add channel
    </Button>
  ) : undefined;
  return (
    <Page
      title="Notifications"
      actions={add}
      description={
        <>
          Send notifications by e-mail and to services such as Slack. Choose immediate messages or
          digests in the settings of each{' '}
          <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}>
            agent
          </Anchor>
          ; approval requests are sent immediately.
        </>
      }
    >
      <NoLinks />
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Channels"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={25}
          onOpen={(row) => open(row.id)}
          empty={
            <EmptyState title="No channels yet" icon={<IconBell size={22} />}>
              {add
                ? 'Add a channel to get notifications. You can send a test immediately.'
                : 'Operators and administrators can add a channel.'}
            </EmptyState>
          }
        />
      )}
      {adding && <ChannelForm onClose={() => setAdding(false)} onMade={open} />}
    </Page>
  );
}
