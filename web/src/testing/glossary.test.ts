// Words that readers did not understand or that other products do not use. Each was found on a page and replaced.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageTexts } from './texts';

interface Entry {
  word: string;
  instead: string;
  in?: string[];
}

/** The retired words and what to write instead; `tools/glossary.py` looks for them in the program and in the documentation. */
const ENTRIES = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../tools/glossary.json`, 'utf8'),
) as Entry[];
const RETIRED = ENTRIES.filter((entry) => entry.in?.includes('pages') ?? true).map(
  (entry): [RegExp, string] => [new RegExp(entry.word, 'i'), entry.instead],
);

describe('texts of the pages', () => {
  const texts = pageTexts(`${import.meta.dirname}/..`);

  it('are read from the sources', () => {
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.map(({ text }) => text)).toContain('What needs you now');
  });

  it('hold no retired word', () => {
    const found = texts.flatMap(({ file, text }) =>
      RETIRED.filter(([word]) => word.test(text)).map(
        ([, instead]) => `${file}: “${text}” (instead: ${instead})`,
      ),
    );
    expect(found.join('\n')).toBe('');
  });

  it.each([
    ['What counts as strange', true],
    ['Nobody looks after it', true],
    ['Say so', true],
    ['What would hold it back', true],
    ['It would have held on 23 of 23 held-out days', true],
    ['All that is chosen must hold; nothing chosen is everything', true],
    ['Sign in first', true],
    ['Running 5 steps; GET intelligence/actions/{id} shows how far it is', true],
    ['Ask for approval and apply', true],
    ['What it rests on', true],
    ['What gave it away', true],
    ['How it was answered', true],
    ['In your words', true],
    ['Its remedy did not hold', true],
    ['Take back what was said', true],
    ['Train anew', true],
    ['Its story in the log', true],
    ['Give this rollout up?', true],
    ['Held by its gate', true],
    ['Nobody is told yet', true],
    ['It lies as a file', true],
    ['Loosen a filter', true],
    ['Going wide', true],
    ['Reeve may change things here', true],
    ['Guardrails put', true],
    ['Ready to apply', false],
    ['Anomaly score', false],
    ['Approval covers exactly these steps', false],
  ])('%s: %s', (text, retired) => expect(RETIRED.some(([word]) => word.test(text))).toBe(retired));
});
