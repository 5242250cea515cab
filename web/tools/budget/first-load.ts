// The size of what a browser loads before it can show a page: the entry, the page's own chunk, what both import, and their styles.
// Charts load after the page and are not part of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Pages that people meet first, and their goal, kB with gzip. */
const FIRST = { 'rooms/intelligence/DashboardPage.tsx': 250, 'rooms/sign-in/SignIn.tsx': 250 };
/** Every other page, opened directly by its address, kB with gzip. */
const OTHERS = 295;

interface Chunk { type: 'chunk'; fileName: string; isEntry: boolean; facadeModuleId: string | null; imports: string[]; viteMetadata?: { importedCss: Set<string> } }

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

/** Prints the first loads, and fails the build when one is over its limit. */
export const firstLoad: Plugin = {
  name: 'first-load',
  apply: 'build',
  writeBundle({ dir = 'dist' }, bundle) {
    const chunks = new Map(Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file as Chunk] as const] : [])));
    const entry = [...chunks.values()].find((chunk) => chunk.isEntry);
    if (!entry) throw new Error('the bundle has no entry');
    const sizes = new Map<string, number>();
    const size = (file: string) => {
      const known = sizes.get(file) ?? gzipSync(readFileSync(join(dir, file)), { level: 9 }).length;
      sizes.set(file, known);
      return known;
    };
    const pages = [...chunks.values()].flatMap(({ fileName, facadeModuleId }) => {
      const page = facadeModuleId?.split('/src/')[1];
      if (!page?.startsWith('rooms/')) return [];
      const bytes = [...needed([entry.fileName, fileName], chunks)].reduce((sum, file) => sum + size(file), 0);
      return [{ page, kilobytes: bytes / 1000, limit: FIRST[page as keyof typeof FIRST] ?? OTHERS }];
    }).sort((a, b) => b.kilobytes - a.kilobytes);
    for (const name of Object.keys(FIRST)) if (!pages.some(({ page }) => page === name)) throw new Error(`${name} is no page of its own`);
    const shown = pages.filter(({ page, kilobytes, limit }, at) => at < 3 || page in FIRST || kilobytes > limit);
    for (const { page, kilobytes, limit } of shown) console.log(`first load ${kilobytes.toFixed(1).padStart(6)} kB of ${limit} kB  ${page}`);
    const over = pages.filter(({ kilobytes, limit }) => kilobytes > limit);
    if (over.length > 0) throw new Error(`over the limit of a first load: ${over.map(({ page }) => page).join(', ')}. Load what a page does not show at first with lazy().`);
  },
};
