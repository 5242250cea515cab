// The figures of the pages, held against the interface: a number agrees with the same number everywhere.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eventually, read, signIn } from './steps.mjs';
import { append } from './stories-search.mjs';

/** Every number of a text, as written: `$5,465` is 5465. */
const numbers = (text) =>
  [...text.matchAll(/-?\$?\d[\d,]*(?:\.\d+)?/g)].map(([found]) =>
    Number(found.replace(/[$,]/g, '')),
  );

const region = (page, name) => page.getByRole('region', { name, exact: true });
const tile = (name) => async (page) => region(page, name).innerText();
const status = async (page) =>
  page
    .getByRole('status')
    .filter({ hasText: /found|rollout/ })
    .first()
    .innerText();

/** Amounts are rounded to the dollar from ten dollars on. */
const near = (shown, counted) =>
  Math.abs(shown - counted) <= Math.max(0.51, Math.abs(counted) * 0.001);

const total = (path) => async (page) => [
  (await read(page, `${path}${path.includes('?') ? '&' : '?'}limit=1`)).total,
];
const board = (pick) => async (page) => pick(await read(page, 'intelligence/dashboard'));
const sum = (items, of) => items.reduce((all, item) => all + of(item), 0);

/** A column of a table, a row a line; nothing where the table is not there, since it has no rows. */
const column = (label, header) => async (page) => {
  const table = page.getByRole('table', { name: label, exact: true });
  if ((await table.count()) === 0) return '';
  return table.evaluate((found, name) => {
    const heads = [...found.querySelectorAll('thead th')].map((head) => head.innerText.trim());
    const at = heads.findIndex((head) => head.startsWith(name));
    return [...found.querySelectorAll('tbody tr')]
      .map((row) => row.cells[at]?.innerText ?? '')
      .join('\n');
  }, header);
};

/** Rows of a page of a table. */
const PAGE = 10;
const hours = (back) => new Date(Date.now() - back * 3_600_000).toISOString();
// A period that is over: the log grows with every search.
const PERIOD = { start: hours(48), end: hours(24) };

/** Pages with a text of each, and the figures that the interface gives for it, in the order in which the text has them. */
const FIGURES = [
  ['/intelligence', 'active agents', tile('Active agents'), board((data) => [data.active_agents])],
  [
    '/intelligence',
    'open recommendations',
    tile('Recommendations'),
    board((data) => [data.recommendations_open]),
  ],
  ['/intelligence', 'actions', tile('Actions taken'), board((data) => [data.actions_taken])],
  [
    '/intelligence',
    'anomalies',
    tile('Anomalies detected'),
    board((data) => [data.anomalies_detected]),
  ],
  [
    '/intelligence',
    'measured savings',
    tile('Cost savings'),
    board((data) => [data.savings_realised_monthly]),
  ],
  [
    '/intelligence/recommendations',
    'recommendations',
    status,
    async (page) => {
      // The list of the page is without those that are being carried out.
      const shown = new URL(page.url()).searchParams;
      assert.equal([...shown].length, 0, 'no filter is set');
      const { items, savings_monthly: monthly } = await listed(page);
      return [items.length, monthly];
    },
  ],
  [
    '/intelligence/anomalies',
    'anomalies',
    status,
    async (page) => {
      const { items } = await read(page, 'intelligence/anomalies?limit=1000');
      // The anomalies of one incident are one row.
      const rows = new Map(items.map((one) => [one.incident_id, one.incident ?? one]));
      const noise = [...rows.values()].filter(
        ({ severity, status: now }) => severity === 'low' && now === 'resolved',
      ).length;
      return noise > 0 ? [rows.size, noise] : [rows.size];
    },
  ],
  ['/intelligence/rollouts', 'rollouts', status, total('intelligence/rollouts')],
  [
    '/estate/resources',
    'resources',
    status,
    async (page) => {
      const { items, total: all } = await read(page, 'resources?limit=1000');
      return [all, sum(items, (one) => one.monthly_cost ?? 0)];
    },
  ],
  [
    `/audit/search?${new URLSearchParams(PERIOD)}`,
    'entries',
    status,
    async (page) => {
      const asked = new URLSearchParams({ start_time: PERIOD.start, end_time: PERIOD.end });
      const { total: all } = await read(page, `audit-logs?limit=1&${asked}`);
      assert.ok(all > 0, 'the period has entries');
      return [all];
    },
  ],
  [
    '/estate/costs',
    'costs of services',
    column('Costs by group', 'Cost'),
    async (page) => {
      const { groups } = await read(page, 'costs/spending');
      assert.ok(groups.length > 3, 'the demo has bills');
      return groups.map(({ total: cost }) => cost);
    },
  ],
  [
    '/estate/budgets',
    'amounts of budgets',
    column('Budgets', 'Amount'),
    async (page) => {
      const { items } = await read(page, 'budgets');
      assert.ok(items.length > 0, 'the demo has budgets');
      return items.map(({ amount }) => amount);
    },
  ],
  [
    '/estate/budgets',
    'what budgets have spent',
    column('Budgets', 'Spent'),
    async (page) => {
      const { items } = await read(page, 'budgets');
      return items.flatMap(({ standing }) => (standing ? [standing.spent] : []));
    },
  ],
  [
    '/audit/reports',
    'entries of report runs',
    column('Report runs', 'Entries'),
    async (page) => {
      const { items } = await read(page, 'audit-logs/reports/runs?kind=custom&limit=100');
      return items.slice(0, PAGE).map(({ progress }) => progress.entries);
    },
  ],
  [
    '/audit/compliance',
    'entries of compliance runs',
    column('Report runs', 'Entries'),
    async (page) => {
      const { items } = await read(page, 'audit-logs/reports/runs?kind=compliance&limit=100');
      return items.slice(0, PAGE).map(({ progress }) => progress.entries);
    },
  ],
  [
    '/audit/exports',
    'entries of exports',
    column('Exports', 'Entries'),
    async (page) => {
      const { items } = await read(page, 'audit-logs/export?limit=100');
      return items.slice(0, PAGE).map(({ entries }) => entries);
    },
  ],
];

