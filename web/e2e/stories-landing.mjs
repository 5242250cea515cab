// The first page after signing in: what needs this person, what is running, and the money.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, onPhone, read, signIn } from './steps.mjs';

const needs = (page) => page.getByRole('region', { name: 'What needs you now' });

/** The list names as many approvals as the page about approvals offers to sign, and leads there. */
export function showsWhatNeedsMe(person) {
  return async ({ page }) => {
    await signIn(page, person.email, person.password);
    const rows = needs(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('img', { name: 'Approval' }) });
    // Agents ask for approvals in the meantime: the page and the interface agree once both were read after the last of them.
    const mine = await eventually('the page names the approvals that wait', async () => {
      const { items } = await read(page, 'intelligence/approvals?limit=1000');
      const waiting = items.filter(
        ({ status, can_sign }) => status === 'pending' && can_sign.length > 0,
      );
      return waiting.length > 0 && (await rows.count()) === waiting.length && waiting;
    });
    await rows.getByRole('link', { name: mine[0].title }).first().waitFor();
    await rows.getByRole('link', { name: mine[0].title }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    const { resource, plan } = await read(
      page,
      `intelligence/recommendations/${mine[0].recommendation_id}`,
    );
    const card = page.getByRole('region', { name: mine[0].title }).first();
    for (const fact of ['Saves', 'Risk', 'Downtime', 'Can be undone'])
      await card.getByRole('term').filter({ hasText: fact }).waitFor();
    await card.getByText(/^Requested by .*: “asked for in a test”$/).waitFor();
    const steps = card.getByRole('region', { name: 'Steps' });
    assert.equal(await steps.getByRole('listitem').count(), plan.steps.length);
    assert.ok(!(await steps.innerText()).includes(resource.id), 'steps name the resource');
    await steps.getByText(resource.name, { exact: true }).first().hover();
    await page.getByRole('tooltip').filter({ hasText: resource.id }).waitFor();
    assert.ok(!(await card.getByText(plan.hash).isVisible()), 'the hash is a detail');
    await card.getByText('Plan hash', { exact: true }).click();
    await card.getByText(plan.hash).waitFor();
    // The link of a notification leads to this approval among the others.
    await page.goto(`/intelligence/approvals?approval=${mine[0].id}`);
    await page
      .locator('[aria-current=true]')
      .getByRole('region', { name: mine[0].title })
      .waitFor();
    await page.goto('/intelligence/approvals?approval=gone');
    await page.getByRole('alert').filter({ hasText: 'This approval is not listed' }).waitFor();
  };
}

/** Time in which the demo's attack becomes an incident. */
const ATTACKED_MS = 180_000;

/** Incidents that no one has taken up stand before everything that only waits, and the first one opens. */
async function showsIncidents({ page, program }) {
  await signIn(page, program.email, program.password);
  await eventually(
    'the attack on the demo is an open incident',
    async () => (await read(page, 'intelligence/incidents?status=open')).total > 0,
    ATTACKED_MS,
  );
  await page.goto('/intelligence');
  const alarms = needs(page).getByRole('list', { name: 'Incidents, alerts and anomalies' });
  await alarms.waitFor();
  const incident = needs(page).getByRole('listitem').first();
  await incident.getByRole('img', { name: 'Incident' }).waitFor();
  const title = await incident.getByRole('link').innerText();
  await incident.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.getByRole('list', { name: 'Findings of the incident' }).waitFor();
}

async function showsMoney({ page, program }) {
  await signIn(page, program.email, program.password);
  const known = await read(page, 'intelligence/dashboard');
  const last = known.savings_history.at(-1);
  assert.ok(last, 'a change has succeeded before this story');
  assert.equal(last.measured_monthly, known.savings_realised_monthly);
  assert.ok(
    Math.abs(
      last.predicted_monthly - known.savings_predicted_monthly - known.savings_unmeasured_monthly,
    ) < 0.011,
  );
  // The chart begins two days after the first change: before that it would be a flat line over hours without a saving.
  await page
    .getByRole('region', { name: 'Savings', exact: true })
    .getByText('The chart begins two days after the first change that succeeded.')
    .waitFor();
  await page
    .getByRole('region', { name: 'Running now' })
    .getByRole('link', { name: /^\d+ agents?$/ })
    .waitFor();
  await page.getByRole('region', { name: 'Anomalies detected' }).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Anomalies' }).waitFor();
}

/** Each source of the page fails once: what the others bring stays. */
async function survivesAFailure({ page, program }) {
  await signIn(page, program.email, program.password);
  const refusal = {
    status: 429,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      code: 'too_many_requests',
      title: 'Too many requests',
      detail: 'Wait a moment.',
      status: 429,
    }),
  };
  for (const source of [
    'intelligence/dashboard',
    'intelligence/incidents?*',
    'intelligence/anomalies?*',
    'intelligence/approvals?*',
    'intelligence/actions?*',
    'intelligence/recommendations?*',
    'intelligence/rollouts?*',
    'connections',
    'costs',
  ]) {
    const address = `**/api/v1/${source}`;
    await page.route(address, (route) => route.fulfill(refusal));
    await page.goto('/intelligence');
    await page.getByRole('alert').first().waitFor();
    for (const name of ['What needs you now', 'Running now'])
      await page.getByRole('region', { name }).waitFor();
    if (source !== 'intelligence/dashboard')
      await page
        .getByRole('region', { name: 'Savings', exact: true })
        .getByText(/open recommendations?$/)
        .waitFor();
    await page.unroute(address);
  }
  await needs(page).getByText('Reading …').waitFor({ state: 'hidden' });
  await fitsWidth(page);
  await onPhone(page, 'Intelligence Automation');
}

export const landing = [
  { name: 'the first page shows money over time, and its tiles lead on', run: showsMoney },
  { name: 'the first page lists open incidents before all else', run: showsIncidents },
  { name: 'one failing request leaves the first page standing', run: survivesAFailure },
];
