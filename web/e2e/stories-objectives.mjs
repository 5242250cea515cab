// What people do with objectives: set one, see its error budget, change it, remove it.
import assert from 'node:assert/strict';
import { openPage, read, signIn } from './steps.mjs';

async function setsAnObjective({ page, program }) {
  await signIn(page, program.email, program.password);
  const { items } = await read(page, 'resources?type=load_balancer&limit=1');
  assert.ok(items.length > 0, 'the demo has a load balancer');
  await openPage(page, 'Objectives');
  await page.getByRole('button', { name: 'Add objective' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Answers in time');
  await dialog.getByRole('combobox', { name: 'Resource' }).click();
  await page
    .getByRole('option', { name: new RegExp(items[0].name || items[0].id) })
    .first()
    .click();
  await dialog.getByLabel('Target').fill('0.001');
  await dialog.getByRole('button', { name: 'Add objective' }).click();
  await dialog.waitFor({ state: 'detached' });

  const list = page.getByRole('table', { name: 'Objectives' });
  await list.getByRole('link', { name: 'Answers in time', exact: true }).waitFor();
  const objective = (await read(page, 'intelligence/objectives')).items.find(
    ({ name }) => name === 'Answers in time',
  );
  assert.equal(objective.target, 0.000001);
  assert.ok(objective.standing.budget.left_percent < 0, 'no answer is that fast');
  await list.getByRole('row', { name: /Answers in time.* over/ }).waitFor();

  await list.getByRole('link', { name: 'Answers in time', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Answers in time' }).waitFor();
  await page.getByRole('img', { name: /^Error budget left of/ }).waitFor();
  await page.getByText('Burning', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Target').fill('60000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Met', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await list
    .getByRole('link', { name: 'Answers in time', exact: true })
    .waitFor({ state: 'detached' });
  await list.getByRole('link', { name: 'Checkout answers in time' }).waitFor();
}

export const objectives = [
  { name: 'a person sets an objective, sees its budget burn, and mends it', run: setsAnObjective },
];
