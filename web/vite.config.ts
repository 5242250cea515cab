import react from '@vitejs/plugin-react';
import { Buffer } from 'node:buffer';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// `npm run dev` serves the pages from here and passes the API on to a running `reeve demo`.
const backend = process.env.REEVE_URL ?? 'http://127.0.0.1:8080';

/** Files below this gain nothing, bytes. */
const WORTH_COMPRESSING = 1024;

/** Compresses scripts and styles once, at their best, so that the program need not do it for every browser. */
const brotli: Plugin = {
  name: 'brotli',
  apply: 'build',
  generateBundle(_, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      const source = Buffer.from(file.type === 'chunk' ? file.code : file.source);
      if (!/\.(js|css|svg)$/.test(name) || source.length < WORTH_COMPRESSING) continue;
      this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotliCompressSync(source) });
    }
  },
};

export default defineConfig({
  plugins: [react(), brotli],
  build: {
    target: 'es2022',
    // Everything is served from the program itself under a policy that allows no inline scripts.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
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
