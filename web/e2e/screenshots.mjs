// Pictures of the dashboard for the documentation, from the real program: `npm run screenshots`.
// A few changes are asked for and approved first, so that the pictures show a service at work.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM, demo } from './program.mjs';
import { actionable, eventually, read, send, sign, signIn } from './steps.mjs';

const images = join(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
mkdirSync(images, { recursive: true });
const program = await demo();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
const context = await browser.newContext({
  baseURL: program.url,
  viewport: { width: 1440, height: 900 },
  colorScheme: 'light',
});
const page = await context.newPage();

try {
  await signIn(page, program.email, program.password);
  const manager = await send(page, 'POST', 'users', {
    email: 'mona@acme.example',
    name: 'Mona Manager',
    roles: ['manager'],
  });
  const { secret } = await send(page, 'POST', 'tokens', { name: 'approving', user_id: manager.id });
  const items = (await actionable(page)).filter(
    ({ plan, type, resource, impact_level, savings }) =>
      plan &&
      type === 'right_size' &&
      resource.type !== 'scaling_group' &&
      impact_level === 'medium' &&
      savings.monthly > 50,
  );
  const wanted = items.slice(1, 5);
  for (const { id, plan } of wanted) {
    const { approval_id } = await send(page, 'POST', `intelligence/recommendations/${id}/execute`, {
      plan_hash: plan.hash,
    });
    if (approval_id) await sign(program, approval_id, [secret]);
  }
  await eventually(
    'the changes end',
    async () => {
      const actions = await read(page, 'intelligence/actions?limit=100');
      return (
        actions.items.length >= wanted.length &&
        actions.items.every(({ finished_at }) => finished_at)
      );
    },
    120_000,
  );

  const shoot = async (name, path, height, ready) => {
    await page.setViewportSize({ width: 1440, height });
    await page.goto(path);
    await ready.first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(600); // lets the charts finish drawing
    await page.screenshot({ path: join(images, `${name}.png`) });
  };
  const heading = (name) => page.getByRole('heading', { level: 1, name });
  const row = (label) => page.getByRole('table', { name: label }).locator('tbody tr a');
  await shoot('intelligence', '/intelligence', 960, row('Latest recommendations'));
  await shoot(
    'recommendation',
    `/intelligence/recommendations/${items[0].id}`,
    1060,
    page.getByRole('img', { name: /^CPU utilization/ }),
  );
  await shoot('audit', '/audit', 1060, row('Recent activity'));
  await shoot('costs', '/estate/costs', 900, row('Costs by group'));
  await shoot('budgets', '/estate/budgets', 700, row('Budgets'));
  await shoot(
    'exposure',
    '/intelligence/exposure',
    1000,
    row('Resources and the outsiders that reach them'),
  );
  await shoot('compliance', '/intelligence/compliance/soc2', 1000, heading('SOC 2'));
  await shoot('retention', '/settings/retention', 800, heading('Retention'));
  console.log('screenshots: docs/images has the pictures of the documentation');
} finally {
  await browser.close();
  await program.stop();
}
