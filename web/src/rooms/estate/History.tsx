import { Anchor, Skeleton, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EntryLink } from '../../display/EntryLink';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { ActorName } from '../audit/Names';
import { doneInWords } from '../audit/operations';
import { historyQuery } from './queries';

/** The changes of a resource in the log, newest first, with who made them where that is known. */
export function History({ id }: { id: string }) {
  const { data, error } = useQuery(historyQuery(id));
  return (
    <Panel
      title="History"
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/audit/search" search={{ resource_id: id }} {...props} />
          )}
        >
          Open in Audit Logging
        </Anchor>
      }
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={80} />}
      {data?.items.length === 0 && (
        <Text size="sm" className="muted">
          The log has no changes of this resource that you may see.
        </Text>
      )}
      <Timeline bulletSize={12} lineWidth={1} color="petrol">
        {data?.items.map((entry) => (
          <Timeline.Item
            key={entry.event_id}
            title={
              <EntryLink id={entry.event_id} fw={550}>
                {entry.action?.operation
                  ? doneInWords(entry.action.operation, entry.action.status)
                  : entry.event_type}
              </EntryLink>
            }
          >
            <Text size="xs" className="muted">
              <When at={entry.timestamp} /> by{' '}
              {changedBy(entry.metadata) ?? <ActorName of={entry} />}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  );
}

/** Author of a change that a sync saw, from the provider's activity in the log. */
function changedBy(metadata: unknown): string | undefined {
  const by = (metadata as { changed_by?: { email?: string; id?: string } } | undefined)?.changed_by;
  return by?.email ?? by?.id;
}
