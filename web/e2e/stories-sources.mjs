// Metrics and bills from elsewhere, on the page of connections: a Prometheus server that pushes, one that is queried, and a bucket with bills.
import assert from 'node:assert/strict';
import { fitsWidth, read, signIn } from './steps.mjs';

const region = (page, name) => page.getByRole('region', { name, exact: true });

async function opensForm(page, button, title) {
  await page.getByRole('button', { name: button, exact: true }).click();
  return page.getByRole('dialog', { name: title });
}

async function removes(page, name) {
  await region(page, name).getByRole('button', { name: 'Change', exact: true }).click();
  await page
    .getByRole('dialog', { name: `Change ${name}` })
    .getByRole('button', { name: 'Remove', exact: true })
    .click();
  await page.getByRole('button', { name: `Remove ${name}`, exact: true }).click();
  await region(page, name).waitFor({ state: 'detached' });
}

/** The token is shown once, opens the receiver for pushes and nothing else, and ends when it is replaced. */
async function receivesPushes({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  await page.getByText('No Prometheus server is connected.').waitFor();
  const form = await opensForm(page, 'Add Prometheus server', 'Add a Prometheus server');
  await form.getByRole('button', { name: 'Add metric source' }).click();
  await form.getByText('Enter a name', { exact: true }).waitFor();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Pushing');
  await form.getByRole('button', { name: 'Add metric source' }).click();
  const configuration = page.getByRole('dialog', { name: 'Configure Prometheus' });
  const text = await configuration
    .getByRole('region', { name: 'Section of prometheus.yml' })
    .innerText();
  const [, address] = /url:\s*"?([^\s"]+)/.exec(text) ?? [];
  const [, token] = /credentials:\s*"?([^\s"]+)/.exec(text) ?? [];
  assert.ok(address && token, `the section has an address and a token: ${text}`);
  await configuration.getByRole('button', { name: 'Done' }).click();
  await region(page, 'Pushing').getByText('None since Reeve started').waitFor();
  assert.ok(!(await page.content()).includes(token), 'the token is shown once');
  const answers = (bearer, path = address, method = 'POST') =>
    page.request.fetch(path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-protobuf' },
      data: method === 'POST' ? Buffer.from('?') : undefined,
    });
  assert.equal((await answers('wrong')).status(), 401);
  const taken = (await answers(token)).status();
  assert.ok(
    taken >= 400 && taken !== 401 && taken !== 403,
    `the token is accepted, and what is no push is refused: ${taken}`,
  );
  await region(page, 'Pushing').getByRole('button', { name: 'Preview matches' }).click();
  await page
    .getByRole('dialog', { name: 'Matching series of Pushing' })
    .getByText('This source has no rules yet. Add some under Change.')
    .waitFor();
  await page.keyboard.press('Escape');
  await region(page, 'Pushing').getByRole('button', { name: 'New token' }).click();
  await configuration.getByRole('button', { name: 'Done' }).click();
  assert.equal((await answers(token)).status(), 401, 'a replaced token opens nothing');
  await removes(page, 'Pushing');
}

/** An address inside the own network is refused at its field; one that cannot be reached says so on its card. */
async function queriesAServer({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  const form = await opensForm(page, 'Add Prometheus server', 'Add a Prometheus server');
  await form.getByText('Reeve queries Prometheus').click();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Queried');
  await form.getByRole('textbox', { name: 'Address' }).fill('https://127.0.0.1:9090');
  await form.getByRole('button', { name: 'Add metric source' }).click();
  await form
    .getByText('Correct the marked fields.')
    .or(form.getByText(/private|public address/i))
    .first()
    .waitFor();
  assert.equal(
    await form.getByRole('textbox', { name: 'Address' }).getAttribute('aria-invalid'),
    'true',
    'the address is marked',
  );
  await form.getByRole('textbox', { name: 'Address' }).fill('https://prometheus.acme.invalid');
  await form.getByRole('button', { name: 'Add metric source' }).click();
  await form.waitFor({ state: 'detached' });
  const card = region(page, 'Queried');
  await card.getByText('https://prometheus.acme.invalid').waitFor();
  await card.getByRole('button', { name: 'Query now' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await removes(page, 'Queried');
  assert.equal((await read(page, 'metrics/sources')).items.length, 0);
}

/** A bucket is read with the credentials of an AWS connection; without one the form says what is missing. */
async function readsBills({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  await page.getByText('No bucket is read. Savings are computed at list prices.').waitFor();
  const form = await opensForm(page, 'Add bucket', 'Add a bucket with bills');
  await form.getByText('No AWS connection with credentials yet').waitFor();
  await form.getByRole('link', { name: 'Connect an AWS account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connect an AWS account' }).waitFor();
}

const PRICES =
  '# provider: aws\n# kind: machines\n# source: Negotiated rates\n# date: 2026-11-01\nregion,name,linux/on_demand\nus-east-1,m5.large,0.09\n';

/** A file with a defect is refused with its line; a good one goes before the bundled prices, and can be removed. */
async function importsPrices({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  const tables = page.getByRole('table', { name: 'Price lists' });
  await tables.getByText('AWS price list of 2025-05-28').first().waitFor();
  await tables.getByText('over 180 days').first().waitFor();
  const choose = async (text) => {
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import price file' }).click();
    await (
      await chosen
    ).setFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  };
  await choose(PRICES.replace('0.09', 'free'));
  await page
    .getByText(/line 6: "free" is not a price/)
    .first()
    .waitFor();
  await choose(PRICES);
  const row = tables.getByRole('row').filter({ hasText: 'Negotiated rates of 2026-11-01' });
  await row.getByText('Imported').waitFor();
  assert.equal((await read(page, 'prices')).items[0].source, 'Negotiated rates');
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByRole('button', { name: 'Remove AWS machines' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove AWS machines' }).click();
  await row.waitFor({ state: 'detached' });
  assert.ok((await read(page, 'prices')).items.every(({ origin }) => origin === 'bundled'));
}

export const sources = [
  {
    name: 'metrics: a Prometheus server pushes with a token that is shown once',
    run: receivesPushes,
  },
  { name: 'metrics: a Prometheus server is queried', run: queriesAServer },
  {
    name: 'prices: a file is refused with its line, goes before the bundled prices, and is removed',
    run: importsPrices,
  },
  { name: 'bills: a bucket needs an AWS connection, and the form leads there', run: readsBills },
];
