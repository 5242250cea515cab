import { Badge, Group, Text } from '@mantine/core';
import { figure, greatestCost, ownCost } from './figures';
import classes from './PlanTree.module.css';
import type { PlanNode } from './queries';

/** A plan as a tree: each step above the steps that it needs, with a bar for its share of the cost. */
export function PlanTree({ root }: { root: PlanNode }) {
  return (
    <ul className={classes.tree} aria-label="Steps of the plan">
      <Step of={root} whole={root.total_cost} most={greatestCost(root)} />
    </ul>
  );
}

function Step({ of: node, whole, most }: { of: PlanNode; whole: number; most: number }) {
  const own = ownCost(node);
  const share = whole > 0 ? Math.min(100, (own / whole) * 100) : 0;
  const costly = own > 0 && own === most;
  return (
    <li>
      <div className={classes.step} data-costly={costly || undefined}>
        <Group gap={8} justify="space-between">
          <Text size="sm" fw={600}>
            {node.operation}
            {node.table && (
              <Text span inherit fw={400}>
                {' '}
                on {node.table}
              </Text>
            )}
          </Text>
          {costly && (
            <Badge size="xs" color="orange">
              Most of the cost
            </Badge>
          )}
        </Group>
        {node.index && <Text size="xs">Index {node.index}</Text>}
        {node.details.map(({ name, text }) => (
          <Text size="xs" key={name}>
            <span className="muted">{name}:</span> <span className="hash">{text}</span>
          </Text>
        ))}
        <Text size="xs" className="muted numeral">
          {figure(node.rows)} rows · cost {figure(node.total_cost)}, of its own {figure(own)}
        </Text>
        <div className={classes.bar} aria-hidden>
          <span style={{ width: `${share}%` }} />
        </div>
      </div>
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child, place) => (
            <Step key={place} of={child} whole={whole} most={most} />
          ))}
        </ul>
      )}
    </li>
  );
}
