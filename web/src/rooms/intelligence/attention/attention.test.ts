import { describe, expect, it } from 'vitest';
import type {
  Action,
  Anomaly,
  Approval,
  Connection,
  Recommendation,
  Rollout,
} from '../../../api/bodies';
import type { Firing } from '../../audit/alerts/queries';
import {
  alarms,
  blocked,
  broken,
  failures,
  incidents,
  ordered,
  toSign,
  type Need,
} from './attention';

const NOW = Date.parse('2026-05-10T00:00:00Z');
const keys = (needs: Need[]) => needs.map(({ key }) => key);

const action = (id: string, status: string, given: Partial<Action> = {}) =>
  ({
    id,
    status,
    recommendation_id: `of-${id}`,
    title: `Change ${id}`,
    purpose: 'apply',
    started_at: '2026-05-09T10:00:00Z',
    finished_at: '2026-05-09T10:05:00Z',
    ...given,
  }) as Action;

describe('what needs a person', () => {
  it('are critical anomalies and alerts that nobody has taken on', () => {
    const anomaly = (id: string, status: string, severity: string) =>
      ({
        id,
        incident_id: id,
        status,
        severity,
        title: id,
        likely_cause: 'x',
        started_at: '2026-05-09T10:00:00Z',
      }) as Anomaly;
    expect(
      keys(
        incidents([
          anomaly('a', 'open', 'critical'),
          anomaly('b', 'acknowledged', 'critical'),
          anomaly('c', 'open', 'high'),
        ]),
      ),
    ).toEqual(['anomaly a']);
    const firing = (id: string, status: string, severity: string, silenced = false) =>
      ({
        id,
        status,
        severity,
        silenced,
        rule_name: id,
        count: 3,
        last_at: '2026-05-09T10:00:00Z',
      }) as Firing;
    expect(
      keys(
        alarms([
          firing('a', 'open', 'critical'),
          firing('b', 'open', 'critical', true),
          firing('c', 'open', 'high'),
          firing('d', 'resolved', 'critical'),
        ]),
      ),
    ).toEqual(['firing a']);
  });

  it('are the approvals that this person can sign, not those of others', () => {
    const approval = (id: string, status: string, can_sign: string[]) =>
      ({
        id,
        status,
        can_sign,
        title: id,
        impact: 'medium',
        requested_by: 'agent:1',
        requested_at: '2026-05-09T10:00:00Z',
      }) as unknown as Approval;
    const needs = toSign(
      [
        approval('a', 'pending', ['manager']),
        approval('b', 'pending', []),
        approval('c', 'approved', ['manager']),
      ],
      () => 'Night watch',
    );
    expect(needs.map(({ key, detail }) => [key, detail])).toEqual([
      ['approval a', 'Medium impact, requested by Night watch'],
    ]);
  });

  it('are changes that failed in the last week, unless they went well since or a person undid them', () => {
    const actions = [
      action('failed', 'failed', { reason: 'the machine did not start' }),
      action('undone', 'rolled_back'),
      action('taken-back', 'rolled_back', { undone_by: 'ada@acme.example' }),
      action('tried', 'rolled_back', { purpose: 'simulate' }),
      action('old', 'failed', {
        started_at: '2026-04-01T00:00:00Z',
        finished_at: '2026-04-01T00:00:00Z',
      }),
      action('first', 'failed', { recommendation_id: 'same' }),
      action('second', 'succeeded', {
        recommendation_id: 'same',
        started_at: '2026-05-09T11:00:00Z',
      }),
    ];
    expect(failures(actions, NOW).map(({ key, detail }) => [key, detail])).toEqual([
      ['action failed', 'Failed: the machine did not start'],
      ['action undone', 'Rolled back'],
    ]);
  });

  it('are rollouts on hold and changes that a guardrail blocked', () => {
    const rollout = (id: string, status: string) =>
      ({ id, status, name: id, updated_at: '2026-05-09T10:00:00Z' }) as Rollout;
    const recommendation = (id: string, status: string, by: string | null) =>
      ({
        id,
        status,
        blocked: by,
        title: id,
        updated_at: '2026-05-09T10:00:00Z',
      }) as Recommendation;
    expect(
      keys(
        blocked(
          [
            recommendation('a', 'open', 'too dear'),
            recommendation('b', 'open', null),
            recommendation('c', 'executing', 'too dear'),
          ],
          [rollout('r', 'held'), rollout('s', 'running')],
        ),
      ),
    ).toEqual(['rollout r', 'recommendation a']);
  });

  it('are connections that fail or miss a permission', () => {
    const connection = (id: string, status: string, denied: string[]) =>
      ({
        id,
        name: id,
        status,
        last_error: 'no route',
        created_at: '2026-05-01T00:00:00Z',
        last_sync: { denied, finished_at: '2026-05-09T00:00:00Z' },
      }) as unknown as Connection;
    expect(
      broken([
        connection('a', 'failed', []),
        connection('b', 'ready', ['ec2:DescribeVolumes']),
        connection('c', 'ready', []),
      ]).map(({ detail }) => detail),
    ).toEqual(['The last sync failed: no route', '1 call was denied: a permission is missing']);
  });

  it('stand in one list: incidents first, then approvals, changes, connections, newest first, each once', () => {
    const need = (key: string, kind: Need['kind'], at: string, to = key): Need => ({
      key,
      kind,
      at,
      to,
      title: key,
      detail: '',
    });
    expect(
      keys(
        ordered([
          need('connection', 'connection', '2026-05-09'),
          need('failed', 'change', '2026-05-07', '/r/1'),
          need('blocked', 'change', '2026-05-08', '/r/1'),
          need('old', 'incident', '2026-05-01'),
          need('new', 'incident', '2026-05-02'),
          need('approval', 'approval', '2026-05-09'),
        ]),
      ),
    ).toEqual(['new', 'old', 'approval', 'failed', 'connection']);
  });
});
