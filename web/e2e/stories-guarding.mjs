// What people do with threat lists, and what they see of the guardrails that are used up.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, fitsWidth, onPhone, openPage, read, signIn } from './steps.mjs';

/** Files are read once a minute. */
const FILE_MS = 120_000;
const GOOD =
  '# seen in May\n203.0.113.7, Scanner of May, 2026-05-03\n198.51.100.0/24\nuser_agent:sqlmap, injection tool\n';
const WRONG = `${GOOD}203.0.113.300\nuser_agent:x\n`;
const counted = async (page, name) =>
  (await read(page, 'intelligence/threat-lists')).items.find((list) => list.name === name)
    ?.indicator_count;

async function keepsThreatLists({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Anomalies');
  await page.getByText('Threat lists', { exact: true }).click();
  await page
    .getByText('Ships with Reeve. A file of this name in threat-lists/ replaces it')
    .waitFor();
  const dialog = page.getByRole('dialog');
  const table = page.getByRole('table', { name: 'Threat lists' });
  const text = dialog.getByLabel('Indicators');

  await page.getByRole('button', { name: 'Add a list' }).click();
  await dialog.getByRole('button', { name: 'Add the list' }).click();
  await dialog.getByText('Choose a file, or paste indicators').waitFor();
  await text.fill(WRONG);
  await dialog.getByText('2 addresses, 1 network, 2 programs').waitFor();
  await dialog.getByLabel('Name').fill('Seen in May');
  await dialog.getByRole('button', { name: 'Add the list' }).click();
  await dialog.getByText('2 lines are wrong').waitFor();
  await dialog.getByRole('button', { name: 'Line 5' }).click();
  assert.equal(
    await text.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)),
    '203.0.113.300',
    'the line is shown where it stands',
  );
  assert.equal(
    await counted(page, 'Seen in May'),
    undefined,
    'a list with a wrong line is not kept',
  );
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({ name: 'may.csv', mimeType: 'text/csv', buffer: Buffer.from(GOOD) });
  await dialog.getByText('1 address, 1 network, 1 program').waitFor();
  await dialog.getByRole('button', { name: 'Add the list' }).click();
  await table.getByRole('button', { name: 'Seen in May', exact: true }).waitFor();
  assert.equal(await counted(page, 'Seen in May'), 3);

  // A name that is taken is told before it is replaced, and what was replaced can be brought back.
  await page.getByRole('button', { name: 'Add a list' }).click();
  await text.fill('192.0.2.1');
  await dialog.getByLabel('Name').fill('Seen in May');
  await dialog.getByText('There is a list of this name').waitFor();
  await dialog.getByRole('button', { name: 'Replace the list' }).click();
  await page.getByText('“Seen in May” has 1 indicator now.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually('the list as it was', async () => (await counted(page, 'Seen in May')) === 3);

  await table.getByRole('button', { name: 'Seen in May', exact: true }).click();
  await text.fill(`${GOOD}192.0.2.77\n`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Seen in May” has 4 indicators now.').waitFor();
  await table.getByRole('button', { name: 'Remove Seen in May' }).click();
  await dialog.getByRole('button', { name: 'Remove Seen in May' }).click();
  await page
    .getByText('Ships with Reeve. A file of this name in threat-lists/ replaces it')
    .waitFor();
  await page
    .getByRole('alert')
    .filter({ hasText: '“Seen in May” is removed.' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await table.getByRole('button', { name: 'Seen in May', exact: true }).waitFor();
  assert.equal(await counted(page, 'Seen in May'), 4, 'what is taken back is whole');
}

async function showsFiles({ page, program }) {
  mkdirSync(join(program.data, 'threat-lists'), { recursive: true });
  writeFileSync(join(program.data, 'threat-lists', 'feed.txt'), GOOD);
  await signIn(page, program.email, program.password);
  await eventually('the file as a list', () => counted(page, 'feed.txt'), FILE_MS);
  await page.goto('/intelligence/anomalies/threat-lists');
  const row = page
    .getByRole('table', { name: 'Threat lists' })
    .locator('tbody tr')
    .filter({ hasText: 'feed.txt' });
  await row.getByText('File', { exact: true }).waitFor();
  assert.equal(
    await row.getByRole('button', { name: /^Remove/ }).count(),
    0,
    'a file is not removed from here',
  );
  await row.getByRole('button', { name: 'feed.txt' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Managed as a file').waitFor();
  assert.equal(await dialog.getByLabel('Indicators').getAttribute('readonly'), '');
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).count(), 0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Add a list' }).click();
  await dialog.getByLabel('Indicators').fill('192.0.2.1');
  await dialog.getByLabel('Name').fill('feed.txt');
  await dialog.getByRole('button', { name: 'Add the list' }).click();
  await dialog.getByText('A file in the data directory has this name; choose another').waitFor();
  await onPhone(page, 'Anomalies');
}

const STATUS = '**/api/v1/intelligence/guardrails/status';

async function showsWhatIsUsed({ page, program }) {
  await signIn(page, program.email, program.password);
  const status = await read(page, 'intelligence/guardrails/status');
  await page.goto('/intelligence/guardrails');
  const use = page.getByRole('region', { name: 'In use', exact: true });
  await use
    .getByText(`${status.circuit_breaker.failures} of ${status.circuit_breaker.limit} failures`)
    .waitFor();
  await use.getByText('Changes in 24 hours').waitFor();
  const budgets = page.getByRole('region', { name: 'Error budgets', exact: true });
  await budgets
    .getByText(/uptime leaves .+ of planned downtime in \d+ days to each resource/)
    .waitFor();
  if (status.error_budgets.length === 0) await budgets.getByText('No downtime').waitFor();
  else
    await budgets
      .getByRole('meter', { name: `Error budget of ${status.error_budgets[0].resource_name}` })
      .waitFor();

  // The worst that can be: told as it would be, of the service's own answer with other figures.
  const budget = (name, used) => ({
    resource_id: name,
    resource_name: name,
    connection_id: 'c',
    downtime_s: (used / 100) * status.budget_s,
    used,
    uptime: 100 - used / 1000,
    changes: 3,
  });
  const worst = {
    ...status,
    actions_today: status.max_actions_per_day,
    circuit_breaker: {
      ...status.circuit_breaker,
      state: 'open',
      failures: status.circuit_breaker.limit,
    },
    error_budgets: [
      budget('over', 140),
      ...Array.from({ length: 11 }, (_, at) => budget(`under-${at}`, 95 - 8 * at)),
    ],
    error_budgets_total: 12,
  };
  await page.route(STATUS, (route) => route.fulfill({ json: worst }));
  await page.reload();
  await page.getByText('The circuit breaker is open: no change begins').waitFor();
  const bars = budgets.getByRole('listitem');
  assert.match(await bars.first().innerText(), /^over\s+140\s%, exceeded/);
  await budgets.getByRole('button', { name: 'Show all 12' }).click();
  assert.equal(await bars.count(), 12);
  await onPhone(page, 'Guardrails');
  await page.unroute(STATUS);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Reset circuit breaker' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('the cause is mended');
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await use.getByText(/^Closed; last reset/).waitFor();
  await fitsWidth(page);
}

async function setsTheMatrix({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/intelligence/guardrails');
  const matrix = page.getByRole('region', { name: 'Approval matrix', exact: true });
  const above = matrix.getByLabel('High impact above');
  await above.waitFor();
  const save = page.getByRole('button', { name: 'Save guardrails' });
  await above.fill('50');
  assert.ok(await save.isDisabled(), 'a reason is asked for');
  await page.getByLabel('Reason for the change').fill('a stricter matrix for the quarter');
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.getByRole('link', { name: 'Exclusions' }).click();
  await page.getByRole('heading', { level: 1, name: 'Guardrails' }).waitFor();
  assert.equal(await above.inputValue(), '$50', 'edits stay when the reader stays');
  await save.click();
  await page.getByText('must be an amount of at least `medium_from`').waitFor();
  await above.fill('2000');
  await save.click();
  await page.getByText('Guardrails saved.').waitFor();
  assert.equal(
    (await read(page, 'intelligence/guardrails')).approval_matrix.high_impact.cost,
    'above 2000 per month',
  );
  await page
    .getByRole('region', { name: 'History' })
    .getByText('Guardrails updated: a stricter matrix for the quarter')
    .first()
    .waitFor();
  await above.fill('1000');
  await page.getByLabel('Reason for the change').fill('as it was');
  await save.click();
  await eventually(
    'the matrix as it was',
    async () => (await read(page, 'intelligence/guardrails')).approval_matrix.high_above === 1000,
  );
  await onPhone(page, 'Guardrails');
}

export const guarding = [
  {
    name: 'a threat list is added, refused by its lines, replaced, changed, removed and brought back',
    run: keepsThreatLists,
  },
  { name: 'a threat list that lies as a file is shown and left alone', run: showsFiles },
  { name: 'the guardrails show how far they are used up', run: showsWhatIsUsed },
  { name: 'the approval matrix is refused, changed and set back', run: setsTheMatrix },
];
