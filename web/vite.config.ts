import react from '@vitejs/plugin-react';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { firstLoad } from './tools/budget/first-load';
import { render } from './tools/docs/render.mjs';

// `npm run dev` serves the pages from here and passes the API on to a running `reeve demo`.
const backend = process.env.REEVE_URL ?? 'http://127.0.0.1:8080';

/** Files below this gain nothing, bytes. */
const WORTH_COMPRESSING = 1024;

/**
 * Compresses scripts and styles once, at their best, so that the program need not do it for every browser. It reads the files as they
 * were written: other plugins still change a bundle while it is generated.
 */
const brotli: Plugin = {
  name: 'brotli',
  apply: 'build',
  writeBundle({ dir = 'dist' }, bundle) {
    for (const name of Object.keys(bundle)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const source = readFileSync(join(dir, name));
      if (source.length < WORTH_COMPRESSING) continue;
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(source));
    }
  },
};

/** Input fields, which the sign-in page needs too, and what opens over a page. */
const FIELDS =
  /@mantine\/core\/esm\/components\/(Input|InputBase|InlineInput|TextInput|Textarea|Checkbox)\//;
const FORMS = /@mantine\/form/;
const DIALOGS =
  /@floating-ui|@mantine\/core\/esm\/components\/(Combobox|Menu|Modal|ModalBase|Popover|ScrollArea|Select|Tooltip)\/(?!utils|ComboboxChevron|Combobox\.module|get-parsed)/;

/** The documentation of this version, served by the program below /docs/. */
const documentation: Plugin = {
  name: 'documentation',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    render(
      join(import.meta.dirname, '../docs'),
      join(dir, 'docs'),
      readFileSync(join(import.meta.dirname, 'tools/docs/docs.css'), 'utf8'),
    );
  },
};

/** `npm run first-loads` measures a build and keeps nothing of it. */
const MEASURING = process.env.npm_lifecycle_event === 'first-loads';
const discarded: Plugin = {
  name: 'discarded',
  apply: 'build',
  writeBundle: {
    order: 'post',
    sequential: true,
    handler({ dir }) {
      if (dir) rmSync(dir, { recursive: true });
    },
  },
};

export default defineConfig({
  plugins: [
    react(),
    ...(MEASURING ? [firstLoad(true), discarded] : [brotli, documentation, firstLoad(false)]),
  ],
  build: {
    emptyOutDir: true,
    outDir: MEASURING ? mkdtempSync(join(tmpdir(), 'reeve-first-loads-')) : 'dist',
    target: 'es2022',
    // Everything is served from the program itself under a policy that allows no inline scripts.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    // What many pages share is one file: dozens of small ones compress worse, and each is a request. Fields and dialogs are files of their
    // own, which the first page does not load; what they import is not drawn into them, or pages would load them for a helper.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              minShareCount: 20,
              test: (id) => !FIELDS.test(id) && !FORMS.test(id) && !DIALOGS.test(id),
              priority: 3,
            },
            {
              name: 'fields',
              minShareCount: 12,
              test: FIELDS,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            { name: 'forms', minShareCount: 2, test: FORMS, priority: 2 },
            {
              name: 'dialogs',
              minShareCount: 12,
              test: DIALOGS,
              priority: 1,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: { '/api': { target: backend, changeOrigin: false } },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    testTimeout: 20_000,
  },
});
