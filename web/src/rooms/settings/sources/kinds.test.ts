import { expect, it } from 'vitest';
import { KINDS, SAMPLES, mappingOf, mappingText, sampleCurl } from './kinds';

it('has a sample for every kind', () => {
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    const command = sampleCurl(kind, 'https://reeve.example/push', 'rvl_1');
    expect(command).toContain("'Authorization: Bearer rvl_1'");
    expect(command).toContain(SAMPLES[kind]);
  }
});

it('reads and writes rules', () => {
  const text = 'actor.id = user.id | user.name\nevent_type = {area}.{what}\nseverity = "high"';
  const mapping = mappingOf(text, ' events ');
  expect(mapping).toEqual({
    items: 'events',
    fields: {
      'actor.id': { paths: ['user.id', 'user.name'] },
      event_type: { template: '{area}.{what}' },
      severity: { value: 'high' },
    },
  });
  expect(mappingText(mapping)).toBe(text);
  expect(mappingOf('nonsense\n= x\nid =', '')).toEqual({ fields: {} });
});

it('keeps the table of a rule', () => {
  const before = { fields: { 'action.status': { paths: ['code'], table: { 2: 'denied' } } } };
  expect(mappingOf('action.status = result', '', before).fields['action.status']).toEqual({
    paths: ['result'],
    table: { 2: 'denied' },
  });
});
