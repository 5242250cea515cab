// What people do on the page of integrations. No receiver is reached: names under .invalid lead nowhere.
import assert from 'node:assert/strict';
import { read, signIn } from './steps.mjs';

async function makesStream({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/integrations');
  await page.getByText('No stream yet').waitFor();
  await page.getByRole('button', { name: 'Add a stream' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Splunk');
  await dialog.getByLabel('Collector URL').fill('https://splunk.acme.invalid:8088');
  await dialog.getByLabel('Source type').fill('reeve:audit');
  await dialog.getByRole('button', { name: 'Add stream' }).click();
  await dialog.getByText('Correct the marked fields.').waitFor();
  await dialog.getByText('is required for this type').waitFor();
  await dialog.locator('input[type=password]').fill('not-a-real-token');
  await dialog.getByRole('button', { name: 'Add stream' }).click();

  const card = page.getByRole('region', { name: 'Splunk' });
  await card.getByText('https://splunk.acme.invalid:8088').waitFor();
  await card.getByRole('button', { name: 'Test Splunk' }).click();
  await card.getByText('The test failed').waitFor();
  await card.getByText('Failing', { exact: true }).first().waitFor({ timeout: 20_000 });
  await card.getByRole('button', { name: 'Pause Splunk' }).click();
  await card.getByText('Paused', { exact: true }).waitFor();

  await card.getByRole('button', { name: 'Replay' }).click();
  await dialog.getByLabel('First sequence').fill('0');
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const { items } = await read(page, 'audit-logs/integrations');
  assert.equal(items[0].status.cursor, 0, 'it stands at the beginning');
  assert.ok(!(await page.content()).includes('not-a-real-token'), 'the token is never shown');

  await card.getByRole('button', { name: 'Change Splunk' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove Splunk' }).click();
  await page.getByText('No stream yet').waitFor();
}

async function reachesKafka({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/integrations');
  await page.getByRole('button', { name: 'Add a stream' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Kafka');
  const choose = async (label, option) => {
    await dialog.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Type', 'Topic of Apache Kafka, or of Event Hubs by its protocol');
  await dialog.getByLabel('Brokers').fill('kafka-1.acme.invalid:9093, kafka-2.acme.invalid');
  await dialog.getByLabel('Topic').fill('audit');
  await choose('Authentication', 'SASL SCRAM-SHA-512');
  await choose('Key of a record', 'Resource ID');
  await dialog.getByRole('button', { name: 'Add stream' }).click();
  await dialog.getByText('is required for this kind of stream').waitFor();
  await dialog.getByLabel('User').fill('reeve');
  await dialog.locator('input[type=password]').fill('not-a-real-password');
  await dialog.getByRole('button', { name: 'Add stream' }).click();

  const card = page.getByRole('region', { name: 'Kafka' });
  await card.getByText('kafka-1.acme.invalid:9093/audit').waitFor();
  await card.getByRole('button', { name: 'Test Kafka' }).click();
  await card.getByText('The test failed').waitFor();
  const { items } = await read(page, 'audit-logs/integrations');
  assert.deepEqual(items[0].settings, {
    brokers: 'kafka-1.acme.invalid:9093,kafka-2.acme.invalid:9092',
    topic: 'audit',
    tls: true,
    sasl: 'scram_sha_512',
    username: 'reeve',
    key: 'resource_id',
    compression: 'none',
  });

  await card.getByRole('button', { name: 'Change Kafka' }).click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove Kafka' }).click();
  await page.getByText('No stream yet').waitFor();
}

export const streams = [
  { name: 'a stream is added, tested, paused and removed', run: makesStream },
  { name: 'a topic of Kafka is added with its user', run: reachesKafka },
];
