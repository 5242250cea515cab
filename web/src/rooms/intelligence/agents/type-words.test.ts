import { describe, expect, it } from 'vitest';
import { linesOf, valueInWords } from './type-words';

describe('agent types in words', () => {
  it.each([
    [true, undefined],
    ['30d_historical', '30 days historical'],
    ['15m_lead_time', '15 minutes lead time'],
    ['CPU below 20% for 14 days', 'CPU below 20% for 14 days'],
    ['90d', '90 days'],
    [['SOC 2', 'ISO 27001'], 'SOC 2, ISO 27001'],
    ['user_and_resource', 'user and resource'],
  ])('%j', (value, expected) => expect(valueInWords(value)).toBe(expected));

  it('names nested values by their path, and leaves out what is off', () => {
    expect(
      linesOf({
        learning: { interruption_history: '90d', workload_patterns: true },
        off: false,
      }),
    ).toEqual([
      { name: 'Learning: interruption history', value: '90 days' },
      { name: 'Learning: workload patterns', value: undefined },
    ]);
  });
});
