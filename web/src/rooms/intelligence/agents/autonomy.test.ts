import { describe, expect, it } from 'vitest';
import type { Agent, Guardrails } from '../../../api/bodies';
import { autonomyOf } from './autonomy';

const agent = (change: object = {}) =>
  ({
    agent_type: 'cost_optimizer',
    mode: 'safe_mode',
    confidence_threshold: '85%',
    scope: { accounts: ['staging'], services: [] },
    auto_apply: { enabled: true, max_impact: 'medium', approval_required: 'high_impact' },
    settings: {
      recommend_rightsizing: false,
      identify_idle_resources: { window: '7d' },
      required_tags: '',
    },
    status: { learning_percent: 100 },
    ...change,
  }) as unknown as Agent;
const guardrails = (change: object = {}) =>
  ({
    kill_switch: false,
    blast_radius: { max_actions_per_run: 5, max_actions_per_day: 20 },
    cost_impact: { max_increase: '5%', max_decrease: '50%' },
    change_control: { maintenance_windows: [], freezes: [], direction: 'both' },
    approval_matrix: {
      low_impact: { signatures: [] },
      medium_impact: { signatures: ['manager'] },
      high_impact: { signatures: ['director', 'security'] },
    },
    ...change,
  }) as unknown as Guardrails;

describe('what an agent may do automatically', () => {
  it.each([
    [agent({ mode: 'learning' }), guardrails(), /^Only recommends/],
    [agent({ auto_apply: { enabled: false } }), guardrails(), /^Changes nothing automatically/],
    [agent(), guardrails({ kill_switch: true }), /kill switch is on/],
    [
      agent(),
      guardrails(),
      /^May automatically stop resources that were never used in the measured history, in staging, if the impact is low\.$/,
    ],
    [
      agent({
        settings: {
          recommend_rightsizing: true,
          downsize_underutilized: { cpu_below: '15%', window: '14d' },
          upgrade_throttled: { cpu_above: '90%', window: '3d' },
          identify_idle_resources: { window: '3d' },
        },
      }),
      guardrails({ cost_impact: { max_increase: '120%', max_decrease: '50%' } }),
      /smaller whose CPU stays below 15% for 14 days, make machines larger .+ and stop resources that were never used in the measured history/,
    ],
    [
      agent({
        settings: {
          recommend_rightsizing: true,
          downsize_underutilized: { cpu_below: '15%', window: '14d' },
          upgrade_throttled: { cpu_above: '90%', window: '3d' },
        },
      }),
      guardrails(),
      /smaller whose CPU stays below 15% for 14 days and stop resources/,
    ],
    [
      agent({ status: { learning_percent: 40 } }),
      guardrails(),
      /^Once its learning period has ended, it may automatically/,
    ],
    [
      agent({ auto_apply: { enabled: true, max_impact: 'low', approval_required: 'low_impact' } }),
      guardrails(),
      /requires a signature for every impact/,
    ],
    [
      agent({
        mode: 'active',
        auto_apply: { enabled: true, max_impact: 'low', approval_required: 'low_impact' },
      }),
      guardrails(),
      /^Changes nothing without approval/,
    ],
  ])('%#', (given, limits, expected) =>
    expect(autonomyOf(given, limits).summary).toMatch(expected),
  );

  it.each([
    ['db_optimizer', /automatically create missing indexes, drop indexes .+ and add read replicas/],
    ['security_intelligence', /automatically close settings that let outsiders in and isolate/],
    ['ops_intelligence', /request higher quotas and make the changes of runbooks, in staging/],
  ])('names the changes of %s', (agent_type, expected) =>
    expect(autonomyOf(agent({ agent_type }), guardrails()).summary).toMatch(expected),
  );

  it('names what it asks approval for, and what it leaves to people', () => {
    expect(autonomyOf(agent({ mode: 'active' }), guardrails()).limits.slice(0, 2)).toEqual([
      'Requests approval for medium impact (manager).',
      'Leaves to people: high impact and anything below 85\u00a0% confidence.',
    ]);
    expect(autonomyOf(agent(), guardrails()).limits[0]).toBe(
      'Leaves to people: medium impact, high impact and anything below 85\u00a0% confidence.',
    );
  });

  it('names the windows, freezes and directions of the guardrails', () => {
    const control = {
      maintenance_windows: [{ name: 'Nights' }],
      freezes: [{ name: 'Launch' }],
      direction: 'up_only',
    };
    const { limits } = autonomyOf(agent(), guardrails({ change_control: control }));
    expect(limits).toEqual(
      expect.arrayContaining([
        'Never makes anything smaller or stops it.',
        'Restarts resources only in the maintenance window “Nights”.',
        'Changes nothing during “Launch”.',
      ]),
    );
  });
});
