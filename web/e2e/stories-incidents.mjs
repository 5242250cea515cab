// What people do with incidents and playbooks.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, openPage, read, send, signIn } from './steps.mjs';

const ATTACKED_MS = 120_000;
const ABROAD = '203.0.113.214';

/** A playbook is carried out in the background, one step after the other. */
const CARRIED_OUT = { timeout: 120_000 };

/** The watch judges what is recorded after its first look: the attacker tries again until then. */
const AGAIN_MS = 20_000;

/** The key of the demo's inventory that is used from an address on a threat list. */
async function stolenKey(page) {
  const { items } = await read(page, 'resources?type=access_key&limit=100');
  await send(page, 'PUT', 'intelligence/threat-lists/abroad', { indicators: ABROAD });
  return items.find(({ name }) => name === 'key of deploy').id;
}

/** Calls with a key, as a source submits them. */
async function attacks(page, key) {
  const call = (operation) => ({
    event_type: 'api.call',
    actor: { type: 'api_key', id: key, ip_address: ABROAD },
    resource: { type: 'account', id: '417382906514' },
    action: { operation, status: 'success', method: 'api' },
  });
  const calls = ['GetCallerIdentity', 'CreateAccessKey', 'StopLogging'];
  await send(page, 'POST', 'audit-logs', calls.map(call));
}

async function containsAnAttack({ page, program }) {
  await signIn(page, program.email, program.password);
  const key = await stolenKey(page);
  let attacked = 0;
  const incident = await eventually(
    'the stolen key is an incident',
    async () => {
      if (Date.now() - attacked > AGAIN_MS) {
        attacked = Date.now();
        await attacks(page, key);
      }
      const { items } = await read(page, 'intelligence/incidents?status=open&limit=100');
      for (const { id } of items) {
        const one = await read(page, `intelligence/incidents/${id}`);
        if (one.people.some(({ name, is_suspect }) => is_suspect && name === key)) return one;
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
  await page
    .getByRole('region', { name: 'What happened' })
    .getByRole('definition')
    .filter({ hasText: `Access key ${key}` })
    .waitFor();
  await page
    .getByRole('list', { name: 'Next steps' })
    .getByRole('region', { name: `Command that deactivates ${key}` })
    .waitFor();
  await page.getByRole('group', { name: 'Graph of the incident' }).waitFor();
  await page
    .getByRole('list', { name: 'Timeline of the incident' })
    .getByText('Entry')
    .first()
    .waitFor();

  await page.getByRole('textbox', { name: 'New task' }).fill('Ask the owner of the key');
  await page.getByRole('button', { name: 'Add task' }).click();
  const task = { name: 'Ask the owner of the key' };
  await page.getByRole('checkbox', task).click();
  await page.getByRole('checkbox', { ...task, checked: true }).waitFor();
  await page.getByRole('textbox', { name: 'New note' }).fill('Seen in a public repository');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByText('Seen in a public repository').first().waitFor();

  await page.getByRole('button', { name: 'Run playbook' }).click();
  const steps = page.getByRole('list', { name: /^Steps of/ }).first();
  await steps.getByText('Deactivate access key').waitFor();
  await steps.getByText('its signatures are requested').first().waitFor(CARRIED_OUT);
  await page.getByRole('button', { name: 'Roll back' }).first().click();
  await page.getByText('Rolled back for').first().waitFor(CARRIED_OUT);
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
  { name: 'an attack with a stolen key is contained and rolled back', run: containsAnAttack },
  { name: 'a playbook is written', run: writesAPlaybook },
];
