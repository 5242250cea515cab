// What people do on the page of alerts: enable a ready rule, write one with its preview, deal with a firing.
import assert from 'node:assert/strict';
import { eventually, onPhone, openPage, read, send, signIn } from './steps.mjs';

const RULE = 'Failed logins of the story';
const CONDITION = 'event_type:authentication.login AND status:failed AND actor.email:';

async function open({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.getByRole('link', { name: 'Audit Logging' }).click();
  await openPage(page, 'Alerts');
  await page.getByRole('heading', { level: 2, name: 'Rules', exact: true }).waitFor();
}

/** Failed sign-ins, submitted as a source would. */
async function fail(page, email, times) {
  const entry = {
    event_type: 'authentication.login',
    actor: { type: 'user', id: email, email },
    action: { operation: 'login', status: 'failed', method: 'api' },
  };
  await send(page, 'POST', 'audit-logs', Array(times).fill(entry));
}

async function enablesReadyRule(story) {
  const { page } = story;
  await open(story);
  await page.getByRole('button', { name: 'Enable Logging disabled or reduced' }).click();
  const rules = page.getByRole('table', { name: 'Alert rules' });
  await rules.getByText('Logging disabled or reduced').waitFor();
  const { items } = await read(page, 'audit-logs/alerts');
  const enabled = items.filter(({ name }) => name === 'Logging disabled or reduced');
  assert.deepEqual(
    enabled.map(({ state }) => state),
    ['enabled'],
  );
}

async function writesRule(story) {
  const { page } = story;
  await open(story);
  await fail(page, 'eve@e2e.example', 5);
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(RULE);
  await dialog
    .getByLabel('Condition')
    .fill(CONDITION.replace('status', 'stauts') + 'eve@e2e.example');
  await dialog
    .getByRole('region', { name: 'Preview' })
    .getByText(/status/)
    .waitFor();
  await dialog.getByLabel('Condition').fill(`${CONDITION}eve@e2e.example`);
  await dialog
    .getByRole('status')
    .filter({ hasText: /^Would have fired 1 time: / })
    .waitFor();
  await dialog.getByRole('img', { name: 'Firings over the last 30 days' }).waitFor();
  await dialog.getByLabel('Entries').fill('4000');
  await dialog
    .getByRole('status')
    .filter({ hasText: /^Would have fired 0 times: / })
    .waitFor();
  await dialog.getByLabel('Entries').fill('5');
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('table', { name: 'Alert rules' }).getByText(RULE).click();
  const rule = page.getByRole('dialog');
  await rule
    .getByText('The rule names no channel: firings are listed without a notification.')
    .waitFor();
  await rule.getByRole('button', { name: 'Send a test' }).click();
  await rule.getByText('The test did not arrive').waitFor();
  await rule.getByRole('button', { name: 'Silence', exact: true }).click();
  await page.getByRole('menuitem', { name: '8 hours' }).click();
  await rule.getByText('Silenced until', { exact: true }).waitFor();
  await rule.getByRole('button', { name: 'End silence' }).click();
  await rule.getByText('The rule is not silenced.').waitFor();
}

async function handlesFiring(story) {
  const { page } = story;
  await open(story);
  await send(page, 'POST', 'audit-logs/alerts', {
    name: 'Failed logins of Mallory',
    condition: `${CONDITION}mallory@e2e.example`,
    threshold: { count: 5, window: '5m' },
    group_by: 'actor.email',
    severity: 'high',
  });
  await fail(page, 'mallory@e2e.example', 6);
  const own = ({ count, group }) => count === 6 && group['actor.email'] === 'mallory@e2e.example';
  const { id } = await eventually('the firing', async () =>
    (await read(page, 'audit-logs/alerts/firings')).items.find(own),
  );
  await page.reload();
  // As the link of its notification opens it.
  await page.goto(`/audit/alerts?firing=${id}`);
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('list', { name: 'Entries that caused it' })
    .getByRole('link')
    .nth(5)
    .waitFor();
  await dialog.getByRole('button', { name: 'Acknowledge' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Acknowledged', { exact: true }).first().click();
  await page
    .getByRole('table', { name: 'Firings' })
    .getByText('actor.email mallory@e2e.example')
    .click();
  await dialog.getByLabel('Assign to').fill('nobody@e2e.example');
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click();
  await dialog.getByText(/is not the id or e-mail address of a user/).waitFor();
  await dialog.getByLabel('Assign to').fill(story.program.email);
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click();
  await eventually('it is assigned', async () =>
    (await read(page, 'audit-logs/alerts/firings')).items.some(
      ({ assignee }) => assignee === story.program.email,
    ),
  );
  await dialog.getByLabel('Note').fill('A test of the story');
  await dialog.getByRole('button', { name: 'Resolve' }).click();
  const resolved = await eventually(
    'it is resolved',
    async () => (await read(page, 'audit-logs/alerts/firings?status=resolved')).items[0],
  );
  assert.equal(resolved.note, 'A test of the story');
  await onPhone(page, 'Alerts');
}

export const alerts = [
  { name: 'a ready alert rule is enabled by one click', run: enablesReadyRule },
  { name: 'an alert rule is written with a live preview, diagnosed and tested', run: writesRule },
  { name: 'a firing is acknowledged, assigned and resolved', run: handlesFiring },
];