/** Pages of the navigation whose figures this story leaves out, each with the reason. */
const EXEMPT = {
  '/intelligence/approvals': 'lists requests and counts nothing',
  '/intelligence/actions': 'its number of actions is read on the first page',
  '/intelligence/predictions': 'lists rules; probabilities are read in the stories of foresight',
  '/intelligence/objectives': 'read by the story about objectives',
  '/intelligence/compliance': 'read by the story about controls',
  '/intelligence/incidents': 'read by the story about incidents',
  '/intelligence/playbooks': 'shows no figures',
  '/intelligence/runbooks': 'read by the story about runbooks',
  '/intelligence/exposure': 'read by the story about exposure',
  '/intelligence/dependencies': 'counts what its own table lists',
  '/intelligence/drift': 'read by the story about drift',
  '/intelligence/models': 'accuracies of models, which are trained while the page is open',
  '/intelligence/agents': 'read by the story about the figures of agents',
  '/intelligence/guardrails': 'shows settings, which people typed',
  '/intelligence/change-control': 'shows settings, which people typed',
  '/intelligence/exclusions': 'lists exclusions and counts nothing',
  '/audit': 'counts the newest entries, which every reading of the log adds to',
  '/audit/live': 'shows entries as they arrive',
  '/audit/lists': 'shows lists that people typed',
  '/audit/alerts': 'counts firings, which follow the log; read in the stories of alerts',
  '/estate/connections': 'states times of syncs and counts nothing',
  '/settings/workspace': 'shows settings, which people typed',
  '/settings/users': 'lists people and counts nothing',
  '/settings/teams': 'lists teams and counts nothing',
  '/settings/notifications': 'lists channels; deliveries are read in the stories of notifications',
  '/settings/sources': 'counts what sources pushed, which its own story reads',
  '/settings/integrations':
    'counts what streams sent, which follows the log; read in its own story',
  '/settings/retention': 'counts sealed entries, which follow the log; read in its own story',
  '/settings/webhooks': 'lists webhooks; deliveries are read in the stories of notifications',
  '/settings/tokens': 'lists tokens and counts nothing',
};

/** Every page of the navigation is read or exempt, and none is both. */
async function allCovered() {
  const source = readFileSync(new URL('../src/shell/navigation.ts', import.meta.url), 'utf8');
  const pages = new Set([...source.matchAll(/\bto: '([^']+)'/g)].map(([, path]) => path));
  const shown = new Set(FIGURES.map(([address]) => address.split('?')[0]));
  assert.ok(pages.size > 20, `${pages.size} pages of the navigation`);
  const missing = [...pages].filter((path) => !shown.has(path) && !(path in EXEMPT));
  assert.deepEqual(missing, [], 'pages without figures and without a reason');
  const stale = Object.keys(EXEMPT).filter((path) => shown.has(path) || !pages.has(path));
  assert.deepEqual(stale, [], 'exempt pages that are read, or that are gone');
}

/** The list that the page of recommendations asks for. */
async function listed(page) {
  const asked = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.includes('/intelligence/recommendations?'))
      .at(-1),
  );
  assert.ok(asked, 'the page asked for its list');
  return read(page, asked.split('/api/v1/')[1]);
}

async function agree({ page, program }) {
  await signIn(page, program.email, program.password);
  for (const [address, what, text, figures] of FIGURES) {
    await page.goto(address);
    // The estate lives on: page and interface agree at one moment, after at most a few readings of the page.
    await eventually(`${what} of ${address} agree with the interface`, async () => {
      await page.reload();
      await page.waitForLoadState('networkidle');
      const [shown, counted] = [numbers(await text(page)), await figures(page)];
      return counted.every((figure, at) => near(shown[at], figure));
    });
  }
}

