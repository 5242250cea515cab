// What people do with anomalies, models, exclusions and change control.
import assert from 'node:assert/strict';
import {
  eventually,
  fitsWidth,
  openFromList,
  endingStops,
  openPage,
  read,
  recommendation,
  signIn,
} from './steps.mjs';

/** The demo's detectors read two weeks of samples before they judge. */
const FOUND_MS = 300_000;
const admin = ({ page, program }) => signIn(page, program.email, program.password);

async function judgesAnomaly({ page, program }) {
  await admin({ page, program });
  const found = await eventually(
    'an anomaly is found',
    async () => (await read(page, 'intelligence/anomalies?type=performance&limit=1')).items[0],
    FOUND_MS,
  );
  await openPage(page, 'Anomalies');
  await page
    .getByRole('status')
    .filter({ hasText: /^[\d,]+ found/ })
    .waitFor();
  await page.getByRole('combobox', { name: 'Class' }).click();
  await page.getByRole('option', { name: 'Performance', exact: true }).click();
  await page.waitForURL(/type=performance/);
  await page.getByRole('table', { name: 'Anomalies' }).getByRole('link').first().waitFor();
  await page.goto(`/intelligence/anomalies/${found.id}`);
  await page.getByRole('img', { name: /around the anomaly$/ }).waitFor();
  const course = page.getByRole('region', { name: 'Response', exact: true }).getByRole('listitem');
  const stages = (await course.allInnerTexts()).map((text) => text.trim().split(/\s/)[0]);
  assert.deepEqual(
    stages,
    ['Alert', 'Investigate', 'Recommend', 'Execute', 'Learn'],
    'in the recorded order',
  );

  const panel = page
    .getByRole('region', { name: 'What was it?', exact: true })
    .filter({ visible: true });
  assert.ok(
    await panel.getByRole('button', { name: 'Save verdict' }).isDisabled(),
    'an answer is needed',
  );
  await panel.getByRole('radio', { name: 'False alarm' }).check();
  await panel.getByLabel('Note').fill('the nightly batch');
  await panel.getByRole('button', { name: 'Save verdict' }).click();
  await panel.getByText('the nightly batch').waitFor();
  await panel.getByRole('button', { name: 'Change verdict' }).click();
  await panel.getByRole('radio', { name: 'Real' }).check();
  await panel.getByRole('button', { name: 'Save verdict' }).click();
  await eventually('the last answer counts', async () => {
    const { feedback } = await read(page, `intelligence/anomalies/${found.id}`);
    return feedback.map(({ kind }) => kind).join() === 'false,real';
  });
  await page.getByRole('link', { name: 'Anomaly detected' }).first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await page.getByRole('img', { name: /around the anomaly$/ }).waitFor();
  await fitsWidth(page);
}

async function setsWhatIsStrange({ page, program }) {
  await admin({ page, program });
  await page.goto('/intelligence/anomalies');
  await page.getByRole('button', { name: 'Detection settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Baseline').fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be from 7d_average to 365d_average').waitFor();
  await dialog.getByLabel('Baseline').fill('28');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Detection settings saved.').waitFor();
  assert.equal((await read(page, 'intelligence/anomaly-settings')).cost.baseline_days, 28);
}

async function looksAtModels({ page, program }) {
  await admin({ page, program });
  await eventually(
    'a model is trained',
    async () => (await read(page, 'intelligence/models?status=serving&limit=1')).items[0],
    FOUND_MS,
  );
  await openPage(page, 'Models');
  await page
    .getByRole('table', { name: 'Models' })
    .locator('tbody')
    .getByRole('button')
    .first()
    .press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img', { name: 'Accuracy by version' }).waitFor();
  await dialog.getByText(/decisions on days not used for training$/).waitFor();
}

async function excludes({ page, program }) {
  await admin({ page, program });
  const found = await recommendation(page, 'plan to exclude', () => true);
  await openFromList(page, found);
  await page.getByRole('button', { name: 'Later', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Exclude' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Resource').inputValue(), found.resource.id);
  await dialog.getByRole('button', { name: 'Exclude', exact: true }).click();
  await dialog.getByText('Enter a reason').waitFor();
  await dialog.getByLabel('Reason').fill('it moves in spring');
  await dialog.getByRole('button', { name: 'Exclude', exact: true }).click();
  await page.getByText('excluded: it moves in spring').first().waitFor();

  await page.goto('/intelligence/exclusions');
  const row = page
    .getByRole('table', { name: 'Exclusions' })
    .locator('tbody tr')
    .filter({ hasText: 'it moves in spring' });
  await row.getByText('Holds').waitFor();
  await row.getByRole('button', { name: 'End exclusion' }).click();
  await page.getByRole('button', { name: 'End exclusion' }).filter({ hasText: 'End' }).click();
  await page.getByText('No exclusions').waitFor();
}

async function freezes({ page, program }) {
  await admin({ page, program });
  const found = await recommendation(page, 'low-impact plan to freeze', () => true);
  await openPage(page, 'Change control');
  await page.getByRole('button', { name: 'Add window' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Nights');
  await dialog.getByText('Sat', { exact: true }).click();
  await dialog.getByLabel('Time zone').fill('Europe/Nowhere');
  await dialog.getByRole('button', { name: 'Add window' }).click();
  await dialog.getByText(/^Give an IANA time zone/).waitFor();
  await dialog.getByLabel('Time zone').fill('Europe/Berlin');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Add window' }).click();
  await page
    .getByRole('table', { name: 'Maintenance windows' })
    .getByText('Sat at 22:00 for 4 h')
    .waitFor();

  await page.getByRole('button', { name: 'Add freeze' }).click();
  await dialog.getByLabel('Name').fill('Launch');
  await dialog.getByRole('button', { name: 'Add freeze' }).click();
  await page.getByText('1 change freeze holds now').waitFor();

  await page.goto(`/intelligence/recommendations/${found.id}`);
  const why = page.getByRole('region', { name: "Why it can't be applied", exact: true });
  await why.getByRole('link', { name: 'Change freeze' }).waitFor();
  await why.getByText(/"Launch" lasts until/).waitFor();
  await page.goto('/intelligence/agents');
  await page
    .getByText(/Frozen by “Launch”/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Why it does not act' }).first().click();
  await dialog.getByText('Consistently low confidence').waitFor();
  await page.keyboard.press('Escape');

  await page.goto('/intelligence/change-control');
  for (const name of ['Launch', 'Nights']) {
    await page.getByRole('button', { name: `Remove ${name}` }).click();
    await page
      .getByRole('button', { name: `Remove ${name}` })
      .filter({ hasText: 'Remove' })
      .click();
    await page
      .getByRole('button', { name: `Remove ${name}` })
      .first()
      .waitFor({ state: 'detached' });
  }
  await page.getByText('No active freeze').waitFor();
}

export const judgement = [
  { name: 'an anomaly is looked at and judged, and judged anew', run: judgesAnomaly },
  { name: 'what counts as strange is set, a wrong number at its field', run: setsWhatIsStrange },
  { name: 'a model is looked at by keyboard', run: looksAtModels },
  { name: 'a recommendation is excluded, and the exclusion ended', run: excludes },
  {
    name: 'a window and a freeze are made, and named where they hold something back',
    run: endingStops(freezes),
  },
];
