import { describe, expect, it } from 'vitest';
import { placed, shortened } from './graph';
import type { Graph } from './queries';

const graph: Graph = {
  nodes: [
    { kind: 'finding', id: 'a', label: 'Password spray' },
    { kind: 'address', id: '203.0.113.7', label: '203.0.113.7' },
    { kind: 'principal', id: 'ann', label: 'ann' },
    { kind: 'principal', id: 'ben', label: 'ben' },
  ],
  edges: [
    { from: 0, to: 1, label: 'from', entries: 0, refused: 0 },
    { from: 1, to: 3, label: 'acts as', entries: 3, refused: 3 },
  ],
  left_out: 0,
};

describe('the graph of an incident', () => {
  it('has a column for each kind and a row for each node', () => {
    const { nodes, width, height } = placed(graph);
    expect(nodes.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [270, 0],
      [540, 0],
      [540, 56],
    ]);
    expect([width, height]).toEqual([730, 94]);
  });

  it('says in words what an edge shows', () => {
    expect(placed(graph).edges.map(({ words }) => words)).toEqual([
      'Password spray: from 203.0.113.7',
      '203.0.113.7: acts as ben (3 entries), refused',
    ]);
  });

  it('leaves out an edge to a node that is not drawn', () => {
    const cut = { ...graph, edges: graph.edges.map((edge) => ({ ...edge, to: 9 })) };
    expect(placed(cut).edges).toEqual([]);
  });

  it('shortens long labels', () => {
    expect(shortened('a'.repeat(30))).toHaveLength(26);
    expect(shortened('short')).toBe('short');
  });
});
