// What people are used to from other products: Back, the keyboard, many at once, files of tables, zoom, help.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { actionable, eventually, fitsWidth, onPage, read, signIn } from './steps.mjs';

const table = (page, name) => page.getByRole('table', { name, exact: true });
const firstCell = (page, name) => table(page, name).locator('tbody tr').first().innerText();

async function keepsSortingOnBack({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/resources?provider=aws');
  const heading = table(page, 'Resources').getByRole('button', { name: 'Resource', exact: true });
  await heading.click();
  await page.getByRole('button', { name: 'next page' }).click();
  await page.waitForURL(/sort=name.*page=2|page=2.*sort=name/);
  const before = await firstCell(page, 'Resources');
  await table(page, 'Resources').locator('tbody tr a').first().click();
  await page.waitForURL(/\/estate\/resources\/.+/);
  await page.goBack();
  await page.getByText(/^26 to/).waitFor();
  assert.equal(await firstCell(page, 'Resources'), before, 'the same page of the same order');
  assert.match(page.url(), /provider=aws/);
  await page.reload();
  await page.getByText(/^26 to/).waitFor();
  assert.equal(await firstCell(page, 'Resources'), before, 'a reload changes nothing');

  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 600);
  await page.waitForFunction(() => window.scrollY > 300);
  const top = async () => (await heading.boundingBox()).y;
  await eventually(
    'the heading stays below the bar',
    async () => (await top()) >= 56 && (await top()) < 110,
  );

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Resources as CSV' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'resources.csv');
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  const { total } = await read(page, 'resources?provider=aws&limit=1');
  assert.match(lines[0], /^Identifier,Resource,Kind,Size,/);
  assert.equal(lines.length, total + 1, 'all rows, not only those of the page');
}

async function worksByKeyboard({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('textbox', { name: 'Page, resource or recommendation' });
  await field.fill('kill');
  await page.getByRole('button', { name: /^Guardrails/ }).waitFor();
  await page.keyboard.press('Enter');
  await onPage(page, 'Guardrails');

  // What is typed before the palette is there is kept, and Enter takes the first hit.
  await page.locator('[role=dialog]').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('exclus');
  await page.keyboard.press('Enter');
  await onPage(page, 'Exclusions');
  await page.locator('[role=dialog]').waitFor({ state: 'detached' });

  const { items } = await read(page, 'resources?limit=1');
  const [{ name }] = items;
  await page.getByRole('button', { name: 'Command palette' }).first().click();
  await field.fill(name);
  await page.getByRole('dialog').getByRole('button').filter({ hasText: name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();

  // Keys belong to the palette until it is gone.
  await page.locator('[role=dialog]').waitFor({ state: 'detached' });
  await page.locator('#content').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await onPage(page, 'Recommendations');
  await table(page, 'Recommendations').locator('tbody tr a').first().waitFor();
  await page.keyboard.press('/');
  assert.ok(
    await page.evaluate(() => document.activeElement.closest('[role=search]') !== null),
    'the first filter has the focus',
  );
  await page.keyboard.press('Escape');
  await page.locator('#content').focus();
  await page.keyboard.press('Shift+?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Approvals').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Controls of a page that are lower than 24 pixels: what a finger misses. A switch is pressed by its label. */
const lowControls = (page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'main :is(button, input:not([role=switch]), select, summary, td a, nav a)',
      ),
    ]
      .filter((control) => control.checkVisibility() && control.getBoundingClientRect().height > 0)
      .filter((control) => control.getBoundingClientRect().height < 23.9)
      .map((control) => control.outerHTML.slice(0, 120)),
  );

async function isPressedOnPhones({ page, program }) {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, program.email, program.password);
  for (const [path, heading] of [
    ['/intelligence/guardrails', 'Guardrails'],
    ['/intelligence/recommendations', 'Recommendations'],
    ['/intelligence/anomalies', 'Anomalies'],
    ['/audit/search', 'Search'],
  ]) {
    await page.goto(path);
    await onPage(page, heading);
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await lowControls(page), [], path);
  }
  await page.goto('/intelligence/recommendations');
  const field = page.getByLabel('Minimum confidence');
  await field.focus();
  assert.equal(
    await field.evaluate((input) => getComputedStyle(input).outlineStyle),
    'solid',
    'a field with the focus has an outline',
  );
}

