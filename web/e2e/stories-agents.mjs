// What people learn about agents before they let them act, and how a first account is connected.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fitsWidth, onPhone, openPage, read, signIn } from './steps.mjs';

async function browsesTypes({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Agents');
  const { items } = await read(page, 'intelligence/agent-types');
  await page.getByText('Agent types', { exact: true }).click();
  const types = page.getByRole('region', { name: 'Agent types' });
  await types.getByRole('region').first().waitFor();
  assert.equal(await types.getByRole('region').count(), items.length, 'every type is shown');
  const create = types.getByRole('button', { name: /^Create/ });
  assert.equal(await create.count(), items.length, 'every type can be configured');
  const cost = types.getByRole('region', { name: 'Cost optimizer' });
  await cost.getByText('Capabilities, actions and settings').click();
  await cost.getByText('Analyze utilization: 30 days historical').waitFor();
  await cost.getByText('Downsize underutilized: CPU below 20% for 14 days').waitFor();
  await cost.getByText('Days without use after which a resource is idle: 7 days').waitFor();
  await cost.getByRole('button', { name: 'Create a Cost optimizer agent' }).click();
  await page.getByRole('dialog', { name: 'Create an agent' }).getByLabel('Name').waitFor();
  await page.keyboard.press('Escape');
}

async function runsDry({ page, program }) {
  await signIn(page, program.email, program.password);
  const { items } = await read(page, 'intelligence/agents');
  const agent = items.find(
    ({ mode, agent_type, status }) =>
      mode === 'learning' && agent_type === 'cost_optimizer' && status.open_recommendations > 0,
  );
  assert.ok(agent, 'the demo has an agent that learns');
  await page.goto('/intelligence/agents');
  const card = page.getByRole('region', { name: agent.name, exact: true });
  await card.getByText('Only recommends. It changes nothing while its mode is Learning.').waitFor();
  const { items: actions } = await read(page, 'intelligence/actions?limit=1000');
  await card.getByRole('button', { name: 'Dry run' }).click();
  const dialog = page.getByRole('dialog', { name: `Dry run of ${agent.name}` });
  await dialog.getByText('the agent is in learning mode').first().waitFor();
  assert.equal(await dialog.getByRole('region', { name: 'Would be applied at once' }).count(), 0);

  // Another mode is considered: the answer differs, and nothing has changed.
  await dialog.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'Active' }).click();
  await dialog.getByRole('switch', { name: 'Apply changes automatically' }).press('Space');
  await dialog.getByText('impact above the maximum for automatic changes').first().waitFor();
  await dialog.getByRole('combobox', { name: 'Maximum impact' }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await dialog.getByText('With other settings than the agent has').waitFor();
  await dialog
    .getByRole('region', {
      name: /^(Approval would be requested|Would be carried by a rollout|Blocked by a guardrail)$/,
    })
    .first()
    .waitFor();
  const { mode, auto_apply: automatic } = await read(page, `intelligence/agents/${agent.id}`);
  assert.deepEqual({ mode, automatic }, { mode: agent.mode, automatic: agent.auto_apply });
  assert.equal(
    (await read(page, 'intelligence/actions?limit=1000')).items.length,
    actions.length,
    'nothing was executed',
  );
  const acting = items.find(({ mode, auto_apply }) => mode !== 'learning' && auto_apply.enabled);
  await page.keyboard.press('Escape');
  await page
    .getByRole('region', { name: acting.name, exact: true })
    .getByText(/^May automatically .+ if the impact is low/)
    .waitFor();
  await onPhone(page, 'Agents');
}

