// What people do to find entries: every field of the basic and the advanced search, and the causes of an empty answer.
import assert from 'node:assert/strict';
import { read, send, signIn } from './steps.mjs';

const DAY_MS = 86_400_000;
export const number = (text) => Number(text.replace(/\D/g, ''));

/** Two entries that differ in every field that can be searched; the second happened two days ago. */
const ENTRIES = [
  {
    event_id: 'e2e-search-1',
    event_type: 'e2e.start',
    severity: 'high',
    actor: { type: 'user', id: 'quinn', email: 'quinn@e2e.example', ip_address: '10.77.3.4' },
    resource: { type: 'e2e_machine', id: 'vm-e2e-1' },
    action: { operation: 'start', status: 'success' },
    metadata: { resource_name: 'checkout-front', note: 'zanzibar express' },
  },
  {
    event_id: 'e2e-search-2',
    event_type: 'e2e.stop',
    severity: 'low',
    timestamp: new Date(Date.now() - 2 * DAY_MS).toISOString(),
    actor: { type: 'user', id: 'rhea', email: 'rhea@e2e.example', ip_address: '10.78.3.4' },
    resource: { type: 'e2e_disk', id: 'vol-e2e-2' },
    action: { operation: 'stop', status: 'failed' },
    metadata: { resource_name: 'archive-disk', note: 'timbuktu local' },
  },
];

export const append = (page, entries) => send(page, 'POST', 'audit-logs', entries);

/** Signs in and makes sure that the entries of these stories are in the log. */
export async function begin({ page, program }) {
  await signIn(page, program.email, program.password);
  const there = await read(page, 'audit-logs?query=event_id:e2e-search-1');
  if (there.total === 0) await append(page, ENTRIES);
}

const status = (page) => page.getByRole('status').filter({ hasText: /^[\d,]+ entr(y|ies) found/ });

/** The number of entries that the page of the search says it found. */
export async function found(page) {
  await status(page).waitFor();
  return number(await status(page).innerText());
}

const form = (page) => page.getByRole('search', { name: 'Search the log' });
const search = (page) => page.getByRole('button', { name: 'Search', exact: true }).click();

/** Waits until the search shows exactly this entry. */
export async function onlyEntry(page, type) {
  await status(page)
    .filter({ hasText: /^1 entry found/ })
    .waitFor();
  await page
    .getByRole('table', { name: 'Entries' })
    .getByRole('link', { name: type, exact: true })
    .waitFor();
}

/** A story of one field of the search: it is filled, and only the entry with that value is found. */
const fieldStory =
  (label, value, type, advanced = false) =>
  async (story) => {
    const { page } = story;
    await begin(story);
    await page.goto('/audit/search');
    await found(page);
    if (advanced) await page.getByRole('button', { name: 'Advanced' }).click();
    await form(page).getByLabel(label, { exact: true }).fill(value);
    await search(page);
    await onlyEntry(page, type);
  };

/** A story of one choice of the advanced search, beside the event type that keeps other entries away. */
const choiceStory = (label, option, type) => async (story) => {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search?event_type=e2e.*');
  assert.equal(await found(page), 2);
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
  await search(page);
  await onlyEntry(page, type);
};

async function picksEventType(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search');
  await form(page).getByLabel('Event type', { exact: true }).fill('logou');
  await page.getByRole('option', { name: 'authentication.logout', exact: true }).click();
  await search(page);
  await page.waitForURL(/event_type=authentication\.logout/);
  assert.ok((await found(page)) > 0, 'the demo has sign-outs');
}

async function choosesTimeRange(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search?event_type=e2e.*');
  assert.equal(await found(page), 2);
  await page.getByRole('combobox', { name: 'Time range' }).click();
  await page.getByRole('option', { name: 'Last 24 hours' }).click();
  await search(page);
  await onlyEntry(page, 'e2e.start');
  await page.getByRole('combobox', { name: 'Time range' }).click();
  await page.getByRole('option', { name: 'From and to' }).click();
  const local = (ms) =>
    new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  await page.getByLabel('From', { exact: true }).fill(local(Date.now() - 3 * DAY_MS));
  await page.getByLabel('To', { exact: true }).fill(local(Date.now() - DAY_MS));
  await search(page);
  await onlyEntry(page, 'e2e.stop');
}

