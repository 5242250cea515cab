// What people do on the pages of webhooks and notification channels. No receiver is reached: names under .invalid lead nowhere.
import assert from 'node:assert/strict';
import { eventually, read, signIn } from './steps.mjs';

async function makesWebhook({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('To the on-call tool');
  await dialog.getByLabel('Address').fill('https://127.0.0.1/reeve');
  await dialog.getByRole('combobox', { name: 'Priority' }).click();
  await page.getByRole('option', { name: 'High', exact: true }).click();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText('Correct the marked fields.').waitFor();
  const marked = dialog.getByRole('textbox', { name: 'Address' });
  assert.equal(await marked.getAttribute('aria-invalid'), 'true', 'the wrong field is marked');
  await marked.fill('https://hooks.acme.invalid/reeve');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  assert.match(secret, /^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { level: 1, name: 'To the on-call tool' }).waitFor();
  await page.getByText('Priority: high').waitFor();
  await page.reload();
  await page.getByText(/^Nothing sent yet/).waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');
}

async function sendsAndReplays({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/webhooks');
  await page.getByRole('link', { name: 'To the on-call tool' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: 'The test did not arrive' })
    .getByText(/cannot be resolved/)
    .waitFor();
  const deliveries = page.getByRole('region', { name: 'Deliveries', exact: true });
  await deliveries.getByText('Dead letter', { exact: true }).waitFor();
  await deliveries.getByRole('button', { name: /^A test/ }).press('Enter');
  await deliveries.getByRole('list', { name: 'Attempts' }).getByText('No answer').waitFor();
  await deliveries.getByRole('button', { name: 'Send again' }).click();
  const { items } = await read(page, 'intelligence/webhooks');
  await eventually(
    'it is tried again',
    async () =>
      (await read(page, `intelligence/webhooks/${items[0].id}/deliveries`)).items[0].attempts
        .length > 1,
  );

  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText(/^The previous secret stays valid until/).waitFor();
  assert.match(await page.getByLabel('Secret', { exact: true }).innerText(), /^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('dialog').getByRole('switch', { name: 'Switched on' }).press('Space');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
}

async function makesChannel({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('No channels yet').waitFor();
  await page.getByRole('button', { name: 'Add channel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'PagerDuty' }).click();
  await dialog.getByLabel('Name').fill('On call');
  const key = dialog.getByLabel('Integration key');
  await key.fill('too short');
  await dialog.getByText('Anomalies', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByText('Correct the marked fields.').waitFor();
  assert.equal(await key.getAttribute('aria-invalid'), 'true', 'the wrong field is marked');

  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Slack' }).click();
  await dialog.getByLabel('Webhook address').fill('https://hooks.slack.invalid/services/T0/B0/x');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await page.getByRole('heading', { level: 1, name: 'On call' }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('status').filter({ hasText: 'The test did not arrive' }).waitFor();
  await page
    .getByRole('region', { name: 'Deliveries', exact: true })
    .getByText('Dead letter', { exact: true })
    .waitFor();
  assert.ok(!(await page.content()).includes('services/T0'), 'the secret does not come out');
  const { items } = await read(page, 'intelligence/notification-channels');
  assert.deepEqual(
    items.map(({ type, topics }) => [type, topics]),
    [['slack', ['anomalies']]],
  );
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove channel' }).click();
  await page.getByText('No channels yet').waitFor();
}

async function setsPublicAddress({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/notifications');
  const note = page.getByRole('alert', { name: 'Notifications have no links' });
  await note.getByRole('link', { name: 'public address' }).click();
  const address = page.getByLabel('Public address');
  await address.fill('reeve.acme.example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('must be an https or http address').waitFor();
  assert.equal(await address.getAttribute('aria-invalid'), 'true', 'the wrong field is marked');
  await address.fill('https://reeve.acme.example/');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(
    'it is stored without the last slash',
    async () => (await read(page, 'settings')).public_url === 'https://reeve.acme.example',
  );
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('No channels yet').waitFor();
  assert.equal(await note.count(), 0, 'links are there now');
}

export const outbound = [
  {
    name: 'a webhook is made: a private address is refused at its field, the secret shown once',
    run: makesWebhook,
  },
  {
    name: 'a webhook is tested, a dead letter sent again, its secret replaced',
    run: sendsAndReplays,
  },
  { name: 'a channel is made and tested, and its secret stays in', run: makesChannel },
  { name: 'notifications get links once the public address is set', run: setsPublicAddress },
];
