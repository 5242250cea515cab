// What people do with incidents and playbooks.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, openPage, read, signIn } from './steps.mjs';

/** The demo's key is used abroad eight minutes after its start; what is unusual is told within a minute. */
const ATTACKED_MS = 900_000;

async function containsAnAttack({ page, program }) {
  await signIn(page, program.email, program.password);
  const incident = await eventually(
    'the stolen key is an incident',
    async () => {
      const { items } = await read(page, 'intelligence/incidents?status=open&limit=100');
      for (const { id } of items) {
        const one = await read(page, `intelligence/incidents/${id}`);
        if (one.people.some(({ name, is_suspect }) => is_suspect && name.startsWith('AKIA')))
          return one;
      }
      return undefined;
    },
    ATTACKED_MS,
  );

  await openPage(page, 'Incidents');
  const table = page.getByRole('table', { name: 'Security incidents' });
  await fitsWidth(page);
  await table.getByRole('link', { name: incident.title }).first().click();
  await page.getByRole('list', { name: 'Findings of the incident' }).waitFor();
  await page.getByRole('group', { name: 'Graph of the incident' }).waitFor();
  await page
    .getByRole('list', { name: 'Timeline of the incident' })
    .getByText('Entry')
    .first()
    .waitFor();

  await page.getByRole('textbox', { name: 'New task' }).fill('Ask the owner of the key');
  await page.getByRole('button', { name: 'Add task' }).click();
  await page.getByRole('checkbox', { name: 'Ask the owner of the key' }).check();
  await page.getByRole('textbox', { name: 'New note' }).fill('Seen in a public repository');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('Seen in a public repository').first().waitFor();

  await page.getByRole('button', { name: 'Run playbook' }).click();
  const steps = page.getByRole('list', { name: /^Steps of/ }).first();
  await steps.getByText('Deactivate access key').waitFor();
  await steps.getByText('its signatures are requested').first().waitFor();
  await page.getByRole('button', { name: 'Roll back' }).first().click();
  await page.getByText('Rolled back for').first().waitFor();
  const { items } = await read(page, `intelligence/incidents/${incident.id}/runs`);
  assert.ok(items[0].rollback.ended_at, 'nothing is left to take back');
}

async function writesAPlaybook({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Playbooks');
  await page.getByText('Contain a stolen access key').waitFor();
  await fitsWidth(page);
  await page.getByRole('button', { name: 'Write a playbook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('call-the-team');
  await dialog.getByLabel('Title').fill('Call the team');
  await dialog.getByLabel('Message').fill('Look at the incident.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Call the team').first().waitFor();
}

export const incidents = [
  { name: 'the attack of the demo is contained and rolled back', run: containsAnAttack },
  { name: 'a playbook is written', run: writesAPlaybook },
];
