import { Anchor, Button, Skeleton, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Entry } from '../../api/bodies';
import { count, plural } from '../../display/amounts';
import { EntryLink } from '../../display/EntryLink';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { storyQuery } from '../audit/queries';
import { ActorName } from '../audit/Names';
import { BY_REEVE } from '../audit/naming';
import { doneInWords } from '../audit/operations';

/** How many entries are shown before the reader asks for more. */
const SHOWN = 30;

interface Props {
  /** Which member of the metadata names it. */
  member?: 'recommendation_id' | 'anomaly_id' | 'rollout_id';
  id: string;
  moves: string;
}

/** Action of an entry in words; the event type where an entry names no operation. */
function titleOf({ action, event_type }: Entry): string {
  return action?.operation ? doneInWords(action.operation, action.status) : event_type;
}

/** Everything the log holds about one recommendation, anomaly or rollout, oldest first. Asked for again when it moves. */
export function EntryHistory({ member = 'recommendation_id', id, moves }: Props) {
  const { data, error } = useQuery(storyQuery(member, id, moves));
  const [whole, setWhole] = useState(false);
  const all = data && [...data.items].reverse();
  const entries = whole ? all : all?.slice(0, SHOWN);
  const hidden = (all?.length ?? 0) - (entries?.length ?? 0);
  return (
    <Panel
      title="History"
      note={data ? `${plural(data.total ?? 0, 'entry', 'entries')} of the audit log` : undefined}
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              to="/audit/search"
              search={{ query: `metadata.${member}:"${id}" AND ${BY_REEVE}` }}
              {...props}
            />
          )}
        >
          Open in Audit Logging
        </Anchor>
      }
    >
      {error && <ProblemAlert error={error} />}
      {!entries && !error && <Skeleton h={120} />}
      {entries?.length === 0 && (
        <Text size="sm" className="muted">
          No entries that you may see.
        </Text>
      )}
      <Timeline bulletSize={12} lineWidth={1} color="petrol">
        {entries?.map((entry) => (
          <Timeline.Item
            key={entry.event_id}
            title={
              <Text size="sm" component="span">
                <EntryLink id={entry.event_id} fw={550}>
                  {titleOf(entry)}
                </EntryLink>
                {entry.action?.status && (
                  <>
                    {' '}
                    <Status of={entry.action.status} size="sm" />
                  </>
                )}
              </Text>
            }
          >
            <Text size="xs" className="muted">
              <When at={entry.timestamp} /> by <ActorName of={entry} /> · {entry.event_type} · entry{' '}
              {count(entry.integrity.sequence)}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {hidden > 0 && (
        <Button variant="subtle" mt="sm" onClick={() => setWhole(true)}>
          Show {count(hidden)} more
        </Button>
      )}
    </Panel>
  );
}
