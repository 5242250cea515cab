// What people do with sources of entries: a mapping is tested, an event is pushed, an unreadable one is mended.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, read, signIn } from './steps.mjs';

async function mapsAndMends({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/settings/sources');
  await page.getByRole('button', { name: 'Add a source' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('doors');
  await form.getByRole('button', { name: 'Read the sample' }).click();
  await form.getByText('Left over, kept under metadata.item: floor').waitFor();
  await form.getByRole('button', { name: 'Add source' }).click();

  // The sample command is what a person copies into the other system.
  const command = await page.getByText(/^curl /).innerText();
  const token = /Bearer (rvl_\w+)/.exec(command)[1];
  await page.getByRole('button', { name: 'Done' }).click();
  const push = (body) =>
    page.evaluate(
      async ([bearer, text]) => {
        const answer = await fetch('/api/v1/audit-logs/incoming/doors', {
          method: 'POST',
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
          body: text,
        });
        return answer.json();
      },
      [token, body],
    );
  assert.equal((await push('{"id":"1","area":"door","what":"open","who":"ann"}')).accepted, 1);
  assert.equal((await push('{"id":"2","zone":"gate","what":"open"}')).rejected, 1);

  await page.reload();
  await page.getByRole('button', { name: 'Change' }).click();
  await form.getByLabel('Rules').fill('event_id = id\nevent_type = {zone}.{what}');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Quarantine' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The quarantine is empty.').waitFor();
  await page.keyboard.press('Escape');
  await eventually('both events are entries', async () => {
    const { items } = await read(page, 'audit-logs?query=submitted_by.id:doors');
    return items.length === 2;
  });
  await fitsWidth(page);
}

export const logSources = [
  { name: 'a source is mapped, pushes, and its quarantine is mended', run: mapsAndMends },
];