async function combinesFields(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search');
  await form(page).getByLabel('Keyword', { exact: true }).fill('express');
  await form(page).getByLabel('User', { exact: true }).fill('rhea*');
  await search(page);
  await page.getByText('No entry matches').waitFor();
  await form(page).getByLabel('User', { exact: true }).fill('quinn*');
  await search(page);
  await onlyEntry(page, 'e2e.start');
}

/** An empty answer names the part of the search that causes it, and one click widens it. */
async function explainsTimeRange(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search?event_type=e2e.stop&start=24h');
  const why = page.getByRole('group', { name: 'Why nothing is shown' });
  await why.getByText('Time range: Last 24 hours. 1 entry matches without it.').waitFor();
  await why.getByText(/^Refresh: Read at /).waitFor();
  assert.equal(await why.getByText(/^Permission/).count(), 0, 'an administrator sees everything');
  await why.getByRole('button', { name: 'Search all time' }).click();
  await onlyEntry(page, 'e2e.stop');
}

async function explainsEventType(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search?event_type=e2e.strat&user=quinn');
  const why = page.getByRole('group', { name: 'Why nothing is shown' });
  await why.getByText('Event type filter: e2e.strat. 1 entry matches without it.').waitFor();
  assert.equal(await why.getByText(/^User filter/).count(), 0, 'the user is not the cause');
  await why.getByRole('button', { name: 'Any event type' }).click();
  await onlyEntry(page, 'e2e.start');
}

async function explainsAge(story) {
  const { page } = story;
  await begin(story);
  await page.goto('/audit/search?event_type=e2e.later');
  const why = page.getByRole('group', { name: 'Why nothing is shown' });
  await why.getByText(/Entries recorded since then are not shown yet/).waitFor();
  await append(page, { event_type: 'e2e.later' });
  await why.getByRole('button', { name: 'Refresh now' }).click();
  await onlyEntry(page, 'e2e.later');
}

async function explainsPermission({ page, program }) {
  await begin({ page, program });
  await page.context().clearCookies();
  await signIn(page, 'user@acme.example', program.password);
  await page.goto('/audit/search?user=quinn');
  const why = page.getByRole('group', { name: 'Why nothing is shown' });
  await why.getByText(/^Permission: You see only your own entries\./).waitFor();
  await page.goto('/audit');
  await page.getByText('You see only your own entries.').first().waitFor();
}

export const searching = [
  { name: 'search by keyword', run: fieldStory('Keyword', 'zanzibar', 'e2e.start') },
  { name: 'search by user', run: fieldStory('User', 'quinn@e2e.example', 'e2e.start') },
  { name: 'search by resource id', run: fieldStory('Resource', 'vm-e2e-1', 'e2e.start') },
  { name: 'search by resource name', run: fieldStory('Resource', 'archive-disk', 'e2e.stop') },
  { name: 'search by event type', run: fieldStory('Event type', 'e2e.start', 'e2e.start') },
  { name: 'search by an event type of the catalogue', run: picksEventType },
  { name: 'search by time range', run: choosesTimeRange },
  {
    name: 'search by resource type',
    run: fieldStory('Resource type', 'e2e_disk', 'e2e.stop', true),
  },
  {
    name: 'search by exact resource id',
    run: fieldStory('Resource id', 'vol-e2e-2', 'e2e.stop', true),
  },
  {
    name: 'search by IP address with a wildcard',
    run: fieldStory('IP address', '10.77.*', 'e2e.start', true),
  },
  { name: 'search by status', run: choiceStory('Status', 'Failed', 'e2e.stop') },
  { name: 'search by severity', run: choiceStory('Severity', 'High', 'e2e.start') },
  { name: 'search by several fields, all of which must hold', run: combinesFields },
  { name: 'an empty search names the time range', run: explainsTimeRange },
  { name: 'an empty search names the event type', run: explainsEventType },
  { name: 'an empty search says how old it is', run: explainsAge },
  { name: 'an empty search names the missing permission', run: explainsPermission },
];
