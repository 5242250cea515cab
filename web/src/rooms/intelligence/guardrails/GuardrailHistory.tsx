import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plural } from '../../../display/amounts';
import { EntryLink } from '../../../display/EntryLink';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { ActorName } from '../../audit/Names';
import { BY_REEVE } from '../../audit/naming';
import { entriesQuery } from '../../audit/queries';
import { doneInWords } from '../../audit/operations';
import { flat, shown } from '../../audit/flatten';

const SHOWN = 10;
const QUERY = `resource.type:guardrails AND ${BY_REEVE}`;

/** Changes of the guardrails from the audit log: who, when, why, and what. `version` grows with every change. */
export function GuardrailHistory({ version }: { version: number }) {
  const { data, error, refetch } = useQuery({
    ...entriesQuery({ query: QUERY }, SHOWN),
    queryKey: ['audit', 'guardrail history', version],
  });
  return (
    <Panel
      title="History"
      note={data?.items.length ? plural(data.total ?? data.items.length, 'change') : undefined}
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/audit/search" search={{ query: QUERY }} {...props} />}
        >
          Open in Audit Logging
        </Anchor>
      }
    >
      <ProblemAlert error={data ? undefined : error} onRetry={() => void refetch()} />
      {data?.items.length === 0 && (
        <Text size="sm" className="muted">
          No changes yet.
        </Text>
      )}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {data?.items.map((entry) => {
          const reason = entry.metadata?.['reason'];
          return (
            <li key={entry.event_id}>
              <Text size="sm">
                <EntryLink id={entry.event_id} fw={550}>
                  {doneInWords(entry.action?.operation ?? 'guardrails.put')}
                </EntryLink>
                {typeof reason === 'string' && `: ${reason}`}
                {entry.action?.status && entry.action.status !== 'success' && (
                  <>
                    {' '}
                    <Status of={entry.action.status} size="sm" />
                  </>
                )}
              </Text>
              <Text size="xs" className="muted">
                <When at={entry.timestamp} /> by <ActorName of={entry} />
              </Text>
              <Text size="xs" className="muted numeral" style={{ overflowWrap: 'anywhere' }}>
                {differences(entry.changes).join(' · ')}
              </Text>
            </li>
          );
        })}
      </Stack>
    </Panel>
  );
}

/** Settings that differ, as `name: before → after`. */
function differences(changes: { before?: unknown; after?: unknown } | null | undefined): string[] {
  const [before, after] = [flat(changes?.before), flat(changes?.after)];
  return [...after]
    .filter(([name, value]) => name !== 'version' && shown(before.get(name)) !== shown(value))
    .map(([name, value]) => `${name}: ${shown(before.get(name))} → ${shown(value)}`);
}
