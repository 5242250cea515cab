// Words that readers did not understand or that other products do not use. Each was found on a page and replaced.
import { describe, expect, it } from 'vitest';
import { pageTexts } from './texts';

/** The retired word, and what to write instead. */
const RETIRED: [RegExp, string][] = [
  [/\bstrange(ness|st)?\b/i, 'unusual, anomaly score'],
  [/\bdeeds?\b/i, 'event, access'],
  [/\b(some|no)body\b/i, 'someone, no one; better: name the role'],
  [/\banew\b/i, 'again; retrain'],
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/\bforesee[sn]?\b|\bforesaw\b/i, 'predict, expect'],
  [/\bput off\b/i, 'snooze'],
  [/\btold\b|\btells?\b/i, 'notified; say the thing itself'],
  [/\bin its way\b|\bhold(s|ing)? (it |.{1,20} )?back\b/i, 'blocked by'],
  [/\bheld-out\b/i, 'not used for training'],
  [/\b(go|goes|going) on\b/i, 'continue'],
  [/\bgiv(e|en|es|ing) (this (\w+ )?|it )?up\b|\bgiven up\b/i, 'abort'],
  [/\bsealed\b/i, 'encrypted'],
  [/\bgo(es)? out\b/i, 'qualifies, is sent'],
  [/\bsay so\b|\bsaid\b/i, 'verdict'],
  [/\blooks? after\b/i, 'assigned to'],
  [/\bleave it to\b|\bleft to\b/i, 'delegate'],
  [/\b(goes|go) to the log\b/i, 'is kept in the audit log'],
  [/\bnothing (is )?chosen\b/i, 'leave empty to'],
  [/\bsign in first\b/i, 'Wrong e-mail or password; Not signed in'],
  [/\bguardrails put\b/i, 'Guardrails updated'],
  [/\beverybody\b/i, 'everyone'],
  [/\bloosen\b/i, 'remove a filter'],
  [/\bGET \S*\/|\bintelligence\/actions\b/, 'an interface address is no text for people'],
  [/\blies as\b|\bstands? (here|under|in)\b/i, 'is, see'],
  [/\btheir like\b/i, 'similar'],
  [/\bfor approval and apply\b/i, 'Request approval'],
  [/\brests? on\b/i, 'Evidence'],
  [/\bgave (it|them) away\b/i, 'Detected by'],
  [/\bhow (it|they) (was|were) answered\b/i, 'Response'],
  [/\bin your words\b/i, 'Note'],
  [/\bremedy did not\b|\bits remedy\b/i, 'Remedy failed'],
  [/\btake back what\b/i, 'Undo verdict'],
  [/\bstory\b/i, 'History'],
  [/\bheld by\b/i, 'On hold at a gate'],
  [/\bgoing wide\b/i, 'Start a staged rollout'],
  [/\bchange things\b/i, 'Allow changes'],
];

describe('texts of the pages', () => {
  const texts = pageTexts(`${import.meta.dirname}/..`);

  it('are read from the sources', () => {
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.map(({ text }) => text)).toContain('What needs you now');
  });

  it('hold no retired word', () => {
    const found = texts.flatMap(({ file, text }) => RETIRED.filter(([word]) => word.test(text)).map(([, instead]) => `${file}: “${text}” (instead: ${instead})`));
    expect(found.join('\n')).toBe('');
  });

  it.each([
    ['What counts as strange', true], ['Nobody looks after it', true], ['Say so', true], ['What would hold it back', true], ['It would have held on 23 of 23 held-out days', true],
    ['All that is chosen must hold; nothing chosen is everything', true], ['Sign in first', true], ['Running 5 steps; GET intelligence/actions/{id} shows how far it is', true],
    ['Ask for approval and apply', true], ['What it rests on', true], ['What gave it away', true], ['How it was answered', true], ['In your words', true], ['Its remedy did not hold', true],
    ['Take back what was said', true], ['Train anew', true], ['Its story in the log', true], ['Give this rollout up?', true], ['Held by its gate', true], ['Nobody is told yet', true],
    ['It lies as a file', true], ['Loosen a filter', true], ['Going wide', true], ['Reeve may change things here', true], ['Guardrails put', true],
    ['Ready to apply', false], ['Anomaly score', false], ['Approval covers exactly these steps', false],
  ])('%s: %s', (text, retired) => expect(RETIRED.some(([word]) => word.test(text))).toBe(retired));
});
