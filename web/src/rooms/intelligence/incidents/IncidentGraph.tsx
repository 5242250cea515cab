import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { HEIGHT, WIDTH, placed, shortened } from './graph';
import classes from './IncidentGraph.module.css';
import { graphQuery } from './queries';

/** Findings, addresses, accounts and resources, and how they hang together. */
export function IncidentGraph({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(graphQuery(id));
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data || data.nodes.length === 0) return null;

  const { nodes, edges, width, height } = placed(data);
  return (
    <Panel
      title="Graph"
      note="Findings, addresses, accounts and resources. A dashed line was refused each time."
    >
      <div className={classes.frame} tabIndex={0} role="group" aria-label="Graph of the incident">
        <svg
          className={classes.graph}
          width={width + 4}
          height={height + 4}
          viewBox={`-2 -2 ${width + 4} ${height + 4}`}
          role="img"
          aria-label={edges.map(({ words }) => words).join('; ') || 'No edge is known'}
        >
          {edges.map(({ path, refused }, at) => (
            <path
              key={at}
              d={path}
              className={refused ? `${classes.edge} ${classes.refused}` : classes.edge}
            />
          ))}
          {edges.map(({ label, words, x, y }, at) => (
            <text key={at} x={x} y={y - 4} textAnchor="middle" className={classes.label}>
              <title>{words}</title>
              {shortened(label, 22)}
            </text>
          ))}
          {nodes.map(({ kind, label, x, y }, at) => (
            <g key={at} className={`${classes.node} ${classes[kind] ?? ''}`}>
              <title>{label}</title>
              <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx={6} />
              <text x={x + 10} y={y + HEIGHT / 2 + 4}>
                {shortened(label)}
              </text>
            </g>
          ))}
        </svg>
      </div>
      {data.left_out > 0 && (
        <Text size="xs" className="muted" mt="xs">
          {count(data.left_out)} more are not drawn.
        </Text>
      )}
    </Panel>
  );
}
