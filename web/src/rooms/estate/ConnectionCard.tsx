import { Alert, Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconRefresh, IconSettings } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Connection } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { took } from '../../display/instants';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Readings } from './Readings';
import { SpotNotices } from './SpotNotices';
import { syncConnection, testConnection, useChange } from './queries';

/** A connection: state, last sync, and what was denied. */
export function ConnectionCard({
  connection,
  onChange,
}: {
  connection: Connection;
  onChange: () => void;
}) {
  const may = useMay();
  const test = useChange(testConnection);
  const sync = useChange(syncConnection);
  const syncing = connection.status === 'syncing';
  const last = connection.last_sync;
  return (
    <Panel
      title={connection.name}
      note={`${words(connection.provider)}${connection.account ? ` · ${connection.account}` : ''}`}
      actions={<Status of={connection.status} size="lg" />}
    >
      <Stack gap="md">
        {syncing && (
          <Progress
            value={100}
            animated
            striped
            size={6}
            aria-label={`${connection.name} is syncing`}
          />
        )}
        {connection.last_error && connection.status === 'failed' && (
          <Alert color="red" variant="light" title="The last sync failed">
            {connection.last_error}
          </Alert>
        )}
        <Facts
          of={[
            ['Regions', connection.regions.join(', ')],
            [
              'Credentials',
              `${words(connection.credentials_kind)}${connection.access_key_id ? ` ${connection.access_key_id}` : ''}`,
            ],
            ['Role', connection.assume_role],
            ['Endpoint', connection.endpoint],
            [
              'Changes',
              connection.allow_actions
                ? 'Allowed, within the guardrails'
                : 'Not allowed: read-only',
            ],
            [
              'Last sync',
              last && (
                <span key="sync">
                  <When at={last.finished_at} form="ago" />, took{' '}
                  {took(last.started_at, last.finished_at)}
                </span>
              ),
            ],
            [
              'Seen',
              last && (
                <span key="seen">
                  <Anchor
                    size="sm"
                    renderRoot={(props) => (
                      <Link
                        to="/estate/resources"
                        search={{ connection: connection.id }}
                        {...props}
                      />
                    )}
                  >
                    {count(last.resources)} resources
                  </Anchor>
                  , {count(last.samples)} samples
                </span>
              ),
            ],
          ]}
        />
        {last && last.denied.length > 0 && <Denied of={last.denied} />}
        {last && last.problems.length > 0 && (
          <Alert color="orange" variant="light" title="Other problems">
            {last.problems.map((text) => (
              <Text size="sm" key={text}>
                {text}
              </Text>
            ))}
          </Alert>
        )}
        {last && <Readings connection={connection.id} name={connection.name} />}
        {connection.provider === 'aws' && <SpotNotices connection={connection.id} />}
        {test.data && (
          <Alert
            color={test.data.ok ? 'green' : 'red'}
            variant="light"
            title={
              test.data.ok
                ? `Connected to account ${test.data.account ?? 'not named'}`
                : 'Connection failed'
            }
          >
            {test.data.message}
          </Alert>
        )}
        <ProblemAlert error={test.error ?? sync.error} />
        {last && connection.provider === 'database' && connection.endpoint && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/estate/databases/$id"
                params={{ id: connection.endpoint ?? '' }}
                {...props}
              />
            )}
          >
            Load, queries and advice
          </Anchor>
        )}
        {may('estate.manage') && (
          <Group gap="xs">
            <Button
              variant="light"
              leftSection={<IconRefresh size={16} />}
              loading={syncing || sync.isPending}
              onClick={() =>
                sync.mutate(connection.id, { onSuccess: () => announce('Sync started.') })
              }
            >
              Sync now
            </Button>
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} />}
              loading={test.isPending}
              onClick={() => test.mutate(connection.id)}
            >
              Test
            </Button>
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>
              Change
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function Denied({ of: denied }: { of: NonNullable<Connection['last_sync']>['denied'] }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      title={`${plural(denied.length, 'permission was', 'permissions were')} denied; the sync continued without them`}
    >
      <Stack component="ul" gap={4} m={0} pl={16}>
        {denied.map(({ permission, region, message }) => (
          <Text component="li" size="sm" key={permission + region} title={message}>
            <b>{permission}</b>
            {region && ` in ${region}`}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
