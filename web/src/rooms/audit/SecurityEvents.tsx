import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../display/EmptyState';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { ActorName, ResourceName } from './Names';
import { resourceOf } from './naming';
import { SECURITY_QUERY, securityQuery } from './queries';

/** What deserves a look: high severities, refusals, failed sign-ins. */
export function SecurityEvents() {
  const { data, error } = useQuery(securityQuery());
  return (
    <Panel
      title="Security events" note="High severity, denied, or failed authentication"
      actions={<Anchor size="sm" renderRoot={(props) => <Link to="/audit/search" search={{ query: SECURITY_QUERY }} {...props} />}>All</Anchor>}
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={160} />}
      {data?.items.length === 0 && <EmptyState title="None" icon={<IconShieldCheck size={22} />}>Nothing of high severity, nothing denied, no failed authentication.</EmptyState>}
      <Stack gap={12}>
        {data?.items.map((entry) => (
          <Group key={entry.event_id} justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
            <div style={{ minWidth: 0 }}>
              <Anchor size="sm" fw={550} c="inherit" display="block" truncate renderRoot={(props) => <Link to="/audit/$eventId" params={{ eventId: entry.event_id }} {...props} />}>{entry.event_type}</Anchor>
              <Text size="xs" className="muted" truncate><ActorName of={entry} />{resourceOf(entry) && <> on <ResourceName of={entry} /></>}</Text>
              <Text size="xs" className="muted"><When at={entry.timestamp} /></Text>
            </div>
            <Status of={entry.action?.status && entry.action.status !== 'success' ? entry.action.status : entry.severity} />
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}