async function connectsAnAccount({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.goto('/estate/connections');
  await page.getByRole('link', { name: 'Connect an AWS account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Connect an AWS account' }).waitFor();
  const policy = page.getByRole('region', { name: 'Policy', exact: true });
  const sids = async () => JSON.parse(await policy.innerText()).Statement.map(({ Sid }) => Sid);
  await policy.waitFor();
  assert.deepEqual(await sids(), ['ReeveReads']);
  await page.getByRole('radio', { name: 'Read and change' }).check();
  await policy.getByText('ReeveResizeMachine').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save policy.json' }).click(),
  ]);
  assert.deepEqual(
    JSON.parse(readFileSync(await file.path(), 'utf8').replace(/^\uFEFF/, '')).Statement.map(
      ({ Sid }) => Sid,
    ),
    await sids(),
  );
  await page.getByRole('button', { name: 'Next' }).click();

  await page.getByLabel('Identity that Reeve signs in with').fill('12345');
  await page.getByText('Enter an ARN or a number of 12 digits').waitFor();
  await page.getByLabel('Identity that Reeve signs in with').fill('210987654321');
  const trust = JSON.parse(await page.getByRole('region', { name: 'Trust policy' }).innerText());
  assert.equal(trust.Statement[0].Principal.AWS, 'arn:aws:iam::210987654321:root');
  assert.match(trust.Statement[0].Condition.StringEquals['sts:ExternalId'], /^reeve-[0-9a-f]{32}$/);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Enter the ARN of the role').waitFor();
  await page.getByLabel('ARN of the role').fill('arn:aws:iam::123456789012:role/reeve');
  await page.getByRole('button', { name: 'Next' }).click();

  await page.getByLabel('Name').fill('First account');
  await page.getByText('Access key', { exact: true }).click();
  await page.getByLabel('Access key id').fill('AKIAIOSFODNN7EXAMPLE');
  await page.getByLabel('Secret access key').first().fill('an example and no key');
  await page.setViewportSize({ width: 390, height: 844 });
  await fitsWidth(page);
  // The cloud's answers are played: a refusal first, then the account, and a sync that has ended.
  let tests = 0;
  await page.route('**/api/v1/connections/*/test', (route) => {
    tests += 1;
    return route.fulfill({
      json:
        tests === 1
          ? { ok: false, message: 'sts:AssumeRole was denied' }
          : { ok: true, account: '123456789012', message: 'Connected' },
    });
  });
  await page.route('**/api/v1/connections/*/sync', (route) =>
    route.fulfill({
      status: 202,
      json: { connection_id: 'x', started_at: new Date().toISOString() },
    }),
  );
  await page.route('**/api/v1/connections', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const answer = await route.fetch();
    const list = await answer.json();
    const now = new Date().toISOString();
    const last_sync = {
      started_at: now,
      finished_at: now,
      resources: 12,
      samples: 3400,
      denied: [{ permission: 'rds:DescribeDBInstances', region: 'us-east-1', message: 'denied' }],
      problems: [],
    };
    return route.fulfill({
      json: {
        ...list,
        items: list.items.map((one) =>
          one.name === 'First account' ? { ...one, status: 'ready', last_sync } : one,
        ),
      },
    });
  });
  await page.getByRole('button', { name: 'Connect and test' }).click();
  await page.getByText('sts:AssumeRole was denied').waitFor();
  await page.getByRole('button', { name: 'Test again' }).click();
  await page.getByText('Connected to account 123456789012').waitFor();
  await page.getByText('1 permission was denied').waitFor();
  await page.getByRole('link', { name: 'Create an agent' }).waitFor();
  await fitsWidth(page);
  await page.unroute('**/api/v1/connections');
  const made = (await read(page, 'connections')).items.find(({ name }) => name === 'First account');
  assert.equal(made.allow_actions, true);
  assert.equal(made.assume_role, 'arn:aws:iam::123456789012:role/reeve');
  await page.evaluate((id) => fetch(`/api/v1/connections/${id}`, { method: 'DELETE' }), made.id);
}

export const agents = [
  { name: 'all agent types are browsed before one is configured', run: browsesTypes },
  { name: 'an agent is run dry, also under other settings', run: runsDry },
  { name: 'a first account is connected step by step', run: connectsAnAccount },
];
