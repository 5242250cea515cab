// The documentation as pages without scripts, so that the program can serve it beside the dashboard: folder docs/ as dist/docs/.
import { Marked } from 'marked';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The folders that are served, in the order of the index; decision records are for those who work on the program. */
const FOLDERS = [
  ['How to', 'howto'],
  ['How it learns and judges', 'learning'],
  ['Operation', 'operate'],
  ['Reference', '.'],
  ['Agent types', 'agents'],
  ['Error codes', 'errors'],
  ['File formats', 'formats'],
];

const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]+>|&\w+;/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const escaped = (text) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign],
  );

/** The documents below `source`, by their path without `.md`. */
export function documents(source) {
  return FOLDERS.flatMap(([group, folder]) =>
    readdirSync(join(source, folder))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => {
        const text = readFileSync(join(source, folder, file), 'utf8');
        return {
          group,
          path: posix.join(folder, file.slice(0, -3)),
          title: (/^# (.+)$/m.exec(text)?.[1] ?? file).replace(/`/g, ''),
          text,
        };
      }),
  );
}

/** The address of a link from one document to another; a target that is not served gives none. */
export function linked(from, target, served) {
  if (/^(https?:|#)/.test(target)) return target;
  const [file, anchor] = target.split('#');
  const path = posix.join(posix.dirname(from), file);
  if (path.startsWith('images/')) return posix.relative(posix.dirname(from), path);
  const document = path.replace(/\.md$/, '');
  if (!served.has(document)) return undefined;
  return `${posix.relative(posix.dirname(from), document) || posix.basename(document)}.html${anchor ? `#${anchor}` : ''}`;
}

/** One document as the inside of a page. */
export function body({ path, text }, served) {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${slug(inner)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = linked(path, href, served);
        return to ? `<a href="${escaped(to)}">${inner}</a>` : inner;
      },
      // What is too long for the page is scrolled with the keys.
      code({ text: source }) {
        return `<pre tabindex="0"><code>${escaped(source)}</code></pre>\n`;
      },
      image({ text: alt }) {
        return `<em>${escaped(alt)}</em>`;
      },
      // A wide table scrolls in its own box.
      table(token) {
        const row = (cells, tag) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(text);
}

function page(title, path, inner) {
  const up = '../'.repeat(path.split('/').length - 1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Reeve documentation</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}docs.css">
</head>
<body>
<header><a href="/">Reeve</a> <a href="${up}index.html">Documentation</a></header>
<main>
${inner}</main>
</body>
</html>
`;
}

/** Writes all documents, their index and their style below `target`. */
export function render(source, target, style) {
  const all = documents(source);
  const served = new Set(all.map(({ path }) => path));
  const write = (path, text) => {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  };
  for (const document of all)
    write(`${document.path}.html`, page(document.title, document.path, body(document, served)));
  const lists = [...new Set(all.map(({ group }) => group))].map((group) => {
    const items = all
      .filter((document) => document.group === group)
      .map(({ path, title }) => `<li><a href="${path}.html">${escaped(title)}</a></li>`);
    return `<h2>${group}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`;
  });
  write('index.html', page('Documentation', 'index', `<h1>Documentation</h1>\n${lists.join('')}`));
  write('docs.css', style);
}
