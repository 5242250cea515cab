import { Anchor, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { BOX, SOURCES, STANDINGS, differences, named, placed } from './layout';
import classes from './DependencyMap.module.css';
import { dependenciesQuery, type Dependencies, type DependencyEdge } from './queries';

/** The dependencies around a resource: a drawing, and a table with the sources of each. */
export function DependencyMap({ id }: { id: string }) {
  const [hops, setHops] = useState('2');
  const { data, error, refetch } = useQuery(dependenciesQuery(id, Number(hops)));
  return (
    <Panel
      title="Dependencies"
      note={data && note(data)}
      actions={
        <SegmentedControl
          size="xs"
          value={hops}
          onChange={setHops}
          data={['1', '2', '3'].map((value) => ({
            value,
            label: value === '1' ? '1 step' : `${value} steps`,
          }))}
          aria-label="Distance from the resource"
        />
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={220} />}
      {data && data.edges.length === 0 && (
        <Text size="sm" className="muted">
          No dependency of this resource is known. Relations come with each sync; flow logs of its
          network show what it calls.
        </Text>
      )}
      {data && data.edges.length > 0 && (
        <Stack gap="md">
          <Drawing of={data} />
          <DataTable
            bare
            label="Dependencies and their sources"
            columns={columns(data)}
            rows={data.edges}
            rowId={(row) => `${row.dependent} ${row.dependency}`}
            pageSize={10}
            empty={<EmptyState title="No dependency is known" />}
          />
        </Stack>
      )}
    </Panel>
  );
}

function note(map: Dependencies) {
  const differing = differences(map.edges).length;
  const parts = [
    plural(map.nodes.length, 'node'),
    plural(map.edges.length, 'dependency', 'dependencies'),
    differing > 0 && `${count(differing)} differ between configuration and traffic`,
    map.left_out > 0 && `${count(map.left_out)} further neighbors not shown`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function Drawing({ of: map }: { of: Dependencies }) {
  const { nodes, edges, width, height } = placed(map);
  return (
    <div className={classes.frame} tabIndex={0} role="group" aria-label="Drawing, scrollable">
      <svg
        className={classes.map}
        width={width + 60}
        height={height + 8}
        viewBox={`-4 -4 ${width + 60} ${height + 8}`}
        role="img"
        aria-label="Dependents on the left, dependencies on the right; the table below lists them"
      >
        <defs>
          <marker
            id="dependency-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" fill="var(--mantine-color-dimmed)" />
          </marker>
        </defs>
        {edges.map(({ edge, path }) => (
          <path
            key={`${edge.dependent} ${edge.dependency}`}
            d={path}
            className={`${classes.edge} ${classes[edge.standing] ?? ''}`}
            markerEnd={edge.standing === 'correlated' ? undefined : 'url(#dependency-arrow)'}
          />
        ))}
        {nodes.map(({ node, x, y }) => (
          <g
            key={node.id}
            className={[
              classes.box,
              node.id === map.center && classes.center,
              node.kind !== 'resource' && classes.outside,
            ]
              .filter(Boolean)
              .join(' ')}
          >
            <title>{node.id}</title>
            <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={7} />
            <text x={x + 10} y={y + 18} className={classes.name}>
              {cut(named(node))}
            </text>
            <text x={x + 10} y={y + 33} className={classes.note}>
              {node.type ? words(node.type) : node.kind === 'address' ? 'Address' : 'Not known'}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Identifiers differ at their ends: the middle is left out. */
function cut(text: string, most = 27) {
  return text.length <= most ? text : `${text.slice(0, most - 11)}…${text.slice(-10)}`;
}

function columns(map: Dependencies): Column<DependencyEdge>[] {
  const label = (id: string) => {
    const node = map.nodes.find((one) => one.id === id);
    return node ? named(node) : id;
  };
  const end = (id: string) => {
    const known = map.nodes.find((one) => one.id === id)?.name !== undefined;
    if (!known || id === map.center)
      return <span style={{ overflowWrap: 'anywhere' }}>{label(id)}</span>;
    return (
      <Anchor
        size="sm"
        style={{ overflowWrap: 'anywhere' }}
        renderRoot={(props) => <Link to="/estate/resources/$id" params={{ id }} {...props} />}
      >
        {label(id)}
      </Anchor>
    );
  };
  return [
    {
      id: 'dependent',
      header: 'Dependent',
      sortBy: (row) => label(row.dependent),
      cell: (row) => end(row.dependent),
    },
    {
      id: 'dependency',
      header: 'Needs',
      sortBy: (row) => label(row.dependency),
      cell: (row) => end(row.dependency),
    },
    {
      id: 'standing',
      header: 'Standing',
      sortBy: (row) => STANDINGS[row.standing],
      cell: (row) => <Text size="sm">{STANDINGS[row.standing]}</Text>,
    },
    {
      id: 'sources',
      header: 'Sources',
      cell: (row) => (
        <Stack gap={2}>
          {row.evidence.map(({ source, strength, detail, last_at }) => (
            <Text key={`${source} ${detail}`} size="xs" style={{ overflowWrap: 'anywhere' }}>
              <Group component="span" display="inline-flex" gap={4}>
                <strong>{SOURCES[source]}</strong> ({strength}): {detail}
                {last_at && (
                  <>
                    , <When at={last_at} form="ago" />
                  </>
                )}
              </Group>
            </Text>
          ))}
        </Stack>
      ),
    },
  ];
}
