// Starts the real program in its demo on a free port and in a folder of its own, and stops it again.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFront } from './pages.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const BINARY = resolve(process.env.REEVE_BIN ?? join(here, '../../target/debug/reeve'));
export const VERIFIER = resolve(
  process.env.REEVE_VERIFY_BIN ?? join(dirname(BINARY), 'reeve-verify'),
);
export const CHROMIUM = process.env.REEVE_TEST_CHROMIUM || '/usr/bin/chromium';
const START_MS = 180_000;

for (const [name, path] of [
  ['REEVE_BIN', BINARY],
  ['REEVE_VERIFY_BIN', VERIFIER],
  ['REEVE_TEST_CHROMIUM', CHROMIUM],
]) {
  if (!existsSync(path)) {
    console.error(
      `e2e: ${path} does not exist; build the programs first (cargo build --bins) or set ${name}`,
    );
    process.exit(1);
  }
}

function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** A running demo: its address, a sign-in, its data folder, and how to stop it. */
export async function demo() {
  const data = mkdtempSync(join(tmpdir(), 'reeve-e2e-'));
  const port = await freePort();
  const child = spawn(BINARY, ['demo', '--data-dir', data, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  let errors = '';
  child.stderr.on('data', (text) => {
    errors = (errors + text).slice(-4000);
  });
  const field = (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(told)?.[1];
  await new Promise((done, failed) => {
    const late = setTimeout(
      () => failed(new Error(`the demo did not start within ${START_MS / 1000} s\n${errors}`)),
      START_MS,
    );
    child.stdout.on('data', (text) => {
      told += text;
      if (field('Dashboard') && field('Sign in') && field('Password')) {
        clearTimeout(late);
        done();
      }
    });
    child.once('exit', (code) => failed(new Error(`the demo ended with ${code}\n${errors}`)));
  });
  const ended = new Promise((done) => child.once('exit', done));
  const front = process.env.REEVE_E2E_PAGES
    ? await inFront(resolve(here, '..', process.env.REEVE_E2E_PAGES), field('Dashboard'))
    : undefined;
  return {
    url: front?.url ?? field('Dashboard'),
    email: field('Sign in'),
    password: field('Password'),
    data,
    errors: () => errors,
    async stop() {
      front?.stop();
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(hard);
      rmSync(data, { recursive: true, force: true });
    },
  };
}
