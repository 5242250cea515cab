// What people do in the dashboard. They run in this order against one program: later ones see what earlier ones did.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { VERIFIER } from './program.mjs';
import { access } from './stories-access.mjs';
import { agents } from './stories-agents.mjs';
import { alerts } from './stories-alerts.mjs';
import { reports } from './stories-reports.mjs';
import { compliance } from './stories-compliance.mjs';
import { drift } from './stories-drift.mjs';
import { exposure } from './stories-exposure.mjs';
import { incidents } from './stories-incidents.mjs';
import { runbooks } from './stories-runbooks.mjs';
import { dashboards } from './stories-dashboard.mjs';
import { proofs } from './stories-proof.mjs';
import { searching } from './stories-search.mjs';
import { exportsStories } from './stories-exports.mjs';
import { logSources } from './stories-log-sources.mjs';
import { otherTools } from './stories-other-tools.mjs';
import { outbound } from './stories-outbound.mjs';
import { retention } from './stories-retention.mjs';
import { streams } from './stories-streams.mjs';
import { foresight } from './stories-foresight.mjs';
import { applying } from './stories-applying.mjs';
import { guarding } from './stories-guarding.mjs';
import { faults } from './stories-faults.mjs';
import { habits } from './stories-habits.mjs';
import { judgement } from './stories-judgement.mjs';
import { landing, showsWhatNeedsMe } from './stories-landing.mjs';
import { loading } from './stories-loading.mjs';
import { estate } from './stories-estate.mjs';
import { sources } from './stories-sources.mjs';
import { figures } from './stories-figures.mjs';
import { navigating } from './stories-navigation.mjs';
import { objectives } from './stories-objectives.mjs';
import {
  eventually,
  fitsWidth,
  onPage,
  openFromList,
  endingStops,
  openPage,
  queryField,
  read,
  recommendation,
  send,
  signIn,
} from './steps.mjs';

const MANAGER = {
  name: 'Mona Manager',
  email: 'mona@e2e.example',
  password: 'correct horse battery 9',
};
const READER = {
  name: 'Rex Reader',
  email: 'rex@e2e.example',
  password: 'correct horse battery 7',
};
/** A cloud takes its time to stop, snapshot and start; after five minutes the service itself rolls back. */
const CHANGE_MS = 310_000;
/** Highest page on a phone, in pixels; about eight screens. */
const HIGHEST = 6500;
const admin = (page, program) => signIn(page, program.email, program.password);
const heading = (page, name, level = 1) => page.getByRole('heading', { level, name }).first();
let applied;

async function addUser(page, { name, email, password }, role) {
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Add user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('E-mail address').fill(email);
  if (role !== 'Regular user') {
    await dialog.getByRole('combobox', { name: 'Roles' }).click({ force: true });
    await page.getByRole('option', { name: role, exact: true }).click();
    await page.getByRole('option', { name: 'Regular user', exact: true }).click();
    await page.keyboard.press('Escape');
  }
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await page.getByText(email).first().waitFor();
}

