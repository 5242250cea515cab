// What people do on the audit dashboard: every panel leads to as many entries as it counts, and the page refreshes.
import assert from 'node:assert/strict';
import { eventually, read, send } from './steps.mjs';
import { append, begin, found, number, onlyEntry } from './stories-search.mjs';

async function dashboard(story) {
  await begin(story);
  await story.page.getByRole('link', { name: 'Audit Logging' }).click();
  await story.page.getByText(/^Refreshes every 30 seconds\. Updated .* next in \d+ s$/).waitFor();
}

const region = (page, name) => page.getByRole('region', { name, exact: true });

/**
 * Holds the number of the search that is open against the dashboard's. The estate lives on: an entry about a time within the period
 * may be recorded after the dashboard was read, and only such entries explain a difference.
 */
async function agrees(page, address, expected, what) {
  const shown = await found(page);
  const period = new URL(address, 'http://reeve').searchParams;
  const [start, end] = [period.get('start'), period.get('end')];
  const asked = new URLSearchParams({ limit: '1', query: `recorded_at:>${end}`, end_time: end });
  if (start !== null) asked.set('start_time', start);
  const late = (await read(page, `audit-logs?${asked}`)).total;
  assert.ok(
    shown - late <= expected && expected <= shown,
    `${what}: ${shown} found, ${late} of them recorded late, ${expected} on the dashboard`,
  );
}

/** Follows a link of the dashboard whose number is known, and holds the number of the search against it. */
async function follow(page, link, expected) {
  const address = await link.getAttribute('href');
  assert.match(address, /^\/audit\/search\?/);
  await link.click();
  await page.waitForURL(/\/audit\/search/);
  await agrees(page, address, expected, `the search behind ${address}`);
  await page.goBack();
}

/** The dashboard stands still while numbers are compared; it says so once nothing is being read any more. */
async function standStill(page) {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/Updated .*, paused$/).waitFor();
}

const tileStory = (name) => async (story) => {
  const { page } = story;
  await dashboard(story);
  await standStill(page);
  const link = region(page, name).getByRole('link');
  const shown = number(await link.innerText());
  assert.ok(shown > 0, `${name} is a number`);
  await follow(page, link, shown);
};

/** Every value of a list leads to as many entries as it says. */
const listStory = (title, list) => async (story) => {
  const { page } = story;
  await dashboard(story);
  await page.getByRole('radiogroup', { name: 'Time range' }).getByText('7 days').click();
  await standStill(page);
  const rows = region(page, title).getByRole('list', { name: list }).getByRole('listitem');
  await rows.first().waitFor();
  const pairs = await rows.evaluateAll((items) =>
    items.map((item) => [item.querySelector('a').getAttribute('href'), item.innerText]),
  );
  assert.ok(pairs.length >= 3, `${title} has rows`);
  for (const [address, text] of pairs) {
    const shown = number(text.trim().split('\n').at(-1));
    await page.goto(address);
    await agrees(page, address, shown, `${text} and the search behind it`);
  }
};

/** A rule fires in earnest; the tile counts its firing and leads to it. */
async function alertsFired(story) {
  const { page } = story;
  await dashboard(story);
  const rule = await send(page, 'POST', 'audit-logs/alerts', {
    name: 'Alarm of the dashboard',
    condition: 'event_type:e2e.burglary',
    threshold: { count: 1, window: '5m' },
    notification: { channels: [], recipients: [] },
    severity: 'high',
  });
  await append(page, { event_type: 'e2e.burglary' });
  await eventually(
    'the rule fires',
    async () =>
      (
        await read(
          page,
          `audit-logs?query=event_type:audit.alert.fire%20AND%20resource.id:${rule.id}`,
        )
      ).total === 1,
  );
  await page.evaluate(
    (id) => fetch(`/api/v1/audit-logs/alerts/${id}`, { method: 'DELETE' }),
    rule.id,
  );
  await page.getByRole('button', { name: 'Refresh now' }).click();
  await standStill(page);
  const link = region(page, 'Alerts fired').getByRole('link');
  const shown = number(await link.innerText());
  assert.ok(shown > 0, 'the firing is counted');
  await follow(page, link, shown);
}

async function activityOverTime(story) {
  const { page } = story;
  await dashboard(story);
  await page.getByRole('img', { name: 'Entries over time' }).waitFor();
  await standStill(page);
  const total = number(await region(page, 'Entries').getByRole('link').innerText());
  await follow(
    page,
    region(page, 'Activity over time').getByRole('link', { name: 'All entries' }),
    total,
  );
}

async function recentActivity(story) {
  const { page } = story;
  await dashboard(story);
  await append(page, { event_type: 'e2e.recent' });
  await page.getByRole('button', { name: 'Refresh now' }).click();
  await page
    .getByRole('table', { name: 'Recent activity' })
    .getByRole('link', { name: 'e2e.recent', exact: true })
    .waitFor();
  await standStill(page);
  const note = await region(page, 'Recent activity')
    .getByText(/^The newest 15 of [\d,]+ entries/)
    .innerText();
  await follow(
    page,
    region(page, 'Recent activity').getByRole('link', { name: 'All recent activity' }),
    number(note.replace('The newest 15', '')),
  );
}

async function securityEvents(story) {
  const { page } = story;
  await dashboard(story);
  await append(page, { event_type: 'e2e.alarm', severity: 'critical' });
  await page.getByRole('button', { name: 'Refresh now' }).click();
  await region(page, 'Security events')
    .last()
    .getByRole('link', { name: 'e2e.alarm', exact: true })
    .waitFor();
  await standStill(page);
  const link = page.getByRole('link', { name: /^All [\d,]+ security events$/ });
  await follow(page, link, number(await link.getAttribute('aria-label')));
}

