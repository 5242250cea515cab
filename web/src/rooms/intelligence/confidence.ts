// Confidence in words. A share of fewer than ten outcomes is no percentage.
import { count, percent, plural } from '../../display/amounts';

/** Outcomes from which on a share of them says something. */
const ENOUGH = 10;

/** A share of outcomes: "2 of 3 applied changes held", from ten on a percentage. */
export function shareInWords(
  good: number,
  all: number,
  noun: string,
  verb: string,
  nouns = `${noun}s`,
): string {
  return all < ENOUGH
    ? `${count(good)} of ${plural(all, noun, nouns)} ${verb}`
    : `${percent((good / all) * 100)} of ${count(all)} ${nouns} ${verb}`;
}

interface Known {
  confidence: number;
  range?: { low: number; high: number } | null;
  /** Changes of the same type and between the same sizes that have finished. */
  similar: number;
  /** Share of them that succeeded, percent. */
  successRate?: number | null;
}

/** How sure a recommendation is: the figure, what it may be as well, and the cases behind it. */
export function confidenceInWords({ confidence, range, similar, successRate }: Known) {
  const few = similar < ENOUGH;
  const span = range && `${Math.round(range.low)} to ${percent(Math.round(range.high))}`;
  return {
    headline: `How sure: ${percent(confidence)}.${few ? ' Few cases so far.' : ''}`,
    range:
      span &&
      (few
        ? `The chance that this change succeeds may be anything from ${span}.`
        : `The chance that this change succeeds is ${span} (90 % interval).`),
    cases:
      similar === 0
        ? 'No change like this one, between the same sizes, has finished yet.'
        : successRate == null
          ? `${plural(similar, 'similar change has', 'similar changes have')} finished.`
          : `${shareInWords(Math.round((successRate / 100) * similar), similar, 'similar change', 'succeeded')}.`,
  };
}
