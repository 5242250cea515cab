// Places of the nodes and edges of an incident's graph: one column for each kind.
import type { Graph } from './queries';

export const WIDTH = 190;
export const HEIGHT = 38;
const ACROSS = 270;
const DOWN = 56;
const ORDER: Graph['nodes'][number]['kind'][] = ['finding', 'address', 'principal', 'resource'];

export interface PlacedNode {
  kind: string;
  label: string;
  x: number;
  y: number;
}

export interface PlacedEdge {
  /** Path of the line. */
  path: string;
  label: string;
  /** Place of the label. */
  x: number;
  y: number;
  refused: boolean;
  words: string;
}

export interface Placed {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

/** Places each kind in a column of its own, in the order of the service; empty columns take no room. */
export function placed(graph: Graph): Placed {
  const columns = ORDER.filter((kind) => graph.nodes.some((node) => node.kind === kind));
  const rows = new Map<string, number>();
  const nodes = graph.nodes.map(({ kind, label }) => {
    const row = rows.get(kind) ?? 0;
    rows.set(kind, row + 1);
    return { kind, label, x: columns.indexOf(kind) * ACROSS, y: row * DOWN };
  });

  const edges = graph.edges.flatMap((edge) => {
    const [from, to] = [nodes[edge.from], nodes[edge.to]];
    return from && to ? [line(from, to, edge)] : [];
  });
  return {
    nodes,
    edges,
    width: Math.max(1, columns.length) * ACROSS - (ACROSS - WIDTH),
    height: Math.max(1, ...rows.values()) * DOWN - (DOWN - HEIGHT),
  };
}

function line(from: PlacedNode, to: PlacedNode, edge: Graph['edges'][number]): PlacedEdge {
  const forward = to.x >= from.x;
  const start = { x: from.x + (forward ? WIDTH : 0), y: from.y + HEIGHT / 2 };
  const end = { x: to.x + (forward ? 0 : WIDTH), y: to.y + HEIGHT / 2 };
  const middle = (start.x + end.x) / 2;
  const refused = edge.entries > 0 && edge.refused === edge.entries;
  const times = edge.entries > 1 ? ` (${edge.entries} entries)` : '';
  return {
    path: `M${start.x},${start.y} C${middle},${start.y} ${middle},${end.y} ${end.x},${end.y}`,
    label: edge.label,
    x: middle,
    y: (start.y + end.y) / 2,
    refused,
    words: `${from.label}: ${edge.label} ${to.label}${times}${refused ? ', refused' : ''}`,
  };
}

/** A text that fits into a node. */
export const shortened = (text: string, most = 26): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;
