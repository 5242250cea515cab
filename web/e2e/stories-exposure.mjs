// What people do with exposures.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, openPage, read, signIn } from './steps.mjs';

/** The agent of the demo runs within minutes of its start. */
const JUDGED_MS = 300_000;

async function followsPaths({ page, program }) {
  await signIn(page, program.email, program.password);
  const exposed = await eventually(
    'exposures are judged',
    async () => {
      const { items } = await read(page, 'intelligence/exposures?limit=1000');
      return items.length > 0 && items;
    },
    JUDGED_MS,
  );

  await openPage(page, 'Exposure');
  await page.getByText(`Exposed (${exposed.length})`, { exact: true }).waitFor();
  const table = page.getByRole('table', { name: 'Resources and the outsiders that reach them' });
  const row = table.getByRole('row').nth(1);
  await fitsWidth(page);

  const name = (await row.getByRole('cell').first().innerText()).split('\n')[0];
  const one = exposed.find(({ resource_name }) => resource_name === name);
  assert.ok(one, `${name} is exposed`);
  await row.getByRole('button', { name: `${one.path.length + 1} steps` }).click();
  const path = page.getByRole('list', { name: `Path to ${name}` });
  await path.waitFor();
  assert.equal(await path.getByRole('listitem').count(), one.path.length + 2, 'every step');
  await page.keyboard.press('Escape');

  await page.getByRole('radiogroup').getByText('Not exposed').click();
  await table.getByRole('button', { name: 'What stops it' }).first().click();
  await page.getByRole('dialog').getByText('Stopped by').waitFor();
  await page.keyboard.press('Escape');

  await table.getByRole('link', { name: 'Entry' }).first().click();
  await page.getByText('intelligence.evidence').first().waitFor();
}

/** What of a principal's permissions nothing uses, and the narrower policy beside the former one. */
async function showsUnusedPermissions({ page, program }) {
  await signIn(page, program.email, program.password);
  const found = await eventually(
    'unused permissions are judged',
    async () => {
      const { items } = await read(page, 'intelligence/privileges?result=pass&limit=1000');
      return items.find(({ unused }) => unused?.unused_actions.length > 0);
    },
    JUDGED_MS,
  );
  await openPage(page, 'Exposure');
  await page.getByText('Cannot', { exact: true }).click();
  const table = page.getByRole('table', { name: 'Users and roles and what they can become' });
  const row = table.getByRole('row').filter({ hasText: found.resource_name }).first();
  await row.getByText(found.unused.unused_actions[0]).waitFor();
  await row.getByText(`In ${found.unused.window_days} days`).waitFor();

  const { items } = await read(
    page,
    'intelligence/recommendations?agent=security_intelligence&limit=1000',
  );
  const narrower = items.find(({ plan }) => plan?.change?.name === 'tighten_role_policy');
  assert.ok(narrower, 'a narrower policy is recommended');
  await page.goto(`/intelligence/recommendations/${narrower.id}`);
  const policies = page.getByRole('table', { name: 'Policy now and policy afterwards' });
  await policies.getByText('Action').first().waitFor();
}

export const exposure = [
  { name: 'an exposed resource shows its path, a safe one what stops it', run: followsPaths },
  { name: 'unused permissions show the narrower policy', run: showsUnusedPermissions },
];
