import { describe, expect, it } from 'vitest';
import { byOutsider, edge, grade, gravity, outsider } from './outsiders';
import type { Exposure } from './queries';

const from = (reachable_from: string) => ({ reachable_from }) as Exposure;

describe('outsiders in words', () => {
  it('names the internet, accounts and nothing', () => {
    expect(['internet', 'account:123456789012', 'none', 'organization'].map(outsider)).toEqual([
      'The internet',
      'Account 123456789012',
      'Nothing outside',
      'The organization',
    ]);
  });

  it('calls what the internet reaches directly critical', () => {
    expect(gravity({ reachable_from: 'internet', grade: 'direct' })).toBe('critical');
    expect(gravity({ reachable_from: 'internet', grade: 'indirect' })).toBe('high');
    expect(gravity({ reachable_from: 'account:1', grade: 'direct' })).toBe('medium');
    expect(gravity({ reachable_from: 'none', grade: null })).toBe('success');
  });

  it('counts resources by outsider, the most first', () => {
    const all = ['account:1', 'internet', 'internet'].map(from);
    expect(byOutsider(all)).toEqual([
      ['internet', 2],
      ['account:1', 1],
    ]);
  });

  it('has words for edges and grades', () => {
    expect(edge('network_acl')).toBe('Network ACL');
    expect(edge('route_table')).toBe('Route table');
    expect(grade('load_balancer')).toBe('Through a load balancer');
    expect(grade(null)).toBeUndefined();
  });
});
