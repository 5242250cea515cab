// The size of what a browser loads before it can show a page: the entry, the page's own chunk and those of the pages around it, what all
// of them import, and their styles. Charts load after the page, dialogs and lists of choices when they are first used: neither is part of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Most that a page may load first, kB with gzip. */
const LIMIT = 250;

interface Chunk {
  type: 'chunk';
  fileName: string;
  isEntry: boolean;
  facadeModuleId: string | null;
  imports: string[];
  viteMetadata?: { importedCss: Set<string> };
}

interface Route {
  address: string;
  files: string[];
}

/** The pages of the router by their addresses, each with the files of its component and of those around it. */
export function routesOf(source: string): Route[] {
  const known = new Map<string, { parent: string; path?: string; file?: string }>();
  for (const text of source.split(/^const (?=\w+ = createRoute\()/m).slice(1)) {
    const name = /^\w+/.exec(text)?.[0] ?? '';
    known.set(name, {
      parent: /getParentRoute: \(\) => (\w+)/.exec(text)?.[1] ?? '',
      path: /path: '([^']+)'/.exec(text)?.[1],
      file: /import\('\.\/([^']+)'\)/.exec(text)?.[1],
    });
  }
  const up = (name: string): string[] => {
    const route = known.get(name);
    return route ? [...up(route.parent), name] : [];
  };
  const inner = new Set([...known.values()].map(({ parent }) => parent));
  return [...known.keys()]
    .filter((name) => known.get(name)?.file && !inner.has(name))
    .map((name) => {
      const line = up(name).flatMap((each) => known.get(each) ?? []);
      return {
        address: line.map(({ path = '' }) => path.replace(/\/$/, '')).join('') || '/',
        files: line.flatMap(({ file }) => file ?? []),
      };
    });
}

/** Files that a chunk needs before it runs, itself included. */
function needed(start: string[], chunks: Map<string, Chunk>): Set<string> {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = chunks.get(name);
    if (!chunk || files.has(name)) return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    chunk.imports.forEach(visit);
  };
  start.forEach(visit);
  return files;
}

/** Prints the first loads of all pages, or of the largest, and fails the build when one is over the limit. */
export const firstLoad = (all: boolean): Plugin => ({
  name: 'first-load',
  apply: 'build',
  writeBundle({ dir = 'dist' }, bundle) {
    const source = readFileSync(join(import.meta.dirname, '../../src/routes.tsx'), 'utf8');
    const chunks = new Map(
      Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? [[file.fileName, file as Chunk] as const] : [],
      ),
    );
    const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
    if (!entry) throw new Error('the bundle has no entry');
    const chunkOf = (page: string) => {
      const chunk = [...chunks.values()].find(({ facadeModuleId }) =>
        facadeModuleId?.endsWith(`/src/${page}.tsx`),
      );
      if (!chunk)
        throw new Error(
          `${page} has no chunk of its own: it is part of what every page loads first`,
        );
      return chunk.fileName;
    };
    const sizes = new Map<string, number>();
    const size = (file: string) => {
      const known = sizes.get(file) ?? gzipSync(readFileSync(join(dir, file)), { level: 9 }).length;
      sizes.set(file, known);
      return known;
    };
    const routes = routesOf(source);
    const pages = source.split('lazy(').length - 1;
    if (new Set(routes.flatMap(({ files }) => files)).size !== pages)
      throw new Error(
        'a page of src/routes.tsx was not understood; see tools/budget/first-load.ts',
      );
    const loads = routes
      .map(({ address, files }) => ({
        address,
        kilobytes:
          [...needed([entry.fileName, ...files.map(chunkOf)], chunks)].reduce(
            (sum, file) => sum + size(file),
            0,
          ) / 1000,
      }))
      .sort((a, b) => b.kilobytes - a.kilobytes);
    const over = loads.filter(({ kilobytes }) => kilobytes > LIMIT);
    for (const { address, kilobytes } of loads.slice(0, all ? undefined : Math.max(3, over.length)))
      console.log(`first load ${kilobytes.toFixed(1).padStart(6)} kB of ${LIMIT} kB  ${address}`);
    if (over.length > 0)
      throw new Error(
        `over the limit of a first load: ${over.map(({ address }) => address).join(', ')}. Load what a page does not show at first with late() of src/display.`,
      );
  },
});
