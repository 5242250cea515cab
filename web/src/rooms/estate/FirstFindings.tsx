import { Alert, Button, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconBulb, IconRobot, IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { count, money, plural } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Tile } from '../../display/Tile';
import { connectionsQuery, resourcesQuery, syncConnection, useChange } from './queries';

/** The first sync of a new connection, and what it brought. */
export function FirstFindings({ id, account }: { id: string; account?: string }) {
  const sync = useChange(syncConnection);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    sync.mutate(id);
  }, [id, sync]);
  const connections = useQuery({ ...connectionsQuery, refetchInterval: 2_000 });
  const connection = connections.data?.items.find((one) => one.id === id);
  const last = connection?.last_sync;
  const found = useQuery({ ...resourcesQuery({ connection: id }), enabled: Boolean(last) });
  const running = !last && connection?.status !== 'failed';
  const idle =
    found.data?.items.filter(({ state }) => state === 'stopped' || state === 'unattached').length ??
    0;
  return (
    <Stack gap="md">
      <Alert
        color="green"
        variant="light"
        title={`Connected${account ? ` to account ${account}` : ''}`}
      >
        {running
          ? 'Reeve is reading resources and 30 days of metrics. Large accounts take some minutes; you can leave this page.'
          : 'The first sync has ended.'}
      </Alert>
      {running && <Progress value={100} animated striped aria-label="First sync" />}
      <ProblemAlert error={sync.error ?? connections.error} />
      {connection?.status === 'failed' && (
        <Alert color="red" variant="light" title="The sync failed">
          {connection.last_error}
        </Alert>
      )}
      {last && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <Tile
              label="Resources"
              icon={<IconServer2 size={18} />}
              value={count(last.resources)}
              note={`${count(last.samples)} metric samples`}
            />
            <Tile
              label="Cost a month"
              value={money(
                found.data?.items.reduce((sum, one) => sum + (one.monthly_cost ?? 0), 0),
              )}
              loading={!found.data}
              note="By list prices"
            />
            <Tile
              label="Stopped or unattached"
              value={count(idle)}
              loading={!found.data}
              note="Often paid for without use"
            />
          </SimpleGrid>
          {last.denied.length > 0 && (
            <Alert
              color="yellow"
              variant="light"
              title={`${plural(last.denied.length, 'permission was', 'permissions were')} denied`}
            >
              {last.denied
                .map(({ permission, region }) => `${permission}${region ? ` in ${region}` : ''}`)
                .join(', ')}
              . Add them to the policy of the role; the next sync uses them.
            </Alert>
          )}
          <Panel title="Next">
            <Text size="sm" mb="sm">
              Agents turn these readings into recommendations. A cost optimizer needs about 14 days
              of metrics, and AWS keeps most of them: the first run usually finds something.
            </Text>
            <Group gap="sm">
              <Button
                leftSection={<IconRobot size={16} />}
                renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}
              >
                Create an agent
              </Button>
              <Button
                variant="default"
                leftSection={<IconServer2 size={16} />}
                renderRoot={(props) => (
                  <Link to="/estate/resources" search={{ connection: id }} {...props} />
                )}
              >
                See the resources
              </Button>
              <Button
                variant="default"
                leftSection={<IconBulb size={16} />}
                renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}
              >
                Recommendations
              </Button>
            </Group>
          </Panel>
        </>
      )}
    </Stack>
  );
}
