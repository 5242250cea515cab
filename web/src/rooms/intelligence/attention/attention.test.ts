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
import type { IncidentSummary } from '../incidents/queries';
import {
  alarms,
  anomalies,
  blocked,
  broken,
  failures,
  incidents,
  nothingInWords,
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
  it('are incidents that no one has taken up, and those of this person', () => {
    const incident = (id: string, status: string, owner: string | null = null) =>
      ({
        id,
        status,
        owner,
        severity: 'high',
        title: id,
        findings: 3,
        last_at: '2026-05-09T10:00:00Z',
      }) as IncidentSummary;
    const needs = incidents(
      [
        incident('new', 'open'),
        incident('assigned', 'open', 'bo@acme.example'),
        incident('mine', 'investigating', 'ada@acme.example'),
        incident('theirs', 'investigating', 'bo@acme.example'),
        incident('unowned', 'contained'),
      ],
      'ada@acme.example',
    );
    expect(needs.map(({ title, detail }) => [title, detail])).toEqual([
      ['new', '3 findings, no owner yet · Open'],
      ['assigned', '3 findings, owner bo@acme.example · Open'],
      ['mine', '3 findings, you are the owner · Investigating'],
    ]);
  });

  it('are open anomalies of high or critical severity outside of the incidents', () => {
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
        anomalies(
          [
            anomaly('a', 'open', 'critical'),
            anomaly('b', 'acknowledged', 'critical'),
            anomaly('c', 'open', 'high'),
            anomaly('d', 'open', 'medium'),
            anomaly('e', 'open', 'critical'),
          ],
          [{ id: 'e' }],
        ),
      ),
    ).toEqual(['anomaly a', 'anomaly c']);
  });

  it('are open alerts of every severity, one row for each rule', () => {
    const firing = (id: string, rule: string, status: string, silenced = false) =>
      ({
        id,
        rule_id: rule,
        rule_name: `Rule ${rule}`,
        status,
        severity: 'high',
        silenced,
        count: 3,
        last_at: `2026-05-09T10:00:0${id}Z`,
      }) as Firing;
    const needs = alarms([
      firing('1', 'spray', 'open'),
      firing('2', 'spray', 'open'),
      firing('3', 'spray', 'resolved'),
      firing('4', 'port', 'open'),
      firing('5', 'muted', 'open', true),
    ]);
    expect(needs.map(({ title, detail, at }) => [title, detail, at])).toEqual([
      ['Rule spray', '2 open alerts on 6 entries of the audit log', '2026-05-09T10:00:02Z'],
      ['Rule port', 'Alert on 3 entries of the audit log', '2026-05-09T10:00:04Z'],
    ]);
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

  it('stand in one list: incidents, alerts and anomalies by severity, then approvals, changes, connections, newest first, each once', () => {
    const need = (
      key: string,
      kind: Need['kind'],
      at: string,
      given: Partial<Pick<Need, 'severity' | 'to'>> = {},
    ): Need => ({ key, kind, at, to: key, title: key, detail: '', ...given });
    expect(
      keys(
        ordered([
          need('connection', 'connection', '2026-05-09'),
          need('failed', 'change', '2026-05-07', { to: '/r/1' }),
          need('blocked', 'change', '2026-05-08', { to: '/r/1' }),
          need('low incident', 'incident', '2026-05-09', { severity: 'low' }),
          need('old anomaly', 'anomaly', '2026-05-01', { severity: 'high' }),
          need('new alert', 'alert', '2026-05-02', { severity: 'high' }),
          need('critical anomaly', 'anomaly', '2026-05-01', { severity: 'critical' }),
          need('approval', 'approval', '2026-05-09'),
        ]),
      ),
    ).toEqual([
      'low incident',
      'critical anomaly',
      'new alert',
      'old anomaly',
      'approval',
      'failed',
      'connection',
    ]);
  });

  it('is denied only as far as the role shows it', () => {
    expect(nothingInWords({ alerts: true, connections: true })).toBe(
      'There is no open incident, no open alert, no anomaly of high or critical severity, no approval for you, no failed or blocked change and no connection with an error.',
    );
    const auditor = nothingInWords({ alerts: true, connections: false });
    expect(auditor).not.toContain('no connection');
    expect(auditor).toContain('Your role does not show connections');
    const manager = nothingInWords({ alerts: false, connections: true });
    expect(manager).not.toContain('no open alert');
    expect(manager).toContain('Your role does not show alerts.');
  });
});
