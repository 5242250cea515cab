// The estate: a resource with its neighbours, configuration and history, and what the syncs of a connection read.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, onPhone, read, signIn } from './steps.mjs';

async function followsNeighboursByKeyboard({ page, program }) {
  await signIn(page, program.email, program.password);
  const groups = await read(page, 'resources?type=security_group&limit=100');
  let group;
  for (const one of groups.items) {
    const related = await read(page, `resources/${encodeURIComponent(one.id)}/relations`);
    if (related.items.some(({ direction }) => direction === 'incoming')) {
      group = one;
      break;
    }
  }
  assert.ok(group, 'a security group protects something');
  await page.goto(`/estate/resources/${encodeURIComponent(group.id)}`);
  const graph = page.getByRole('group', { name: /^Neighbours of / });
  await graph.waitFor();
  const link = graph.getByRole('link', { name: /protected by .*, incoming$/ }).first();
  const spoken = await link.getAttribute('aria-label');
  await link.focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('heading', { level: 1, name: spoken.split(' protected by')[0], exact: true })
    .waitFor();
  await page
    .getByRole('group', { name: /^Neighbours of / })
    .getByRole('link', {
      name: new RegExp(
        `^${group.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')} protected by .*, outgoing$`,
      ),
    })
    .waitFor();
  await page.getByRole('heading', { name: 'Configuration' }).first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
}

async function seesWhatASyncRead({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  await page.getByRole('button', { name: 'Result of the last sync by kind' }).first().click();
  const table = page.getByRole('table', { name: /^Last sync of / });
  await table.waitFor();
  const { items } = await read(page, 'connections');
  const readings = await read(page, `connections/${items[0].id}/readings?limit=1000`);
  assert.equal(await table.locator('tbody tr').count(), readings.total);
}

async function correctsAWorkload({ page, program }) {
  await signIn(page, program.email, program.password);
  const { items } = await read(
    page,
    'resources?query=workload:production%20type:virtual_machine&limit=1',
  );
  assert.equal(items.length, 1, 'a machine is production');
  await page.goto(`/estate/resources/${encodeURIComponent(items[0].id)}`);
  await page
    .getByRole('list', { name: 'Signals' })
    .getByText(/suggests production/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct the workload' });
  await dialog.getByRole('radio', { name: 'Batch' }).check();
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('It runs the settlement');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Set by .*It runs the settlement$/).waitFor();
  assert.equal(
    (await read(page, `resources/${encodeURIComponent(items[0].id)}/workload`)).class,
    'batch',
  );
  await page.getByRole('button', { name: 'Remove correction' }).click();
  await page.getByRole('button', { name: 'Remove correction' }).waitFor({ state: 'detached' });
}

async function choosesTheMiddleOfAMap({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/intelligence/dependencies');
  const balancers = page.getByRole('list', { name: 'Load balancers' });
  await balancers.getByRole('link').first().click();
  await page.getByRole('table', { name: 'Dependencies and their sources' }).waitFor();

  const { items } = await read(page, 'resources?type=database&limit=1');
  const field = page.getByRole('textbox', { name: 'Name or identifier' });
  await field.fill(items[0].name);
  const matches = page.getByRole('list', { name: 'Resources that match' });
  await matches.getByRole('link', { name: items[0].name, exact: true }).first().click();
  await page.waitForURL(/resource=/);
  assert.equal(new URL(page.url()).searchParams.get('resource'), items[0].id);
  assert.equal(await balancers.count(), 0, 'a chosen resource replaces the suggestions');
}

async function followsACostToItsResources({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/costs');
  const table = page.getByRole('table', { name: 'Costs by group' });
  const { groups, all } = await read(page, 'costs/spending');
  const [first] = groups;
  await table.getByRole('button', { name: first.value, exact: true }).click();
  await page.waitForURL(/by=resource/);
  await page.getByText(`Service: ${first.value}`).waitFor();
  const query = new URLSearchParams({ service: first.value, by: 'resource' });
  const narrowed = await read(page, `costs/spending?${query}`);
  assert.equal(narrowed.all.total, first.total, 'the group is what its charges add up to');
  assert.ok(narrowed.all.total < all.total);
  await table.getByRole('columnheader', { name: 'Resource' }).waitFor();
  await fitsWidth(page);

  await table.getByRole('link', { name: 'Open resource' }).first().click();
  await page.waitForURL(/estate\/resources\//);
  await page.goBack();
  await page.getByRole('button', { name: `Remove Service: ${first.value}` }).click();
  await page.getByText(`Service: ${first.value}`).waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).searchParams.get('service'), null);
}

async function readsADatabase({ page, program }) {
  await signIn(page, program.email, program.password);
  const found = async () => (await read(page, 'databases')).items[0];
  const database = await eventually('the load of a database is read', found);
  await page.goto(`/estate/resources/${encodeURIComponent(database.id)}`);
  await page.getByRole('link', { name: 'Load and queries' }).click();
  await page.getByRole('heading', { level: 1, name: database.name }).waitFor();
  await page.getByRole('img', { name: `Active sessions of ${database.name} by wait` }).waitFor();
  await page
    .getByRole('list', { name: /^Waits/ })
    .getByText('IO: DataFileRead')
    .waitFor();

  // A statement with its text, figures and plan.
  const table = page.getByRole('table', { name: `Queries of ${database.name}` });
  await table.getByRole('button', { name: /FROM orders WHERE customer_id = \$1/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Query' });
  await dialog.getByRole('list', { name: 'Steps of the plan' }).waitFor();
  await dialog.getByText('Most of the cost').waitFor();
  await dialog.getByText('Seq Scan on orders').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  // Advice leads to its recommendation, and from there back to the database.
  const advice = await eventually('the agent has judged it', async () => {
    const path = `databases/${encodeURIComponent(database.id)}/advice`;
    return (await read(page, path)).items.find((one) => one.rule === 'missing_index');
  });
  assert.ok(advice.effect.before > advice.effect.after, 'the index saves something');
  await page.reload();
  await page.getByRole('link', { name: advice.title, exact: true }).click();
  await page.getByRole('link', { name: 'Load, queries and advice' }).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.getByText('1 hour', { exact: true }).click();
  await page.getByRole('img', { name: /^Active sessions of / }).waitFor();
  await onPhone(page, database.name);

  // A database without a login says what to do.
  const { items } = await read(page, 'resources?type=database&limit=100');
  const unread = items.find(({ name }) => name !== database.name);
  await page.goto(`/estate/databases/${encodeURIComponent(unread.id)}`);
  await page.getByText('Nothing was read of this database yet').waitFor();
  await fitsWidth(page);
}

export const estate = [
  {
    name: 'costs: from a service to its resources, and back',
    run: followsACostToItsResources,
  },
  { name: 'a database: its load, a query with its plan, and its advice', run: readsADatabase },
  { name: 'the dependency map: its middle is suggested or searched', run: choosesTheMiddleOfAMap },
  { name: 'a resource: its workload is corrected and taken back', run: correctsAWorkload },
  { name: 'a resource: its neighbours are followed by keyboard', run: followsNeighboursByKeyboard },
  { name: 'a connection: what its last sync read, kind by kind', run: seesWhatASyncRead },
];
