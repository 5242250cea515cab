import { describe, expect, it } from 'vitest';
import { body, documents, linked } from '../../tools/docs/render.mjs';

const all = documents(`${import.meta.dirname}/../../../docs`);
const served = new Set(all.map(({ path }) => path));

describe('documentation beside the dashboard', () => {
  it.each([
    ['howto/roles', 'settings.md', 'settings.html'],
    ['howto/roles', '../query-language.md#words', '../query-language.html#words'],
    ['query-language', 'howto/roles.md', 'howto/roles.html'],
    ['howto/roles', 'https://example.com/', 'https://example.com/'],
    ['howto/roles', '../../crates/x.rs', undefined],
    ['howto/roles', '#top', '#top'],
  ])('from %s to %s', (from, target, expected) =>
    expect(linked(from, target, served)).toBe(expected),
  );

  it('renders every document with a heading, without scripts', () => {
    for (const document of all) {
      const html = body(document, served);
      expect(html, document.path).toMatch(/<h1 id="[^"]+">/);
      expect(html, document.path).not.toMatch(/<script|\son\w+="/i);
    }
  });

  it('links only to pages and headings that exist', () => {
    const pages = new Map(all.map((document) => [document.path, body(document, served)]));
    const wrong = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/href="([^"#]*)\.html(?:#([^"]+))?"/g)].flatMap(([, to, anchor]) => {
        const target = new URL(String(to), `http://x/${path}`).pathname.slice(1);
        const page = pages.get(target);
        return page && (!anchor || page.includes(`id="${anchor}"`))
          ? []
          : [`${path}: ${to}#${anchor ?? ''}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