async function answersMany({ page, program }) {
  await signIn(page, program.email, program.password);
  const wanted = (await actionable(page))
    .filter(({ type }) => type === 'storage_optimization')
    .slice(0, 3);
  assert.equal(wanted.length, 3, 'three recommendations of one type');
  await page.goto('/intelligence/recommendations?type=storage_optimization');
  const select = (title) => page.getByRole('checkbox', { name: `Select ${title}`, exact: true });
  for (const { title } of wanted) await select(title).check();
  const bar = page.getByRole('region', { name: 'Selected recommendations' });
  await bar.getByText('3 selected').waitFor();

  // One of them is refused: the others are snoozed, and the dialog names it.
  const address = `**/api/v1/intelligence/recommendations/${wanted[1].id}/snooze`;
  await page.route(address, (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        code: 'conflict',
        title: 'Conflict',
        detail: 'It is being executed.',
        status: 409,
      }),
    }),
  );
  await bar.getByRole('button', { name: 'Snooze selected' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('after the migration');
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
  await dialog.getByText('2 of 3 snoozed').waitFor();
  await dialog.getByText('It is being executed.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await bar.getByText('1 selected').waitFor();
  await page.unroute(address);
  const states = async () =>
    Promise.all(
      wanted.map(async ({ id }) => (await read(page, `intelligence/recommendations/${id}`)).status),
    );
  assert.deepEqual(await states(), ['snoozed', 'open', 'snoozed']);

  await bar.getByRole('button', { name: 'Dismiss selected' }).click();
  await dialog.getByLabel('Reason').fill('kept on purpose');
  await page.keyboard.press('Escape');
  assert.equal(
    await dialog.getByLabel('Reason').inputValue(),
    'kept on purpose',
    'Escape keeps what was typed',
  );
  page.once('dialog', (asked) => asked.dismiss());
  await dialog.getByRole('banner').getByRole('button').click();
  assert.equal(
    await dialog.getByLabel('Reason').inputValue(),
    'kept on purpose',
    'closing asks first',
  );
  await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await eventually('the last is dismissed', async () => (await states())[1] === 'dismissed');
  for (const { id, title } of [wanted[0], wanted[2]]) {
    await page.goto(`/intelligence/recommendations/${id}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor({ state: 'detached' });
  }
  await eventually(
    'the others are open again',
    async () => (await states()).join() === 'open,dismissed,open',
  );
  await page.goto('/intelligence/recommendations');
  await select((await actionable(page))[0].title)
    .first()
    .check();
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
}

async function zoomsInAChart({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/audit/search');
  const chart = page.getByRole('img', { name: /^Entries found by/ });
  await chart.locator('canvas').waitFor();
  await page.waitForLoadState('networkidle');
  const { x, y, width, height } = await chart.boundingBox();
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 8 });
  await page.mouse.up();
  const reset = page.getByRole('button', { name: 'Reset zoom' });
  await reset.click();
  await reset.waitFor({ state: 'hidden' });

  const values = page.getByRole('slider', { name: /^Values of Entries found by/ });
  await values.focus();
  await page.keyboard.press('Home');
  const first = await values.getAttribute('aria-valuetext');
  assert.match(first, /: Entries \d+$/);
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await values.getAttribute('aria-valuetext'), first);
  await page.keyboard.press('+');
  await reset.waitFor();
  await page.keyboard.press('-');
  await reset.waitFor({ state: 'hidden' });
}

async function opensTheDocumentation({ page, program, context = page.context() }) {
  await signIn(page, program.email, program.password);
  await page.goto('/audit/search');
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  const [help] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('menuitem', { name: 'About this page: the query language' }).click(),
  ]);
  await help.getByRole('heading', { level: 1, name: 'The query language' }).waitFor();
  await help.getByRole('link', { name: 'Documentation' }).click();
  await help.getByRole('link', { name: 'Connect an AWS account' }).click();
  await help.getByRole('heading', { level: 1, name: 'Connect an AWS account' }).waitFor();
  await help.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(help);
}

export const habits = [
  {
    name: 'sorting, page and filter are kept on Back, headers stay in sight, and a table is saved as CSV',
    run: keepsSortingOnBack,
  },
  { name: 'pages and resources are opened by the keyboard', run: worksByKeyboard },
  {
    name: 'controls on phones are 24 pixels high, and fields show the focus',
    run: isPressedOnPhones,
  },
  { name: 'many recommendations are snoozed and dismissed at once', run: answersMany },
  { name: 'a chart is zoomed by dragging and by keys, and read by keys', run: zoomsInAChart },
  { name: 'a page leads to its documentation', run: opensTheDocumentation },
];
