import { describe, expect, it } from 'vitest';
import { fittingPrediction, initial, wire } from './rule-fields';

describe('a rule over the wire', () => {
  it('leaves out what does not belong to its kind', () => {
    const fields = initial(undefined);
    fields.condition = {
      ...fields.condition,
      prediction: 'event',
      horizon: ' 1h ',
      calendars: ['c'],
    };
    const sent = wire(fields);
    expect(sent.condition).toEqual({
      metric: undefined,
      prediction: 'event',
      value: null,
      calendars: ['c'],
      horizon: '1h',
      probability: 50,
    });
    expect(sent.approval).toEqual({ kind: 'required', auto_below: undefined });
    expect(sent.action).toEqual({ kind: 'scale_up', step_percent: undefined, target: null });
  });

  it('keeps a value of nothing apart from none', () => {
    const fields = initial(undefined);
    const value = (next: number | '') =>
      wire({ ...fields, condition: { ...fields.condition, value: next } }).condition?.value;
    expect([value(0), value('')]).toEqual([0, null]);
    expect(
      wire({ ...fields, condition: { ...fields.condition, prediction: 'above', calendars: ['c'] } })
        .condition?.calendars,
    ).toEqual([]);
  });

  it('shows a rule as it is', () => {
    const fields = initial({
      id: 'disk',
      name: 'Disk',
      enabled: false,
      agent_type: 'ops_intelligence',
      condition: {
        metric: 'disk_space',
        prediction: 'full',
        calendars: [],
        horizon: '7d',
        probability: 60,
      },
      action: { kind: 'expand_storage', step_percent: 30 },
      approval: { kind: 'auto_below', auto_below: '400GB', below_gb: 400 },
      scope: { accounts: ['a'], services: [] },
      resources: ['db'],
      every: '1h',
      created_by: '',
      created_at: '',
      updated_at: '',
      version: 1,
    });
    expect(wire(fields)).toMatchObject({
      name: 'Disk',
      enabled: false,
      condition: { metric: 'disk_space', value: null, probability: 60 },
      action: { step_percent: 30 },
      approval: { auto_below: '400GB' },
      scope: { accounts: ['a'] },
      resources: ['db'],
    });
  });

  it('sends what an action calls at the provider, and takes it away', () => {
    const action = {
      kind: 'request_limit_increase',
      step_percent: 25,
      target: ' ec2/L-1216C47A ',
    } as const;
    const target = (changed: object) =>
      wire({ ...initial(undefined), action: { ...action, ...changed } }).action;
    expect(target({})).toMatchObject({ target: 'ec2/L-1216C47A' });
    expect(target({ target: '' })).toMatchObject({ target: null });
    expect(target({ kind: 'scale_up' })).toMatchObject({ target: null });
  });
});

describe('the condition of a metric that was chosen', () => {
  it('is crossed on the side on which the metric becomes a problem', () => {
    expect(fittingPrediction('above', 'falling')).toBe('below');
    expect(fittingPrediction('below', 'rising')).toBe('above');
    expect(fittingPrediction('below', 'falling')).toBe('below');
    expect(fittingPrediction('spike', 'falling')).toBe('spike');
    expect(fittingPrediction('above', undefined)).toBe('above');
  });
});
