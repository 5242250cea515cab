// Retention of the log: policies with their effect, and legal holds.
import assert from 'node:assert/strict';
import { fitsWidth, read, signIn } from './steps.mjs';

async function keepsEntries({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/retention');
  await page.getByText('Nothing is deleted yet').waitFor();
  await page.getByRole('button', { name: 'Change view', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Change view' });
  await form.getByLabel('Hot, days').fill('60');
  await form.getByRole('table', { name: 'Effect by policy' }).waitFor();
  await form.getByText('Nothing is deleted at once').waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Nothing is deleted yet').waitFor({ state: 'detached' });
  const { policies, version } = await read(page, 'audit-logs/retention');
  assert.equal(version, 1);
  assert.equal(policies.find(({ name }) => name === 'view').hot_days, 60);

  await page.getByRole('button', { name: 'Place a hold' }).click();
  const hold = page.getByRole('dialog', { name: 'Place a legal hold' });
  await hold.getByLabel('Case').fill('Case 7');
  await hold.getByLabel('Query').fill('actor.id:alice');
  await hold.getByLabel('Custodian').fill('Legal');
  await hold.getByLabel('Reason').fill('Litigation');
  await hold.getByRole('button', { name: 'Place hold' }).click();
  const holds = page.getByRole('table', { name: 'Legal holds' });
  await holds.getByText('actor.id:alice').waitFor();
  await holds.getByRole('button', { name: 'Release' }).click();
  const release = page.getByRole('dialog', { name: 'Release Case 7' });
  await release.getByLabel('Reason').fill('Settled');
  await release.getByRole('button', { name: 'Release hold' }).click();
  await holds.getByText('Released').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
}

export const retention = [
  {
    name: 'retention: a policy is changed with its effect, a hold placed and released',
    run: keepsEntries,
  },
];
