// What people do with runbooks.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, openPage, read, signIn } from './steps.mjs';

async function writesARunbook({ page, program }) {
  await signIn(page, program.email, program.password);
  await openPage(page, 'Runbooks');
  const { items } = await read(page, 'intelligence/runbooks');
  assert.equal(items.filter((one) => one.is_builtin).length, 15);
  await fitsWidth(page);

  await page.getByRole('button', { name: 'Write a runbook' }).click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByLabel('Text');
  const own = (await text.inputValue())
    .replace('restart-leaking-service', 'busy-machine')
    .replaceAll('memory_utilization', 'cpu_utilization')
    .replace('above = 90.0', 'above = 2.0')
    .replace('clears_at = 80.0', 'clears_at = 1.0');
  await text.fill(own);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('the condition holds').waitFor();
  await text.fill(own.replace('[[60.0, 18]]', '[[0.5, 18]]'));

  await dialog.getByRole('button', { name: 'Try on the past' }).click();
  const trial = dialog.getByRole('group', { name: 'Trial on the past' });
  await trial.getByText('had the issue').waitFor();
  assert.ok((await trial.getByRole('img').count()) > 0, 'machines of the demo are busy at times');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'hidden' });

  await page.getByText('busy-machine').first().click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(
    'the removal is undone',
    async () => (await read(page, 'intelligence/runbooks')).total === 16,
  );
  await page.getByText('busy-machine').first().waitFor();
}

export const runbooks = [{ name: 'a runbook is written, tried and removed', run: writesARunbook }];
