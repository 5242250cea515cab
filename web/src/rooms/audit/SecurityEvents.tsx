import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SearchFilters } from '../../addresses';
import { count } from '../../display/amounts';
import { EmptyState } from '../../display/EmptyState';
import { EntryLink } from '../../display/EntryLink';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { ActorName, ResourceName } from './Names';
import { resourceOf } from './naming';
import { entriesQuery, SECURITY_QUERY } from './queries';

const SHOWN = 5;

/** The newest entries of a period that deserve a look: high severities, refusals, failed sign-ins. */
export function SecurityEvents({ period }: { period: SearchFilters }) {
  const filters = { ...period, query: SECURITY_QUERY };
  const { data, error } = useQuery(entriesQuery(filters, SHOWN));
  const total = data?.total ?? 0;
  return (
    <Panel
      title="Security events"
      note="High severity, denied, or failed authentication"
      actions={
        <Anchor
          size="sm"
          style={{ whiteSpace: 'nowrap' }}
          aria-label={`All ${count(total)} security events`}
          renderRoot={(props) => <Link to="/audit/search" search={filters} {...props} />}
        >
          All {data ? count(total) : ''}
        </Anchor>
      }
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={160} />}
      {data?.items.length === 0 && (
        <EmptyState title="None in this period" icon={<IconShieldCheck size={22} />}>
          No entry with high severity, denied access or a failed sign-in. Choose a longer period to
          see earlier ones.
        </EmptyState>
      )}
      <Stack gap={12}>
        {data?.items.map((entry) => (
          <Group
            key={entry.event_id}
            justify="space-between"
            wrap="nowrap"
            align="flex-start"
            gap="sm"
          >
            <div style={{ minWidth: 0 }}>
              <EntryLink id={entry.event_id} fw={550} c="inherit" display="block" truncate>
                {entry.event_type}
              </EntryLink>
              <Text size="xs" className="muted" truncate>
                <ActorName of={entry} />
                {resourceOf(entry) && (
                  <>
                    {' '}
                    on <ResourceName of={entry} />
                  </>
                )}
              </Text>
              <Text size="xs" className="muted">
                <When at={entry.timestamp} />
              </Text>
            </div>
            <Status
              of={
                entry.action?.status && entry.action.status !== 'success'
                  ? entry.action.status
                  : entry.severity
              }
            />
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}
