import { describe, expect, it } from 'vitest';
import { signaturesFor } from './approval-matrix';

const row = (signatures: string[]) => ({ cost: '', risk: '', approval: '', signatures });
const matrix = {
  low_impact: row([]),
  medium_impact: row(['manager']),
  high_impact: row(['director', 'security']),
  medium_from: 100,
  high_above: 1000,
};

describe('the approval matrix', () => {
  it.each([
    ['low', 'None needed (low impact)'],
    ['medium', 'A manager (medium impact)'],
    ['high', 'A director and security (high impact)'],
  ])('names who signs for %s impact', (impact, expected) =>
    expect(signaturesFor(impact, matrix)).toBe(expected),
  );

  it('follows the matrix, and names the impact alone without it', () => {
    expect(signaturesFor('low', { ...matrix, low_impact: row(['security']) })).toBe(
      'Security (low impact)',
    );
    expect(signaturesFor('high', undefined)).toBe('High impact');
  });
});
