// What people see of what can be applied, how a limit is lifted for one plan, and that the figures agree.
import assert from 'node:assert/strict';
import {
  eventually,
  fitsWidth,
  makeSigners,
  onPhone,
  openFromList,
  openPage,
  read,
  recommendation,
  send,
  sign,
  signIn,
} from './steps.mjs';

const dollars = (amount) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 0,
  }).format(amount);
async function saysWhatCanBeApplied({ page, program }) {
  await signIn(page, program.email, program.password);
  const all = await read(page, 'intelligence/recommendations?limit=1000');
  const count = async (state) =>
    (await read(page, `intelligence/recommendations?applicability=${state}&limit=1`)).total;
  const states = ['ready', 'blocked', 'advice_only'];
  const counts = await Promise.all(states.map(count));
  const decided = all.items.filter(({ applicability }) => applicability);
  assert.equal(
    counts.reduce((sum, one) => sum + one, 0),
    decided.length,
    'each state is counted once',
  );
  const blocked = decided.find(
    ({ applicability, plan }) => plan && applicability.state === 'blocked',
  );
  assert.ok(blocked, 'the agent that only learns blocks its findings');

  await page.goto('/intelligence/recommendations');
  await page.getByRole('combobox', { name: 'Can be applied' }).click();
  await page.getByRole('option', { name: 'Blocked', exact: true }).click();
  await page.waitForURL(/applicability=blocked/);
  const rows = page.getByRole('table', { name: 'Recommendations' }).locator('tbody tr');
  await rows.first().getByText('Blocked', { exact: true }).waitFor();
  assert.equal(
    await rows.count(),
    await rows.filter({ hasText: 'Blocked' }).count(),
    'only blocked ones',
  );
  await fitsWidth(page);

  // The button says beforehand what an execution says, and the service agrees.
  await page.goto(`/intelligence/recommendations/${blocked.id}`);
  await page.getByText("Can't be applied now").waitFor();
  const apply = page.getByRole('button', { name: 'Apply Now' });
  assert.equal(await apply.getAttribute('aria-disabled'), 'true');
  await apply.hover();
  await page
    .getByRole('tooltip')
    .filter({ hasText: blocked.applicability.reason.slice(0, 30) })
    .waitFor();
  const refused = await page.evaluate(
    async (address) =>
      (
        await fetch(address, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).status,
    `/api/v1/intelligence/recommendations/${blocked.id}/execute`,
  );
  assert.equal(refused, 409);
  await onPhone(page, blocked.title);
}

async function liftsALimitOnce({ page, program }) {
  await signIn(page, program.email, program.password);
  const found = await recommendation(
    page,
    'plan to block',
    ({ type, resource, impact }) =>
      type === 'right_size' &&
      resource.type === 'virtual_machine' &&
      /\d %/.test(impact.cost) &&
      !/no (list )?price/.test(impact.cost),
  );
  const limits = await read(page, 'intelligence/guardrails');
  await send(page, 'PUT', 'intelligence/guardrails', {
    ...limits,
    cost_impact: { ...limits.cost_impact, max_decrease: 1 },
  });
  try {
    await openFromList(page, found);
    await page.getByRole('link', { name: 'Highest cost decrease' }).first().waitFor();
    await page.getByRole('button', { name: 'Request exception' }).click();
    const dialog = page.getByRole('dialog');
    assert.ok(
      await dialog.getByRole('button', { name: 'Request exception' }).isDisabled(),
      'a reason is needed',
    );
    await dialog.getByLabel('Reason').fill('agreed with the team');
    await dialog.getByRole('button', { name: 'Request exception' }).click();
    await page.getByText(/^Requested\. Waiting for approval by/).waitFor();
    await page.goto('/intelligence/approvals');
    await page.getByText('Exception requested: Highest cost decrease').waitFor();
    await page
      .getByText('You requested this change, so someone else must approve it.')
      .first()
      .waitFor();
    const signers = await makeSigners(page, 'applying.example');
    const { items } = await read(page, 'intelligence/approvals');
    const asked = items.find(
      ({ recommendation_id, exception }) => recommendation_id === found.id && exception,
    );
    assert.equal(asked.exception.guardrail, 'cost_impact.max_decrease');
    await sign(program, asked.id, signers);
    await eventually(
      'the exception is used up by one action',
      async () => (await read(page, `intelligence/approvals/${asked.id}`)).exception.used_by,
    );
    const told = await send(page, 'POST', 'audit-logs/search', {
      query: `metadata.recommendation_id:"${found.id}"`,
      limit: 100,
    });
    const operations = told.items.map(({ action }) => action?.operation);
    assert.ok(
      operations.includes('exception.grant'),
      `the grant is in the log: ${operations.join()}`,
    );
  } finally {
    const now = await read(page, 'intelligence/guardrails');
    await send(page, 'PUT', 'intelligence/guardrails', { ...now, cost_impact: limits.cost_impact });
  }
}

async function addsUpTheSame({ page, program }) {
  await signIn(page, program.email, program.password);
  // Agents run meanwhile: the three are read until nothing moved in between.
  const figures = await eventually('tile, list and filter agree', async () => {
    const before = (await read(page, 'intelligence/dashboard')).savings_open_monthly;
    const list = (await read(page, 'intelligence/recommendations?limit=5')).savings_monthly;
    const filter = (
      await read(
        page,
        'intelligence/recommendations?status=open,pending_approval,approved,scheduled,snoozed,executing,verifying,testing&limit=1000',
      )
    ).savings_monthly;
    const after = (await read(page, 'intelligence/dashboard')).savings_open_monthly;
    return before === after && list === before && filter === before ? { before } : undefined;
  });
  await page.goto('/intelligence');
  await page
    .getByRole('region', { name: 'Cost savings', exact: true })
    .getByText(dollars(figures.before))
    .waitFor();
  await page.goto('/intelligence/recommendations');
  await page
    .getByRole('status')
    .filter({ hasText: dollars(figures.before) })
    .waitFor();
  const agents = await read(page, 'intelligence/agents');
  const acting = agents.items.filter(({ mode }) => mode !== 'learning').length;
  assert.equal(
    (await read(page, 'intelligence/dashboard')).active_agents,
    acting,
    'agents that learn are not active',
  );
}

async function picksAccounts({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Agents');
  await page.getByRole('button', { name: 'Create agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Corporate saver');
  const accounts = dialog.getByLabel('Accounts').first();
  await accounts.fill('acme-corporatee');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Create agent' }).click();
  await dialog.getByText(/did you mean acme-corporate\?/).waitFor();
  await accounts.click();
  await page.keyboard.press('Backspace');
  await page.getByRole('option', { name: 'acme-corporate', exact: true }).click();
  await dialog.getByLabel('Name').click();
  await dialog.getByRole('button', { name: 'Create agent' }).click();
  await page
    .getByRole('region', { name: 'Corporate saver', exact: true })
    .getByText('acme-corporate · all services')
    .waitFor();
}

export const applying = [
  { name: 'the list says what can be applied, and the button why not', run: saysWhatCanBeApplied },
  { name: 'tile, list and filter add up the same', run: addsUpTheSame },
  { name: 'a misspelt account is refused and the right one picked', run: picksAccounts },
  { name: 'a limit is lifted for one plan, once', run: liftsALimitOnce },
];
