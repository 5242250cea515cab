// The proof of an entry: verified in the browser, refused when a byte is altered, and checked by the command on the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { VERIFIER } from './program.mjs';
import { read, signIn } from './steps.mjs';

const steps = (page) =>
  page.getByRole('list', { name: 'Steps of the verification' }).getByRole('listitem');
const step = (page, name, result) =>
  steps(page)
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('img', { name: result })
    .waitFor();

async function openEntry({ page, program }) {
  await signIn(page, program.email, program.password);
  const { items } = await read(page, 'audit-logs?limit=1&query=event_type:authentication.login');
  await page.goto(`/audit/${encodeURIComponent(items[0].event_id)}`);
}

async function verifiesInTheBrowser(story) {
  const { page } = story;
  await openEntry(story);
  await page.getByText('Verified in this browser').waitFor();
  assert.equal(await steps(page).count(), 4);
  for (const name of ['Entry', 'Commitment', 'Inclusion', 'Signature'])
    await step(page, name, 'Holds');
  const folder = mkdtempSync(join(tmpdir(), 'reeve-proof-'));
  try {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download proof' }).click(),
    ]);
    await file.saveAs(join(folder, file.suggestedFilename()));
    const command = await page.getByLabel('Command', { exact: true }).innerText();
    // As a person pastes it; an exit code other than 0 throws.
    execFileSync('bash', ['-c', command], {
      cwd: folder,
      stdio: 'pipe',
      env: { ...process.env, PATH: `${dirname(VERIFIER)}:${process.env.PATH}` },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Alters one character of base64 to another that base64 knows too. */
const other = (text, at) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
const line = (text, pattern, at) => text.replace(pattern, (found) => other(found, at));

const ALTERED = [
  [
    '**/api/v1/audit-logs/entry?*',
    (text) =>
      text.replace(
        /"severity":"(\w+)"/,
        (_, was) => `"severity":"${was === 'high' ? 'info' : 'high'}"`,
      ),
    'Entry',
  ],
  ['**/api/v1/audit-logs/entry/proof?*', (text) => line(text, /^extra .*$/m, 200), 'Commitment'],
  ['**/api/v1/audit-logs/entry/proof?*', (text) => line(text, /^index \d+\n.*$/m, 20), 'Inclusion'],
  ['**/api/v1/audit-logs/entry/proof?*', (text) => line(text, /^— .*$/m, 60), 'Signature'],
  [
    '**/api/v1/audit-logs/keys',
    (text) =>
      text.replace(/\+([0-9a-f]{8})\+([^"]{40})/, (_, id, key) => `+${id}+${other(key, 20)}`),
    'Signature',
  ],
];

async function refusesWhatWasAltered(story) {
  const { page } = story;
  await openEntry(story);
  for (const [address, alter, failing] of ALTERED) {
    await page.route(address, async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      const altered = alter(text);
      assert.notEqual(altered, text, `${address} is altered`);
      await route.fulfill({ response: answer, body: altered });
    });
    await page.reload();
    await page.getByText('Verification failed').waitFor();
    await step(page, failing, 'Failed');
    await page.unroute(address);
  }
}

export const proofs = [
  {
    name: 'an entry is verified in the browser, and by the command beside it',
    run: verifiesInTheBrowser,
  },
  {
    name: 'an altered entry, path, signature or key is refused in the browser',
    run: refusesWhatWasAltered,
  },
];
