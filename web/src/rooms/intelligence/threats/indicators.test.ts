import { describe, expect, it } from 'vitest';
import { Problem } from '../../../api/problem';
import { glance, nameOfFile, objection, spanOf, wrongLines } from './indicators';

const LIST =
  '# of May\n203.0.113.7, Scanner, 2026-05-03\n2001:db8::1\r\n198.51.100.0/24 # a net\n\nuser_agent:sqlmap\n';

describe('a threat list', () => {
  it('is counted by what its lines hold', () => {
    expect(glance(LIST)).toBe('2 addresses, 1 network, 1 program');
    expect(glance('# nothing\n\n')).toBe('');
  });

  it.each([
    ['', /Choose a file/],
    ['# nothing', /No indicator/],
    ['203.0.113.7', undefined],
    ['x'.repeat(8 * 1024 * 1024 + 1), /larger/],
  ])('is objected to at first sight (%#)', (text, expected) => {
    const said = objection(text);
    if (expected) expect(said).toMatch(expected);
    else expect(said).toBeUndefined();
  });

  it('finds the lines that were refused, and where they stand', () => {
    const errors = [
      { field: 'indicators[3]', code: 'invalid_value' as const, message: 'no' },
      { field: 'indicators', code: 'too_many' as const, message: 'many' },
    ];
    expect(
      wrongLines(
        new Problem({ status: 422, code: 'invalid_fields', title: '', detail: '', errors }),
      ),
    ).toEqual([{ line: 3, message: 'no' }]);
    expect(wrongLines(new Error('gone'))).toEqual([]);
    const [start, end] = spanOf('a\nbc\ndef', 2);
    expect('a\nbc\ndef'.slice(start, end)).toBe('bc');
    expect(spanOf('a\nbc', 2)).toEqual([2, 4]);
    expect(spanOf('a', 5)).toEqual([0, 1]);
  });

  it('is named after its file', () => {
    expect(nameOfFile('scanners.of.may.TXT')).toBe('scanners.of.may');
    expect(nameOfFile('list')).toBe('list');
  });
});
