import { Button, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../api/problem';
import { useChangeWorkspace, workspaceQuery, type Workspace } from '../../api/workspace';
import { announce } from '../../display/announce';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Select } from '../../display/Select';
import { useUnsavedWarning } from '../../display/unsaved';

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
/** An address that only this machine reaches is no start of a link. */
const isLocal = (host: string) =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');
const CURRENCIES = Intl.supportedValuesOf('currency');

export function WorkspacePage() {
  const { data, error, refetch } = useQuery(workspaceQuery);
  return (
    <Page title="Workspace" description="Settings for all users of this installation.">
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data && <WorkspaceForm key={data.version} workspace={data} />}
    </Page>
  );
}

function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const change = useChangeWorkspace();
  const form = useForm({
    initialValues: {
      name: workspace.name,
      time_zone: workspace.time_zone ?? '',
      currency: workspace.currency,
      usd_rate: (workspace.usd_rate ?? '') as number | string,
      samples_days: workspace.samples_days as number | string,
      public_url: workspace.public_url ?? '',
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  useUnsavedWarning(form.isDirty() && !change.isPending && !change.isSuccess);
  const foreign = form.values.currency !== 'USD';
  const rated = foreign && Number(form.values.usd_rate) > 0;
  const configured = workspace.public_url_configured;
  const submit = form.onSubmit(
    ({ name, time_zone, currency, usd_rate, samples_days, public_url }) => {
      const address = configured ? {} : { public_url: public_url.trim() };
      change.mutate(
        {
          name: name.trim(),
          time_zone,
          currency,
          usd_rate: foreign ? Number(usd_rate) : 0,
          samples_days: Number(samples_days),
          ...address,
          version: workspace.version,
        },
        {
          onSuccess: () => announce('Settings saved.'),
          onError: (error) => form.setErrors(fieldMessages(error)),
        },
      );
    },
  );
  return (
    <Panel title="General">
      <form noValidate onSubmit={submit}>
        <Stack gap="md" maw={520}>
          <TextInput
            label="Name"
            description="In page titles and notifications"
            required
            {...form.getInputProps('name')}
          />
          <Select
            label="Time zone"
            description="For times on every page, and for schedules that name no zone"
            searchable
            data={[{ value: '', label: "Each reader's own; schedules in UTC" }, ...ZONES]}
            allowDeselect={false}
            {...form.getInputProps('time_zone')}
          />
          <Select
            label="Currency"
            description="For amounts on every page, and for new budgets"
            searchable
            data={CURRENCIES}
            allowDeselect={false}
            {...form.getInputProps('currency')}
          />
          {foreign && (
            <NumberInput
              label={`${form.values.currency} for 1 USD`}
              description="Leave empty to show amounts in the currency they come in"
              min={0}
              decimalScale={6}
              {...form.getInputProps('usd_rate')}
            />
          )}
          {foreign && (
            <Text size="sm" className="muted">
              {rated
                ? 'List prices and savings in dollars are converted at this rate. Reeve does not update it. Budgets are not converted: they count charges in their own currency.'
                : 'Without a rate, list prices and savings stay in US dollars.'}
            </Text>
          )}
          <NumberInput
            label="Keep metric samples for"
            suffix=" days"
            min={30}
            max={3660}
            allowDecimal={false}
            description="Older samples are removed within ten minutes"
            {...form.getInputProps('samples_days')}
          />
          <TextInput
            label="Public address"
            placeholder="https://reeve.example.com"
            inputMode="url"
            readOnly={configured}
            variant={configured ? 'filled' : undefined}
            description={
              configured
                ? 'Set as public_url in the configuration of the service'
                : 'Start of the links in notifications. Without it, notifications name the page but have no links'
            }
            {...form.getInputProps('public_url')}
          />
          {!configured && form.values.public_url === '' && !isLocal(window.location.hostname) && (
            <div>
              <Button
                size="xs"
                variant="default"
                onClick={() => form.setFieldValue('public_url', window.location.origin)}
              >
                Use {window.location.origin}
              </Button>
            </div>
          )}
          <ProblemAlert
            error={change.error}
            marked={['name', 'time_zone', 'currency', 'usd_rate', 'samples_days', 'public_url']}
          />
          <div>
            <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
