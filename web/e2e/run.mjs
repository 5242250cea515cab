// The pages in a real Chromium against the real program. Every story runs in a fresh browser context; one that fails
// leaves a picture in e2e/failed/. Anything the browser complains about (scripts, policy, missing files) is a failure too.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM, demo } from './program.mjs';
import { belongsTo } from './steps.mjs';
import { groups } from './stories.mjs';

const failedDir = join(dirname(fileURLToPath(import.meta.url)), 'failed');
// Stories wait for pages and for the demo more than they compute: two at a time keep two processors busy.
const LANES = Number(process.env.REEVE_E2E_LANES ?? 2);
// Parts of names, separated by |: `node e2e/run.mjs 'palette|zoomed'`.
const only = process.argv[2]?.split('|');
const waiting = groups
  .map((group) => group.filter((story) => !only || only.some((part) => story.name.includes(part))))
  .filter((group) => group.length > 0);
let passed = 0;
const failed = [];

// An assertion in a handler of the browser's events belongs to no story, and must not end the others.
process.on('unhandledRejection', (error) => {
  failed.push(`outside of a story: ${error}`);
  console.error(`FAIL outside of a story\n     ${String(error?.stack ?? error)}`);
});

async function tell({ name, viewport, run }, browser, program) {
  const context = await browser.newContext({
    baseURL: program.url,
    viewport: viewport ?? { width: 1440, height: 900 },
    acceptDownloads: true,
  });
  belongsTo(context, program.url);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const begun = performance.now();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser reports every 4xx answer; those that a story expects are part of it.
    if (message.type() === 'error' && !/status of 4(01|03|04|09|22|29)/.test(message.text()))
      complaints.push(message.text());
  });
  try {
    await run({ page, program });
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join(' | ')}`);
    passed += 1;
    console.log(`ok   ${name}  (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed.push(name);
    mkdirSync(failedDir, { recursive: true });
    const picture = join(failedDir, `${name.replace(/\W+/g, '-')}.png`);
    await page.screenshot({ path: picture, fullPage: true }).catch(() => undefined);
    console.error(
      `FAIL ${name}\n     ${String(error.stack ?? error).replaceAll('\n', '\n     ')}\n     picture: ${picture}`,
    );
  } finally {
    await context.close();
  }
}

/** Tells one group of stories after the other on a demo and in a browser of its own. */
async function lane() {
  const program = await demo();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  for (let group = waiting.shift(); group; group = waiting.shift())
    for (const story of group) await tell(story, browser, program);
  await browser.close();
  await program.stop();
}

await Promise.all(Array.from({ length: Math.min(LANES, waiting.length) }, lane));
console.log(`# pass ${passed}\n# fail ${failed.length}`);
if (failed.length > 0) process.exit(1);