async function integrity(story) {
  const { page } = story;
  await dashboard(story);
  const panel = region(page, 'Integrity of the log');
  await panel.getByText('Signed root', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Verify now' }).click();
  await panel
    .getByRole('status')
    .filter({ hasText: /^Verified just now: [\d,]+ entries, no faults\.$/ })
    .waitFor();
  await panel.getByRole('link', { name: '1 verification', exact: true }).waitFor();
  await follow(page, panel.getByRole('link', { name: '1 verification', exact: true }), 1);
  await page.reload();
  await panel
    .getByRole('status')
    .filter({ hasText: /^Verified .* ago: |^Verified just now: / })
    .waitFor();
}

/** A report of one framework is run; the panel tells its figures, and an exception leads to as many entries as it says. */
async function compliance(story) {
  const { page } = story;
  await dashboard(story);
  const report = await send(page, 'POST', 'audit-logs/reports', {
    name: 'SOC 2 of the dashboard',
    framework: 'soc2',
    period: '7d',
  });
  const { id } = await send(page, 'POST', `audit-logs/reports/${report.id}/run`, {});
  const run = await eventually('the report is made', async () => {
    const now = await read(page, `audit-logs/reports/runs/${id}`);
    assert.ok(
      !['failed', 'cancelled'].includes(now.state),
      `it ended as ${now.state}: ${now.error}`,
    );
    return now.state === 'succeeded' && now;
  });
  await page.getByRole('button', { name: 'Refresh now' }).click();
  const { controls, statuses } = run.summary;
  assert.equal(
    Object.values(statuses).reduce((sum, many) => sum + many, 0),
    controls.length,
    'each control has one status',
  );
  const card = region(page, 'SOC 2 Type II');
  const row = (label, many) =>
    card
      .getByText(label, { exact: true })
      .locator('..')
      .getByText(String(many), { exact: true })
      .waitFor();
  await row('Controls', controls.length);
  await row('Evidence found', statuses.evidence);
  await row('Exceptions to review', statuses.exceptions);
  await row('No entries found', statuses.no_entries);
  await region(page, 'GDPR')
    .getByText(/^No report yet\./)
    .waitFor();
  await standStill(page);
  const most = Math.max(
    ...controls.flatMap(({ exceptions }) => exceptions.map(({ found: many }) => many)),
  );
  assert.ok(most > 0, 'the demo has exceptions');
  await follow(page, card.getByRole('link').first(), most);
}

async function searchesFromDashboard(story) {
  const { page } = story;
  await dashboard(story);
  const form = page.getByRole('search', { name: 'Search the log' });
  await form.getByLabel('Keyword', { exact: true }).fill('zanzibar');
  await form.getByLabel('User', { exact: true }).fill('quinn');
  await form.getByLabel('Resource', { exact: true }).fill('checkout-front');
  await form.getByLabel('Event type', { exact: true }).fill('e2e.*');
  await form.getByRole('button', { name: 'Search', exact: true }).click();
  await onlyEntry(page, 'e2e.start');
}

/** The page asks again by itself after 30 seconds; the browser's clock is moved, the service's is not. */
async function refreshes(story) {
  const { page } = story;
  await page.clock.install();
  await dashboard(story);
  await append(page, { event_type: 'e2e.unasked' });
  const row = page
    .getByRole('table', { name: 'Recent activity' })
    .getByRole('link', { name: 'e2e.unasked', exact: true });
  assert.equal(await row.count(), 0, 'it was recorded after the last refresh');
  await page.clock.fastForward(31_000);
  await row.waitFor();
}

async function pauses(story) {
  const { page } = story;
  await page.clock.install();
  await dashboard(story);
  await standStill(page);
  const line = page.getByText(/^Refreshes every 30 seconds\. Updated /);
  const before = await line.innerText();
  await append(page, { event_type: 'e2e.paused' });
  await page.clock.fastForward(95_000);
  assert.equal(await line.innerText(), before, 'nothing is read while paused');
  const row = page
    .getByRole('table', { name: 'Recent activity' })
    .getByRole('link', { name: 'e2e.paused', exact: true });
  assert.equal(await row.count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await row.waitFor();
  await eventually('it counts down again', async () =>
    /next in \d+ s$/.test(await line.innerText()),
  );
}

export const dashboards = [
  { name: 'the audit dashboard: search', run: searchesFromDashboard },
  { name: 'the audit dashboard: entries', run: tileStory('Entries') },
  { name: 'the audit dashboard: failed or denied', run: tileStory('Failed or denied') },
  { name: 'the audit dashboard: alerts fired', run: alertsFired },
  { name: 'the audit dashboard: activity over time', run: activityOverTime },
  { name: 'the audit dashboard: recent activity', run: recentActivity },
  { name: 'the audit dashboard: security events', run: securityEvents },
  {
    name: 'the audit dashboard: by event type',
    run: listStory('By event type', 'Entries by event type'),
  },
  { name: 'the audit dashboard: by user', run: listStory('By user', 'Entries by user') },
  {
    name: 'the audit dashboard: by resource',
    run: listStory('By resource', 'Entries by resource'),
  },
  { name: 'the audit dashboard: compliance metrics', run: compliance },
  { name: 'the audit dashboard: integrity of the log', run: integrity },
  { name: 'the audit dashboard refreshes every 30 seconds', run: refreshes },
  { name: 'the audit dashboard is paused and resumed', run: pauses },
];
