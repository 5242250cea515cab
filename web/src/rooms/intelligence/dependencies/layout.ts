// Places of the nodes and edges of a dependency map: dependents on the left, what is needed on the right.
import type { Dependencies, DependencyEdge, DependencyNode, Standing } from './queries';

export const BOX = { width: 200, height: 42 };
const ACROSS = 290;
const DOWN = 58;

export interface PlacedNode {
  node: DependencyNode;
  x: number;
  y: number;
}

export interface PlacedEdge {
  edge: DependencyEdge;
  /** Path of the line. */
  path: string;
}

export interface PlacedMap {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

export const STANDINGS: Record<Standing, string> = {
  declared_and_observed: 'Declared and observed',
  declared: 'Declared',
  declared_not_observed: 'Declared, never observed',
  observed_not_declared: 'Observed, not declared',
  correlated: 'Metrics change together',
};

export const SOURCES: Record<DependencyEdge['evidence'][number]['source'], string> = {
  relation: 'Relation',
  listener: 'Listener',
  target_group: 'Target group',
  security_group: 'Security group rule',
  flow: 'Flow log',
  metrics: 'Metrics',
};

/** Name of a node for readers; a collapsed group says how many members it has. */
export function named(node: DependencyNode): string {
  if (node.kind === 'internet') return 'The internet';
  const name = node.name || node.id;
  return node.members.length > 0 ? `${name} (${node.members.length} members)` : name;
}

/** Column of each node: one to the right for each step to a dependency, one to the left for each to a dependent. */
export function columns(map: Dependencies): Map<string, number> {
  const found = new Map([[map.center, 0]]);
  const waiting = [map.center];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const column = found.get(at) ?? 0;
    for (const { dependent, dependency } of map.edges) {
      const [next, step] =
        dependent === at ? [dependency, 1] : dependency === at ? [dependent, -1] : [undefined, 0];
      if (next !== undefined && !found.has(next)) {
        found.set(next, column + step);
        waiting.push(next);
      }
    }
  }
  return found;
}

/** Places the nodes by column, each column in the middle of the height. */
export function placed(map: Dependencies): PlacedMap {
  const column = columns(map);
  const nodes = map.nodes.filter(({ id }) => column.has(id));
  const all = [...new Set(nodes.map(({ id }) => column.get(id) ?? 0))].sort((a, b) => a - b);
  const inColumn = (of: number) => nodes.filter(({ id }) => column.get(id) === of);
  const rows = Math.max(1, ...all.map((of) => inColumn(of).length));
  const height = rows * DOWN - (DOWN - BOX.height);

  const places = new Map<string, PlacedNode>();
  all.forEach((of, at) => {
    const own = inColumn(of);
    const top = (height - (own.length * DOWN - (DOWN - BOX.height))) / 2;
    own.forEach((node, row) => {
      places.set(node.id, { node, x: at * ACROSS, y: top + row * DOWN });
    });
  });

  const edges = map.edges.flatMap((edge) => {
    const [from, to] = [places.get(edge.dependent), places.get(edge.dependency)];
    return from && to ? [{ edge, path: line(from, to) }] : [];
  });
  return {
    nodes: [...places.values()],
    edges,
    width: Math.max(1, all.length) * ACROSS - (ACROSS - BOX.width),
    height,
  };
}

function line(from: PlacedNode, to: PlacedNode): string {
  const middle = BOX.height / 2;
  if (from.x === to.x) {
    const side = from.x + BOX.width;
    return `M${side},${from.y + middle} C${side + 40},${from.y + middle} ${side + 40},${to.y + middle} ${side},${to.y + middle}`;
  }
  const forward = to.x > from.x;
  const [x1, x2] = forward ? [from.x + BOX.width, to.x] : [from.x, to.x + BOX.width];
  const bend = (x1 + x2) / 2;
  return `M${x1},${from.y + middle} C${bend},${from.y + middle} ${bend},${to.y + middle} ${x2},${to.y + middle}`;
}

/** Dependencies that differ between configuration and traffic. */
export const differences = (edges: DependencyEdge[]): DependencyEdge[] =>
  edges.filter(
    ({ standing }) => standing === 'declared_not_observed' || standing === 'observed_not_declared',
  );
