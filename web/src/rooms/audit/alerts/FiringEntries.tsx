import { Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Entry } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { EntryLink } from '../../../display/EntryLink';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { doneInWords } from '../operations';
import { actorOf } from '../naming';
import { entriesQuery } from '../queries';
import type { Firing } from './queries';

const SHOWN = 20;

/** Entries that caused a firing, each with its user, address and outcome: a column of times answers nothing. */
export function FiringEntries({ of: firing }: { of: Firing }) {
  const shown = firing.entries.slice(0, SHOWN);
  const ids = shown.map(({ event_id }) => `"${event_id}"`).join(' OR ');
  const { data } = useQuery({
    ...entriesQuery({ query: `event_id:(${ids})`, reads: 'yes' }, SHOWN),
    enabled: useMay()('audit.search') && shown.length > 0,
    // Every search is an entry of the log, and these entries do not change.
    staleTime: Infinity,
    placeholderData: undefined,
  });
  const entries = new Map(data?.items.map((entry) => [entry.event_id, entry]));
  return (
    <div>
      <Text size="sm" fw={600}>
        Entries that caused it
      </Text>
      <List size="sm" aria-label="Entries that caused it">
        {shown.map(({ event_id, timestamp }) => (
          <List.Item key={event_id}>
            <EntryLink id={event_id}>
              <When at={timestamp} form="full" />
            </EntryLink>
            <What of={entries.get(event_id)} />
          </List.Item>
        ))}
      </List>
      {firing.count > shown.length && (
        <Text size="xs" className="muted">
          {count(firing.count - shown.length)} more
        </Text>
      )}
    </div>
  );
}

function What({ of: entry }: { of: Entry | undefined }) {
  if (!entry) return null;
  const { actor, action, resource, event_type } = entry;
  const what = action?.operation ? doneInWords(action.operation) : event_type;
  return (
    <Group gap={6} style={{ overflowWrap: 'anywhere' }}>
      <Text span size="xs" className="muted">
        {[
          actorOf(entry),
          actor?.ip_address && `from ${actor.ip_address}`,
          what,
          resource?.id && resource.id !== actor?.id && `on ${resource.id}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {action?.status && <Status of={action.status} size="sm" />}
    </Group>
  );
}
