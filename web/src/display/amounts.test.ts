import { describe, expect, it } from 'vitest';
import { bytes, measured, money, percent, plural } from './amounts';

describe('amounts', () => {
  it.each([
    [0, '$0'],
    [3.5, '$3.50'],
    [99.999, '$100.00'],
    [1234.4, '$1,234'],
    [-12, '-$12.00'],
    [null, 'not known'],
  ])('money %s', (given, expected) => expect(money(given)).toBe(expected));

  it.each([
    [1023, '1,023\u00a0B'],
    [1536, '1.5\u00a0KiB'],
    [5 * 1024 ** 3, '5\u00a0GiB'],
    [-2048, '-2\u00a0KiB'],
  ])('bytes %s', (given, expected) => expect(bytes(given)).toBe(expected));

  it('knows units', () => {
    expect(measured(12.34, 'percent')).toBe('12.3\u00a0%');
    expect(measured(2048, 'bytes_per_second')).toBe('2\u00a0KiB/s');
    expect(percent(undefined)).toBe('not known');
    expect(plural(1, 'entry', 'entries')).toBe('1 entry');
    expect(plural(1200, 'entry', 'entries')).toBe('1,200 entries');
  });
});
