import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { count, plural } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { words } from '../../display/wording';
import { NeighbourGraph } from './NeighbourGraph';
import { relationsQuery } from './queries';

/** The neighbours of a resource: a graph, and all of them by relation and direction. */
export function Relations({ id, name, kind }: { id: string; name: string; kind: string }) {
  const { data, error } = useQuery(relationsQuery(id));
  const groups = new Map<string, NonNullable<typeof data>['items']>();
  for (const one of data?.items ?? []) {
    const key = `${one.direction} ${one.relation}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return (
    <Panel
      title="Relations"
      note={data && data.total > 0 ? plural(data.total, 'relation') : undefined}
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={60} />}
      {data?.total === 0 && (
        <Text size="sm" className="muted">
          No relations to other resources are known.
        </Text>
      )}
      {data && data.items.length > 0 && (
        <NeighbourGraph name={name} kind={kind} relations={data.items} />
      )}
      {[...groups].map(([key, related]) => {
        const outgoing = key.startsWith('outgoing ');
        const relation = words(key.slice(key.indexOf(' ') + 1));
        return (
          <div key={key} style={{ marginBottom: 12 }}>
            <Group gap={6} wrap="nowrap">
              {outgoing ? (
                <IconArrowRight size={15} aria-hidden />
              ) : (
                <IconArrowLeft size={15} aria-hidden />
              )}
              <Text size="sm" fw={550}>
                {outgoing ? relation : `${relation} (from)`}
              </Text>
            </Group>
            <ul style={{ margin: '4px 0 0', paddingLeft: 22 }}>
              {related.map((one) => (
                <li key={one.id} style={{ overflowWrap: 'anywhere' }}>
                  {one.name === undefined ? (
                    <Text span size="sm" className="hash">
                      {one.id}
                    </Text>
                  ) : (
                    <Anchor
                      size="sm"
                      renderRoot={(props) => (
                        <Link to="/estate/resources/$id" params={{ id: one.id }} {...props} />
                      )}
                    >
                      {one.name}
                    </Anchor>
                  )}
                  {one.type && (
                    <Text span size="xs" className="muted">
                      {' '}
                      {words(one.type)}
                    </Text>
                  )}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      {data && data.total > data.items.length && (
        <Text size="sm" className="muted">
          Only the first {count(data.items.length)} are shown.
        </Text>
      )}
    </Panel>
  );
}
