import { describe, expect, it } from 'vitest';
import { guardrailPlace, ofEntry, placed, used } from './policy';

describe('change control', () => {
  it('names a guardrail and where to change it', () => {
    expect(guardrailPlace('cost_impact.max_decrease')).toEqual({
      name: 'Highest cost decrease',
      to: '/intelligence/guardrails',
    });
    expect(guardrailPlace('change_freeze').to).toBe('/intelligence/change-control');
  });

  it('replaces or adds an entry, and finds the messages about it', () => {
    expect(placed(['a', 'b'], 1, 'c')).toEqual(['a', 'c']);
    expect(placed(['a', 'b'], 2, 'c')).toEqual(['a', 'b', 'c']);
    const messages = {
      'change_control.freezes[1].until': 'must be after `from`',
      'change_control.freezes[0].name': 'too long',
      cool_down_s: 'no',
    };
    expect(ofEntry(messages, 'freezes', 1)).toEqual({ until: 'must be after `from`' });
  });

  it('counts what is left alone and what is under way', () => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    const action = (status: string, hoursAgo: number, resource_id: string, purpose = 'apply') => ({
      status,
      purpose,
      resource_id,
      started_at: new Date(now - hoursAgo * 3_600_000).toISOString(),
      finished_at: null,
    });
    const actions = [
      action('succeeded', 1, 'a'),
      action('rolled_back', 2, 'a'),
      action('running', 3, 'b'),
      action('aborted', 1, 'c'),
      action('succeeded', 25, 'd'),
      action('rolled_back', 1, 'simulated:e', 'simulate'),
    ];
    expect(used(actions, 86_400, now)).toEqual({ cooling: 2, running: 1 });
    expect(used(actions, 100_000, now).cooling).toBe(3);
  });
});
