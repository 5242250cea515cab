import type { components } from '../../../api/schema';
import { describe, expect, it } from 'vitest';
import type { Finding, Prediction, Rule } from '../../../api/bodies';
import {
  approvalInWords,
  carriedOut,
  effectsOf,
  findingInWords,
  isSo,
  lastFired,
  newest,
  ruleInWords,
  rulesOf,
  wallTime,
  wholeDay,
} from './labels';

type Condition = Partial<Rule['condition']>;
const rule = (condition: Condition, kind: string, change: Partial<Rule> = {}): Rule => ({
  id: kind,
  name: kind,
  enabled: true,
  agent_type: 'ops_intelligence',
  condition: { prediction: 'full', calendars: [], horizon: '7d', probability: 50, ...condition },
  action: { kind: kind as components['schemas']['PreparationKind'], step_percent: 25 },
  approval: { kind: 'auto' },
  scope: { accounts: [], services: [] },
  resources: [],
  every: '1h',
  created_by: 'system',
  created_at: '',
  updated_at: '',
  version: 1,
  ...change,
});

/** Without the spaces that no line breaks at. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('rules in words', () => {
  it.each([
    [
      rule({ metric: 'disk_space' }, 'expand_storage'),
      'When disk space will be full within 7 days: expand the storage, by 25 %',
    ],
    [
      rule(
        { metric: 'database_connections', prediction: 'saturation', horizon: '2h' },
        'create_read_replica',
      ),
      'When database connections will all be in use within 2 hours: add a read replica',
    ],
    [
      rule(
        { metric: 'api_rate_limit', prediction: 'exhaustion', horizon: '15m', value: 100 },
        'request_limit_increase',
      ),
      'When limit on calls will be used up (100/s) within 15 minutes: ask for a higher limit, by 25 %',
    ],
    [
      rule({ metric: 'request_rate', prediction: 'spike', horizon: '15m', value: 50 }, 'pre_scale'),
      'When requests will peak 50 % above the usual within 15 minutes: add capacity before the peak',
    ],
    [
      rule(
        { metric: 'cpu_utilization', prediction: 'above', horizon: '0m', value: 80 },
        'scale_up',
      ),
      'When CPU is above 80 %: take a larger size',
    ],
    [
      rule({ prediction: 'event', horizon: '1h' }, 'prepare_failover'),
      'When an event begins within 1 hour: make the standby ready',
    ],
  ])('%#', (given, expected) => expect(plain(ruleInWords(given))).toBe(expected));

  it('says who must approve', () => {
    expect(approvalInWords({ approval: { kind: 'auto_below', auto_below: '500GB' } })).toContain(
      'below 500 GB',
    );
    expect(approvalInWords({ approval: { kind: 'required' } })).toContain(
      'Always requires approval',
    );
  });

  it('says who carries a response out, and that its own type of agent is needed', () => {
    const by = (kind: string) => carriedOut(rule({}, kind));
    for (const kind of [
      'expand_storage',
      'create_read_replica',
      'scale_up',
      'pre_scale',
      'prepare_failover',
    ])
      expect(by(kind)).toMatch(/^Reeve, .*operations intelligence agent/);
    for (const kind of ['request_limit_increase', 'warm_cache'])
      expect(by(kind)).toMatch(/^A person/);
  });
});

describe('what was decided', () => {
  const decided = (at: string, outcome: string, probability: number, rule_id = 'r') =>
    ({
      at,
      outcome,
      probability,
      rule_id,
      resource_name: `${outcome}${probability}`,
    }) as Prediction;
  const all = [
    decided('2', 'not_foreseen', 1),
    decided('2', 'abstained', 0),
    decided('2', 'not_foreseen', 9),
    decided('2', 'foreseen', 60),
    decided('1', 'foreseen', 99),
  ];

  it('shows the newest evaluation, the likeliest first', () =>
    expect(newest(all).map(({ resource_name }) => resource_name)).toEqual([
      'foreseen60',
      'not_foreseen9',
      'not_foreseen1',
      'abstained0',
    ]));

  it.each<[Partial<Finding>, string, string]>([
    [{ kind: 'now', value: 31.525 }, 'cpu_utilization', 'it is 31.5 % now'],
    [{ kind: 'grows', value: 8_187_295_529.2792 }, 'disk_space', 'it fills by 7.6 GiB a day'],
    [{ kind: 'grows', value: 0.0312 }, 'disk_space', 'it hardly fills'],
    [{ kind: 'grows', value: 0.5 }, 'database_connections', 'it grows by 0.5 a day'],
    [
      { kind: 'released', times: 1 },
      'disk_space',
      'released once before; that may come first again',
    ],
    [
      { kind: 'released', times: 3 },
      'disk_space',
      'released 3 times before; one may come first again',
    ],
    [{ kind: 'still' }, 'disk_space', 'it does not fill'],
    [
      { kind: 'stays_below', value: 75.25, limit: 3604 },
      'database_connections',
      'it grows, but stays far below 3,604: at most 75.3 is forecast',
    ],
    [{ kind: 'risen_already', value: 80 }, 'cpu_utilization', 'it has risen already, to 80 %'],
    // A kind of a newer service, and reasons of an earlier one: as the service words them.
    [{ kind: 'unheard_of', words: 'it is 5 now' }, 'request_rate', 'it is 5 now'],
    [{ kind: 'other', words: '8192 values, 0 missing' }, 'request_rate', '8192 values, 0 missing'],
  ])('says %o of %s', (finding, metric, expected) =>
    expect(
      plain(
        findingInWords(
          { kind: 'other', words: '', ...finding },
          { metric: metric as components['schemas']['PredictionMetric'] },
        ),
      ),
    ).toBe(expected),
  );

  it('knows what is already reached', () =>
    expect([
      isSo({ at: '2', expected_at: '1' }),
      isSo({ at: '1', expected_at: '2' }),
      isSo({ at: '1' }),
    ]).toEqual([true, false, false]));

  it('finds when each rule fired last', () =>
    expect(
      [
        ...lastFired([
          decided('3', 'foreseen', 1, 'a'),
          decided('2', 'foreseen', 1, 'b'),
          decided('1', 'foreseen', 1, 'a'),
        ]),
      ].map(([id, { at }]) => id + at),
    ).toEqual(['a3', 'b2']));
});

describe('calendars', () => {
  const pre = rule({ prediction: 'spike', horizon: '15m', metric: 'request_rate' }, 'pre_scale');
  const warm = rule({ prediction: 'spike', horizon: '30m', metric: 'request_rate' }, 'warm_cache');
  const failover = rule({ prediction: 'event', horizon: '1h' }, 'prepare_failover');
  const named = rule({ prediction: 'spike', horizon: '1h', calendars: ['sales'] }, 'scale_up');
  const rules = [pre, warm, failover, named, rule({}, 'expand_storage')];

  it('are known to the rules that name them or ask for their kind', () => {
    const ids = (id: string, kind: string) =>
      rulesOf({ id, kind: kind as components['schemas']['CalendarKind'] }, rules).map(
        (one) => one.id,
      );
    expect(ids('sales', 'traffic')).toEqual(['pre_scale', 'warm_cache', 'scale_up']);
    expect(ids('other', 'traffic')).toEqual(['pre_scale', 'warm_cache']);
    expect(ids('work', 'maintenance')).toEqual(['prepare_failover']);
  });

  it('have effects before their events, of rules that are on', () => {
    const effects = effectsOf({ start: '2026-11-27T08:00:00.000Z' }, [
      pre,
      warm,
      { ...failover, enabled: false },
    ]);
    expect(effects.map(({ at, words }) => `${at.slice(11, 16)} ${words}`)).toEqual([
      '07:30 caches warmed',
      '07:45 more capacity',
    ]);
  });

  it('name a whole day by its own zone', () => {
    expect(wholeDay('2026-12-11T23:00:00Z', 'Europe/Berlin')).toContain('12');
    expect(wholeDay('2026-12-11T23:00:00Z', undefined)).toContain('11');
  });

  it('show the wall of their zone where it differs', () => {
    expect(wallTime('2026-11-27T08:00:00Z', 'Europe/Berlin', 'UTC')).toMatch(/09:00/);
    expect(wallTime('2026-11-27T08:00:00Z', 'Europe/Berlin', 'Europe/Paris')).toBeUndefined();
    expect(wallTime('2026-11-27T08:00:00Z', 'Europe/Atlantis', 'UTC')).toBeUndefined();
  });
});