/** The first page and the list of recommendations state one sum, and the priorities add up to the whole. */
async function sumsAgree({ page, program }) {
  await signIn(page, program.email, program.password);
  await eventually('the sums of one moment', async () => {
    const data = await read(page, 'intelligence/dashboard');
    const byPriority = sum(Object.values(data.recommendations_by_priority), (one) => one);
    const byMode = sum(Object.values(data.agents_by_mode), (one) => one);
    const { total: agents } = await read(page, 'intelligence/agents?limit=1');
    return byPriority === data.recommendations_open && byMode === agents;
  });
}

/** The card of an agent says of its last run what the run reports; nothing is counted twice. */
async function runsAddUp({ page, program }) {
  await signIn(page, program.email, program.password);
  const { items: types } = await read(page, 'intelligence/agent-types');
  const judging = new Set(
    types.filter(({ findings }) => findings === 'runs').map(({ name }) => name),
  );
  const { items: agents } = await read(page, 'intelligence/agents?limit=100');
  for (const { id, name, agent_type: type } of agents) {
    await page.goto('/intelligence/agents');
    const card = region(page, name);
    if (!judging.has(type)) {
      await card.getByText(/^Judges nothing itself: /).waitFor();
      assert.equal(
        await card.getByRole('button', { name: 'Run now' }).count(),
        0,
        `${name} has no runs`,
      );
      continue;
    }
    await eventually(`the card of ${name} agrees with its run`, async () => {
      await page.reload();
      await card.getByText('Last run').waitFor();
      const run = (await read(page, `intelligence/agents/${id}`)).status.last_run;
      const passed = sum(
        run.skipped.filter(({ of }) => of === 'resources'),
        (one) => one.count,
      );
      assert.ok(
        passed <= run.resources_seen,
        `${name}: ${passed} of ${run.resources_seen} without a recommendation`,
      );
      const text = (await card.innerText()).replaceAll(',', '');
      const said = [
        `${run.resources_seen} resource`,
        `${run.recommendations} recommendation`,
        `${run.applied} applied`,
      ];
      if (passed > 0)
        said.push(`${passed} resource${passed === 1 ? '' : 's'} without a recommendation`);
      return said.every((words) => text.includes(words));
    });
  }
}

/** An attack has one set of numbers: title, cause, evidence and entries; its link into the log finds them. */
async function attackAgrees({ page, program }) {
  await signIn(page, program.email, program.password);
  const from = '203.0.113.251';
  const attempt = (n) => ({
    event_type: 'authentication.login',
    timestamp: new Date(Date.now() - (24 - n) * 1000).toISOString(),
    actor: { type: 'user', id: `target-${n % 4}@e2e.example`, ip_address: from },
    action: { operation: 'login', status: 'failed', method: 'api' },
  });
  await append(
    page,
    Array.from({ length: 24 }, (_, n) => attempt(n)),
  );
  const attacks = await eventually(
    'the spray is an incident with every attempt',
    async () => {
      const { items } = await read(page, 'intelligence/anomalies?type=security&limit=100');
      const known = items.filter(({ activity }) => activity);
      return (
        known.some(
          ({ resource, activity }) =>
            resource.id === from && activity.refused === 24 && activity.account_count === 4,
        ) && known
      );
    },
    180_000,
  );
  for (const { id } of attacks.slice(0, 5)) {
    await page.goto(`/intelligence/anomalies/${id}`);
    await eventually('the page of an attack agrees with the interface', async () => {
      const one = await read(page, `intelligence/anomalies/${id}`);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('region', { name: 'About' }).waitFor();
      const heading = await page.getByRole('heading', { level: 1 }).innerText();
      // The history below keeps what was shown at the time of each entry; links name other anomalies, with counts of their own.
      const parts = await Promise.all(
        ['Likely cause', 'Investigation'].map((name) =>
          page.getByRole('region', { name, exact: true }).evaluate((region) => {
            const own = region.cloneNode(true);
            for (const link of own.querySelectorAll('a')) link.remove();
            return own.textContent;
          }),
        ),
      );
      const counts = new Set(
        [...[heading, ...parts].join('\n').matchAll(/([\d,]+) failed sign-ins? on/g)].map(
          ([, count]) => count,
        ),
      );
      if (one.activity.sign_ins)
        assert.ok(counts.size <= 1, `one number of failed sign-ins: ${[...counts]}`);
      return heading === one.title;
    });
    await page
      .getByRole('region', { name: 'About' })
      .getByRole('link', { name: 'In the log' })
      .click();
    await page
      .getByRole('status')
      .filter({ hasText: /^[1-9][\d,]* entr(y|ies) found/ })
      .waitFor();
  }
}

export const figures = [
  { name: 'the figures of every page agree with the interface', run: agree },
  { name: 'every page has figures that agree, or a reason', run: allCovered },
  { name: 'the sums of the first page agree', run: sumsAgree },
  { name: 'the figures of agents add up', run: runsAddUp },
  { name: 'an attack has one set of numbers and its entries', run: attackAgrees },
];
