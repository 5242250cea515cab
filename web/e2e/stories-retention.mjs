// Retention of the log: policies with their effect, legal holds, and requests for erasure.
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

  const tiers = page.getByRole('table', { name: 'Tiers' });
  await tiers.getByText('Local disk').waitFor();
  await page.getByText('No place is configured for warm and cold').waitFor();
  await page.getByRole('button', { name: 'Request a restore' }).click();
  const restore = page.getByRole('dialog', { name: 'Request a restore' });
  await restore.getByLabel('From').fill('2024-01-01T00:00:00Z');
  await restore.getByLabel('Until').fill('2024-02-01T00:00:00Z');
  await restore.getByRole('button', { name: 'Request restore' }).click();
  await restore.getByText('they can be searched already').waitFor();
  page.once('dialog', (question) => void question.accept());
  await restore.getByRole('button', { name: 'Cancel' }).click();
  await restore.waitFor({ state: 'detached' });

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

  await page.getByRole('button', { name: 'Request an erasure' }).click();
  const erasure = page.getByRole('dialog', { name: 'Request an erasure' });
  await erasure.getByLabel('Actor ID').fill('alice');
  await erasure.getByRole('button', { name: 'Show the effect' }).click();
  await erasure.getByText('would be erased').waitFor();
  await erasure.getByLabel('Legal basis').fill('GDPR Art. 17');
  await erasure.getByLabel('Reason').fill('The person asked for it');
  await erasure.getByRole('button', { name: 'Request erasure' }).click();
  const erasures = page.getByRole('table', { name: 'Erasures' });
  await erasures.getByText('Waits for approval').waitFor();
  await erasures.getByRole('button', { name: 'Open alice' }).click();
  const opened = page.getByRole('dialog', { name: 'Erasure: alice' });
  await opened.getByRole('link', { name: 'Report as PDF' }).waitFor();
  // Its requester cannot approve it.
  assert.equal(await opened.getByRole('button', { name: 'Approve' }).count(), 0);
  await opened.getByLabel('Reason to reject or withdraw').fill('Settled otherwise');
  await opened.getByRole('button', { name: 'Reject or withdraw' }).click();
  await erasures.getByText('Withdrawn').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
}

export const retention = [
  {
    name: 'retention: a policy is changed with its effect, a hold placed and released, an erasure withdrawn',
    run: keepsEntries,
  },
];
