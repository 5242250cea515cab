// What people do with frameworks, controls and the results of checks.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** A failing result is accepted, counts as an exception, and fails again once that is withdrawn. */
async function acceptsAFailure({ page, program }) {
  await signIn(page, program.email, program.password);
  const control = await eventually(
    'a control fails',
    async () =>
      (await read(page, 'intelligence/controls?framework=soc2&state=failed&limit=1')).items[0],
    CHECKED_MS,
  );
  await page.goto(`/intelligence/compliance/controls/${control.id}`);
  const results = page.getByRole('region', { name: 'Resources', exact: true });
  await results
    .getByRole('button', { name: /^Accept the failure of/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('short');
  await dialog.getByRole('button', { name: 'Accept', exact: true }).click();
  await dialog.getByText('Enter a reason of at least 10 characters').waitFor();
  await dialog.getByLabel('Reason').fill('until the review of next month');
  await dialog.getByRole('button', { name: 'Accept', exact: true }).click();
  await results.getByText('until the review of next month').first().waitFor();
  await fitsWidth(page);

  const now = await read(page, `intelligence/controls/${control.id}`);
  assert.equal(now.results.excepted, 1);
  assert.equal(now.results.fail, control.results.fail, 'the result stays');
  const found = await read(page, `intelligence/controls/${control.id}/results?result=excepted`);
  assert.equal(found.items[0].exception.by, program.email);

  await results
    .getByRole('button', { name: /^Withdraw the exception of/ })
    .first()
    .click();
  await eventually(
    'the exception is gone',
    async () => (await read(page, `intelligence/controls/${control.id}`)).results.excepted === 0,
  );
}

const OWN = `title = "The bucket has an owner of its own"
why = "Nobody can be asked about a bucket without an owner."
severity = "low"
kind = "bucket"
topics = ["inventory"]
sources = ["https://wiki.example/tagging"]
expression = 'doc.?Owner.orValue("") != ""'
remediation = { text = "Set the tag Owner." }

[[sample]]
name = "with an owner"
result = "pass"
document = '{"Owner": "data"}'

[[sample]]
name = "without an owner"
result = "fail"
document = '{}'
`;

/** Files in the folder of own checks come into force or are refused with their line. */
async function bringsOwnChecks({ page, program }) {
  const folder = join(program.data, 'checks', 'checks', 'aws', 's3');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'story_owner.toml'), OWN);
  writeFileSync(join(folder, 'story_broken.toml'), OWN.replace('"low"', '"bad"'));
  try {
    await signIn(page, program.email, program.password);
    await openPage(page, 'Compliance');
    const own = page.getByRole('region', { name: 'Your checks and frameworks', exact: true });
    await own.waitFor({ timeout: 60_000 });
    await own.getByText('checks/aws/s3/story_broken.toml:3').waitFor();
    await own.getByRole('button', { name: 'The bucket has an owner of its own' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your folder of own checks').waitFor();
    await dialog.getByText('Set the tag Owner.').waitFor();
    await page.keyboard.press('Escape');
    await fitsWidth(page);

    const { items } = await read(page, 'audit-logs?query=event_type:intelligence.checks.load');
    assert.equal(items[0].metadata.refused, 1);
  } finally {
    rmSync(join(program.data, 'checks'), { recursive: true });
  }
}

export const compliance = [
  { name: 'a failing control is followed to its resources and their evidence', run: readsControls },
  { name: 'a failing result is accepted and the exception withdrawn', run: acceptsAFailure },
  { name: 'own checks are listed, and a refused file with its line', run: bringsOwnChecks },
];
