// What people do with rollouts, predictive rules and calendars, and what those who may only look are offered.
import assert from 'node:assert/strict';
import { actionable, eventually, fitsWidth, onPhone, openPage, read, signIn } from './steps.mjs';

const admin = ({ page, program }) => signIn(page, program.email, program.password);
const READY_MS = 120_000;

/** The kind of change with the most plans of one acting agent. */
async function commonest(page) {
  const found = new Map();
  for (const one of (await actionable(page)).filter(({ plan }) => plan)) {
    const key = `${one.agent_id} ${one.kind}`;
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return [...found.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

async function rollsOut({ page, program }) {
  await admin({ page, program });
  const carried = await eventually(
    'plans to roll out',
    async () => {
      const of = await commonest(page);
      return of.length > 1 && of;
    },
    READY_MS,
  );
  const kind = carried[0].kind;
  await openPage(page, 'Rollouts');
  await page.getByText('No rollouts yet').waitFor();
  await page.goto(`/intelligence/recommendations?type=${kind}`);
  await page.getByRole('button', { name: 'Start a staged rollout' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Tidy up');
  await dialog.getByLabel('Stages').fill('50, 10');
  await dialog.getByLabel('Minimum confidence').fill('0');
  // A twin may refuse what the real resource would refuse, too.
  await dialog.getByLabel('Failures allowed').fill('20');
  await dialog
    .getByRole('status')
    .filter({ hasText: /are simulated, then they change in portions of/ })
    .waitFor();
  await dialog.getByRole('button', { name: 'Start with the simulation' }).click();
  await dialog.getByText(/percentages that rise/).waitFor();
  await dialog.getByLabel('Stages').fill('10, 50');
  await dialog.getByRole('button', { name: 'Start with the simulation' }).click();
  await page.getByRole('heading', { level: 1, name: 'Tidy up' }).waitFor();
  const {
    items: [begun],
  } = await read(page, 'intelligence/rollouts');

  // Nobody reloads: the page follows the service.
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem');
  assert.deepEqual(
    (await stages.allInnerTexts()).map((text) => text.trim().split(/\s/)[0]),
    ['Simulation', 'Canary', 'Validation', 'Gradual', 'Full'],
  );
  await stages.filter({ hasText: 'Canary Now' }).waitFor({ timeout: READY_MS });
  const gates = page.getByRole('region', { name: 'Gates', exact: true });
  await gates.getByText('Plans that went through on a simulated twin').waitFor();
  await gates
    .getByText(/^\d+ of \d+ asked$/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  assert.ok(
    await dialog.getByRole('button', { name: 'Stop', exact: true }).isDisabled(),
    'a reason is needed',
  );
  await dialog.getByLabel('Reason').fill('a release goes out');
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'A release goes out' }).waitFor();
  assert.equal((await read(page, `intelligence/rollouts/${begun.id}`)).status, 'stopped');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await dialog.getByLabel('Reason').fill('the release is out');
  await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('Running', { exact: true }).waitFor();

  const members = page.getByRole('table', { name: 'Resources' }).locator('tbody tr');
  assert.equal(await members.count(), Math.min(25, begun.members.length));
  await members.first().getByRole('link').first().click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'Part of a rollout' })
    .getByRole('link', { name: 'Tidy up' })
    .click();
  await page.getByRole('button', { name: 'Abort' }).click();
  await dialog.getByLabel('Reason').fill('not this quarter');
  await dialog.getByRole('button', { name: 'Abort' }).click();
  await page.getByText('Aborted', { exact: true }).first().waitFor();
  assert.equal(
    await page.getByRole('button', { name: /^(Stop|Resume|Abort)$/ }).count(),
    0,
    'what has ended is not steered',
  );
  await page
    .getByRole('region', { name: 'History', exact: true })
    .getByText(/Rollout abort/)
    .waitFor();
  await onPhone(page, 'Tidy up');
  await page.goto('/intelligence/rollouts');
  await page.getByRole('table', { name: 'Rollouts' }).getByText('Aborted').waitFor();
  await fitsWidth(page);
}

async function foresees({ page, program }) {
  await admin({ page, program });
  await openPage(page, 'Predictions');
  const table = page.getByRole('table', { name: 'Predictive rules' });
  await table.getByRole('link', { name: 'Disk full in seven days' }).click();
  await page
    .getByText('Automatic below 500 GB of storage after the change. Above that, requires approval')
    .waitFor();
  await page.getByRole('button', { name: 'Evaluate now' }).click();
  await page.getByText(/^\d+ resources looked at, \d+ foreseen\.$/).waitFor({ timeout: READY_MS });
  await page.getByRole('img', { name: /^Forecast of disk space of / }).waitFor();
  const decisions = page.getByRole('table', { name: 'Decisions' }).locator('tbody tr');
  const second = decisions.nth(1).getByRole('button');
  const name = await second.innerText();
  await second.press('Enter');
  await page.getByRole('img', { name: `Forecast of disk space of ${name}` }).waitFor();

  await page.goto('/intelligence/predictions');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).first().fill('Machines at their end');
  await dialog.getByLabel('Value').fill('99');
  await dialog.getByLabel('Within').fill('soon');
  await dialog.getByRole('button', { name: 'Add the rule' }).click();
  await dialog.getByText(/^must be a number of m, h or d/).waitFor();
  await dialog.getByLabel('Within').fill('2h');
  await dialog.getByRole('button', { name: 'Try it without saving' }).click();
  await dialog
    .getByRole('status')
    .filter({ hasText: /of \d+ would trigger now/ })
    .waitFor({ timeout: READY_MS });
  assert.equal(
    (await read(page, 'intelligence/predictive-rules')).items.some(
      (rule) => rule.name === 'Machines at their end',
    ),
    false,
    'trying keeps nothing',
  );
  await dialog.getByRole('button', { name: 'Add the rule' }).click();
  await table.getByRole('link', { name: 'Machines at their end' }).click();
  await page
    .getByText('When CPU will rise above 99 % within 2 hours: take a larger size.')
    .waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByLabel('Value').fill('98');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText('When CPU will rise above 98 % within 2 hours: take a larger size.')
    .waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Disabled', { exact: true }).first().waitFor();
  await onPhone(page, 'Machines at their end');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove rule' }).click();
  await table.getByRole('link', { name: 'Disk full in seven days' }).waitFor();
  assert.equal(await table.getByText('Machines at their end').count(), 0);
}

/** A daily sale at nine in the evening of Tokyo, which is another time of day for whoever runs this. */
const SALES = (zone) =>
  `BEGIN:VCALENDAR\r\nX-WR-CALNAME:Evening sales\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Flash sale\r\nDTSTART;TZID=${zone}:20261101T210000\r\nDURATION:PT2H\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

async function importsCalendar({ page, program }) {
  await admin({ page, program });
  await page.goto('/intelligence/predictions');
  await page.getByText('Calendars', { exact: true }).click();
  await page.getByText('No calendar yet').waitFor();
  await page.getByRole('button', { name: 'Import a calendar' }).click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByLabel('iCalendar text');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByText('Choose a file, or paste its text').waitFor();
  await text.fill(SALES('Asia/Atlantis'));
  assert.equal(
    await dialog.getByLabel('Name').inputValue(),
    'Evening sales',
    'the name it gives itself',
  );
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByText('line 6: DTSTART: the time zone "Asia/Atlantis" is not known').waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({
    name: 'sales.ics',
    mimeType: 'text/calendar',
    buffer: Buffer.from(SALES('Asia/Tokyo')),
  });
  await dialog.getByText('1 event in it').waitFor();
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Evening sales' }).waitFor();
  const events = page.getByRole('table', { name: 'Events ahead' }).locator('tbody tr');
  await events.filter({ hasText: 'Flash sale' }).first().waitFor();
  const first = await events.nth(1).innerText();
  assert.match(first, /21:00 in Asia\/Tokyo/);
  assert.match(first, /caches warmed[\s\S]*more capacity/, 'the earlier first');
  await page
    .getByRole('region', { name: 'Known to', exact: true })
    .getByRole('link', { name: /^More capacity fifteen minutes/ })
    .waitFor();
  await onPhone(page, 'Evening sales');
  await page.goto('/intelligence/predictions/calendars');
  await page.getByRole('table', { name: 'Calendars' }).getByText('Flash sale').waitFor();
  await fitsWidth(page);
  await page.getByRole('link', { name: 'Evening sales' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove calendar' }).click();
  await page.getByText('No calendar yet').waitFor();
}

const ACTS =
  /^(Start a |Add |Import |Evaluate now|Switch (on|off)|Change$|Remove|Stop|Resume|Abort|Create |Configure|Run now|Apply Now|Dismiss|Exclude|Reset|Save|Assign to me|Roll back|Approve|Reject)/;

/** Those who may look see every page whole, and are offered nothing that the service would refuse. */
async function onlyLooks({ page, program }) {
  await signIn(page, 'auditor@acme.example', program.password);
  const first = async (path) => (await read(page, `intelligence/${path}?limit=1`)).items[0];
  const ids = {
    recommendations: await first('recommendations'),
    anomalies: await first('anomalies'),
    rollouts: await first('rollouts'),
  };
  const refused = [];
  page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(answer.url());
  });
  const rooms = [
    '',
    '/recommendations',
    '/rollouts',
    '/anomalies',
    '/anomalies/threat-lists',
    '/predictions',
    '/predictions/calendars',
    '/predictions/rules/disk-space-full',
    '/agents',
    '/actions',
    '/approvals',
    '/models',
    '/guardrails',
    '/change-control',
    '/exclusions',
  ].concat(
    Object.entries(ids)
      .filter(([, one]) => one)
      .map(([path, { id }]) => `/${path}/${id}`),
  );
  for (const path of [
    ...rooms.map((room) => `/intelligence${room}`),
    '/settings/webhooks',
    '/settings/notifications',
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    const offered = await page
      .locator('main')
      .getByRole('button', { name: ACTS })
      .filter({ visible: true })
      .allInnerTexts();
    assert.deepEqual(offered, [], `${path} offers what an auditor may not do`);
    assert.equal(
      await page.locator('main').getByText('Not permitted').count(),
      0,
      `${path} shows a refusal`,
    );
  }
  for (const path of ['/estate/resources', '/settings/users']) {
    await page.goto(path);
    await page.getByText("You don't have access to this page").waitFor();
  }
  assert.deepEqual(refused, [], 'nothing was asked for in vain');
}

async function setsTraffic({ page, program }) {
  await admin({ page, program });
  await page.goto('/intelligence/predictions');
  await page.getByRole('button', { name: 'Traffic intelligence' }).click();
  const dialog = page.getByRole('dialog');
  const lead = dialog.getByLabel('Add capacity');
  await lead.fill('soon');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be a time span such as 15m, or disabled').waitFor();
  await lead.fill('20m');
  await dialog.getByRole('switch', { name: 'Event awareness' }).press('Space');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Traffic intelligence saved.').waitFor();
  const stored = await read(page, 'intelligence/traffic-intelligence');
  assert.deepEqual(
    [stored.pre_scale, stored.event_awareness, stored.learn_patterns],
    ['20m', 'disabled', true],
  );
  // The rule and the setting are one.
  await page.goto('/intelligence/predictions/rules/traffic-pre-scale');
  await page.getByText('within 20 minutes').first().waitFor();
  await page.goto('/intelligence/predictions');
  await page.getByRole('button', { name: 'Traffic intelligence' }).click();
  await dialog.getByLabel('Add capacity').fill('15m');
  await dialog.getByRole('switch', { name: 'Event awareness' }).press('Space');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually('the settings as they were', async () => {
    const now = await read(page, 'intelligence/traffic-intelligence');
    return now.pre_scale === '15m' && now.event_awareness === 'calendar_integration';
  });
  await fitsWidth(page);
}

export const foresight = [
  { name: 'a rollout is begun, followed, stopped, resumed and given up', run: rollsOut },
  {
    name: 'a predictive rule is looked at, tried, added, changed, switched off and removed',
    run: foresees,
  },
  { name: 'traffic intelligence is set, and moves its rule', run: setsTraffic },
  {
    name: 'a calendar is imported, its events shown in their zone, and removed',
    run: importsCalendar,
  },
  { name: 'an auditor looks at everything and is offered nothing', run: onlyLooks },
];
