// What the browser really loads for a page before anybody touches it.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { read, signIn } from './steps.mjs';

/** Most that a page loads before it can be used, bytes with gzip; `npm run first-loads` measures every page of the build. */
const MOST = 250_000;
/** The charts load after the page. */
const CHARTS = /^engine-/;

async function loadsLittle({ page, program }) {
  await signIn(page, program.email, program.password);
  const {
    items: [recommendation],
  } = await read(page, 'intelligence/recommendations?status=open&limit=1');
  const {
    items: [resource],
  } = await read(page, 'resources?type=virtual_machine&limit=1');
  const storageState = await page.context().storageState();
  const large = [];
  for (const path of [
    '/intelligence',
    '/intelligence/recommendations',
    `/intelligence/recommendations/${recommendation.id}`,
    '/intelligence/agents',
    '/intelligence/actions',
    '/intelligence/models',
    '/intelligence/guardrails',
    '/intelligence/anomalies',
    '/audit',
    '/audit/search',
    '/audit/alerts',
    '/audit/exports',
    '/estate/connections',
    '/estate/connections/aws',
    `/estate/resources/${encodeURIComponent(resource.id)}`,
    '/settings/workspace',
  ]) {
    // A context of its own: nothing is in its cache.
    const context = await page
      .context()
      .browser()
      .newContext({ baseURL: program.url, viewport: { width: 1440, height: 900 }, storageState });
    const first = await context.newPage();
    const answers = [];
    first.on('response', (answer) => {
      if (/\/assets\/.*\.(js|css)$/.test(answer.url())) answers.push(answer);
    });
    await first.goto(path);
    await first.getByRole('heading', { level: 1 }).waitFor();
    await first.waitForLoadState('networkidle');
    const files = await Promise.all(
      answers.map(async (answer) => ({
        name: answer.url().split('/').pop(),
        bytes: gzipSync(await answer.body(), { level: 9 }).length,
      })),
    );
    const total = files
      .filter(({ name }) => !CHARTS.test(name))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(total > 100_000, `${path}: only ${total} bytes were seen`);
    if (total > MOST)
      large.push(`${path}: ${total} bytes, of ${files.map(({ name }) => name).join(', ')}`);
    await context.close();
  }
  assert.deepEqual(large, []);
}

export const loading = [
  { name: 'pages load at most 250 kB before they are used', run: loadsLittle },
];
