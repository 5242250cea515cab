// What people do with frameworks, controls and the results of checks.
import assert from 'node:assert/strict';
import { eventually, fitsWidth, openPage, read, signIn } from './steps.mjs';

/** The agent of the demo runs within minutes of its start. */
const CHECKED_MS = 300_000;
const numbers = (text) => [...text.matchAll(/([\d,]+) failed/g)].map(([, n]) => n.replace(',', ''));

async function readsControls({ page, program }) {
  await signIn(page, program.email, program.password);
  const checked = await eventually(
    'controls are checked',
    async () =>
      (await read(page, 'intelligence/frameworks')).items.find(
        ({ id, score }) => id === 'soc2' && score !== null,
      ),
    CHECKED_MS,
  );
  await openPage(page, 'Compliance');
  const card = page.getByRole('region', { name: checked.title, exact: true });
  await card.getByText(`${checked.score.toFixed(1)} %`.replace(' ', '\u00a0')).waitFor();
  assert.deepEqual(numbers(await card.innerText()), [String(checked.results.fail)]);
  await page.getByText('No agent checks these.').waitFor();

  await card.getByRole('link', { name: checked.title }).click();
  await page.getByRole('heading', { level: 1, name: checked.title }).waitFor();
  await page.getByLabel('Score at the end of each day').waitFor();
  const { items: days } = await read(page, 'intelligence/frameworks/soc2/trend?days=7');
  assert.equal(days.length, 7);
  assert.notEqual(days[6].score, null, 'today has a score');
  await page.getByRole('radiogroup').getByText('Failing', { exact: true }).click();
  const { items } = await read(
    page,
    'intelligence/controls?framework=soc2&state=failed&limit=1000',
  );
  const table = page.getByRole('table', { name: `Controls of ${checked.title}` });
  assert.equal((await table.getByRole('row').count()) - 1, items.length, 'the failing controls');
  await fitsWidth(page);

  const [control] = items;
  await table.getByRole('link', { name: `${control.number} ${control.title}` }).click();
  const results = page.getByRole('region', { name: 'Resources', exact: true });
  const shown = results.getByText(
    `${control.results.fail} result${control.results.fail === 1 ? '' : 's'}`,
    { exact: true },
  );
  await shown.waitFor();
  const { items: found } = await read(
    page,
    `intelligence/controls/${control.id}/results?result=fail&limit=1`,
  );
  await results.getByRole('button', { name: found[0].title }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Passes if this holds').waitFor();
  await dialog.getByText(found[0].remediation).waitFor();
  await page.keyboard.press('Escape');

  await results.getByRole('link', { name: 'Entry' }).first().click();
  await page.getByText('intelligence.evidence').first().waitFor();
}

export const compliance = [
  { name: 'a failing control is followed to its resources and their evidence', run: readsControls },
];
