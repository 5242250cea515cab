// What people do on the page of exports: see the size before they start, start, download, add a schedule and a destination, read why one fails.
import assert from 'node:assert/strict';
import { openPage, read, signIn } from './steps.mjs';

async function open({ page, program }) {
  await signIn(page, program.email, program.password);
  await page.getByRole('link', { name: 'Audit Logging' }).click();
  await openPage(page, 'Exports');
  await page.getByRole('heading', { level: 2, name: 'Exports', exact: true }).waitFor();
}

async function exportsAndDownloads(story) {
  const { page } = story;
  await open(story);
  await page.getByRole('button', { name: 'New export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('status')
    .filter({ hasText: /^Expected: [\d,]+ entries, about / })
    .waitFor();
  await dialog.getByLabel('From').fill('the day before');
  await dialog.getByText(/is neither an RFC 3339 time/).waitFor();
  await dialog.getByLabel('From').fill('now-24h');
  await dialog
    .getByRole('status')
    .filter({ hasText: /^Expected: / })
    .waitFor();
  await dialog.getByRole('button', { name: 'Start export' }).click();
  // A schedule of another story may start one of its own meanwhile, as Parquet.
  const table = page.getByRole('table', { name: 'Exports' });
  const own = table.getByRole('row').filter({ hasText: 'JSON,' }).first();
  await own.getByRole('link', { name: /^Manifest/ }).waitFor({ timeout: 60_000 });
  const arrives = page.waitForEvent('download');
  await own
    .getByRole('link', { name: /^Entries/ })
    .first()
    .click();
  const download = await arrives;
  assert.match(download.suggestedFilename(), /^audit-logs-.*\.jsonl$/);
  const { items } = await read(page, 'audit-logs/export');
  assert.equal(items.find(({ format }) => format === 'json').status, 'succeeded');
}

async function schedulesAndDelivers(story) {
  const { page } = story;
  await open(story);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Nightly archive');
  await dialog.getByLabel('Schedule', { exact: true }).fill('* * * * *');
  await dialog.getByRole('button', { name: 'Add schedule' }).click();
  await dialog
    .getByText(/no closer together than every five minutes/)
    .first()
    .waitFor();
  await dialog.getByLabel('Schedule', { exact: true }).fill('15 4 * * *');
  await dialog.getByText('At 04:15').waitFor();
  await dialog.getByRole('button', { name: 'Add schedule' }).click();
  const schedule = page
    .getByRole('table', { name: 'Scheduled exports' })
    .getByRole('row', { name: /Nightly archive/ });
  await schedule.getByText('At 04:15 (UTC)').waitFor();
  await schedule.getByRole('button', { name: 'Remove Nightly archive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Nightly archive' }).click();
  await schedule.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Archive bucket');
  await page.getByRole('dialog').getByRole('button', { name: 'Add destination' }).click();
  const adding = page.getByRole('dialog');
  await adding
    .getByText(/is required for this kind of destination/)
    .first()
    .waitFor();
  await adding.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'SFTP server' }).click();
  await adding.getByLabel('Host', { exact: true }).fill('10.1.2.3');
  await adding.getByLabel('Port').fill('seventy');
  await adding.getByLabel('User').fill('reeve');
  await adding.getByLabel('Password or private key').fill('hunter2');
  await adding.getByRole('button', { name: 'Add destination' }).click();
  await adding.getByText('must be 1 to 65535').waitFor();
  await adding.getByLabel('Port').fill('2222');
  await adding.getByRole('button', { name: 'Add destination' }).click();
  await adding
    .getByText(/10\.1\.2\.3 is 10\.1\.2\.3, which is not a public address/)
    .first()
    .waitFor();
  await adding.getByLabel('Host', { exact: true }).fill('nowhere.invalid');
  await adding.getByRole('button', { name: 'Add destination' }).click();
  await page.getByRole('table', { name: 'Destinations' }).getByText('SFTP server').waitFor();
  await page.getByRole('button', { name: 'Test connection to Archive bucket' }).click();
  await page.getByText('Not reachable', { exact: true }).waitFor();
  await page.getByText(/nowhere\.invalid cannot be resolved/).waitFor();
}

export const exportsStories = [
  { name: 'an export is estimated, started and downloaded', run: exportsAndDownloads },
  { name: 'a scheduled export is added, a destination is checked', run: schedulesAndDelivers },
];
