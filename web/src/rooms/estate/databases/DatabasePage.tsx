import { Alert, Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconDatabaseOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { Awaited } from '../../../display/Awaited';
import { EmptyState } from '../../../display/EmptyState';
import { Page } from '../../../display/Page';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { DatabaseAdvice, DatabaseHistory } from './Advice';
import { Queries } from './Queries';
import { loadQuery, type DatabaseLoad } from './queries';
import { WaitLoad } from './WaitLoad';

const route = getRouteApi('/app/estate/databases/$id');
const PERIODS = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
];

/** A database: its load by wait, statements with their plans, advice, and what was changed. */
export function DatabasePage() {
  const { id } = route.useParams();
  const may = useMay();
  const [hours, setHours] = useState('24');
  const { data, error, refetch } = useQuery(loadQuery(id, Number(hours)));
  const trail = (
    <Trail
      of={[
        ['Connections', '/estate/connections'],
        ['Resources', '/estate/resources'],
      ]}
    />
  );
  if (!data) return <Awaited title="Database" above={trail} error={error} onRetry={refetch} />;
  const { database } = data;
  const name = database.name || database.id;
  return (
    <Page
      title={name}
      above={trail}
      description={<Read of={database} />}
      actions={
        <SegmentedControl
          value={hours}
          onChange={setHours}
          data={PERIODS}
          aria-label="Period"
          size="xs"
        />
      }
    >
      {database.reading?.failure && (
        <Alert color="red" title="The last reading failed">
          {database.reading.failure}. Check the address and the login of its{' '}
          <Anchor inherit renderRoot={(props) => <Link to="/estate/connections" {...props} />}>
            connection
          </Anchor>
          .
        </Alert>
      )}
      {database.reading ? (
        <Stack gap="lg">
          <WaitLoad of={data} name={name} />
          <Queries id={id} name={name} hours={Number(hours)} />
        </Stack>
      ) : (
        <NotRead />
      )}
      {may('intelligence.view') && (
        <Stack gap="lg">
          <DatabaseAdvice id={id} />
          <DatabaseHistory id={id} />
        </Stack>
      )}
    </Page>
  );
}

function Read({ of: { reading, account, id } }: { of: DatabaseLoad['database'] }) {
  return (
    <Group component="span" display="inline-flex" gap={8}>
      {reading?.engine && (
        <span>
          {reading.engine} {reading.version} ·
        </span>
      )}
      <span>{account}</span>
      {reading && (
        <span>
          · read <When at={reading.read_at} form="ago" />
        </span>
      )}
      <Anchor
        inherit
        renderRoot={(props) => <Link to="/estate/resources/$id" params={{ id }} {...props} />}
      >
        Resource
      </Anchor>
    </Group>
  );
}

function NotRead() {
  return (
    <div className="panel">
      <EmptyState
        title="Nothing was read of this database yet"
        icon={<IconDatabaseOff size={22} />}
      >
        Load, statements and plans come from the database itself. Add it under{' '}
        <Anchor inherit renderRoot={(props) => <Link to="/estate/connections" {...props} />}>
          Connections
        </Anchor>{' '}
        with a login that may only read; the first figures are here within two minutes.
        <Text size="sm" className="muted" mt={6}>
          An account of a cloud shows a database&apos;s metrics and size, not its statements.
        </Text>
      </EmptyState>
    </div>
  );
}
