import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpFor, LINKED } from './help';
import { SECTIONS } from './navigation';

describe('help links', () => {
  it.each(LINKED)('docs/%s.md exists', (document) =>
    expect(existsSync(`${import.meta.dirname}/../../../docs/${document}.md`)).toBe(true),
  );

  it('stand on every page of the navigation', () => {
    const pages = SECTIONS.flatMap(({ places }) => places).flatMap(
      ({ to, groups }) => groups?.flatMap((group) => group.pages.map((page) => page.to)) ?? [to],
    );
    expect(pages.filter((page) => !helpFor(page))).toEqual([]);
    expect(helpFor('/audit/search')?.href).toBe('/docs/query-language.html');
    expect(helpFor('/intelligence')?.href).toBe('/docs/howto/first-page.html');
  });
});