async function signsIn({ page, program }) {
  await page.goto('/intelligence/agents');
  await page.getByLabel('E-mail address').fill(program.email);
  await page.getByLabel('Password', { exact: true }).fill('not this one');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(program.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // Back where the person wanted to go.
  await page.waitForURL('**/intelligence/agents');
  await page.getByRole('button', { name: 'Run now' }).first().waitFor();
}

async function overview({ page, program }) {
  await admin(page, program);
  await heading(page, 'Intelligence Automation').waitFor();
  await onPage(page, 'Dashboard');
  assert.match(await page.title(), /^Dashboard · Intelligence Automation · /);
  const known = await read(page, 'intelligence/dashboard');
  const tile = page.getByRole('region', { name: 'Recommendations', exact: true });
  await tile.getByText(String(known.recommendations_open), { exact: true }).waitFor();
  for (const name of [
    'Active agents',
    'Actions taken',
    'Cost savings',
    'Learning progress',
    'Anomalies detected',
  ]) {
    await page.getByRole('region', { name, exact: true }).waitFor();
  }
  assert.ok(known.recommendations_open > 0, 'the demo has recommendations');
  const providers = page
    .getByRole('list', { name: 'Monthly cost by provider' })
    .getByRole('listitem');
  await providers.first().waitFor();
  assert.equal(await providers.count(), 3, 'three clouds');
}

async function appliesLowImpact({ page, program }) {
  await admin(page, program);
  // A group scaled for an event stays so for hours; a change that waits for nothing ends within the story.
  const ends = (item) => !item.plan.steps.some(({ kind }) => kind === 'hold');
  const found = await recommendation(
    page,
    'low-impact plan',
    (item) => item.impact_level === 'low' && ends(item),
  );
  await openFromList(page, found);
  await heading(page, 'Decision path', 2).waitFor();
  await page.getByText('Plan hash', { exact: true }).click();
  await page.getByText(found.plan.hash).waitFor();
  await page.getByRole('button', { name: 'Apply Now' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('None needed (low impact)').waitFor();
  await dialog.getByRole('button', { name: 'Apply now' }).click();
  await eventually(
    'the change succeeds',
    async () => {
      const now = await read(page, `intelligence/recommendations/${found.id}`);
      assert.ok(
        !['failed', 'rolled_back'].includes(now.status),
        `it ended as ${now.status}: ${now.status_reason}`,
      );
      return now.status === 'succeeded';
    },
    CHANGE_MS,
  );
  await page.getByText('Last execution').waitFor();
  await page.getByRole('link', { name: 'Change completed' }).first().waitFor();
}

async function asksForApproval({ page, program }) {
  await admin(page, program);
  applied = await recommendation(
    page,
    'right-sizing of medium impact',
    (item) =>
      item.type === 'right_size' &&
      item.resource.type === 'virtual_machine' &&
      item.impact_level === 'medium' &&
      item.savings.monthly > 0,
  );
  await openFromList(page, applied);
  await page.getByRole('img', { name: /^CPU utilization/ }).waitFor();
  await page.getByRole('button', { name: 'Apply Now' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('A manager (medium impact)').waitFor();
  await dialog.getByLabel('Comment (kept in the audit log)').fill('asked for in a test');
  await dialog.getByRole('button', { name: 'Request approval' }).click();
  await page.getByText('Waiting for approval').first().waitFor();
  await addUser(page, MANAGER, 'Manager');
}

async function approves({ page }) {
  await signIn(page, MANAGER.email, MANAGER.password);
  assert.equal(
    await page.getByRole('link', { name: 'Users' }).count(),
    0,
    'a manager manages no users',
  );
  await openPage(page, 'Approvals');
  await page
    .getByRole('button', { name: /^Approve as manager/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await eventually(
    'the change succeeds',
    async () => {
      const now = await read(page, `intelligence/recommendations/${applied.id}`);
      assert.ok(
        !['failed', 'rolled_back'].includes(now.status),
        `it ended as ${now.status}: ${now.status_reason}`,
      );
      return now.status === 'succeeded';
    },
    CHANGE_MS,
  );
  await eventually('the resource has its new size', async () => {
    const resource = await read(page, `resources/${encodeURIComponent(applied.resource.id)}`);
    return resource.instance_type === applied.resource.target_type;
  });
}

async function tellsTheStory({ page, program }) {
  await admin(page, program);
  await page.goto(`/intelligence/recommendations/${applied.id}`);
  await page.getByRole('link', { name: 'Open in Audit Logging' }).click();
  await page.getByRole('status').filter({ hasText: 'found, newest first' }).waitFor();
  const rows = page.getByRole('table', { name: 'Entries' }).locator('tbody tr');
  assert.ok(
    (await rows.count()) >= 5,
    'creation, request, approval, steps and the outcome are there',
  );
  await page.getByRole('table', { name: 'Entries' }).getByRole('link').first().click();
  await heading(page, 'Integrity', 2).waitFor();
  await page.getByText('Verified in this browser').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download proof' }).click(),
  ]);
  const path = join(program.data, file.suggestedFilename());
  assert.match(path, /\.tlog-proof$/);
  await file.saveAs(path);
  // Exit code 0 means intact; anything else throws.
  execFileSync(VERIFIER, [path, '--public-key', join(program.data, 'ledger/log.vkey')], {
    stdio: 'pipe',
  });
}

async function dismisses({ page, program }) {
  await admin(page, program);
  const found = await recommendation(
    page,
    'idle resource',
    (item) => item.type === 'idle_resource_cleanup',
  );
  await openFromList(page, found);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  const dialog = page.getByRole('dialog');
  assert.ok(
    await dialog.getByRole('button', { name: 'Dismiss' }).isDisabled(),
    'a reason is needed',
  );
  await dialog.getByLabel('Reason').fill('kept for the audit');
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('kept for the audit').first().waitFor();
  await page.getByRole('button', { name: 'Apply Now' }).waitFor({ state: 'detached' });

  // For ten seconds it can be undone, and nothing is recorded.
  const status = async () => (await read(page, `intelligence/recommendations/${found.id}`)).status;
  await page.getByRole('alert').getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Dismiss' }).waitFor();
  assert.equal(await status(), 'open');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await dialog.getByLabel('Reason').fill('kept for the audit');
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Undo dismissal' }).waitFor();
  await eventually('it is dismissed', async () => (await status()) === 'dismissed');
  await page.getByRole('button', { name: 'Undo dismissal' }).waitFor({ state: 'detached' });
}

async function searches({ page, program }) {
  await admin(page, program);
  await page.getByRole('link', { name: 'Audit Logging' }).click();
  await heading(page, 'Recent activity', 2).waitFor();
  await page.getByText(/^Refreshes every 30 seconds/).waitFor();
  await openPage(page, 'Search');
  await queryField(page).fill('event_type:authentication.* AND status:failed');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /^[\d,]+ entr(y|ies) found/ })
    .waitFor();
  await page
    .getByRole('table', { name: 'Entries' })
    .getByText('authentication.login')
    .first()
    .waitFor();
  const shown = await page.getByRole('table', { name: 'Entries' }).locator('tbody').innerText();
  assert.ok(!/success/i.test(shown), 'only failed ones');

  await queryField(page).fill('status:failed AND (severity:high');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const problem = page.getByRole('alert').filter({ hasText: 'The query is not valid' });
  await problem.waitFor();
  assert.equal(await problem.locator('mark').count(), 1, 'the place is marked');
}

async function narrowsAndKeeps({ page, program }) {
  await admin(page, program);
  await page.goto('/audit/search');
  const found = page.getByRole('status').filter({ hasText: /^[\d,]+ entr(y|ies) found/ });
  await found.waitFor();
  const all = await found.innerText();
  await page.getByRole('img', { name: /^Entries found by / }).waitFor();
  const facets = page.getByRole('navigation', { name: 'Narrow the search' });
  await facets.getByRole('button', { name: /^failed/ }).click();
  await page.waitForURL(/query=status(:|%3A)failed/);
  await facets.getByRole('button', { name: /^failed/, pressed: true }).waitFor();
  await facets
    .getByRole('button', { name: 'Without critical' })
    .or(facets.getByRole('button', { name: 'Without medium' }))
    .first()
    .click({ force: true });
  await page.waitForURL(/NOT(\+|%20)severity/);
  await found.waitFor();
  assert.notEqual(await found.innerText(), all);
  const typed = await queryField(page).inputValue();

  await page.getByRole('button', { name: 'Saved searches' }).click();
  await page.getByRole('menuitem', { name: 'Save this search' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('What failed');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('“What failed” is saved').waitFor();
  await page.goto('/audit/search');
  await found.waitFor();
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await page.getByRole('menuitem', { name: /^What failed/ }).click();
  await page.waitForURL(/query=status/);
  assert.equal(await queryField(page).inputValue(), typed);

  await page.getByRole('button', { name: 'Saved searches' }).click();
  await page.getByRole('button', { name: 'Change What failed' }).click();
  await dialog.getByLabel('Name').fill('Failed and shared');
  await dialog.getByText('Everyone', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('“Failed and shared” is saved').waitFor();
  const kept = await read(page, 'audit-logs/saved-searches');
  assert.deepEqual(
    kept.items.map(({ name, shared_with }) => [name, shared_with]),
    [['Failed and shared', 'everyone']],
  );
  await page.getByRole('button', { name: 'Saved searches' }).click();
  await page.getByRole('button', { name: 'Remove Failed and shared' }).click();
  await page.getByRole('button', { name: 'Remove search' }).click();
  await eventually(
    'it is removed',
    async () => (await read(page, 'audit-logs/saved-searches')).total === 0,
  );
}

async function watchesLive({ page, program }) {
  await admin(page, program);
  await page.goto('/audit/live?query=event_type:story.told');
  await onPage(page, 'Live View');
  await page.getByText('Live', { exact: true }).last().waitFor();
  await page.getByText('No entries yet').waitFor();
  const tell = (id) =>
    send(page, 'POST', 'audit-logs', {
      event_id: id,
      event_type: 'story.told',
      action: { operation: id.replace('-', '_') },
    });
  const rows = page.getByRole('table', { name: 'Live entries' }).locator('tbody tr');
  await tell('first-chapter');
  await rows.filter({ hasText: 'First chapter' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await tell('second-chapter');
  await tell('third-chapter');
  await page.getByText('2 new entries waiting').waitFor();
  assert.equal(await rows.count(), 1, 'nothing moves while paused');
  await page.getByRole('button', { name: 'Show 2 new entries' }).click();
  await rows.filter({ hasText: 'Third chapter' }).waitFor();
  assert.match(await rows.first().innerText(), /Third chapter/, 'the newest first');
  await queryField(page).fill('severtiy:high');
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('alert').filter({ hasText: 'did you mean severity?' }).waitFor();
  await page.getByText('Not connected').waitFor();
}

async function guards({ page, program }) {
  await admin(page, program);
  await openPage(page, 'Guardrails');
  await page.getByRole('button', { name: 'Stop everything' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('trying the brake');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
  await page.getByText('The kill switch is on', { exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Kill switch' })
    .getByRole('button', { name: 'Switch off' })
    .click();
  await page.getByRole('dialog').getByLabel('Reason').fill('it works');
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('The kill switch is off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Reset circuit breaker' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('the cause is known');
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('Circuit breaker reset.').waitFor();
}

async function answersLater({ page, program }) {
  await admin(page, program);
  const found = await recommendation(page, 'plan to put off', () => true);
  const now = () => read(page, `intelligence/recommendations/${found.id}`);
  await openFromList(page, found);
  const dialog = page.getByRole('dialog');
  const later = async (name) => {
    await page.getByRole('button', { name: 'Later', exact: true }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const back = page.getByRole('button', { name: /^(Reopen|Cancel schedule|Withdraw request)$/ });
  const reopen = async () => {
    await back.click();
    await page.getByRole('button', { name: 'Apply Now' }).waitFor();
    await back.waitFor({ state: 'detached' });
    assert.equal((await now()).status, 'open');
  };

  await later('Snooze');
  await dialog.getByText('1 month', { exact: true }).click();
  await dialog.getByLabel('Reason').fill('after the sale');
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await page.getByText(/^Snoozed until/).waitFor();
  await reopen();

  await later('Schedule');
  await dialog.getByLabel('Comment (kept in the audit log)').fill('at night');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await back.waitFor();
  assert.ok((await now()).scheduled_for, 'it has its time, whether or not it waits for approval');
  await reopen();

  await page.getByRole('button', { name: 'Feedback' }).click();
  await dialog.getByLabel('Not now', { exact: true }).check();
  assert.ok(
    await dialog.getByRole('button', { name: 'Send feedback' }).isDisabled(),
    'the circumstances are needed',
  );
  await dialog.getByLabel('What are the circumstances?').fill('a launch is near');
  await dialog.getByRole('button', { name: 'Send feedback' }).click();
  await page.getByText('Feedback saved.').waitFor();
}

async function makesAgent({ page, program }) {
  await admin(page, program);
  await openPage(page, 'Agents');
  await page.getByRole('button', { name: 'Create agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Night watch');
  await dialog.getByLabel('Services').first().fill('ec2');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create agent' }).click();
  const card = page.getByRole('region', { name: 'Night watch', exact: true });
  await card.getByText('All accounts · ec2').waitFor();
  await card.getByRole('button', { name: 'Configure' }).click();
  await dialog.getByLabel('Confidence threshold').fill('91');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await card.getByText(/^91\s?% confidence$/).waitFor();
}

async function connects({ page, program }) {
  await admin(page, program);
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByRole('button', { name: 'Add AWS connection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Dead end');
  await dialog.getByRole('button', { name: 'Add connection' }).click();
  await dialog.getByText('Enter the access key id').waitFor();
  await dialog.getByLabel('Access key id').fill('AKIAIOSFODNN7EXAMPLE');
  await dialog.getByLabel('Secret access key').first().fill('an example and no key');
  const add = dialog.getByRole('button', { name: 'Add connection' });
  await dialog.getByLabel('Endpoint').fill('http://127.0.0.1:1');
  await add.click();
  await dialog.getByText('must begin with https://').waitFor();
  await dialog.getByLabel('Endpoint').fill('https://nowhere.invalid');
  await add.click();
  const card = page.getByRole('region', { name: 'Dead end', exact: true });
  await card.getByRole('button', { name: 'Test' }).click();
  await card.getByText('Connection failed').waitFor();
}

async function makesToken({ page, program }) {
  await admin(page, program);
  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('dialog').getByLabel('Purpose').fill('a script');
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  const answer = await fetch(`${program.url}/api/v1/sessions/current`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(answer.status, 200, 'the secret works');
  await page.reload();
  await page.getByText('a script').waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');
  await addUser(page, READER, 'Regular user');
}

async function hidesWhatIsNotPermitted({ page }) {
  await signIn(page, READER.email, READER.password);
  await heading(page, 'Audit Logging').waitFor();
  for (const name of ['Intelligence Automation', 'Connections', 'Resources', 'Users']) {
    assert.equal(
      await page.getByRole('link', { name, exact: true }).count(),
      0,
      `${name} is hidden`,
    );
  }
  await page.goto('/audit/search?reads=yes');
  await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
  const text = await page.getByRole('table', { name: 'Entries' }).locator('tbody').innerText();
  const others = text.match(/[\w.+-]+@[\w.-]+/g)?.filter((email) => email !== READER.email) ?? [];
  assert.deepEqual(others, [], 'only their own entries');
}

/** Texts of the page of which a part is hidden: nothing shows the rest on a phone. */
const cutTexts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => {
        const { textOverflow, webkitLineClamp } = getComputedStyle(element);
        const hidden =
          (textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth + 1) ||
          (webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight + 1);
        return hidden && element.getClientRects().length > 0 && element.tagName !== 'INPUT';
      })
      .map((element) => element.textContent.trim()),
  );

async function fitsPhones({ page, program }) {
  await admin(page, program).catch(() => undefined);
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('link', { name: 'Audit Logging' }).click();
  await heading(page, 'Audit Logging').waitFor();
  const { items } = await read(page, 'intelligence/recommendations?limit=1');
  const long = [];
  const cut = [];
  for (const path of [
    '/intelligence',
    '/intelligence/recommendations',
    `/intelligence/recommendations/${items[0].id}`,
    '/intelligence/agents',
    '/intelligence/guardrails',
    '/intelligence/anomalies',
    '/intelligence/anomalies/threat-lists',
    '/intelligence/anomalies/other-tools',
    '/intelligence/change-control',
    '/intelligence/exclusions',
    '/intelligence/compliance',
    '/intelligence/compliance/soc2',
    '/intelligence/compliance/controls/soc2:CC6.1',
    '/intelligence/incidents',
    '/intelligence/playbooks',
    '/intelligence/runbooks',
    '/intelligence/exposure',
    '/intelligence/dependencies',
    '/intelligence/drift',
    '/intelligence/models',
    '/intelligence/rollouts',
    '/intelligence/predictions',
    '/intelligence/objectives',
    '/intelligence/predictions/calendars',
    '/intelligence/approvals',
    '/intelligence/actions',
    '/settings/sources',
    '/settings/integrations',
    '/settings/retention',
    '/settings/webhooks',
    '/settings/notifications',
    '/settings/workspace',
    '/settings/teams',
    '/audit',
    '/audit/search',
    '/audit/alerts',
    '/audit/compliance',
    '/audit/reports',
    '/audit/exports',
    '/estate/connections',
    '/estate/connections/aws',
    '/estate/resources',
    '/estate/budgets',
    '/settings/users',
    '/settings/tokens',
    '/account',
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await fitsWidth(page);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (height > HIGHEST) long.push(`${path}: ${height} px`);
    cut.push(...(await cutTexts(page)).map((text) => `${path}: ${text}`));
  }
  assert.deepEqual(long, [], `no page is higher than ${HIGHEST} px`);
  assert.deepEqual(cut, [], 'no text is cut');
  await page.goto('/audit/live');
  await page.getByText('Live', { exact: true }).last().waitFor();
  await fitsWidth(page);
}

/**
 * Stories in groups. Those of a group run one after the other on one demo, and may build on each other; groups run side
 * by side on demos of their own, in any order.
 */
export const groups = [
  faults,
  [
    { name: 'a person signs in, after one wrong password', run: signsIn },
    { name: 'the dashboard shows what the service counts', run: overview },
    ...navigating,
    ...objectives,
  ],
  estate,
  sources,
  habits,
  agents,
  figures,
  access,
  loading,
  [
    { name: 'a low-impact recommendation is applied at once', run: appliesLowImpact },
    { name: 'a medium-impact recommendation asks for approval', run: asksForApproval },
    {
      name: 'the first page names the approvals that wait for a manager',
      run: showsWhatNeedsMe(MANAGER),
    },
    { name: 'a manager approves, and the change happens', run: approves },
    ...landing,
    { name: 'the log tells the story, and its proof verifies', run: tellsTheStory },
    ...proofs,
    { name: 'a recommendation is dismissed with a reason', run: dismisses },
  ],
  [
    { name: 'the log is searched, and a wrong query is marked', run: searches },
    { name: 'a search is narrowed by its values, kept, shared and removed', run: narrowsAndKeeps },
    ...searching,
  ],
  dashboards,
  [
    { name: 'the log is watched live, paused and resumed', run: watchesLive },
    { name: 'the kill switch and the circuit breaker are worked', run: endingStops(guards) },
    { name: 'a recommendation is put off, taken back and answered', run: answersLater },
    ...judgement,
    ...compliance,
    ...drift,
    ...exposure,
    ...incidents,
    ...runbooks,
    ...otherTools,
    ...logSources,
  ],
  foresight,
  guarding,
  applying,
  [
    { name: 'an agent is made and configured', run: makesAgent },
    ...outbound,
    ...streams,
    ...retention,
  ],
  alerts,
  exportsStories,
  reports,
  [
    { name: 'a connection that leads nowhere says so', run: connects },
    { name: 'a token is made, shown once, and works', run: makesToken },
    { name: 'what is not permitted is not shown', run: hidesWhatIsNotPermitted },
    { name: 'every page fits a phone', viewport: { width: 390, height: 844 }, run: fitsPhones },
  ],
];
