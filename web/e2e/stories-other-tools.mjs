// What people do with alerts of other security tools.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, read, signIn } from './steps.mjs';

async function takesAndCloses({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/intelligence/anomalies/other-tools');
  await page.getByRole('button', { name: 'Add a source' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Sensor');
  await form.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'Other JSON' }).click();
  await form.getByRole('button', { name: 'Add source' }).click();

  // The sample command is what a person copies into the tool.
  const command = await page.getByText(/^curl /).innerText();
  const token = /Bearer (rva_\w+)/.exec(command)[1];
  await page.getByRole('button', { name: 'Done' }).click();
  const pushed = await page.evaluate(async (bearer) => {
    const answer = await fetch('/api/v1/intelligence/inbound-alerts', {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: '{"id":"42","title":"Odd login at the story","severity":"low"}',
    });
    return answer.json();
  }, token);
  assert.equal(pushed.new, 1);

  await page.reload();
  const table = page.getByRole('table', { name: 'Alerts of other tools' });
  await table.getByRole('button', { name: 'Odd login at the story' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The sender calls it low.').waitFor();
  await dialog.getByRole('button', { name: 'Close the alert' }).click();
  await eventually('the alert is closed', async () => {
    const { items } = await read(page, 'intelligence/inbound-alerts?status=closed');
    return items.some(({ title }) => title === 'Odd login at the story');
  });
  await fitsWidth(page);
}

export const otherTools = [
  { name: 'an alert of another tool is taken, weighed and closed', run: takesAndCloses },
];
