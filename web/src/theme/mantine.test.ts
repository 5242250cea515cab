import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '..');
const core = join(source, '../node_modules/@mantine/core');

/** The names that a text imports from the library, without its types. */
function imported(text: string, quote: string): string[] {
  const found = [
    ...text.matchAll(
      new RegExp(`import\\s*\\{([^}]+)\\}\\s*from\\s*${quote}@mantine/core${quote}`, 'g'),
    ),
  ];
  return found
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name && !name.startsWith('type '))
    .map((name) => name.split(' ')[0] ?? '');
}

const texts = (folder: string, ends: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => ends.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

/** Classes of the components that these names lead to, by the library's own imports. */
function classesOf(names: Set<string>): Set<string> {
  const modules = new Map(
    [
      ...readFileSync(join(core, 'esm/index.mjs'), 'utf8').matchAll(
        /import\s*\{([^}]+)\}\s*from\s*"([^"]+)"/g,
      ),
    ].flatMap(([, list = '', file = '']) =>
      list.split(',').map(
        (name) =>
          [
            name
              .trim()
              .split(/\s+as\s+/)
              .pop() ?? '',
            file,
          ] as const,
      ),
    ),
  );
  const seen = new Set<string>();
  const classes = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.module.mjs'))
      for (const [name] of text.matchAll(/m_[0-9a-z]+/g)) classes.add(name);
    else
      for (const [, next = ''] of text.matchAll(/from\s*"(\.[^"]+)"/g))
        walk(resolve(dirname(file), next));
  };
  for (const name of names) {
    const file = modules.get(name);
    if (file) walk(resolve(core, 'esm', file));
  }
  return classes;
}

describe('styles of the library', () => {
  it('hold every component that pages use, in the order of the whole file', () => {
    const names = new Set([
      ...texts(source, /\.tsx?$/).flatMap((text) => imported(text, "'")),
      ...['notifications', 'spotlight']
        .flatMap((name) => texts(join(core, '..', name, 'esm'), /\.mjs$/))
        .flatMap((text) => imported(text, '"')),
    ]);
    const classes = classesOf(names);
    expect(classes.size).toBeGreaterThan(200);
    const whole = readFileSync(join(core, 'styles.css'), 'utf8');
    const place = (file: string) =>
      whole.indexOf(
        readFileSync(join(core, 'styles', file), 'utf8')
          .trim()
          .slice(0, 200),
      );
    const needed = readdirSync(join(core, 'styles'))
      .filter((file) => file.endsWith('.css') && !file.includes('.layer.'))
      .filter((file) => {
        const own = [
          ...readFileSync(join(core, 'styles', file), 'utf8').matchAll(/\.(m_[0-9a-z]+)/g),
        ].map(([, name = '']) => name);
        return own.length === 0 || own.some((name) => classes.has(name));
      });
    const listed = [
      ...readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8').matchAll(
        /styles\/(\w[\w-]*\.css)/g,
      ),
    ].map(([, file = '']) => file);
    expect(needed.filter((file) => !listed.includes(file))).toEqual([]);
    expect(listed.filter((file) => !needed.includes(file))).toEqual([]);
    expect(listed).toEqual([...listed].sort((a, b) => place(a) - place(b)));
  });
});
