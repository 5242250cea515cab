import react from '@vitejs/plugin-react';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
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

/** The documentation of this version, served by the program below /docs/. */
const documentation: Plugin = {
  name: 'documentation',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    render(join(import.meta.dirname, '../docs'), join(dir, 'docs'), readFileSync(join(import.meta.dirname, 'tools/docs/docs.css'), 'utf8'));
  },
};

export default defineConfig({
  plugins: [react(), brotli, documentation],
  build: {
    target: 'es2022',
    // Everything is served from the program itself under a policy that allows no inline scripts.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    // What many pages share is one file: dozens of small ones compress worse, and each is a request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 20 }] } } },
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
