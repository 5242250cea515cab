// The pages in a real Chromium against the real program. Every story runs in a fresh browser context; one that fails
// leaves a picture in e2e/failed/. Anything the browser complains about (scripts, policy, missing files) is a failure too.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM, demo } from './program.mjs';
import { stories } from './stories.mjs';

const failedDir = join(dirname(fileURLToPath(import.meta.url)), 'failed');
// Parts of names, separated by |: `node e2e/run.mjs 'palette|zoomed'`.
const only = process.argv[2]?.split('|');
const program = await demo();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
let passed = 0;
const failed = [];

for (const { name, viewport, run } of stories.filter(
  (story) => !only || only.some((part) => story.name.includes(part)),
)) {
  const context = await browser.newContext({
    baseURL: program.url,
    viewport: viewport ?? { width: 1440, height: 900 },
    acceptDownloads: true,
  });
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

await browser.close();
await program.stop();
console.log(`# pass ${passed}\n# fail ${failed.length}`);
if (failed.length > 0) process.exit(1);
