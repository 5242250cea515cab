import { expect, it } from 'vitest';
import { confidenceInWords, shareInWords } from './confidence';

/** Figures with a plain space before the sign. */
const spaced = (text: string | null | undefined) => text?.replaceAll('\u00a0', ' ');

it('says that there are few cases, and what the range is a range of', () => {
  const said = confidenceInWords({
    confidence: 75,
    range: { low: 11.2, high: 98.7 },
    similar: 0,
  });
  expect(spaced(said.headline)).toBe('How sure: 75 %. Few cases so far.');
  expect(spaced(said.range)).toBe(
    'The chance that this change succeeds may be anything from 11 to 99 %.',
  );
  expect(said.cases).toBe('No change like this one, between the same sizes, has finished yet.');
});

it('has no percentage of fewer than ten outcomes', () => {
  const of = (similar: number, successRate: number | null) =>
    spaced(confidenceInWords({ confidence: 90, similar, successRate }).cases);
  expect(of(3, 66.7)).toBe('2 of 3 similar changes succeeded.');
  expect(of(1, 100)).toBe('1 of 1 similar change succeeded.');
  expect(of(20, 90)).toBe('90 % of 20 similar changes succeeded.');
  expect(of(4, null)).toBe('4 similar changes have finished.');
  expect(shareInWords(2, 3, 'applied change', 'held')).toBe('2 of 3 applied changes held');
});

it('is plain where there are enough cases', () => {
  const said = confidenceInWords({ confidence: 92, range: { low: 88, high: 95 }, similar: 40 });
  expect(spaced(said.headline)).toBe('How sure: 92 %.');
  expect(spaced(said.range)).toBe(
    'The chance that this change succeeds is 88 to 95 % (90 % interval).',
  );
});
