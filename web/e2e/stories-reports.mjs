// What people do on the pages of reports: run a framework's report and read its controls, keep a custom report and run it.
import assert from 'node:assert/strict';
import { onPhone, openPage, read, signIn } from './steps.mjs';

async function open({ page, program }, tab) {
  await signIn(page, program.email, program.password);
  await page.getByRole('link', { name: 'Audit Logging' }).click();
  await openPage(page, tab);
  await page.getByRole('heading', { level: 2, name: 'Runs', exact: true }).waitFor();
}

/** The newest run of a kind, as the service has it. */
async function newest(page, kind) {
  const { items } = await read(page, `audit-logs/reports/runs?kind=${kind}&limit=1`);
  return items[0];
}

async function runsFramework(story) {
  const { page } = story;
  await open(story, 'Compliance Reports');
  await page.getByRole('button', { name: 'Create a report for SOC 2 Type II' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run report' }).click();
  const dialog = page.getByRole('dialog', { name: 'SOC 2 Type II' });
  const controls = dialog.getByRole('table', { name: 'Controls' });
  await controls.getByText('CC6.1').waitFor({ timeout: 60_000 });
  const run = await newest(page, 'compliance');
  assert.equal(run.state, 'succeeded');
  for (const format of ['PDF', 'CSV', 'JSON']) {
    const link = dialog.getByRole('link', { name: new RegExp(`^${format} \\(`) });
    assert.match(
      await link.getAttribute('href'),
      new RegExp(`/runs/${run.id}/download\\?format=${format.toLowerCase()}$`),
    );
  }
  const pdf = await page.evaluate(
    async (id) =>
      (
        await (await fetch(`/api/v1/audit-logs/reports/runs/${id}/download?format=pdf`)).text()
      ).slice(0, 5),
    run.id,
  );
  assert.equal(pdf, '%PDF-');
  await page.keyboard.press('Escape');
  await onPhone(page, 'Compliance Reports');
}

async function schedulesFramework(story) {
  const { page } = story;
  await open(story, 'Compliance Reports');
  await page.getByRole('button', { name: 'Create a report for GDPR' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Schedule').fill('every monday');
  await form.getByRole('button', { name: 'Save without running' }).click();
  await form
    .getByText(/cron|pattern|fields/i)
    .first()
    .waitFor();
  await form.getByLabel('Schedule').fill('0 6 * * 1');
  await form.getByLabel('E-mail recipients').fill('audit@acme.example');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Save without running' }).click();
  await page
    .getByRole('region', { name: /GDPR/ })
    .getByText(/next run/)
    .waitFor();
  const { items } = await read(page, 'audit-logs/reports');
  const kept = items.find(({ framework }) => framework === 'gdpr');
  assert.deepEqual([kept.schedule.cron, kept.recipients], ['0 6 * * 1', ['audit@acme.example']]);
}

async function keepsCustomReport(story) {
  const { page } = story;
  await open(story, 'Reports');
  await page.getByRole('button', { name: 'Add report' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Sign-ins of the story');
  await form.getByLabel('Events').fill('event_tpye:authentication.login');
  await form.getByRole('button', { name: 'Add report' }).click();
  await form
    .getByText(/event_tpye/)
    .first()
    .waitFor();
  await form.getByLabel('Events').fill('event_type:authentication.login');
  await form.getByLabel('Schedule').fill('0 6 1 * *');
  await form.getByRole('button', { name: 'Add report' }).click();
  await page.getByRole('button', { name: 'Run Sign-ins of the story' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign-ins of the story' });
  await dialog
    .getByRole('table', { name: 'Groups' })
    .getByText(story.program.email)
    .waitFor({ timeout: 60_000 });
  await page.keyboard.press('Escape');
  await page
    .getByRole('table', { name: 'Report runs' })
    .getByText('Sign-ins of the story')
    .first()
    .waitFor();
  const { items } = await read(page, 'audit-logs/reports');
  assert.ok(
    items.find(({ name }) => name === 'Sign-ins of the story').next_run_at,
    'the schedule is kept',
  );
}

export const reports = [
  { name: 'a compliance report runs, and its controls and files are shown', run: runsFramework },
  { name: 'a compliance report is scheduled with its receivers', run: schedulesFramework },
  { name: 'a custom report is kept, marked where it is wrong, and run', run: keepsCustomReport },
];
