import { describe, expect, it } from 'vitest';
import { columns, differences, named, placed } from './layout';
import type { Dependencies, DependencyEdge, DependencyNode, Standing } from './queries';

const node = (id: string, extra: Partial<DependencyNode> = {}): DependencyNode => ({
  id,
  kind: 'resource',
  hop: 1,
  members: [],
  is_watched: false,
  ...extra,
});
const edge = (
  dependent: string,
  dependency: string,
  standing: Standing = 'declared',
): DependencyEdge => ({ dependent, dependency, standing, evidence: [] });

const map = (nodes: DependencyNode[], edges: DependencyEdge[]): Dependencies => ({
  center: 'web',
  nodes,
  edges,
  left_out: 0,
  hops: 2,
  days: 7,
  at: '2026-11-28T10:00:00.000Z',
});

describe('the layout of a dependency map', () => {
  const found = map(
    [node('web'), node('lb'), node('db'), node('key'), node('cache')],
    [edge('lb', 'web'), edge('web', 'db'), edge('db', 'key'), edge('web', 'cache')],
  );

  it('has dependents on the left and what is needed on the right', () => {
    expect(Object.fromEntries(columns(found))).toEqual({ web: 0, lb: -1, db: 1, cache: 1, key: 2 });
    const { nodes, edges, width, height } = placed(found);
    const x = (id: string) => nodes.find((one) => one.node.id === id)?.x;
    expect([x('lb'), x('web'), x('db'), x('key')]).toEqual([0, 290, 580, 870]);
    expect(edges).toHaveLength(4);
    expect([width, height]).toEqual([1070, 100]);
  });

  it('leaves out nodes that no edge reaches, and edges without both ends', () => {
    const { nodes, edges } = placed(map([node('web'), node('far')], [edge('web', 'gone')]));
    expect(nodes.map((one) => one.node.id)).toEqual(['web']);
    expect(edges).toEqual([]);
  });

  it('names groups with their members, and what differs', () => {
    expect(named(node('asg', { name: 'shop', members: ['a', 'b'] }))).toBe('shop (2 members)');
    expect(named(node('internet', { kind: 'internet' }))).toBe('The internet');
    const edges = [edge('a', 'b'), edge('a', 'c', 'declared_not_observed')];
    expect(differences(edges).map(({ dependency }) => dependency)).toEqual(['c']);
  });
});
