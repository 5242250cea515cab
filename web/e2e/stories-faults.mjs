// What people meet when something fails or is interrupted: a request of a page, a form that is left by Escape.
import assert from 'node:assert/strict';
import { signIn } from './steps.mjs';

const PAGES = [
  '/intelligence/recommendations',
  '/intelligence/approvals',
  '/intelligence/actions',
  '/intelligence/rollouts',
  '/intelligence/anomalies',
  '/intelligence/predictions',
  '/intelligence/objectives',
  '/intelligence/models',
  '/intelligence/agents',
  '/intelligence/guardrails',
  '/intelligence/change-control',
  '/intelligence/exclusions',
  '/intelligence/compliance',
  '/intelligence/incidents',
  '/intelligence/playbooks',
  '/intelligence/runbooks',
  '/intelligence/exposure',
  '/intelligence/dependencies',
  '/intelligence/drift',
  '/audit',
  '/audit/search',
  '/audit/alerts',
  '/audit/compliance',
  '/audit/reports',
  '/audit/exports',
  '/estate/connections',
  '/estate/resources',
  '/estate/costs',
  '/estate/budgets',
  '/settings/workspace',
  '/settings/users',
  '/settings/teams',
  '/settings/notifications',
  '/settings/sources',
  '/settings/integrations',
  '/settings/retention',
  '/settings/webhooks',
  '/settings/tokens',
];
const REFUSAL = {
  status: 429,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    code: 'too_many_requests',
    title: 'Too many requests',
    detail: 'Wait a moment.',
    status: 429,
  }),
};

/** The paths that a page asks the service for, the person's own session aside. */
async function asked(page, path) {
  const paths = new Set();
  const note = (request) => {
    const { pathname } = new URL(request.url());
    if (
      request.method() === 'GET' &&
      pathname.startsWith('/api/v1/') &&
      !/\/(me|sessions?|live)(\/|$)/.test(pathname)
    )
      paths.add(pathname);
  };
  page.on('request', note);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  return [...paths];
}

/** Tabs that look at pages side by side: most of the time goes into waiting until a page is quiet. */
const TABS = 3;

/** Pages on which a request of the frame around all pages is refused: its answer to that is the same on each. */
const PAGES_OF_THE_FRAME = 3;

/** Does something with each item, in several tabs side by side. */
async function inTabs(context, items, act) {
  const waiting = [...items];
  const errors = [];
  const work = async () => {
    const tab = await context.newPage();
    // Three tabs beside another story: on a busy machine a page is quiet late.
    tab.setDefaultTimeout(60_000);
    tab.on('pageerror', (error) => errors.push(error.message));
    for (let item = waiting.shift(); item; item = waiting.shift()) await act(tab, item);
    await tab.close();
  };
  await Promise.all(Array.from({ length: TABS }, work));
  assert.deepEqual(errors, []);
}

/** A page keeps its heading, its navigation and a reason or the rest of its content when a request of it fails. */
async function standsWithout(tab, { path, source }) {
  const address = (url) => url.pathname === source;
  await tab.route(address, (route) => route.fulfill(REFUSAL));
  await tab.goto(path);
  await tab.getByRole('heading', { level: 1 }).first().waitFor();
  await tab.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  await tab.waitForLoadState('networkidle');
  const { heading, text } = await tab.evaluate(() => ({
    heading: document.querySelector('h1').innerText,
    text: document.querySelector('main').innerText,
  }));
  assert.notEqual(heading, 'Something went wrong', `${path} without ${source}`);
  assert.ok(text.length - heading.length > 60, `${path} without ${source}: ${text}`);
  await tab.unroute(address);
}

async function standsWithoutARequest({ page, program }) {
  await signIn(page, program.email, program.password);
  const pagesOf = new Map();
  await inTabs(page.context(), PAGES, async (tab, path) => {
    for (const source of await asked(tab, path))
      pagesOf.set(source, [...(pagesOf.get(source) ?? []), path]);
  });
  const refused = [...pagesOf].flatMap(([source, paths]) => {
    const isOfTheFrame = paths.length > PAGES.length / 2;
    return (isOfTheFrame ? paths.slice(0, PAGES_OF_THE_FRAME) : paths).map((path) => ({
      path,
      source,
    }));
  });
  assert.ok(refused.length > PAGES.length, 'the pages ask for something');
  await inTabs(page.context(), refused, standsWithout);
}

/** Escape closes an empty form and gives the focus back, and leaves a filled one alone. */
async function keepsAFilledForm({ page, program }) {
  await signIn(page, program.email, program.password);
  for (const [path, button, field] of [
    ['/settings/teams', 'Add team', 'Name'],
    ['/settings/users', 'Add user', 'Name'],
    ['/intelligence/agents', 'Create agent', 'Name'],
    ['/estate/budgets', 'Add budget', 'Name'],
    ['/intelligence/objectives', 'Add objective', 'Name'],
    ['/audit/alerts', 'Add rule', 'Name'],
    ['/settings/integrations', 'Add a stream', 'Name'],
    ['/settings/webhooks', 'Add webhook', 'Address'],
  ]) {
    await page.goto(path);
    const opener = page.getByRole('button', { name: button, exact: true }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForFunction(
      (name) => document.activeElement?.textContent?.trim() === name,
      button,
    );
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await dialog.getByLabel(field).first().fill('kept');
    await page.keyboard.press('Escape');
    assert.equal(
      await dialog.getByLabel(field).first().inputValue(),
      'kept',
      `${path}: Escape keeps a filled form`,
    );
    page.once('dialog', (question) => void question.accept());
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
}

export const faults = [
  { name: 'one failing request never blanks a page', run: standsWithoutARequest },
  { name: 'Escape keeps a filled form and returns the focus', run: keepsAFilledForm },
];
